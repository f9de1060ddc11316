import { exec } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Change, MigrationTrial, VersionDetail, VersionEntry, VersionList } from '../../contract/changes.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, createTemplate, deleteApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { clone } from '../support/clone.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { cli } from '../support/node.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { uniqueRef } from '../support/unique.ts';

const node = inject('node');

const helpdesk = `
  create type public.status as enum ('open', 'closed');
  create table public.tickets (
    id uuid primary key default gen_random_uuid(), title text not null check (length(title) between 3 and 120),
    status public.status not null default 'open', owner uuid default auth.uid() references auth.users
  );
  alter table public.tickets enable row level security;
  create policy own on public.tickets for select to authenticated using (owner = (select auth.uid()));
  create function public.close(ticket uuid) returns public.tickets language sql as 'select * from public.tickets limit 1';
  create table public.secrets (word text);
  revoke all on public.tickets, public.secrets from anon, authenticated;
  grant select, insert on public.tickets to authenticated;`;

let template: AppConnection;
let folder: string;

beforeAll(async () => {
  template = await createTemplate(node, helpdesk);
  folder = await makeTestFolder('specification');
});

const copy = (): Promise<AppConnection> => createApp(node, { from: template.ref, name: 'Helpdesk' });

/** What the command printed; fails where it did not end as expected. */
async function run(args: string[], code = 0): Promise<string> {
  const result = await cli(node, args);
  expect([result.code, result.stderr], args.join(' ')).toEqual([code, code === 2 ? expect.anything() : '']);
  return result.stdout;
}

