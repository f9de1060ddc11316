-- Members: their roles, the search for an account, the number of accounts, and imports.

-- Roles of members ----------------------------------------------------------------------------------------------------

create table ninefold.roles (
  name text primary key
    constraint roles_name check (name ~ '^[a-z][a-z0-9_-]{0,62}$')
    constraint roles_name_free check (name not in (
      'anon', 'authenticated', 'service_role', 'postgres', 'authenticator', 'pg_database_owner', 'public', 'none')),
  description text check (length(description) <= 4000),
  id bigint not null generated always as identity unique
);
comment on table ninefold.roles is 'The roles that members can have. They are no roles of the database: requests of members run as authenticated.';
comment on column ninefold.roles.id is 'Stays the same when the role is renamed.';

create table ninefold.member_roles (
  user_id uuid references auth.users (id) on delete cascade,
  role text references ninefold.roles (name) on update cascade on delete cascade,
  granted_at timestamptz not null default now(),
  constraint member_roles_pkey primary key (user_id, role)
);
create index member_roles_role on ninefold.member_roles (role);
comment on table ninefold.member_roles is 'The roles of each member.';

-- PostgreSQL binds a body in the SQL standard's form to its objects when it creates the function, so no search path can redirect it.
create function ninefold.caller() returns uuid language sql stable parallel safe
return case
  when coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  ) ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
  then coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
end;
comment on function ninefold.caller() is 'The id of the signed-in member; null if nobody is signed in or if the claim sub is no id.';

create function ninefold.has_role(role text) returns boolean language sql stable parallel safe
return exists (select from ninefold.member_roles m where m.user_id = ninefold.caller() and m.role = has_role.role);
comment on function ninefold.has_role(text) is
  'Whether ninefold.member_roles contains the role for the signed-in member. A change applies from the next request.';

create function ninefold.my_roles() returns text[] language sql stable parallel safe
return coalesce(
  (select array_agg(m.role order by m.role) from ninefold.member_roles m where m.user_id = ninefold.caller()), '{}');
comment on function ninefold.my_roles() is 'The roles of the signed-in member.';

create function ninefold.define_role(name text, description text default null) returns void
  language sql
  set search_path = pg_catalog, pg_temp
begin atomic
  insert into ninefold.roles (name, description)
  values (define_role.name, nullif(pg_catalog.btrim(define_role.description), ''))
  on conflict (name) do update set description = excluded.description;
end;
comment on function ninefold.define_role is 'Creates a role for members, or changes its description.';

create function ninefold.drop_role(name text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  delete from ninefold.roles r where r.name = drop_role.name;
  if not found then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('there is no role %L for members', drop_role.name);
  end if;
end
$$;
comment on function ninefold.drop_role is 'Removes a role, also from every member.';

create function ninefold.grant_role("user" uuid, role text) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from ninefold.roles r where r.name = grant_role.role) then
    raise exception using errcode = 'undefined_object',
      message = pg_catalog.format('there is no role %L for members', grant_role.role),
      hint = pg_catalog.format('Define it first: select ninefold.define_role(%L, ''…'');', grant_role.role);
  end if;
  insert into ninefold.member_roles (user_id, role) values (grant_role."user", grant_role.role) on conflict do nothing;
end
$$;
comment on function ninefold.grant_role is 'Grants a role to a member. Does nothing if the member has the role.';

create function ninefold.revoke_role("user" uuid, role text) returns void
  language sql
  set search_path = pg_catalog, pg_temp
begin atomic
  delete from ninefold.member_roles m where m.user_id = revoke_role."user" and m.role = revoke_role.role;
end;
comment on function ninefold.revoke_role is 'Revokes a role from a member. Does nothing if the member does not have the role.';

-- A worker derives the specification as the app's login role, which has no privileges of its own.
grant select on ninefold.roles to public;
grant insert, update, delete on ninefold.roles to pg_database_owner;
grant select on sequence ninefold.roles_id_seq to pg_database_owner;

alter table ninefold.member_roles enable row level security;
grant select on ninefold.member_roles to public;
grant insert, delete on ninefold.member_roles to pg_database_owner, service_role;
create policy own_roles on ninefold.member_roles for select using (user_id = ninefold.caller());
create policy read_all on ninefold.member_roles for select to ninefold_server, supabase_auth_admin using (true);
create policy app_owner on ninefold.member_roles to pg_database_owner using (true) with check (true);

revoke execute on function ninefold.define_role, ninefold.drop_role, ninefold.grant_role, ninefold.revoke_role from public;
grant execute on function ninefold.define_role, ninefold.drop_role, ninefold.grant_role, ninefold.revoke_role to pg_database_owner;
grant execute on function ninefold.grant_role, ninefold.revoke_role to service_role;

create trigger definition_told after insert or update or delete or truncate on ninefold.roles
  for each statement execute function ninefold.tell_definition_changed();
create trigger definition_noted after insert or update or delete on ninefold.roles
  for each statement when (current_user <> 'ninefold_server') execute function ninefold.note_definition_change();
alter table ninefold.roles enable always trigger definition_told, enable always trigger definition_noted;

-- Search --------------------------------------------------------------------------------------------------------------

-- A search among a million accounts uses an index of trigrams. It does not use the extension pg_trgm, which belongs to the app's owner: the
-- owner may drop or move it.
create function ninefold.member_words(email text, phone text, data jsonb) returns text
  language sql immutable parallel safe
  return pg_catalog.lower(coalesce(email, '') || E'\n' || coalesce(phone, '')
    || E'\n' || pg_catalog.left(coalesce(data ->> 'full_name', ''), 200)
    || E'\n' || pg_catalog.left(coalesce(data ->> 'name', ''), 200));
