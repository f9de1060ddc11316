-- Views of lists that members share with other members.

create table ninefold.shared_views (
  id uuid not null default gen_random_uuid() constraint shared_views_pkey primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  route text not null constraint shared_views_route check (length(route) between 1 and 200),
  name text not null constraint shared_views_name check (length(name) between 1 and 60),
  search text not null constraint shared_views_search check (length(search) <= 2000),
  -- Null: all members who can open the list.
  role text references ninefold.roles (name) on update cascade on delete cascade,
  shared_at timestamptz not null default now(),
  constraint shared_views_once unique (user_id, route, name)
);
create index shared_views_role on ninefold.shared_views (role);
comment on table ninefold.shared_views is 'Views of lists that members share with the members who can open the list, or with those who have one role.';
grant select, insert, update, delete on ninefold.shared_views to ninefold_server;
grant select, delete on ninefold.shared_views to pg_database_owner;
