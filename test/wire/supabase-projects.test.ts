import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import type { ApiError, AppConnection, MigrateResponse, MigrationFailure } from '../../contract/admin.ts';
import type { VersionList } from '../../contract/changes.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { cli } from '../support/node.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { uniqueRef } from '../support/unique.ts';

const node = inject('node');

const rows = async (ref: string, sql: string) => (await runSql(node, ref, sql)).results.at(-1)?.rows;

async function project(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await makeTestFolder('project');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

const migrate = (ref: string, ...scripts: string[]) =>
  admin<MigrateResponse>(node, 'POST', `/apps/${ref}/migrations`, {
    files: scripts.map((sql, i) => ({ name: `${i + 1}_part.sql`, sql })),
  });

async function refused(ref: string, ...scripts: string[]): Promise<MigrationFailure> {
  const response = await fetch(`${node.url}/admin/v1/apps/${ref}/migrations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ files: scripts.map((sql, i) => ({ name: `${i + 1}_part.sql`, sql })) }),
  });
  const body = (await response.json()) as ApiError;
  expect([response.status, body.code]).toEqual([400, 'migration_failed']);
  return body.details as MigrationFailure;
}

describe('an app’s owner', () => {
  it('is not restricted by FORCE ROW LEVEL SECURITY, so a trigger on auth.users can write to the table', async () => {
    const app = await createApp(node);
    await migrate(
      app.ref,
      `create schema private; create table private.profiles (id uuid primary key);
       alter table private.profiles enable row level security; alter table private.profiles force row level security;
       create function private.add_profile() returns trigger language plpgsql security definer set search_path = '' as
         $$ begin insert into private.profiles values (new.id); return new; end $$;
       alter function private.add_profile() owner to postgres;
       create trigger add_profile after insert on auth.users for each row execute function private.add_profile();`,
    );
    const response = await fetch(`${app.url}/auth/v1/signup`, {
      method: 'POST',
      headers: { apikey: app.publishable_key, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'new@example.com', password: 'a long password' }),
    });
    expect(response.status).toBe(200);
    expect(await rows(app.ref, 'select count(*) from private.profiles')).toEqual([['1']]);
  });

  it('can restore a dump in replica mode, in which no trigger fires and no foreign key is checked', async () => {
    const { ref } = await createApp(node);
    await migrate(
      ref,
      `\\restrict abc
       SET session_replication_role = replica; SET statement_timeout = 0; SET transaction_timeout = 0; SET check_function_bodies = false;
       SELECT pg_catalog.set_config('search_path', '', false); SET client_min_messages = warning; SET row_security = off;
       SET default_table_access_method = heap;
       CREATE TABLE public.parents (id int primary key); CREATE TABLE public.children (parent int references public.parents);
       ALTER TABLE public.parents OWNER TO "postgres";
       INSERT INTO public.children VALUES (1); INSERT INTO public.parents VALUES (1);
       DROP TABLE IF EXISTS public.unknown; CREATE TABLE public.gone (); DROP TABLE public.gone;
       \\unrestrict abc\n`,
    );
    expect(await rows(ref, 'select version, name from supabase_migrations.schema_migrations')).toEqual([['1', 'part']]);
    // The journal and notifications also work in replica mode.
    await runSql(node, ref, 'set session_replication_role = replica; create table public.quiet ()');
    expect(await rows(ref, `select count(*) from ninefold.journal where statement like '%quiet%'`)).toEqual([['1']]);
  });
});

describe('CREATE EXTENSION', () => {
  it('creates extensions that the owner is allowed to create, in the requested schema', async () => {
    const { ref } = await createApp(node);
    const { applied, warnings } = await migrate(
      ref,
      `create extension moddatetime schema extensions; create table public.t (a timestamptz);
       create trigger m before update on public.t for each row execute function extensions.moddatetime(a);`,
      'create extension pg_stat_statements; select count(*) from pg_stat_statements;',
      'create extension earthdistance cascade; select public.earth_distance(public.ll_to_earth(0, 0), public.ll_to_earth(1, 1));',
      'create extension insert_username; create extension if not exists "autoinc" with schema extensions;',
      `create extension citext; select 'A'::public.citext; create extension if not exists citext with schema extensions;`,
      `select 'A'::public.citext; alter extension citext set schema extensions; select 'A'::extensions.citext; drop extension citext;`,
      `create extension if not exists pg_trgm with schema public; select public.similarity('a', 'b');`,
      `create extension if not exists pgcrypto with schema public; select extensions.gen_salt('bf'); comment on extension pgcrypto is 'words';`,
      `create extension unaccent with schema extensions; select extensions.unaccent('é');`,
      'create extension pg_cron with schema pg_catalog; create extension if not exists pg_net; drop extension pg_net;',
    );
    expect([applied.length, warnings]).toEqual([10, []]);
  });

  it('creates pg_cron and pg_net also inside DO and functions, and pg_extension lists them', async () => {
    const { ref } = await createApp(node);
    await migrate(
      ref,
      `do $$ begin create extension if not exists "pg_cron" with schema pg_catalog; end $$;
       create function public.f() returns void language plpgsql as $$ begin execute 'create extension pg_net with schema extensions'; end $$;
       select public.f();
       do $$ begin
         if (select count(*) from pg_extension where extname in ('pg_cron', 'pg_net')) <> 2 then raise 'missing'; end if;
         perform cron.schedule('nightly', '0 3 * * *', 'select 1');
       end $$;`,
    );
    expect(await rows(ref, 'select jobname from cron.job')).toEqual([['nightly']]);
  });

  it('warns about an extension that the server lacks, and fails with advice where the extension is used', async () => {
    const { ref } = await createApp(node);
    const [first, second] = [
      'create table public.a ();\n  create extension vector with schema extensions;',
      'create table public.b (\n\te extensions.vector(3));',
    ];
    const failure = await refused(ref, first, second);
    expect(failure).toMatchObject({
      file: '2_part.sql',
      applied: ['1_part.sql'],
      line: 2,
      column: 4,
      sqlstate: '42704',
      excerpt: '2 |  e extensions.vector(3));\n  |    ^',
      hint: expect.stringMatching(/extension vector.*NINEFOLD_DATABASE_URL/),
      warnings: [{ file: '1_part.sql', line: 2, column: 3, message: expect.stringContaining('vector is not created') }],
    });
  });

  it.each(['postgres_fdw', 'dblink'])('skips %s with a warning that contains the reason', async (extension) => {
    const { ref } = await createApp(node);
    const { warnings } = await migrate(ref, `create extension ${extension};`);
    expect(warnings).toMatchObject([{ line: 1, message: expect.stringContaining('inside its network') }]);
    expect(await rows(ref, `select count(*) from pg_extension where extname = '${extension}'`)).toEqual([['0']]);
  });
});

describe('COPY … FROM STDIN', () => {
  const head = 'create table public.t (a int, b text);\n';

  it('loads the data that follows the statement, in migrations, dry runs and the SQL page', async () => {
    const { ref } = await createApp(node);
    const dump = `COPY public.t (a, b) FROM stdin;\n1\tit's; \\\\ "x"\n2\t\\N\n\\.\n\nCOPY "_realtime"."tenants" (id) FROM stdin;\n1\n\\.\n
SELECT pg_catalog.setval('"pgsodium"."key_key_id_seq"', 1, false);\nINSERT INTO "pgsodium"."key" ("id") VALUES (1);\n`;
    const files = [{ name: '1.sql', sql: head + dump }];
    const trial = await admin<{ failed: unknown; tried: string[] }>(node, 'POST', `/apps/${ref}/migrations/trial`, {
      files,
    });
    expect([trial.failed, trial.tried]).toEqual([null, ['1.sql']]);
    const { warnings } = await migrate(ref, head + dump);
    expect(warnings.map(({ line, message }) => [line, message])).toEqual([
      [7, expect.stringContaining('no table _realtime.tenants')],
      [11, expect.stringContaining('"pgsodium.key_key_id_seq" does not exist')],
      [12, expect.stringContaining('relation "pgsodium.key" does not exist')],
    ]);
    const { results } = await runSql(
      node,
      ref,
      'copy public.t from stdin csv;\n3,"a\nb"\n\\.\nselect * from public.t order by a',
    );
    expect(results.map(({ command }) => command)).toEqual(['COPY 1', 'SELECT 3']);
    expect(results.at(-1)?.rows).toEqual([
      ['1', `it's; \\ "x"`],
      ['2', null],
      ['3', 'a\nb'],
    ]);
  });

  it('names the line of the data that PostgreSQL refuses', async () => {
    const { ref } = await createApp(node);
    const sql = `${head}copy public.t from stdin;\n1\ta\nx\tb\n\\.\n`;
    expect(await refused(ref, sql)).toMatchObject({ line: 4, column: 1, sqlstate: '22P02', excerpt: '4 | x b\n  | ^' });
    const trial = await admin(node, 'POST', `/apps/${ref}/migrations/trial`, { files: [{ name: '1.sql', sql }] });
    expect(trial).toMatchObject({ failed: { details: { line: 4 } } });
  });
});

