import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import type {
  ApiError,
  ApiKeyEntry,
  AppConnection,
  AppSummary,
  CreatedApiKey,
  NodeStatus,
} from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { cli } from '../support/node.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { uniqueRef } from '../support/unique.ts';

const node = inject('node');

const rows = async (ref: string, sql: string) => (await runSql(node, ref, sql)).results.at(-1)?.rows;

describe('apps create', () => {
  it('prints everything that a program needs to connect', async () => {
    const ref = uniqueRef();
    const { code, stdout } = await cli(node, ['apps', 'create', ref, '--json']);
    expect(code).toBe(0);
    const made = JSON.parse(stdout) as AppConnection;
    expect(made).toMatchObject({
      ref,
      url: `${node.url}/apps/${ref}`,
      publishable_key: expect.stringMatching(/^sb_publishable_/),
      secret_key: expect.stringMatching(/^sb_secret_/),
      anon_key: expect.stringMatching(/^ey/),
      service_role_key: expect.stringMatching(/^ey/),
      jwt_secret: expect.stringMatching(/.{32}/),
      database_url: expect.stringMatching(/^postgres:\/\//),
    });
    expect(JSON.parse((await cli(node, ['keys', ref, '--json'])).stdout)).toEqual(made);
  });

  it('lets the name of an app change later, also on its pages, while its ref stays the same', async () => {
    const { ref, url } = await createApp(node, { name: 'Before' });
    const named = async () => ((await (await fetch(`${url}/portal/v1/app`)).json()) as { name: string }).name;
    expect(await named()).toBe('Before');
    await admin(node, 'PATCH', `/apps/${ref}`, { name: ' After ' });
    await expect.poll(named, { timeout: 1000 }).toBe('After');
    expect(await admin<AppSummary>(node, 'GET', `/apps/${ref}`)).toMatchObject({ ref, name: 'After' });
    for (const body of [{}, { name: '' }, { name: 'x\ny' }, { name: 'x'.repeat(1000) }, { name: 'x', ref: 'other' }]) {
      await expect(admin(node, 'PATCH', `/apps/${ref}`, body)).rejects.toThrow('validation_invalid');
    }
    await expect(admin(node, 'PATCH', '/apps/console', { name: 'Mine' })).rejects.toThrow('app_unknown');
    const log = await admin<{ action: string; details: unknown }[]>(node, 'GET', `/apps/${ref}/audit?kind=builders`);
    expect(log).toContainEqual(expect.objectContaining({ action: 'app_renamed', details: { name: ' After ' } }));
  });

  it('--jwt-secret takes over the HS256 secret of an existing project', async () => {
    const secret = 'super-secret-jwt-token-with-at-least-32-characters-long';
    const { stdout } = await cli(node, ['apps', 'create', uniqueRef(), '--jwt-secret', secret, '--json']);
    expect(JSON.parse(stdout).jwt_secret).toBe(secret);
  });

  it('refuses a ref that is taken, malformed or reserved, each with its own code, and exits with 1', async () => {
    const { ref } = await createApp(node);
    for (const [bad, code] of [
      [ref, 'app_exists'],
      ['Has-Capitals', 'app_ref_invalid'],
      ['x', 'app_ref_invalid'],
      ["a'; drop database app_console; --", 'app_ref_invalid'],
      ['console', 'app_ref_reserved'],
    ] as const) {
      const refused = await cli(node, ['apps', 'create', bad]);
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(code)]);
    }
  });

  it('creates exactly one app if many calls ask for the same ref at once', async () => {
    const ref = uniqueRef();
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => createApp(node, { ref })));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await rows(ref, 'select 1')).toEqual([['1']]);
  });
});

