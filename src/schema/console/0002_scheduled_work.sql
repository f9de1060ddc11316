-- When the node must look into the databases of apps for scheduled jobs and HTTP requests, so that apps at rest need no connection.
create table node.scheduled_work (
  app text primary key references public.apps (ref) on delete cascade,
  -- Nothing is due before; null: nothing is scheduled.
  due_at timestamptz,
  -- The rows that PostgreSQL had counted as written in the app's database when the node last looked into it.
  seen_writes bigint not null
);
comment on table node.scheduled_work is 'When the node must look into the database of each app for scheduled jobs and HTTP requests.';