describe('statements of the platform', () => {
  it('are accepted, or are skipped with a warning that contains the line and the reason', async () => {
    const { ref } = await createApp(node);
    const { warnings } = await migrate(
      ref,
      `create extension pg_graphql with schema graphql;
create policy members on realtime.messages for select to authenticated using (realtime.topic() = 'room' and extension = 'broadcast');
select realtime.send('{}'::jsonb, 'event', 'topic', false);
grant select on realtime.messages to supabase_realtime_admin, supabase_read_only_user, pgbouncer;
alter publication supabase_realtime owner to postgres;
drop publication supabase_realtime; create publication supabase_realtime for all tables;
insert into storage.buckets (id, name, type) values ('b', 'b', 'STANDARD');
insert into storage.objects (bucket_id, name, metadata) values ('b', 'a/b.png', '{"size": 5}'), ('b', 'c.png', '{"size": 6}');
select * from storage.prefixes, storage.s3_multipart_uploads, storage.migrations, auth.oauth_clients;
alter default privileges for role postgres in schema public grant select on tables to anon;
alter default privileges for role supabase_admin in schema public grant all on tables to anon;
grant usage on schema graphql to anon;
alter role authenticator set pgrst.db_schemas = 'public, api';
alter role anon set statement_timeout = '3s';
create function public.on_ddl() returns event_trigger language plpgsql as $$ begin end $$;
create event trigger on_ddl on ddl_command_end execute function public.on_ddl();
alter database postgres set work_mem = '5MB';
grant pg_monitor to postgres;
create table if not exists supabase_functions.hooks (id bigint);
comment on database postgres is 'the app'; revoke all on database postgres from public;
do $$ begin if not exists (select from pg_roles where rolname = 'reporter') then create role reporter; end if; end $$;
grant select on realtime.messages to reporter;
create policy reports on realtime.messages for select to reporter using (true);
alter role service_role bypassrls; set local role postgres; create table public.made_as_postgres (id int);
do $$ begin create extension if not exists pg_graphql; end $$;
create publication p for tables in schema public;
grant execute on function public.pgaudit_sql_drop() to anon;`,
    );
    expect(warnings.map(({ line, message }) => [line, message])).toEqual([
      [1, expect.stringContaining('use /rest/v1')],
      [6, expect.stringContaining('without tables')],
      [11, expect.stringContaining('supabase_admin')],
      [12, expect.stringContaining('schema "graphql" does not exist')],
      [13, expect.stringContaining('setting db_schemas')],
      [14, expect.stringContaining('anon is a role of all apps')],
      [16, expect.stringContaining('ENABLE ROW LEVEL SECURITY')],
      [18, expect.stringContaining('pg_monitor')],
      [19, expect.stringContaining('permission denied for schema supabase_functions')],
      [24, expect.stringContaining('service_role is a role of all apps')],
      [25, expect.stringContaining('use /rest/v1')],
      [26, expect.stringContaining('TABLES IN SCHEMA')],
      [27, expect.stringContaining('pgaudit_sql_drop() does not exist')],
    ]);
    const owned = `select tableowner = 'app_' || substr(current_database(), 5) from pg_tables where tablename = 'made_as_postgres'`;
    expect(await rows(ref, owned)).toEqual([['t']]);
    expect(await rows(ref, `select name, id is null from storage.search('', 'b')`)).toEqual([
      ['a', 't'],
      ['c.png', 'f'],
    ]);
    expect(await rows(ref, 'select size, bucket_id from storage.get_size_by_bucket()')).toEqual([['11', 'b']]);
    expect(await rows(ref, `select value from ninefold.settings where key = 'db_schemas'`)).toEqual([
      ['["public", "api"]'],
    ]);
  });

  it('are accepted on the SQL page, and the journal stores them as they were sent', async () => {
    const { ref } = await createApp(node);
    const sql =
      'create extension moddatetime schema extensions;\ncreate event trigger e on sql_drop execute function public.f();';
    const response = await runSql(node, ref, sql);
    expect(response.results).toMatchObject([{ command: 'CREATE EXTENSION', rows: [] }]);
    expect(response.warnings).toMatchObject([{ line: 2, column: 1 }]);
    expect(await rows(ref, 'select distinct statement from ninefold.journal')).toEqual([[sql]]);
  });
});