describe('the content of a new database', () => {
  it('includes the objects that migrations of a Supabase project rely on', async () => {
    const { ref } = await createApp(node);
    await runSql(
      node,
      ref,
      `create table public.notes (id uuid primary key default extensions.uuid_generate_v4(), owner uuid references auth.users (id), body extensions.citext);
       alter table public.notes owner to postgres;
       alter table public.notes enable row level security;
       create policy "own notes" on public.notes for all to authenticated using ((select auth.uid()) = owner);
       grant select on public.notes to anon, authenticated, service_role, postgres;
       alter publication supabase_realtime add table public.notes;
       create extension if not exists pgcrypto with schema extensions;
       create policy "public pictures" on storage.objects for select using (bucket_id = 'pictures' and (storage.foldername(name))[1] = auth.uid()::text);
       insert into storage.buckets (id, name, public) values ('pictures', 'pictures', true);
       create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$ begin return new; end $$;
       drop trigger if exists on_auth_user_created on auth.users;
       create trigger on_auth_user_created after insert on auth.users for each row execute function public.handle_new_user();
       drop trigger if exists on_auth_user_created on auth.users;
       select extensions.crypt('a', extensions.gen_salt('bf')), extensions.similarity('word', 'wort'), auth.role(), auth.email(), auth.jwt();`,
    );
    expect(await rows(ref, `select tablename from pg_publication_tables where pubname = 'supabase_realtime'`)).toEqual([
      ['notes'],
    ]);
  });
});

describe('apps list and status', () => {
  it('show every app, with sizes on request, and never the console itself', async () => {
    const { ref } = await createApp(node, { name: 'Shown by name' });
    const list = JSON.parse((await cli(node, ['apps', 'list', '--sizes', '--json'])).stdout) as AppSummary[];
    expect(list.find((app) => app.ref === ref)).toMatchObject({
      name: 'Shown by name',
      size_bytes: expect.any(Number),
    });
    const quick = JSON.parse((await cli(node, ['apps', 'list', '--json'])).stdout) as AppSummary[];
    expect(quick.find((app) => app.ref === ref)).not.toHaveProperty('size_bytes');
    expect(list.map((app) => app.ref)).not.toContain('console');
    const status = JSON.parse((await cli(node, ['status', '--json'])).stdout) as NodeStatus;
    expect(status).toMatchObject({
      url: node.url,
      database_url: expect.stringMatching(/^postgres:/),
      version: expect.any(String),
    });
    expect(status.apps.map((app) => app.ref)).toContain(ref);
  });
});

describe('apps clone', () => {
  it('copies schema, rows, members, owner and default privileges, creates new keys, and ends the sessions', async () => {
    const source = await createApp(node);
    await runSql(
      node,
      source.ref,
      `create table public.things (id int primary key); insert into public.things values (1), (2);
       create table public.large as select g, repeat('x', 1000) as pad from generate_series(1, 5000) g;
       alter default privileges in schema public revoke all on tables from authenticated;
       alter default privileges revoke execute on functions from public;
       create table public.parted (id int) partition by range (id);
       create table public.part partition of public.parted for values from (0) to (10);
       insert into public.parted values (1), (2), (3);
       insert into auth.users (id, email) values ('11111111-1111-4111-8111-111111111111', 'member@example.com');
       insert into auth.sessions (id, user_id) values (gen_random_uuid(), '11111111-1111-4111-8111-111111111111')`,
    );
    const copy = await createApp(node, { from: source.ref });
    expect(copy.jwt_secret).not.toBe(source.jwt_secret);
    expect(await rows(copy.ref, 'select count(*) from public.things')).toEqual([['2']]);
    expect(await rows(copy.ref, 'select count(*) from auth.users')).toEqual([['1']]);
    expect(await rows(copy.ref, 'select count(*) from auth.sessions')).toEqual([['0']]);
    expect(await rows(source.ref, 'select count(*) from auth.sessions')).toEqual([['1']]);
    // PostgreSQL has no row counts for a copy until the copy is analysed.
    const reported = async () => {
      const { chapters } = await admin<Specification>(node, 'GET', `/apps/${copy.ref}/specification`);
      return chapters.entities?.entities.map(({ name, figures }) => [name, figures?.rows_estimate]);
    };
    const counts = [
      ['large', 5000],
      ['parted', 3],
      ['things', 2],
    ];
    await expect.poll(reported, { timeout: 10_000 }).toEqual(expect.arrayContaining(counts));
    await runSql(
      node,
      copy.ref,
      `drop table public.things; create table public.more (id int); create schema own; grant usage on schema own to anon;
       create function own.one() returns int language sql as 'select 1'`,
    );
    const may = `select has_table_privilege('anon', 'public.more', 'select'), has_table_privilege('authenticated', 'public.more', 'select'),
      has_function_privilege('anon', 'own.one()', 'execute')`;
    expect(await rows(copy.ref, may)).toEqual([['t', 'f', 'f']]);
    expect(await rows(source.ref, 'select count(*) from public.things')).toEqual([['2']]);
    await admin(node, 'DELETE', `/apps/${source.ref}`, { confirm: source.ref });
    expect(await rows(copy.ref, 'select count(*) from public.more')).toEqual([['0']]);
  });

  it('does not fail a call that reaches the source app during the copy', async () => {
    const source = await createApp(node);
    await runSql(
      node,
      source.ref,
      'create table public.filler as select g, repeat($$x$$, 1000) as pad from generate_series(1, 20000) g',
    );
    let cloning = true;
    const clone = createApp(node, { from: source.ref }).finally(() => {
      cloning = false;
    });
    const failures: string[] = [];
    // Several calls at a time, so that each worker has more than one connection, which the copy must close.
    const caller = async () => {
      while (cloning) {
        const response = await fetch(`${source.url}/rest/v1/filler?select=g&limit=1`);
        const body = await response.text();
        if (!response.ok) failures.push(body);
      }
    };
    await Promise.all(Array.from({ length: 6 }, caller));
    await clone;
    expect(failures).toEqual([]);
  });
});

