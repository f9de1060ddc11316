-- Searches, filters and orders of lists that members save under a name.

create table ninefold.member_views (
  user_id uuid not null references auth.users (id) on delete cascade,
  route text not null constraint member_views_route check (length(route) between 1 and 200),
  name text not null constraint member_views_name check (length(name) between 1 and 60),
  search text not null constraint member_views_search check (length(search) <= 2000),
  saved_at timestamptz not null default now(),
  constraint member_views_pkey primary key (user_id, route, name)
);
comment on table ninefold.member_views is 'Views of lists that members have saved: the query of the list’s address, by a name.';

grant select, insert, update, delete on ninefold.member_views to ninefold_server;
grant select on ninefold.member_views to pg_database_owner;