describe('the error of a migration', () => {
  const failing = createApp(node);

  it.each([
    [
      '\ufeffselect 1;\r\nselect nope;\r\n',
      { line: 2, column: 8, sqlstate: '42703', excerpt: '2 | select nope;\n  |        ^' },
    ],
    [
      'create table public.u (a int unique);\n\n  insert into public.u values (1), (1);',
      { line: 3, column: 3, sqlstate: '23505' },
    ],
    [
      'select 1;\ndo $$\nbegin\n  perform 1 / 0;\nend $$;',
      { line: 4, column: 3, sqlstate: '22012', where: expect.stringContaining('line 3') },
    ],
    [
      'create function public.f() returns void language plpgsql as $$\nbegin\n  slect 1;\nend $$;',
      { line: 3, column: 3, sqlstate: '42601' },
    ],
    [
      `create function public.g() returns void language plpgsql as $$ begin raise 'no'; end $$;\nselect public.g();`,
      { line: 2, column: 1, where: expect.stringContaining('function g()') },
    ],
    ['create extension vector;\nselect nope;', { line: 2, column: 8, statement: 1 }],
    [
      `create table public.p (id int primary key);
create extension vector;
create table public.c (id int references public.p deferrable initially deferred);
  insert into public.c values (5);
select 1;`,
      { line: 4, column: 3, sqlstate: '23503', where: expect.stringContaining('the end of the transaction') },
    ],
    [
      'do $$ begin execute $x$create extension vector$x$; end $$',
      { sqlstate: '0A000', hint: expect.stringContaining('vector') },
    ],
    [
      'create function public.v(q vector(3)) returns int language sql as $$ select 1 $$',
      { hint: expect.stringContaining('vector') },
    ],
    ['create server s foreign data wrapper postgres_fdw', { hint: expect.stringContaining('inside its network') }],
    [
      'create role app_reporter; alter schema public owner to app_reporter;',
      { column: 27, hint: expect.stringContaining('define_role') },
    ],
  ])('names the position in %j', async (sql, expected) => {
    const { ref } = await failing;
    expect(await refused(ref, sql)).toMatchObject(expected);
    const trial = await admin(node, 'POST', `/apps/${ref}/migrations/trial`, { files: [{ name: '1.sql', sql }] });
    expect(trial).toMatchObject({ failed: { details: expected } });
  });

  it('is printed with file, line, caret and SQLSTATE; a file that is not text is refused with its line', async () => {
    const { ref } = await failing;
    const failed = await cli(node, ['migrate', ref, await project({ '1.sql': 'select 1;\nselect nope;' })]);
    expect(failed.stderr).toContain(
      '1.sql, line 2, column 8: column "nope" does not exist (SQLSTATE 42703)\n2 | select nope;\n  |        ^',
    );
    for (const [bytes, words] of [
      [Buffer.from([97, 10, 98, 0]), /1\.sql:2: holds a NUL/],
      [Buffer.from([97, 10, 10, 0xff]), /1\.sql:3: is not UTF-8/],
    ] as const) {
      expect((await cli(node, ['migrate', ref, await project({ '1.sql': bytes })])).stderr).toMatch(words);
    }
  });
});