describe('apps delete', () => {
  it('asks the user to type the ref again, then leaves nothing behind', async () => {
    const { ref, url, database_url: databaseUrl } = await createApp(node);
    const wrong = await cli(node, ['apps', 'delete', ref, '--confirm', 'other']);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('app_confirmation_wrong')]);
    expect((await cli(node, ['apps', 'delete', ref, '--confirm', ref])).code).toBe(0);
    expect((await fetch(`${url}/rest/v1/`)).status).toBe(404);
    const gone = await createApp(node, { ref });
    expect(gone.database_url).not.toBe(databaseUrl);
  });

  it('deletes nothing and asks nothing if there is no terminal to answer', async () => {
    const { ref } = await createApp(node);
    const refused = await cli(node, ['apps', 'delete', ref]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('--confirm')]);
    expect(await rows(ref, 'select 1')).toEqual([['1']]);
  });
});

describe('migrate', () => {
  async function project(files: Record<string, string>): Promise<string> {
    const folder = await makeTestFolder('project');
    for (const [name, sql] of Object.entries(files)) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), sql);
    }
    return folder;
  }

  it('applies the files of a Supabase project in order and once, and its seed after the first time', async () => {
    const { ref } = await createApp(node);
    const folder = await project({
      'supabase/migrations/20250101000000_first.sql': 'create table public.a (id int);',
      'supabase/migrations/20250102000000_second.sql': 'alter table public.a add column name text -- no line end',
      'supabase/seed.sql': `insert into public.a values (1, 'one');`,
    });
    const first = JSON.parse((await cli(node, ['migrate', ref, folder, '--json'])).stdout);
    expect(first).toEqual({
      applied: ['20250101000000_first.sql', '20250102000000_second.sql'],
      skipped: [],
      seeded: ['seed.sql'],
      warnings: [],
    });
    await writeFile(join(folder, 'supabase/migrations/20250103000000_third.sql'), 'create index on public.a (name);');
    const second = JSON.parse((await cli(node, ['migrate', ref, folder, '--json'])).stdout);
    expect(second).toMatchObject({ applied: ['20250103000000_third.sql'], seeded: [] });
    expect(await rows(ref, 'select id, name from public.a')).toEqual([['1', 'one']]);
  });

  it('rolls back the failing file, keeps the files before it, and reports where it failed', async () => {
    const { ref } = await createApp(node);
    const folder = await project({
      '1.sql': 'create table public.kept ();',
      '2.sql': 'create table public.lost ();\nselect nope;',
    });
    const failed = await cli(node, ['migrate', ref, folder]);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/2\.sql, line 2, column 8.*nope/)]);
    expect(await rows(ref, `select to_regclass('public.kept'), to_regclass('public.lost')`)).toEqual([['kept', null]]);
  });

  it('runs a file with one statement that PostgreSQL refuses in a transaction, and journals and records it', async () => {
    const { ref } = await createApp(node);
    const folder = await project({
      '1_table.sql': 'create table public.notes (title text); insert into public.notes values (1), (1);',
      '2_index.sql': '-- without locking the table\ncreate index concurrently notes_title on public.notes (title);',
      '3_vacuum.sql': 'vacuum (analyze) public.notes;',
    });
    const applied = await cli(node, ['migrate', ref, folder]);
    expect(applied).toMatchObject({
      code: 0,
      stdout: 'applied  1_table.sql\napplied  2_index.sql\napplied  3_vacuum.sql\n',
    });
    expect((await cli(node, ['migrate', ref, folder])).stdout).not.toContain('applied  2_index.sql');
    expect(
      await rows(ref, `select migration, made_by <> '' from ninefold.journal where migration like '2%'`),
    ).not.toEqual([]);
    await writeFile(join(folder, '4_unique.sql'), 'create unique index concurrently only_one on public.notes (title);');
    const failed = await cli(node, ['migrate', ref, folder]);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/4_unique\.sql.*could not create unique index "only_one"/);
    expect(failed.stderr).toContain('PostgreSQL leaves an invalid index behind.');
    expect(await rows(ref, 'select count(*) from ninefold.migrations')).toEqual([['3']]);
  });

  it('refuses a file with several statements if one cannot run in a transaction, and prints its position', async () => {
    const { ref } = await createApp(node);
    const folder = await project({
      '1.sql': 'create table public.a (b int);\ncreate index concurrently on public.a (b);',
    });
    const refused = await cli(node, ['migrate', ref, folder]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/1\.sql, line 2, column 1.*CREATE INDEX CONCURRENTLY cannot run in a transaction/);
    expect(refused.stderr).toContain('Move it into a file of its own.');
    expect(await rows(ref, `select to_regclass('public.a')`)).toEqual([[null]]);
    for (const sql of ['alter system set work_mem = 1', 'create database other']) {
      await writeFile(join(folder, '1.sql'), sql);
      expect((await cli(node, ['migrate', ref, folder])).code).toBe(1);
    }
  });

  it('refuses a file that has changed since it was applied', async () => {
    const { ref } = await createApp(node);
    const folder = await project({ '1.sql': 'create table public.a ();' });
    await cli(node, ['migrate', ref, folder]);
    await writeFile(join(folder, '1.sql'), 'create table public.b ();');
    const refused = await cli(node, ['migrate', ref, folder]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('migration_changed')]);
  });

  it('applies each file once if two runs happen at the same time', async () => {
    const { ref } = await createApp(node);
    const folder = await project({ '1.sql': 'create table public.once (); select pg_sleep(0.3);' });
    const both = await Promise.all([cli(node, ['migrate', ref, folder]), cli(node, ['migrate', ref, folder])]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(await rows(ref, 'select count(*) from ninefold.migrations')).toEqual([['1']]);
  });
});

