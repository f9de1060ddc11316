import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { MigrationTrial, VersionDetail, VersionEntry, VersionList } from '../../contract/changes.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { helpdesk, helpdeskCopies } from '../support/helpdesk.ts';
import { cli } from '../support/node.ts';
import { printed } from '../support/printed.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { uniqueRef } from '../support/unique.ts';

const node = inject('node');
const copy = helpdeskCopies(node);

let folder: string;

beforeAll(async () => {
  folder = await makeTestFolder('versions');
});

const run = (args: string[], code?: number) => printed(node, args, code);

const versionsOf = (ref: string, query = '') => admin<VersionList>(node, 'GET', `/apps/${ref}/versions${query}`);

/**
 * Reads the versions that the workers have recorded without a request. Reading the list by the API would record
 * versions too.
 */
const recorded = async (ref: string): Promise<string[]> => {
  const { results } = await runSql(
    node,
    ref,
    'select number || $$ $$ || (causes #>> $${0,what}$$) from ninefold.versions order by number',
  );
  return results[0]?.rows.map(([text]) => text ?? '') ?? [];
};

describe('versions', () => {
  it('are recorded automatically and once per change, with cause, author and time', async () => {
    const { ref, url } = await copy();
    await versionsOf(ref);
    // The app must be open to notice changes.
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
      await expect.poll(async () => (await recorded(ref)).length).toBe(first + i + 1);
      const [latest] = (await versionsOf(ref)).versions;
      expect(latest?.causes).toMatchObject([{ kind, what, actor: 'operator' }]);
      expect(latest?.changes.map((each) => each.words).join('\n')).toContain(words);
      expect(Math.abs(Date.now() - Date.parse(latest?.at ?? ''))).toBeLessThan(60_000);
    }
    const { versions } = await versionsOf(ref);
    expect(versions.map(({ number }) => number)).toEqual(versions.map((_, i) => versions.length - i));
  });

  it('contain the specification of their time, and are found by number, hash and time', async () => {
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

  it('are not created by changes without effect or by a change that was undone', async () => {
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

  it('name Ninefold as the cause if only a different version of Ninefold changed the specification', async () => {
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
    expect(latest?.causes).toMatchObject([{ kind: 'ninefold', what, actor: 'Ninefold' }]);
    await runSql(node, ref, 'alter table public.tickets add a int');
    expect((await versionsOf(ref)).versions[0]?.causes).toMatchObject([{ kind: 'sql', what: 'ALTER TABLE' }]);
  });

  it('cannot be compared if the app has damaged one of them, and the error names the damaged one', async () => {
    const { ref } = await copy();
    const { versions } = await versionsOf(ref);
    const spoilt = versions[0]?.number ?? 0;
    await runSql(node, ref, 'alter table public.tickets add a int');
    const later = (await versionsOf(ref)).versions[0]?.number ?? 0;
    expect(later).toBeGreaterThan(spoilt);
    await withClient(await superuserUrl(node, `app_${ref}`), (client) =>
      client.query(`update ninefold.versions set facts = 'spoilt' where number = $1`, [spoilt]),
    );
    const changes = (to: number, since: number) =>
      admin(node, 'GET', `/apps/${ref}/versions/${to}/changes?since=${since}`);
    const refusal = new RegExp(`: 404 .*"version_unknown".*"version":${spoilt}\\b`);
    await expect(changes(later, spoilt)).rejects.toThrow(refusal);
    await expect(changes(spoilt, later)).rejects.toThrow(refusal);
    expect(await changes(later, later)).toMatchObject({ changes: [] });
  });

  it('report a rename because they store facts with object ids, which no response contains', async () => {
    const { ref } = await createApp(node);
    await runSql(node, ref, 'create table public.a (id int primary key); create table public.b (id int primary key)');
    const [first] = (await versionsOf(ref)).versions;
    // A table that is created again with the same name has another object id. That alone creates no version.
    await runSql(node, ref, 'drop table public.a; create table public.a (id int primary key)');
    expect((await versionsOf(ref)).versions[0]).toEqual(first);
    await expect
      .poll(() => runSql(node, ref, 'select count(*) from ninefold.journal where version is null'), { timeout: 10_000 })
      .toMatchObject({ results: [{ rows: [['0']] }] });
    await runSql(node, ref, 'alter table public.a rename to c; alter table public.c add note text');
    const [latest] = (await versionsOf(ref)).versions;
    const words = latest?.changes.map((change) => change.words);
    const renamed = 'In place of the table a there is c, the same but for its name.';
    expect(words).toEqual(expect.arrayContaining([renamed, 'c has a new field note (text, optional).']));
    expect(await run(['spec', '--diff', `${ref}@${first?.number}`, ref], 1)).toContain(renamed);
    const version = await admin<object>(node, 'GET', `/apps/${ref}/versions/${latest?.number}`);
    expect(JSON.stringify([latest, version])).not.toMatch(/incarnation/);
  });

  it('are recorded one for each file of migrations that are applied together', async () => {
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
  it('describes the changes that the files would make, and changes nothing', async () => {
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
    const output = await run(['migrate', ref, join(folder, ref), '--dry-run']);
    expect(output).toContain('would apply  1_framed.sql');
    expect(output).toContain(
      'not tried    2_index.sql: CREATE INDEX CONCURRENTLY cannot run inside a transaction block',
    );
    expect(output).toContain('would apply  3_more.sql');
    expect(output).toContain('not tried    4_leaves.sql: it ends its transaction with ROLLBACK');
    expect(output).toContain('There is a new table notes with id and body.');
    expect(output).toContain('Removed call: POST /auth/v1/signup.');
    expect(await run(['spec', ref, '--format', 'json'])).toBe(before);
    const { results } = await runSql(
      node,
      ref,
      'select count(*) from ninefold.migrations; select count(*) from ninefold.settings',
    );
    expect(results.map(({ rows }) => rows)).toEqual([[['0']], [['0']]]);
  });

  it('stops at the statement that PostgreSQL refuses, as the real run does', async () => {
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
    // Defaults of limits that are higher on a node for its own machine are no change.
    expect(trial.changes.filter(({ chapter }) => chapter === 'limits')).toEqual([]);
  });

  it('leaves nothing in the session that the next trial uses', async () => {
    const { ref } = await copy();
    const sql = `prepare counted as select 1; select pg_advisory_lock(7); set timezone = 'Asia/Tokyo';
      create temp table rest (id int); create function public.zone() returns text language sql return current_setting('timezone')`;
    for (const _ of ['first', 'second']) {
      const files = [{ name: '1.sql', sql }];
      const trial = await admin<MigrationTrial>(node, 'POST', `/apps/${ref}/migrations/trial`, { files });
      expect(trial).toMatchObject({ tried: ['1.sql'], untried: [], failed: null });
    }
    const { results } = await runSql(node, ref, 'select pg_try_advisory_lock(7)');
    expect(results[0]?.rows).toEqual([['t']]);
    const shows = [{ name: '2.sql', sql: `do $$ begin assert current_setting('timezone') <> 'Asia/Tokyo'; end $$` }];
    const next = await admin<MigrationTrial>(node, 'POST', `/apps/${ref}/migrations/trial`, { files: shows });
    expect(next.failed).toBeNull();
  });
});

describe('migrate --save', () => {
  it('writes a file with the changes made by SQL, which creates the same app elsewhere', async () => {
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

  it('refuses to mark scripts as saved if another script ran after the caller read them', async () => {
    const { ref } = await copy();
    await runSql(node, ref, 'create table public.a (id int)');
    const { last } = await admin<{ last: number }>(node, 'GET', `/apps/${ref}/migrations/unsaved`);
    await runSql(node, ref, 'create table public.b (id int)');
    const saved = admin(node, 'POST', `/apps/${ref}/migrations/save`, { name: 'a.sql', sql: 'x', last });
    await expect(saved).rejects.toThrow('migration_outdated');
    const { results } = await runSql(node, ref, 'select count(*) from ninefold.migrations');
    expect(results[0]?.rows).toEqual([['0']]);
  });
});