describe('apps create --from a Supabase project', () => {
  const config = `project_id = "p"
[api]
schemas = ["public", "graphql_public"] # two
max_rows = 50
[auth]
enable_signup = false
minimum_password_length = 10
password_requirements = "letters_digits"
[auth.mfa.totp]
verify_enabled = false
[auth.external.github]
enabled = true
client_id = "env(GITHUB_ID)"
[auth.external.google]
enabled = true
client_id = "an-id"
[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/custom_access_token_hook"
[auth.hook.send_sms]
enabled = true
uri = "https://example.com/sms"
secrets = "env(SEND_SMS_HOOK_SECRETS)"
[storage]
file_size_limit = "50MiB"
[storage.buckets.pictures]
public = true
file_size_limit = "2MiB"
allowed_mime_types = ["image/png"]
objects_path = "./pictures"
[storage.buckets.made]
public = true
[storage.buckets."no/good"]
public = false
[db.seed]
sql_paths = ["./seeds/*.sql"]
`;

  it('creates an app from a project, and lists the parts that were not copied', async () => {
    const folder = await project({
      'supabase/config.toml': config,
      'supabase/roles.sql': `create role reporter; alter role authenticated set statement_timeout = '9s';`,
      'supabase/migrations/1_tables.sql': `create table public.things (id int); grant select on public.things to reporter;
         insert into storage.buckets (id, name) values ('made', 'made');`,
      'supabase/migrations/down.sql': 'drop table public.things;',
      'supabase/seeds/2.sql': 'insert into public.things values (2);',
      'supabase/seeds/1.sql': 'insert into public.things values (1)',
      'supabase/functions/hello/index.ts': 'Deno.serve(() => new Response("hello"));',
    });
    const ref = uniqueRef();
    const { code, stdout, stderr } = await cli(node, ['apps', 'create', ref, '--from', folder]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /applied {2}1_tables\.sql\nroles {4}roles\.sql\nseeded {3}seeds\/1\.sql\nseeded {3}seeds\/2\.sql[\s\S]*settings {2}.*db_max_rows.*\nbuckets {3}pictures\n[\s\S]*github needs its client ID[\s\S]*google needs its secret[\s\S]*hook\.send_sms needs its secret[\s\S]*sb_publishable_[\s\S]*Next:[\s\S]*Edge functions:\n {2}hello {2}version 1, [\s\S]*Edge functions +hello +yes/,
      ),
    ]);
    expect(stdout).not.toContain('is in the environment');
    expect(stdout).toContain('The bucket no/good of config.toml: ');
    expect(stdout + stderr).toContain('down.sql:1: The file is left out: its name does not start with a number');
    expect(
      await rows(ref, 'select id, public, file_size_limit, allowed_mime_types from storage.buckets order by id'),
    ).toEqual([
      ['made', 'f', null, null],
      ['pictures', 't', '2097152', '{image/png}'],
    ]);
    expect(await rows(ref, 'select id from public.things order by id')).toEqual([['1'], ['2']]);
    expect(await rows(ref, 'select key, value from ninefold.settings order by key')).toEqual([
      ['db_max_rows', '50'],
      ['db_statement_timeout', '9000'],
      ['disable_signup', 'true'],
      ['external_google_client_id', '"an-id"'],
      ['external_google_enabled', 'true'],
      ['hook_custom_access_token_enabled', 'true'],
      ['hook_custom_access_token_uri', '"pg-functions://postgres/public/custom_access_token_hook"'],
      ['hook_send_sms_uri', '"https://example.com/sms"'],
      ['mfa_totp_verify_enabled', 'false'],
      ['password_min_length', '10'],
      ['password_required_characters', '"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789"'],
    ]);
  });

  it('takes a project without migrations, leaves out seeds that are off, and says what comes after a failed migration', async () => {
    const functions = { 'supabase/functions/hello/index.ts': 'Deno.serve(() => new Response("hello"));' };
    const seeds = { 'supabase/seed.sql': 'create table public.seeded ();' };
    const off = { 'supabase/config.toml': '[db.seed]\nenabled = false\n' };
    const [first, second] = [uniqueRef(), uniqueRef()];
    const only = await cli(node, [
      'apps',
      'create',
      first,
      '--from',
      await project({ ...functions, ...off, ...seeds }),
    ]);
    expect([only.code, only.stdout]).toEqual([0, expect.stringMatching(/Edge functions:\n {2}hello {2}version 1, /)]);
    const folder = await project({ ...functions, ...off, ...seeds, 'supabase/migrations/1.sql': 'select 1 / 0;' });
    const failed = await cli(node, ['apps', 'create', second, '--from', folder]);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining(`functions deploy ${second} ${folder}`)]);
    expect(failed.stderr).not.toContain('Seeds');
    await writeFile(join(folder, 'supabase/migrations/1.sql'), 'select 1;');
    expect((await cli(node, ['migrate', second, folder])).stdout).not.toContain('seeded');
    expect(await rows(second, `select to_regclass('public.seeded')`)).toEqual([[null]]);
  });

  it('lists settings of config.toml that differ from the app’s, and applies them with --config', async () => {
    const migrations = { 'supabase/migrations/1.sql': 'create table public.things (id int);' };
    const folder = await project({
      ...migrations,
      'supabase/templates/recovery.html': '<a href="{{ .ConfirmationURL }}">Go on</a>',
      'supabase/config.toml': `[auth]
site_url = "https://shop.example"
additional_redirect_urls = ["https://*.shop.example/**"]
jwt_expiry = 600
enable_signup = false
enable_anonymous_sign_ins = true
minimum_password_length = 3
enable_refresh_token_rotation = false
[auth.rate_limit]
email_sent = 100
token_refresh = 77
[auth.email.smtp]
enabled = true
host = "mail.shop.example"
pass = "env(SMTP_PASS)"
[auth.email.template.invite]
subject = "Come in"
content_path = "./invite.html"
[auth.email.template.recovery]
content_path = "./supabase/templates/recovery.html"
[auth.email.template.magic_link]
content_path = "../magic_link.html"
[auth.sessions]
timebox = "24h"
[auth.sms.test_otp]
4915112345678 = "123456"
[auth.sms.messagebird]
enabled = true
[auth.hook.before_user_created]
enabled = true
uri = "pg-functions://postgres/public/check"
[auth.external.gitlab]
enabled = true
client_id = "an-id"
secret = "a secret"
`,
    });
    const app = await createApp(node);
    const first = await cli(node, ['migrate', app.ref, folder]);
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(/site_url, .*rate_limit_email_sent.*--config/),
    ]);
    expect(await rows(app.ref, 'select key from ninefold.settings')).toEqual([]);

    const { code, stdout } = await cli(node, ['migrate', app.ref, join(folder, 'supabase/migrations'), '--config']);
    expect(code).toBe(0);
    const [taken = '', leftOut = ''] = stdout.split('Not taken over:');
    expect(taken).toContain('external_gitlab_secret');
    for (const part of [
      'rotate',
      'smtp.pass',
      'invite.content_path',
      'magic_link.content_path',
      'messagebird',
      'password_min_length',
    ]) {
      expect(leftOut).toContain(part);
    }
    expect(stdout).not.toContain('a secret');
    expect(Object.fromEntries((await rows(app.ref, 'select key, value from ninefold.settings')) ?? [])).toEqual({
      site_url: '"https://shop.example"',
      uri_allow_list: '["https://*.shop.example/**"]',
      jwt_exp: '600',
      disable_signup: 'true',
      external_anonymous_users_enabled: 'true',
      rate_limit_email_sent: '100',
      rate_limit_token_refresh: '77',
      smtp_host: '"mail.shop.example"',
      mailer_subjects_invite: '"Come in"',
      mailer_templates_recovery: String.raw`"<a href=\"{{ .ConfirmationURL }}\">Go on</a>"`,
      sessions_timebox: '86400',
      sms_test_otp: '{"4915112345678": "123456"}',
      hook_before_user_created_enabled: 'true',
      hook_before_user_created_uri: '"pg-functions://postgres/public/check"',
      external_gitlab_enabled: 'true',
      external_gitlab_client_id: '"an-id"',
    });
    expect((await cli(node, ['migrate', app.ref, folder, '--json'])).stdout).toMatch(
      /"settings_differ": \[\s*"password_min_length"\s*\]/,
    );
    const plain = await project(migrations);
    expect((await cli(node, ['migrate', app.ref, plain, '--config'])).stderr).toContain('no config.toml');
  });

  it('keeps the app if a migration fails, and prints how to continue', async () => {
    const folder = await project({
      'supabase/migrations/1.sql': 'create table public.a ();',
      'supabase/migrations/2.sql': 'select nope;',
    });
    const ref = uniqueRef();
    const { code, stderr } = await cli(node, ['apps', 'create', ref, '--from', folder]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /applied {2}1\.sql[\s\S]*2\.sql, line 1, column 8[\s\S]*ninefold\.js migrate[\s\S]*apps delete/,
      ),
    ]);
    await writeFile(join(folder, 'supabase/migrations/2.sql'), 'create table public.b ();');
    expect((await cli(node, ['migrate', ref, folder])).stdout).toContain('applied  2.sql');
    const { stdout } = await cli(node, ['keys', ref, '--json']);
    expect((JSON.parse(stdout) as AppConnection).ref).toBe(ref);
  });

  it('prints the keys, the settings, the seeds and the parts that were not copied after a failed migration', async () => {
    const folder = await project({
      'supabase/config.toml': `[api]
schemas = []
max_rows = 50
[auth.external.google]
enabled = true
client_id = "an-id"
secret = "env(GOOGLE_SECRET)"
[auth.sms.messagebird]
enabled = true
[db.seed]
sql_paths = ["./seeds/*.sql"]
`,
      'supabase/roles.sql': 'create role reporter;',
      'supabase/migrations/1.sql': 'create table public.a ();',
      'supabase/migrations/2.sql': 'select nope;',
      'supabase/seeds/1.sql': 'select 1',
    });
    const ref = uniqueRef();
    const { code, stdout, stderr } = await cli(node, ['apps', 'create', ref, '--from', folder]);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/sb_publishable_[\s\S]*sb_secret_/)]);
    expect(stderr).toMatch(
      /roles {4}roles\.sql\napplied {2}1\.sql\n[\s\S]*db_max_rows, external_google[\s\S]*Not taken over:[\s\S]*google needs its secret \(external_google_secret\)[\s\S]*messagebird[\s\S]*Seeds were not applied: seeds\/1\.sql/,
    );
    expect(stderr).not.toMatch(/db_schemas|applied {2}.*roles|in the environment/);
  });

  it('calls roles.sql roles in JSON, and does not name secrets of providers that are off', async () => {
    const folder = await project({
      'supabase/config.toml':
        '[api]\nschemas = []\n[auth.external.apple]\nenabled = false\nsecret = "env(APPLE)"\n[auth.sms.twilio]\nenabled = false\nauth_token = "env(TWILIO)"\n',
      'supabase/roles.sql': 'create role reporter;',
      'supabase/migrations/1.sql': 'create table public.a ();',
    });
    const { stdout } = await cli(node, ['apps', 'create', uniqueRef(), '--from', folder, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      applied: ['1.sql'],
      roles: 'roles.sql',
      seeded: [],
      settings_changed: [],
      left_out: [],
    });
  });

  it('lets calls reach new tables only after a GRANT if config.toml says so', async () => {
    const folder = await project({
      'supabase/config.toml': '[api]\nauto_expose_new_tables = false\n',
      'supabase/migrations/1_tables.sql':
        'create table public.closed as select 1 as id; create table public.open as select 1 as id;',
      'supabase/migrations/2_grants.sql': 'grant select on public.open to anon;',
      'supabase/migrations/2b_more.sql': 'create table public.skipped ();',
    });
    const ref = uniqueRef();
    const { stdout } = await cli(node, ['apps', 'create', ref, '--from', folder, '--json']);
    const { applied, settings_changed: changed, ...app } = JSON.parse(stdout);
    expect([applied, changed]).toEqual([['1_tables.sql', '2_grants.sql'], ['auto_expose_new_tables']]);
    const read = async (table: string, key: string) => (await clientOf(app, key).from(table).select()).error?.code;
    expect(await read('open', app.publishable_key)).toBeUndefined();
    expect([await read('closed', app.publishable_key), await read('closed', app.secret_key)]).toEqual([
      '42501',
      '42501',
    ]);
  });

  it('says which functions of the project were not deployed', async () => {
    const folder = await project({
      'supabase/migrations/1.sql': 'create table public.a ();',
      'supabase/functions/hello/index.ts': `Deno.serve(() => new Response('hello'));`,
      'supabase/functions/broken/index.ts': `import './missing.ts'; Deno.serve(() => new Response('hello'));`,
    });
    const { stdout } = await cli(node, ['apps', 'create', uniqueRef(), '--from', folder, '--json']);
    const note = expect.stringMatching(/^Not deployed, for the reasons above: broken\. /);
    expect(JSON.parse(stdout)).toMatchObject({ uses: [{ service: 'functions', runs: false, note }] });
  });

  it('warns about a roles.sql that fails, and applies the migrations', async () => {
    const folder = await project({
      'supabase/roles.sql': 'create role reporter;\nselect nope;',
      'supabase/migrations/1.sql': 'create table public.things (id int);',
    });
    const { code, stdout, stderr } = await cli(node, ['apps', 'create', uniqueRef(), '--from', folder]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('applied  1.sql')]);
    expect(`${stdout}${stderr}`).toContain('roles.sql:2: The file is not applied: column "nope" does not exist');
  });

  it('names the failed file of the seed, and continues with it', async () => {
    const { ref } = await createApp(node);
    const seed = (second: string) => ({
      files: [],
      seed: [
        { name: 'seeds/1.sql', sql: 'create table public.seeded (id int); insert into public.seeded values (1);' },
        { name: 'seeds/2.sql', sql: second },
      ],
    });
    const send = (body: object) => admin<MigrateResponse>(node, 'POST', `/apps/${ref}/migrations`, body);
    await expect(send(seed('\nselect nope'))).rejects.toThrow('seeds/2.sql:2:8: column');
    expect(await send(seed('insert into public.seeded values (2)'))).toMatchObject({ seeded: ['seeds/2.sql'] });
    expect(await rows(ref, 'select id from public.seeded order by id')).toEqual([['1'], ['2']]);
  });
});

