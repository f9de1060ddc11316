-- Settings of apps that are secrets, such as the password for a mail server. Each value is sealed with the node's master key for its
-- app and its name. No role of an app can connect to this database.
create table node.app_secrets (
  app text not null references public.apps (ref) on delete cascade,
  name text not null,
  sealed text not null,
  set_at timestamptz not null default now(),
  set_by text not null,
  constraint app_secrets_pkey primary key (app, name)
);
comment on table node.app_secrets is 'Settings of apps that are secrets, sealed with the node''s master key.';

-- Each worker then reads the app's record anew.
create function node.tell_app_secrets_changed() returns trigger
  language plpgsql
  set search_path = ''
as $$
begin
  perform pg_catalog.pg_notify('ninefold', pg_catalog.jsonb_build_object('type', 'app', 'ref', coalesce(new.app, old.app))::text);
  return null;
end
$$;
create trigger app_secrets_changed after insert or update or delete on node.app_secrets
  for each row execute function node.tell_app_secrets_changed();