async function save(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

const widen = `create policy any_delete on public.tickets for delete to authenticated using (true);
  create policy see on public.tickets for select to authenticated using (true); grant delete on public.tickets to authenticated`;

describe('spec', () => {
  it('prints the same text as long as the app is the same, and rows, calls and time do not change it', async () => {
    const { ref } = await copy();
    const exports = () =>
      Promise.all(['markdown', 'json', 'html'].map((format) => run(['spec', ref, '--format', format])));
    const before = await exports();
    await runSql(node, ref, `insert into public.secrets select 'x' from generate_series(1, 500); analyze`);
    expect(await exports()).toEqual(before);
  });

  it('reaches who reads it through a pipe to its end, and minds nobody who reads no further', async () => {
    const { ref } = await createApp(node);
    const tables = Array.from(
      { length: 60 },
      (_, i) => `create table public.t${i} (id int primary key, a text, b text);`,
    );
    await runSql(node, ref, tables.join('\n'));
    const whole = await run(['spec', ref, '--format', 'json']);
    expect(whole.length).toBeGreaterThan(200_000);
    const { chapters } = JSON.parse(whole) as Specification;
    expect(chapters.entities?.entities).toHaveLength(60);
    expect(Object.keys(chapters).join(' ')).toBe('purpose screens entities states rules roles calls errors limits');
    const { stdout, stderr } = await promisify(exec)(`"${process.execPath}" dist/ninefold.js spec ${ref} | head -n 1`, {
      cwd: clone,
      env: { ...process.env, NINEFOLD_HOME: node.home },
    });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^# .*\n$/), '']);
  });

  it('as a page needs nothing else, and runs nothing', async () => {
    const { ref } = await copy();
    const odd = '<img src=x onerror=alert(1)>';
    await runSql(node, ref, `comment on table public.tickets is '${odd} </title><script>alert(1)</script>'`);
    const page = await run(['spec', ref, '--format', 'html']);
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('prefers-color-scheme: dark');
    expect(page).toContain('@media print');
    expect(page).not.toMatch(/<(script|img|link|iframe)|(src|href)="(?!#)|url\(|@import/);
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
    const response = await fetch(`${node.url}/admin/v1/apps/${ref}/specification?format=html`, {
      headers: { authorization: `Bearer ${node.operatorToken}` },
    });
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
  });

  it.each(['md', 'json'])(
    '--check with a committed .%s exits 0, then 1 with the difference in words',
    async (ending) => {
      const { ref } = await copy();
      const format = ending === 'md' ? 'markdown' : 'json';
      const file = await save(
        `${ref}.${ending}`,
        (await run(['spec', ref, '--format', format])).replaceAll('\n', '\r\n'),
      );
      expect(await run(['spec', ref, '--check', file])).toBe('');
      await runSql(node, ref, widen);
      const told = await run(['spec', ref, '--check', file], 1);
      expect(told).toContain('6 Roles');
      expect(told).toContain('Signed-in members may now delete tickets.');
      await runSql(
        node,
        ref,
        'drop policy any_delete on public.tickets; drop policy see on public.tickets; revoke delete on public.tickets from authenticated',
      );
      expect(await run(['spec', ref, '--check', file])).toBe('');
    },
  );

  it('--check with Markdown of an app that is gone still says it in words', async () => {
    const old = await copy();
    const file = await save(`${old.ref}.md`, await run(['spec', old.ref]));
    await deleteApp(node, old.ref);
    const { ref } = await createApp(node, { from: template.ref, name: 'Another name' });
    await runSql(node, ref, `${widen}; alter table public.tickets add priority int; drop table public.secrets`);
    const told = await run(['spec', ref, '--check', file], 1);
    expect(told).toContain('Signed-in members may now delete tickets.');
    expect(told).toContain('tickets: it now says “priority: integer; optional”.');
    expect(told).toContain('What anybody might do with secrets is gone with it.');
  });

  it('--check says so where a file was only rewritten, and exits 2 where there is nothing to compare', async () => {
    const { ref } = await copy();
    const text = await run(['spec', ref]);
    const file = await save(`${ref}-spaced.md`, text.replace('## 3 Entities\n', '## 3 Entities\n\n\n'));
    expect(await run(['spec', ref, '--check', file], 1)).toContain('written otherwise');
    for (const args of [
      ['spec', ref, '--check', join(folder, 'nothing.md')],
      ['spec', ref, '--check', await save('broken.json', '{"app"')],
      ['spec', ref, '--check', await save('other.json', '{"a":1}')],
      ['spec', 'no-such-app', '--check', file],
      ['spec', '--diff', ref],
      ['spec', '--diff', `${ref}@999`, ref],
      ['spec', '--diff', `${ref}@1999-01-01`, ref],
      ['spec'],
    ]) {
      const result = await cli(node, args);
      expect([result.code, result.stdout], args.join(' ')).toEqual([2, '']);
      expect(result.stderr).toMatch(/^ninefold: .+\n$/);
    }
  });

  it('--diff takes apps, files and moments, either way round', async () => {
    const [a, b] = await Promise.all([copy(), copy()]);
    expect(await run(['spec', '--diff', a.ref, b.ref])).toBe('');
    const file = await save(`${a.ref}.json`, await run(['spec', a.ref, '--format', 'json']));
    const { versions } = await versionsOf(b.ref);
    const at = new Date(versions[0]?.at ?? '').toISOString();
    await runSql(node, b.ref, 'alter table public.tickets add priority int');
    const words = 'tickets has a new field priority (integer, optional).';
    const sides = [a.ref, file, `${b.ref}@${versions[0]?.number}`, `${b.ref}@${at}`];
    for (const side of sides) expect(await run(['spec', '--diff', side, b.ref], 1), side).toContain(words);
    expect(await run(['spec', '--diff', b.ref, a.ref], 1)).toContain('The field priority of tickets is gone.');
    const changes = JSON.parse(await run(['spec', '--diff', a.ref, b.ref, '--json'], 1)) as Change[];
    expect(changes.find((change) => change.words === words)).toMatchObject({ chapter: 'entities', kind: 'added' });
  });
});

const versionsOf = (ref: string, query = '') => admin<VersionList>(node, 'GET', `/apps/${ref}/versions${query}`);

/** Versions without a look at the list, which records too: as the workers have recorded them by themselves. */
const recorded = async (ref: string): Promise<string[]> => {
  const { results } = await runSql(
    node,
    ref,
    'select number || $$ $$ || (causes #>> $${0,what}$$) from ninefold.versions order by number',
  );
  return results[0]?.rows.map(([text]) => text ?? '') ?? [];
};

describe('versions', () => {
  it('record every change by itself within a second or so, once, with what made it, who and when', async () => {
    const { ref, url } = await copy();
    await versionsOf(ref);
    // The app must be open to hear.
    await fetch(`${url}/rest/v1/`);
    const first = (await recorded(ref)).length;
    const steps: [() => Promise<unknown>, VersionEntry['causes'][number]['kind'], string, string][] = [
      [() => runSql(node, ref, 'alter table public.tickets add a int'), 'sql', 'ALTER TABLE', 'new field a'],
      [
        () => cli(node, ['settings', ref, 'set', 'disable_signup', 'true']),
        'setting',
        'disable_signup',
        'POST /auth/v1/signup',
      ],
      [
        () => runSql(node, ref, `select ninefold.describe_app(purpose => 'Answers customers')`),
        'definition',
        'app',
        'Answers customers',
      ],
    ];
    for (const [i, [change, kind, what, words]] of steps.entries()) {
      await change();
      await expect.poll(async () => (await recorded(ref)).length, { timeout: 3000 }).toBe(first + i + 1);
      const [latest] = (await versionsOf(ref)).versions;
      expect(latest?.causes).toMatchObject([{ kind, what, who: 'operator' }]);
      expect(latest?.changes.map((each) => each.words).join('\n')).toContain(words);
      expect(Math.abs(Date.now() - Date.parse(latest?.at ?? ''))).toBeLessThan(60_000);
    }
    const { versions } = await versionsOf(ref);
    expect(versions.map(({ number }) => number)).toEqual(versions.map((_, i) => versions.length - i));
  });

  it('hold what the app did: each is found by number, hash and time, and equals the export of then', async () => {
    const { ref } = await copy();
    const before = JSON.parse(await run(['spec', ref, '--format', 'json'])) as Specification;
    const { versions } = await versionsOf(ref);
    await runSql(node, ref, 'alter table public.tickets add a int');
    const find = (point: string) => admin<VersionDetail>(node, 'GET', `/apps/${ref}/versions/${point}`);
    const at = new Date(versions[0]?.at ?? '').toISOString();
    for (const point of [String(versions[0]?.number), before.hash.slice(0, 12), at.slice(0, 23)]) {
      const { specification } = await find(point);
      expect(specification.hash).toBe(before.hash);
      expect(specification.chapters).toEqual(before.chapters);
    }
    expect((await find(new Date(Date.now() + 60_000).toISOString())).number).toBe((versions[0]?.number ?? 0) + 1);
    for (const bad of ['0', '-1', 'x', '2026-13-01', 'a'.repeat(12), '%27', '99999999999999999999']) {
      await expect(find(bad), bad).rejects.toThrow('404');
    }
    await expect(versionsOf(ref, '?before=x')).rejects.toThrow('400');
  });

  it('say nothing of what changes nothing, and of a change that was undone', async () => {
    const { ref } = await copy();
    const { versions } = await versionsOf(ref);
    await runSql(
      node,
      ref,
      'create index on public.tickets (owner) where false; insert into public.secrets values (1)',
    );
    await runSql(node, ref, 'begin; alter table public.tickets add a int; rollback');
    expect((await versionsOf(ref)).versions).toEqual(versions);
  });

  it('that only another Ninefold has made, as it says more or says it otherwise, are told as its', async () => {
    const { ref } = await copy();
    const [before] = (await versionsOf(ref)).versions;
    await withClient(await superuserUrl(node, `app_${ref}`), (client) =>
      client.query(`update ninefold.versions set hash = 'of then', ninefold = '0.0.9' where number = $1`, [
        before?.number,
      ]),
    );
    const [latest] = (await versionsOf(ref)).versions;
    expect(latest?.number).toBe((before?.number ?? 0) + 1);
    const what = expect.stringMatching(/^\d+\.\d+\.\d+\+[0-9a-f]{8}$/);
    expect(latest?.causes).toMatchObject([{ kind: 'ninefold', what, who: 'Ninefold' }]);
    await runSql(node, ref, 'alter table public.tickets add a int');
    expect((await versionsOf(ref)).versions[0]?.causes).toMatchObject([{ kind: 'sql', what: 'ALTER TABLE' }]);
  });

  it('of which the app has spoilt one are not compared with it, and the answer names that one, whichever side it is on', async () => {
    const { ref } = await copy();
    const { versions } = await versionsOf(ref);
    const spoilt = versions[0]?.number ?? 0;
    await runSql(node, ref, 'alter table public.tickets add a int');
    const later = (await versionsOf(ref)).versions[0]?.number ?? 0;
    expect(later).toBeGreaterThan(spoilt);
    await withClient(await superuserUrl(node, `app_${ref}`), (client) =>
      client.query(`update ninefold.versions set chapters = 'spoilt' where number = $1`, [spoilt]),
    );
    const changes = (to: number, since: number) =>
      admin(node, 'GET', `/apps/${ref}/versions/${to}/changes?since=${since}`);
    const refusal = new RegExp(`: 404 .*"version_unknown".*"version":${spoilt}\\b`);
    await expect(changes(later, spoilt)).rejects.toThrow(refusal);
    await expect(changes(spoilt, later)).rejects.toThrow(refusal);
    expect(await changes(later, later)).toMatchObject({ changes: [] });
  });

  it('are as many as the migrations that were applied at once, each by its file', async () => {
    const { ref } = await createApp(node);
    const files = Array.from({ length: 4 }, (_, i) => ({
      name: `000${i}_t.sql`,
      sql: `create table public.t${i} (id int primary key)`,
    }));
    await admin(node, 'POST', `/apps/${ref}/migrations`, { files });
    const { versions } = await versionsOf(ref);
    const causes = versions.slice(0, 4).map((version) => version.causes.map(({ kind, what }) => `${kind} ${what}`));
    expect(causes).toEqual([3, 2, 1, 0].map((i) => [`migration 000${i}_t.sql`]));
  });
});

describe('migrate --dry-run', () => {
  it('tells what the files would change, and changes nothing', async () => {
    const { ref } = await copy();
    const dir = join(folder, ref, 'supabase/migrations');
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, '1_framed.sql'), 'begin; create table public.notes (id int primary key); commit;');
    await writeFile(join(dir, '2_index.sql'), 'create index concurrently on public.notes (id);');
    await writeFile(
      join(dir, '3_more.sql'),
      `set search_path = ''; set role authenticated; reset role; alter table public.notes add body text;\n-- ;\ninsert into ninefold.settings (key, value) values ('disable_signup', 'true');`,
    );
    await writeFile(join(dir, '4_leaves.sql'), 'rollback; drop table public.tickets;');
    const before = await run(['spec', ref, '--format', 'json']);
    const told = await run(['migrate', ref, join(folder, ref), '--dry-run']);
    expect(told).toContain('would apply  1_framed.sql');
    expect(told).toContain('not tried    2_index.sql: CREATE INDEX CONCURRENTLY cannot run inside a transaction block');
    expect(told).toContain('would apply  3_more.sql');
    expect(told).toContain('not tried    4_leaves.sql: it ends its transaction with ROLLBACK');
    expect(told).toContain('There is a new table notes with id and body.');
    expect(told).toContain('No longer answered: POST /auth/v1/signup.');
    expect(await run(['spec', ref, '--format', 'json'])).toBe(before);
    const { results } = await runSql(
      node,
      ref,
      'select count(*) from ninefold.migrations; select count(*) from ninefold.settings',
    );
    expect(results.map(({ rows }) => rows)).toEqual([[['0']], [['0']]]);
  });

  it('stops at the statement that PostgreSQL refuses, as the real run would', async () => {
    const { ref } = await copy();
    const files = [
      { name: '1.sql', sql: 'create table public.ok (id int);' },
      { name: '2.sql', sql: 'select 1; -- é 😀\nselect * from public.nothing;' },
      { name: '3.sql', sql: 'create table public.never (id int)' },
    ];
    const trial = await admin<MigrationTrial>(node, 'POST', `/apps/${ref}/migrations/trial`, { files });
    expect(trial).toMatchObject({
      tried: ['1.sql'],
      failed: { file: '2.sql', details: { sqlstate: '42P01', statement: 1 } },
    });
    const real = await admin(node, 'POST', `/apps/${ref}/migrations`, { files }).catch((error: Error) => error.message);
    const [position = 'none'] = /"position":\d+/.exec(JSON.stringify(trial.failed)) ?? [];
    expect(String(real)).toContain(position);
    expect(trial.changes.map(({ words }) => words).join('\n')).toContain('There is a new table ok with id.');
  });
});