describe('versions of the specification', () => {
  it('are recorded for each migration if a request contains few, and once if it contains many', async () => {
    const versions = async (files: number) => {
      const { ref } = await createApp(node);
      await migrate(ref, ...Array.from({ length: files }, (_, i) => `create table public.t${i} (id int primary key)`));
      const list = await admin<VersionList>(node, 'GET', `/apps/${ref}/versions`);
      return list.versions.length;
    };
    expect(await versions(3)).toBe(4);
    // Changes that the node notices by itself in the meantime also create versions.
    expect(await versions(24)).toBeLessThan(24);
  });
});

describe('migrate --dry-run', () => {
  it('tries only the pending files, and refuses files that are larger than one request may be', async () => {
    const { ref } = await createApp(node);
    const large = `select '${'x'.repeat(6_000_000)}';`;
    const folder = await project({ '1.sql': large, '2.sql': `${large} ` });
    const refusal = await cli(node, ['migrate', ref, folder, '--dry-run']);
    expect(refusal.stderr).toMatch(/larger than one request may be \(10 MiB\)/);
    expect((await cli(node, ['migrate', ref, folder])).stdout).toBe('applied  1.sql\napplied  2.sql\n');
    await writeFile(join(folder, '3.sql'), 'create table public.late (id int);');
    expect((await cli(node, ['migrate', ref, folder, '--dry-run'])).stdout).toContain('would apply  3.sql');
    await writeFile(join(folder, '4.sql'), `${large}${large}`);
    expect((await cli(node, ['migrate', ref, folder])).stderr).toContain('4.sql is larger than one request may be');
  });
});