describe('the management API', () => {
  it('reveals nothing to a caller without a token, not even whether an app exists', async () => {
    const { ref } = await createApp(node);
    for (const path of ['/status', '/apps', `/apps/${ref}`, '/apps/none', '/nothing']) {
      for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${btoa('a:b')}` }]) {
        const response = await fetch(`${node.url}/admin/v1${path}`, { headers });
        expect([response.status, ((await response.json()) as ApiError).code]).toEqual([401, 'operator_required']);
        expect(response.headers.get('x-request-id')).toBeTruthy();
      }
    }
  });

  it('returns what a builder has just changed, from every worker', async () => {
    const { ref } = await createApp(node);
    const fromEveryWorker = <T>(path: string) =>
      Promise.all(Array.from({ length: 6 }, () => admin<T>(node, 'GET', `/apps/${ref}${path}`)));
    await fromEveryWorker('');
    for (let round = 0; round < 10; round++) {
      const { id } = await admin<CreatedApiKey>(node, 'POST', `/apps/${ref}/api-keys`, { name: 'Reports' });
      const revokedAt = async () => {
        const lists = await fromEveryWorker<ApiKeyEntry[]>('/api-keys');
        return lists.map((keys) => keys.find((key) => key.id === id)?.revoked_at);
      };
      expect(await revokedAt()).toEqual(Array(6).fill(null));
      await admin(node, 'POST', `/apps/${ref}/api-keys/${id}/revoke`, {});
      expect(await revokedAt()).toEqual(Array(6).fill(expect.any(String)));
    }
  });

  it('names the invalid field of a body', async () => {
    const call = (body: string) =>
      fetch(`${node.url}/admin/v1/apps`, {
        method: 'POST',
        headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' },
        body,
      });
    expect(await (await call('{')).json()).toMatchObject({ code: 'body_malformed' });
    expect(await (await call('{"ref": 5}')).json()).toMatchObject({
      code: 'validation_invalid',
      details: [{ field: 'ref' }],
    });
    expect(await (await call('{"ref": "abc", "extra": 1}')).json()).toMatchObject({ code: 'validation_invalid' });
  });
});