describe('migrate --save', () => {
  it('makes a file of what was changed by SQL, which makes the same app elsewhere and is never applied here', async () => {
    const { ref } = await createApp(node, { name: 'Helpdesk' });
    await runSql(node, ref, helpdesk);
    await runSql(node, ref, `insert into public.secrets values ('not in the file')`);
    await runSql(node, ref, `select ninefold.describe_app(name => 'Helpdesk', purpose => 'Answers')`);
    await runSql(
      node,
      ref,
      `select ninefold.define_machine('public.tickets', 'status', 'open', '[{"name": "close", "from": ["open"], "to": "closed"}]') -- done`,
    );
    await expect(runSql(node, ref, 'create table public.failed (id int); select 1/0')).rejects.toThrow('22012');
    const dir = join(folder, `${ref}-saved`);
    expect(await run(['migrate', ref, dir, '--save', 'The First Tables!'])).toMatch(
      /saved {2}.*_the_first_tables\.sql\n$/,
    );
    const [name = ''] = await readdir(dir);
    expect(name).toMatch(/^\d{14}_the_first_tables\.sql$/);
    const text = await readFile(join(dir, name), 'utf8');
    expect(text).not.toMatch(/failed|not in the file/);
    expect(text.match(/define_machine/g)).toHaveLength(1);
    expect(await run(['migrate', ref, dir])).toBe('Nothing to apply.\n');
    expect(await run(['migrate', ref, dir, '--save', 'again'])).toContain('Nothing to save');

    const other = await createApp(node, { ref: uniqueRef('other') });
    expect(await run(['migrate', other.ref, dir])).toBe(`applied  ${name}\n`);
    expect(await run(['spec', '--diff', ref, other.ref])).toBe('');
    expect(await run(['migrate', other.ref, dir, '--save', 'nothing'])).toContain('Nothing to save');
  });

  it('does not note what it has not read', async () => {
    const { ref } = await copy();
    await runSql(node, ref, 'create table public.a (id int)');
    const { last } = await admin<{ last: number }>(node, 'GET', `/apps/${ref}/journal`);
    await runSql(node, ref, 'create table public.b (id int)');
    const saved = admin(node, 'POST', `/apps/${ref}/migrations/saved`, { name: 'a.sql', sql: 'x', last });
    await expect(saved).rejects.toThrow('migration_outdated');
    const { results } = await runSql(node, ref, 'select count(*) from ninefold.migrations');
    expect(results[0]?.rows).toEqual([['0']]);
  });
});

