import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AppDatabase, startAppDatabase } from '../../../../test/support/app-database.ts';
import { serverPassword } from '../../../apps/app-connections.ts';
import { type AppRecord, serverRole } from '../../../apps/registry/app-record.ts';
import { withPool } from '../../../apps/registry/server.ts';
import { type Author, registerAuthor } from '../../../apps/team/author.ts';
import type { ConnectionConfig } from '../../../database/connection-config.ts';
import type { Pool } from '../../../database/pool.ts';
import { rowsAsText } from '../../../database/statement.ts';
import { addVersion, listVersions, markPendingUnchanged, prune, readHead, readVersion } from './store.ts';

let database: AppDatabase;
let owner: Pool;
let requests: Pool;
let server: Pool;
let target: ConnectionConfig;

const record = { ref: 'shop', authenticatorPassword: 'secret' } as AppRecord;

beforeAll(async () => {
  database = await startAppDatabase('versions');
  owner = database.as('app_owner');
  requests = database.as('app_authenticator');
  server = database.as('app_server');
  target = database.target;
  await database.pool.script(
    `create role ${serverRole(record.ref)} login password '${serverPassword(record)}'; grant ninefold_server to ${serverRole(record.ref)};
     grant connect on database ${target.database} to ${serverRole(record.ref)}`,
  );
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

beforeEach(async () => {
  await owner.script('drop schema if exists public cascade; create schema public');
  await database.pool.script('truncate ninefold.journal, ninefold.versions');
});

/** Runs work on a connection of the owner, after the server has registered the author. */
async function as(author: Author, work: (connection: Pool) => Promise<unknown>): Promise<void> {
  await withPool({ ...target, user: 'app_owner', password: 'secret' }, async (connection) => {
    const server = { target, isEmbedded: true, missingRights: [], masterKey: Buffer.alloc(32), temporaryBytes: 0 };
    await registerAuthor(server, { ...record, database: target.database }, connection, author);
    await work(connection);
  });
}

const journal = async () => {
  const [result] = await database.pool.run([
    { text: 'select kind, what, role, made_by, migration, statement from ninefold.journal order by id', params: [] },
  ]);
  return result ? rowsAsText(result) : [];
};

describe('journal of an app', () => {
  it('stores the SQL text that a builder sent once for all its commands, with the builder and the role', async () => {
    const sql = 'create table public.a (id int); create index on public.a (id); comment on table public.a is $$x$$';
    await as({ name: 'Ines' }, (connection) => connection.script(sql));
    expect(await journal()).toEqual([
      { kind: 'schema', what: 'CREATE TABLE', role: 'app_owner', made_by: 'Ines', migration: null, statement: sql },
    ]);
  });

  it('is transactional: does not contain changes that were rolled back', async () => {
    await expect(owner.script('create table public.a (id int); select 1 / 0')).rejects.toMatchObject({
      sqlstate: '22012',
    });
    expect(await journal()).toEqual([]);
  });

  it('records drops, grants and settings, but no temporary objects of a connection', async () => {
    await owner.script('create table public.a (id int)');
    await owner.script('grant select on public.a to anon');
    await owner.script('drop table public.a');
    await owner.script('create temporary table t (id int); drop table t');
    await owner.script(`insert into ninefold.settings (key, value) values ('db_max_rows', '5')`);
    await owner.script(`delete from ninefold.settings where key = 'db_max_rows'`);
    expect((await journal()).map(({ kind, what }) => [kind, what])).toEqual([
      ['schema', 'CREATE TABLE'],
      ['schema', 'GRANT'],
      ['schema', 'DROP TABLE'],
      ['setting', 'db_max_rows'],
      ['setting', 'db_max_rows'],
    ]);
  });

  it('records the name of a migration without its SQL text', async () => {
    await as({ name: 'Ines', migration: '0001_a.sql' }, (connection) =>
      connection.transaction(async (tx) => {
        await tx.script('create table public.a (id int); create table public.b (id int)');
      }),
    );
    expect(await journal()).toMatchObject([{ migration: '0001_a.sql', statement: null, what: 'CREATE TABLE' }]);
  });

  it('takes the author only from the server, whatever the sent SQL sets', async () => {
    const forge = `select set_config('ninefold.made_by', 'Somebody Else', false), set_config('ninefold.migration', 'x.sql', false);`;
    await owner.script(`${forge} create table public.a (id int)`);
    await as({ name: 'Ines' }, (connection) =>
      connection.script(`${forge} commit; begin; create table public.b (id int); commit`),
    );
    expect(await journal()).toMatchObject([
      { made_by: null, migration: null, statement: expect.stringContaining('public.a') },
      { made_by: 'Ines', migration: null, statement: expect.stringContaining('public.b') },
    ]);
  });

  it('records no author for a later connection with the same process id', async () => {
    await as({ name: 'Ines' }, async (connection) => {
      await database.pool.script(`update ninefold.authors set connected_at = connected_at - interval '1 day'`);
      await connection.script('create table public.a (id int)');
    });
    expect(await journal()).toMatchObject([{ made_by: null }]);
  });

  it('records a change by a role without privileges on the journal, and stores no SQL text of a call', async () => {
    await database.pool.script('create schema if not exists members; grant all on schema members to authenticated');
    await database.pool.script('truncate ninefold.journal');
    await requests.run([
      { text: 'set local role authenticated', params: [] },
      { text: 'create table members.a (id int)', params: [] },
    ]);
    expect(await journal()).toMatchObject([{ role: 'app_authenticator', made_by: null, statement: null }]);
    await database.pool.script('drop schema members cascade');
  });

  it.each(['app_owner', 'postgres', 'supabase_auth_admin', 'service_role', 'ninefold_server', 'authenticator'])(
    'refuses writes to the journal, the versions and the authors by %s',
    async (role) => {
      const pool = role === 'app_owner' ? owner : requests;
      for (const table of ['journal', 'versions', 'authors']) {
        for (const sql of [
          `insert into ninefold.${table} default values`,
          `update ninefold.${table} set made_by = 'x'`,
          `update ninefold.${table} set hash = 'x'`,
          `delete from ninefold.${table}`,
          `truncate ninefold.${table}`,
          `alter table ninefold.${table} disable trigger all`,
          `alter table ninefold.${table} rename to other`,
          `create rule r as on insert to ninefold.${table} do instead nothing`,
          `drop table ninefold.${table}`,
        ]) {
          const tried = pool.run([
            { text: `select set_config('role', $1, true)`, params: [role === 'app_owner' ? 'none' : role] },
            { text: sql, params: [] },
          ]);
          // A write to a column that the table does not have fails with 42703. If the role has no privilege on the
          // table, PostgreSQL reports 42501 first.
          const refused = await tried.then(
            () => 'done',
            (error: { sqlstate: string }) => error.sqlstate,
          );
          expect(['42501', ...(sql.includes(' set ') ? ['42703'] : [])], sql).toContain(refused);
        }
      }
    },
  );

  it('cannot be disabled by the owner of the app', async () => {
    for (const sql of [
      'alter event trigger ninefold_schema_noted disable',
      'alter event trigger ninefold_schema_noted rename to other',
      'alter function ninefold.note_schema_change() rename to other',
      'alter table ninefold.settings disable trigger all',
      'alter table ninefold.machines disable trigger definition_noted',
      'drop trigger settings_noted on ninefold.settings',
      `select ninefold.note_change('schema', 'x', 'y')`,
      'set event_triggers = off',
      'set session_replication_role = replica',
      'drop event trigger ninefold_schema_noted',
      'create or replace function ninefold.note_change(kind text, what text, statement text) returns void language sql as $$ select $$',
      'create trigger t before insert on ninefold.journal for each row execute function suppress_redundant_updates_trigger()',
    ]) {
      await expect(owner.script(sql), sql).rejects.toMatchObject({ sqlstate: '42501' });
    }
  });
});

const bytea = (text: string): string => `\\x${Buffer.from(text).toString('hex')}`;

describe('versions of an app', () => {
  const version = (text: string) => ({
    hash: text,
    causes: [],
    changes: [],
    ninefold: '0.1.0',
    packed: bytea(text),
  });

  it('lets one of several workers record the same change', async () => {
    await owner.script('create table public.a (id int)');
    const head = await readHead(server);
    expect(head).toMatchObject({ latest: null, pending: [{ kind: 'sql', what: 'CREATE TABLE', actor: 'app_owner' }] });
    const made = await Promise.all(
      Array.from({ length: 6 }, () => addVersion(server, head, { ...version('a'), causes: head.pending })),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    const after = await readHead(server);
    expect(after).toEqual({ latest: { number: 1, hash: 'a', ninefold: '0.1.0' }, pending: [], isExplained: true });
    expect(await listVersions(server, null)).toMatchObject([
      { number: 1, hash: 'a', causes: [{ kind: 'sql', what: 'CREATE TABLE', actor: 'app_owner' }], change_count: 0 },
    ]);
  });

  it('finds a version by number and by time, and returns the stored data', async () => {
    for (const text of ['a', 'b', 'c']) await addVersion(server, await readHead(server), version(text));
    await database.pool.script(
      `update ninefold.versions set at = '2026-01-01'::timestamptz + number * interval '1 day'`,
    );
    expect(Buffer.from((await readVersion(server, { number: 2 }))?.packed ?? []).toString()).toBe('b');
    expect((await readVersion(server, { at: '2026-01-03T12:00:00Z' }))?.entry.number).toBe(2);
    expect((await readVersion(server, { hash: 'b' }))?.entry.number).toBe(2);
    expect(await readVersion(server, { hash: '%' })).toBeNull();
    expect(await readVersion(server, { at: '2025-01-01' })).toBeNull();
    expect(await readVersion(server, { number: 9 })).toBeNull();
    expect((await listVersions(server, 3)).map(({ number }) => number)).toEqual([2, 1]);
  });

  it('deletes versions beyond the limits, but never the latest version, whatever its size is', async () => {
    await database.pool.script(
      `insert into ninefold.versions (number, hash, causes, changes, change_count, facts)
       select n, n::text, '[]', '[]', 0, '' from generate_series(1, 700) n;
       insert into ninefold.journal (kind, what, statement, version)
       select 'schema', n::text, n::text, 0 from generate_series(1, 6000) n`,
    );
    await prune(server);
    const versions = await listVersions(server, 202);
    expect(versions.map(({ number }) => number)).toEqual([201]);
    const [kept] = await database.pool.run([{ text: 'select count(*) as kept from ninefold.journal', params: [] }]);
    expect(kept && rowsAsText(kept)[0]?.kept).toBe('5000');
  });

  it('removes from the pending entries a change without effect on the specification', async () => {
    await owner.script('create table public.a (id int)');
    await markPendingUnchanged(server, await readHead(server), bytea('a'));
    expect((await readHead(server)).pending).toEqual([]);
  });
});
