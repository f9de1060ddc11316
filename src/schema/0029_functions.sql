-- Edge functions of the app: their versions, secrets and output (docs/functions.md). Only the server writes these tables.

create table ninefold.functions (
  name text primary key,
  -- False: callers need no key and no token.
  verifies_jwt boolean not null default true,
  -- The id of the version that runs; null while the function is switched off. Only versions that are older than it are deleted.
  active_version bigint,
  created_at timestamptz not null default pg_catalog.now()
);
comment on table ninefold.functions is 'Edge functions of the app, which run at /functions/v1/<name>.';

create table ninefold.function_versions (
  id bigint generated always as identity primary key,
  function text not null references ninefold.functions (name) on delete cascade,
  number integer not null,
  created_at timestamptz not null default pg_catalog.now(),
  created_by text not null,
  message text,
  -- The path of the first file.
  entrypoint text not null,
  -- The path of deno.json or an import map in sources; null without one.
  import_map text,
  -- By path: the text of each file as it was deployed.
  sources jsonb not null,
  -- One JavaScript module with everything that the function imports.
  bundle text not null,
  -- SHA-256 of the bundle in hexadecimal digits.
  sha256 text not null,
  -- The names of environment variables that the code reads.
  reads text[] not null default '{}',
  unique (function, number)
);
comment on table ninefold.function_versions is 'Deployed versions of edge functions. A version can be made active again.';

create table ninefold.function_secrets (
  name text primary key,
  -- Encrypted under the master key of the node, which is not in this database.
  sealed text not null,
  set_at timestamptz not null default pg_catalog.now(),
  set_by text not null
);
comment on table ninefold.function_secrets is 'Environment variables of edge functions, encrypted.';

create table ninefold.function_logs (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  -- Null for lines of the process that runs the functions.
  function text,
  request_id text,
  -- debug, info, warn, error of the console; start, end of the process.
  level text not null,
  message text not null,
  -- For a start: how long it took.
  milliseconds real
);
create index function_logs_at on ninefold.function_logs (at);
create index function_logs_request on ninefold.function_logs (request_id) where request_id is not null;
comment on table ninefold.function_logs is 'Console output of edge functions. The oldest lines are deleted.';

-- Workers cache the functions, and discard them with the cached settings.
create trigger functions_changed after insert or update or delete or truncate on ninefold.functions
  for each statement execute function ninefold.tell_settings_changed();
create trigger function_secrets_changed after insert or update or delete or truncate on ninefold.function_secrets
  for each statement execute function ninefold.tell_settings_changed();

grant select, insert, update, delete on ninefold.functions, ninefold.function_versions, ninefold.function_secrets, ninefold.function_logs
  to ninefold_server;
-- pg_dump of the owner reads all tables and sequences. The values of secrets are encrypted.
grant select on ninefold.functions, ninefold.function_versions, ninefold.function_secrets, ninefold.function_logs to pg_database_owner;
grant select on sequence ninefold.function_versions_id_seq, ninefold.function_logs_id_seq to pg_database_owner;

-- Returns the functions that run, for the specification of the app.
create function ninefold.edge_functions() returns json
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('role') <> 'none' and not pg_has_role(current_setting('role'), 'pg_database_owner', 'MEMBER') then
    return '[]';
  end if;
  return (
    select coalesce(json_agg(json_build_object('name', f.name, 'verifies_jwt', f.verifies_jwt, 'version', v.number, 'sha256', v.sha256,
      'reads', v.reads) order by f.name), '[]')
    from ninefold.functions f join ninefold.function_versions v on v.id = f.active_version);
end
$$;
comment on function ninefold.edge_functions is 'The edge functions of the app, for its specification.';