describe('types', () => {
  it('come as TypeScript, zod and JSON Schema', async () => {
    const { ref } = await copy();
    expect(await run(['types', ref])).toContain('export type Database = {');
    expect(await run(['types', ref, '--zod'])).toContain('title: z.string()');
    expect(JSON.parse(await run(['types', ref, '--json-schema'])).$defs['tickets.insert']).toMatchObject({
      type: 'object',
    });
    expect((await cli(node, ['types', ref, '--zod', '--json-schema'])).code).toBe(2);
  });
});

describe('openapi.json', () => {
  const documentOf = async (app: AppConnection, headers: Record<string, string>) => {
    const response = await fetch(`${app.url}/openapi.json`, { headers });
    expect(response.status).toBe(200);
    const document = (await response.json()) as {
      paths: Record<string, Record<string, unknown>>;
      components: { schemas: Record<string, unknown> };
    };
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    return document;
  };
  const callsOf = (document: Awaited<ReturnType<typeof documentOf>>) =>
    Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));

  it('is valid OpenAPI 3.1, and tells each caller what it may call and no more', async () => {
    const app = await copy();
    await runSql(
      node,
      app.ref,
      `create table public."odd ""name {x} %" ("__proto__" int, "a b" text, "select" int);
      create function public.whole(json) returns setof record language sql as 'select 1, 2';
      create function public.lone(out n int) language sql as 'select 42';
      create function public.many(variadic a int[]) returns table (b int, c text) language sql stable as 'select 1, ''x''';
      create schema api; create table api.tickets (id int); grant usage on schema api to service_role; grant select on api.tickets to service_role`,
    );
    await admin(node, 'PUT', `/apps/${app.ref}/settings/db_schemas`, { value: ['public', 'api'] });
    const all = await documentOf(app, { apikey: app.secret_key });
    expect(callsOf(all)).toEqual(
      expect.arrayContaining([
        'post /auth/v1/token',
        'get /rest/v1/tickets',
        'post /rest/v1/rpc/close',
        'get /rest/v1/secrets',
        'get /auth/v1/admin/users',
      ]),
    );
    expect(Object.keys(all.components.schemas)).toEqual(
      expect.arrayContaining(['tickets', 'tickets.insert', 'secrets', 'api.tickets']),
    );

    const { data: lone } = await clientOf(app).rpc('lone');
    expect(lone).toEqual({ n: 42 });
    expect(JSON.stringify(all.paths['/rest/v1/rpc/lone'])).toMatch(/"schema":\{"type":"object","properties":\{"n":/);

    const anon = await documentOf(app, { apikey: app.publishable_key });
    expect(callsOf(anon)).not.toContain('get /rest/v1/secrets');
    expect(JSON.stringify(anon)).not.toContain('"secrets');
    expect(callsOf(anon)).not.toContain('get /auth/v1/admin/users');
    const { session } = await signUpMember(app);
    const member = await documentOf(app, {
      apikey: app.publishable_key,
      authorization: `Bearer ${session.access_token}`,
    });
    expect(callsOf(anon)).not.toContain('get /rest/v1/tickets');
    expect(callsOf(member)).toContain('get /rest/v1/tickets');
    expect(callsOf(member)).not.toContain('post /rest/v1/tickets');
  });

  it('follows a change at once, says nothing to who has a wrong key, and can be switched off', async () => {
    const app = await copy();
    const paths = async () => Object.keys((await documentOf(app, { apikey: app.secret_key })).paths);
    expect(await paths()).not.toContain('/rest/v1/notes');
    await runSql(node, app.ref, 'create table public.notes (id int)');
    await expect.poll(paths, { timeout: 3000 }).toContain('/rest/v1/notes');
    expect((await fetch(`${app.url}/openapi.json`, { headers: { apikey: 'wrong' } })).status).toBe(401);
    expect(
      (await fetch(`${app.url}/openapi.json`, { method: 'OPTIONS' })).headers.get('access-control-allow-origin'),
    ).toBe('*');
    await admin(node, 'PUT', `/apps/${app.ref}/settings/openapi_mode`, { value: 'disabled' });
    await expect.poll(async () => (await fetch(`${app.url}/openapi.json`)).status, { timeout: 3000 }).toBe(404);
  });
});