comment on function ninefold.member_words is 'The texts of an account for the search, in lower case, one on each line.';

create function ninefold.trigrams(words text) returns text[]
  language plpgsql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
declare
  found text[] := '{}';
  part text;
begin
  for i in 1 .. length(words) - 2 loop
    part := substr(words, i, 3);
    if strpos(part, E'\n') = 0 then
      found := found || part;
    end if;
  end loop;
  return found;
end
$$;
comment on function ninefold.trigrams is 'All sequences of three characters of a text that contain no end of line.';

-- A role that writes an account calls these functions for the index.
grant execute on function ninefold.member_words, ninefold.trigrams to public;

set role supabase_auth_admin;

-- A small pending list bounds the time of a search, which reads the list, and of the sign-up that empties it.
create index ninefold_users_words_idx on auth.users using gin (
  ninefold.trigrams(ninefold.member_words(email, phone, raw_user_meta_data))
) with (gin_pending_list_limit = 512);
reset role;

-- The number of accounts ----------------------------------------------------------------------------------------------

-- The number of accounts is the sum of all rows. Each statement that adds or removes accounts appends a row, so two sign-ups never wait for
-- each other. Some statements fold many rows into one.
create table ninefold.account_counts (n bigint not null);
alter table ninefold.account_counts owner to ninefold_server;
comment on table ninefold.account_counts is 'The number of accounts, as a sum.';
insert into ninefold.account_counts (n) values (0);

create function ninefold.count_accounts() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from ninefold.account_counts;
    return null;
  end if;
  insert into ninefold.account_counts
  select case tg_op when 'DELETE' then -count(*) else count(*) end from changed having count(*) > 0;
  -- In a stricter isolation level, a row that another transaction has folded would make this transaction fail.
  if random() < 0.02 and current_setting('transaction_isolation') = 'read committed' then
    with folded as (
      delete from ninefold.account_counts where ctid = any (array(
        select ctid from ninefold.account_counts limit 500 for update skip locked
      )) returning n
    )
    insert into ninefold.account_counts select sum(n) from folded having count(*) > 0;
  end if;
  return null;
end
$$;
alter function ninefold.count_accounts owner to supabase_auth_admin;
revoke execute on function ninefold.count_accounts from public;

create trigger ninefold_count_inserted after insert on auth.users
  referencing new table as changed for each statement execute function ninefold.count_accounts();
create trigger ninefold_count_deleted after delete on auth.users
  referencing old table as changed for each statement execute function ninefold.count_accounts();
create trigger ninefold_count_truncated after truncate on auth.users
  for each statement execute function ninefold.count_accounts();
alter table auth.users enable always trigger ninefold_count_inserted, enable always trigger ninefold_count_deleted,
  enable always trigger ninefold_count_truncated;

-- Imports -------------------------------------------------------------------------------------------------------------

-- A file arrives in parts. The server prepares its accounts in a separate table and makes them members in one transaction.
create table ninefold.member_imports (
  id uuid not null default gen_random_uuid(),
  source text not null,
  file_name text not null,
  options jsonb not null default '{}',
  bytes bigint not null default 0,
  state text not null default 'receiving',
  read_records bigint not null default 0,
  imported bigint not null default 0,
  present bigint not null default 0,
  refused bigint not null default 0,
  failure text,
  created_by text not null,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  constraint member_imports_pkey primary key (id),
  constraint member_imports_state_check check (state in ('receiving', 'running', 'done', 'failed'))
);
alter table ninefold.member_imports owner to ninefold_server;
comment on table ninefold.member_imports is 'Imports of members from files.';

create unlogged table ninefold.member_import_parts (
  import_id uuid not null,
  position integer not null,
  data bytea not null,
  constraint member_import_parts_pkey primary key (import_id, position),
  constraint member_import_parts_import_id_fkey foreign key (import_id) references ninefold.member_imports (id) on delete cascade
);
alter table ninefold.member_import_parts alter column data set storage external;
alter table ninefold.member_import_parts owner to ninefold_server;
comment on table ninefold.member_import_parts is 'Files that are being imported, in parts.';

create unlogged table ninefold.member_import_records (
  import_id uuid not null,
  line bigint not null,
  -- The account of an identity, which follows the account in the file; null for an account.
  user_id uuid,
  record jsonb not null,
  constraint member_import_records_import_id_fkey foreign key (import_id) references ninefold.member_imports (id) on delete cascade
);
create index member_import_records_import_id_idx on ninefold.member_import_records (import_id);
alter table ninefold.member_import_records owner to ninefold_server;
comment on table ninefold.member_import_records is 'Accounts and identities of a file, before they become members.';

create table ninefold.member_import_refusals (
  import_id uuid not null,
  line bigint not null,
  subject text,
  reason text not null,
  constraint member_import_refusals_import_id_fkey foreign key (import_id) references ninefold.member_imports (id) on delete cascade
);
create index member_import_refusals_import_id_idx on ninefold.member_import_refusals (import_id, line);
alter table ninefold.member_import_refusals owner to ninefold_server;
comment on table ninefold.member_import_refusals is 'Records of a file that did not become members, and why.';

-- The functions of sign-in may write these tables, and the app's owner may become their role. So ninefold_server owns the tables: the owner
-- of a table may define triggers, rules, defaults and checks on it.
grant select, insert, update, delete on ninefold.account_counts, ninefold.member_imports, ninefold.member_import_parts,
  ninefold.member_import_records, ninefold.member_import_refusals to supabase_auth_admin;
