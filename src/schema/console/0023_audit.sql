-- What builders do: in the console's database, to which no role of an app can connect.
create table node.audit_log (
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default clock_timestamp(),
  -- Stays when the app is deleted.
  app text not null,
  -- Null for the operator.
  actor_id uuid,
  actor text not null,
  action text not null,
  details jsonb not null default '{}',
  -- The code of the error; null if the call succeeded.
  refused text,
  ip_address text not null,
  request_id text not null,
  constraint audit_log_pkey primary key (id)
);
comment on table node.audit_log is 'What builders did in apps: who, when, from where.';
create index audit_log_app_idx on node.audit_log (app, at desc, id desc);
create index audit_log_at_idx on node.audit_log (at);
