import { describe, expect, it } from 'vitest';
import { replacementOf } from './platform-statements.ts';
import type { DatabaseFacts } from './replacement.ts';
import { splitStatements } from './statements.ts';

const facts: DatabaseFacts = {
  database: 'app_x',
  available: new Set(['hstore', 'moddatetime']),
  platformRelations: new Set(['storage.objects']),
  skippedRoles: new Set(['app_old']),
  databaseRoles: new Set(['reporter', 'writer']),
  hasDatabaseRoles: true,
  hasHelpers: true,
};

function replaced(sql: string) {
  const [statement] = splitStatements(sql);
  return statement ? replacementOf(statement, facts) : null;
}

describe('replacementOf', () => {
  it('takes updates of extensions that the node provides, and puts pg_stat_statements where hosted projects have it', () => {
    expect(replaced(`alter extension supabase_vault update to '0.3.1'`)).toMatchObject({ run: null, warning: null });
    expect(replaced('create extension if not exists pg_stat_statements')?.run).toBe(
      `select ninefold.create_extension('pg_stat_statements', 'extensions', true)`,
    );
  });

  it.each([
    'create extension hstore',
    'create extension misspelt',
    'alter table public.a add foreign key (b) references auth.users (id)',
    'alter table a add foreign key (b) references auth.users (id)',
    'drop policy p on public.storage',
    'grant select on public.a to authenticated',
    'revoke all on schema public, graphql from anon',
    'comment on table public.vault is $$x$$',
    'create trigger t before insert on storage.objects for each row execute function public.f()',
    'alter table a owner to authenticated',
    'alter event trigger ninefold_drop_noted disable',
    'alter role app_x set work_mem = 1',
    'create publication p for table a',
    'set role authenticated',
    'alter table a owner to reporter',
    'create user mapping for current_user server s',
    'create policy p on a to authenticated using (true)',
    '\\copy a from b',
    `select setval('public.a_id_seq', 1)`,
    'insert into storage.objects values (1)',
    'create table auth.a ()',
    'create or replace function public.storage() returns void language sql as $$$$',
    'create index if not exists i on storage.objects (name)',
    'copy public.a from stdin;\n1\n',
    'copy storage.objects from stdin;\n1\n',
  ])('returns null for %s, because PostgreSQL can run it', (sql) => {
    expect(replaced(sql)).toBeNull();
  });

  it.each([
    'drop trigger if exists t on storage.prefixes',
    'drop function if exists storage.f(text)',
    'alter table only "storage"."prefixes" drop constraint c',
    'revoke all on schema vault, graphql from anon',
    'grant all on function graphql_public.graphql(text, jsonb) to anon',
    'grant all on all tables in schema vault to anon',
    'comment on policy p on storage.objects is $$x$$',
    `SELECT pg_catalog.setval('"pgsodium"."key_key_id_seq"', 1, false)`,
    `select setval('storage.a_seq', 1)`,
    'insert into "_realtime"."tenants" values (1)',
    'create table if not exists supabase_functions.hooks (id int)',
    'create or replace function auth.uid() returns uuid language sql as $$$$',
    'grant all on function "public"."pgaudit_sql_drop"() to anon',
    'alter function public.http_get(text) owner to authenticated',
  ])('tries the statement %s, and skips it if that fails', (sql) => {
    expect(replaced(sql)).toMatchObject({ isAttempt: true });
  });

  it.each([
    ['alter function "a"."b"() owner to "postgres"', 'alter function "a"."b"() owner to current_user'],
    ['alter database "postgres" set work_mem = 1', 'alter database "app_x" set work_mem = 1'],
    ['alter role postgres in database postgres set a.b = 1', 'alter role current_user in database "app_x" set a.b = 1'],
    [
      'alter default privileges for role postgres grant select on tables to anon',
      'alter default privileges for role current_user grant select on tables to anon',
    ],
    [`create extension "moddatetime" schema "it's"`, `select ninefold.create_extension('moddatetime', 'it''s', false)`],
    ['alter database postgres owner to postgres', null],
    ['comment on database postgres is $$x$$', 'comment on database "app_x" is $$x$$'],
    ['revoke all on database "postgres" from public', 'revoke all on database "app_x" from public'],
    ['set local role postgres', 'set local role none'],
    ['set session authorization "postgres"', 'set session authorization default'],
    [
      'create publication p for tables in schema a, b with (publish = $$insert$$)',
      'create publication p with (publish = $$insert$$)',
    ],
    ['alter publication p add tables in schema a', null],
    ['create role reporter nologin', `select ninefold.create_database_role('reporter')`],
    ['create role app_old', `insert into ninefold.skipped_roles (name) values ('app_old') on conflict do nothing`],
    [
      'drop role reporter, writer',
      `select ninefold.drop_database_role('reporter', false); select ninefold.drop_database_role('writer', false)`,
    ],
    ['drop role if exists app_old, other', `delete from ninefold.skipped_roles where name in ('app_old', 'other')`],
    ['drop owned by app_old', null],
    ['alter role reporter set search_path = a', null],
    ['alter role reporter superuser', null],
    ['alter role service_role bypassrls', null],
    ['alter role postgres set pgaudit.log = $$write$$', null],
    ['alter database postgres set log_min_duration_statement = 1', null],
    ['grant reporter to authenticator', `select ninefold.allow_database_role('reporter', true)`],
    ['revoke reporter from authenticator', `select ninefold.allow_database_role('reporter', false)`],
    ['grant reporter to postgres, current_user', null],
    ['grant reporter to anon', null],
    ['grant reporter, writer to writer with admin option', null],
    ['grant authenticated to reporter', null],
    ['grant app_old to authenticator', null],
    ['grant select on a to app_old with grant option', null],
    ['grant select on a to app_old, anon', 'grant select on a to anon'],
    ['alter default privileges in schema a grant select on tables to app_old', null],
    ['create policy p on a for select to app_old using (true)', null],
    [
      'create policy p on a to anon, app_old, authenticated using (true)',
      'create policy p on a to anon, authenticated using (true)',
    ],
    ['create extension vector', null],
    ['create extension pg_prewarm', null],
    ['create extension pg_net', null],
    ['copy "_realtime"."tenants" (a) from stdin;\n1\n\\.\n', null],
    ['\\restrict a', null],
  ])('replaces %s by %s', (sql, run) => {
    expect(replaced(sql)).toMatchObject({ run });
  });

  it('stores settings of a role as settings of the app, converted to their units', () => {
    expect(replaced(`alter role authenticator set statement_timeout = '2min'`)?.run).toContain(`'120000'::jsonb`);
    expect(replaced('alter role authenticator set pgrst.db_max_rows to 7')?.run).toContain(
      `('db_max_rows', '7'::jsonb)`,
    );
    expect(replaced('alter role authenticator reset pgrst.db_schemas')?.run).toMatch(/^delete .*'db_schemas'$/);
    expect(replaced(`alter role anon set statement_timeout = '3s'`)).toMatchObject({ run: null });
  });
});
