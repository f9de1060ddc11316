-- Lists, searches and counts of a million accounts without reading all of them.

-- The extension pg_trgm would do for the search, but it belongs to the app's owner, who may drop it or expect it in a schema of
-- their own, and a server of somebody else's need not have it.

create function ninefold.member_words(email text, phone text, data jsonb) returns text
  language sql immutable parallel safe
  return pg_catalog.lower(coalesce(email, '') || E'\n' || coalesce(phone, '')
    || E'\n' || pg_catalog.left(coalesce(data ->> 'full_name', ''), 200)
    || E'\n' || pg_catalog.left(coalesce(data ->> 'name', ''), 200));
comment on function ninefold.member_words is 'The texts of an account that a search looks into, in lower case, one a line.';

create function ninefold.trigrams(words text) returns text[]
  language plpgsql immutable parallel safe
  set search_path = ''
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
comment on function ninefold.trigrams is 'Each three characters in a row of a text, those that hold an end of line left out.';

-- Whoever writes an account also writes its entries of the index.
grant execute on function ninefold.member_words, ninefold.trigrams to public;

set role supabase_auth_admin;
set local maintenance_work_mem = '256MB';
-- A small pending list bounds both the search that reads it and the sign-up that empties it.
create index ninefold_users_words_idx on auth.users using gin (
  ninefold.trigrams(ninefold.member_words(email, phone, raw_user_meta_data))
) with (gin_pending_list_limit = 512);
reset role;

-- The number of accounts is the sum of all rows: each statement that adds or removes accounts appends one, so that two sign-ups never wait
-- for each other. Now and then a statement folds many rows into one.
create table ninefold.account_counts (n bigint not null);
alter table ninefold.account_counts owner to supabase_auth_admin;
comment on table ninefold.account_counts is 'The number of accounts, as a sum.';

create function ninefold.count_accounts() returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from ninefold.account_counts;
    return null;
  end if;
  insert into ninefold.account_counts
  select case tg_op when 'DELETE' then -count(*) else count(*) end from changed having count(*) > 0;
  -- A row that another transaction has folded would end a transaction of a stricter isolation.
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
grant usage on schema ninefold to supabase_auth_admin;

set role supabase_auth_admin;
create trigger ninefold_count_inserted after insert on auth.users
  referencing new table as changed for each statement execute function ninefold.count_accounts();
create trigger ninefold_count_deleted after delete on auth.users
  referencing old table as changed for each statement execute function ninefold.count_accounts();
create trigger ninefold_count_truncated after truncate on auth.users
  for each statement execute function ninefold.count_accounts();
alter table auth.users enable always trigger ninefold_count_inserted;
alter table auth.users enable always trigger ninefold_count_deleted;
alter table auth.users enable always trigger ninefold_count_truncated;
-- The lock of the triggers holds off every other writer until the end of this transaction.
insert into ninefold.account_counts select count(*) from auth.users;
reset role;

-- Imports -------------------------------------------------------------------------------------------------------------------------
-- A file arrives in parts. Its accounts are prepared in a table of their own and become members in one transaction.

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
comment on table ninefold.member_imports is 'Imports of members from files.';

create unlogged table ninefold.member_import_parts (
  import_id uuid not null,
  position integer not null,
  data bytea not null,
  constraint member_import_parts_pkey primary key (import_id, position),
  constraint member_import_parts_import_id_fkey foreign key (import_id) references ninefold.member_imports (id) on delete cascade
);
alter table ninefold.member_import_parts alter column data set storage external;
comment on table ninefold.member_import_parts is 'Files that are being imported, in parts.';

create unlogged table ninefold.member_import_records (
  import_id uuid not null,
  line bigint not null,
  -- Of an identity that follows its account in the file.
  user_id uuid,
  record jsonb not null,
  constraint member_import_records_import_id_fkey foreign key (import_id) references ninefold.member_imports (id) on delete cascade
);
create index member_import_records_import_id_idx on ninefold.member_import_records (import_id);
comment on table ninefold.member_import_records is 'Accounts and identities of a file, before they become members.';

create table ninefold.member_import_refusals (
  import_id uuid not null,
  line bigint not null,
  subject text,
  reason text not null,
  constraint member_import_refusals_import_id_fkey foreign key (import_id) references ninefold.member_imports (id) on delete cascade
);
create index member_import_refusals_import_id_idx on ninefold.member_import_refusals (import_id, line);
comment on table ninefold.member_import_refusals is 'Records of a file that did not become members, and why.';

alter table ninefold.member_imports owner to supabase_auth_admin;
alter table ninefold.member_import_parts owner to supabase_auth_admin;
alter table ninefold.member_import_records owner to supabase_auth_admin;
alter table ninefold.member_import_refusals owner to supabase_auth_admin;
