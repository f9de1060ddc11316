import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { admin, createApp } from '../../../test/support/apps.ts';
import { clientOf } from '../../../test/support/clients.ts';
import { inDatabase, superuserUrl, withClient } from '../../../test/support/database.ts';
import { dataFolderOf } from '../../../test/support/embedded-server.ts';
import { ownNode } from '../../../test/support/own-node.ts';
import { copyFolder } from '../../../test/support/retained-folder.ts';
import { makeTestHome } from '../../../test/support/test-folder.ts';
import { uniqueEmail, uniqueRef } from '../../../test/support/unique.ts';
import { unusualObjects } from '../../../test/support/unusual-objects.ts';
import { type ConnectionConfig, parseConnectionUrl } from '../../database/connection-config.ts';
import { RawSession, type TextRow } from '../../database/raw-session.ts';
import { MessageWriter } from '../../database/writer.ts';
import { FolderStore } from '../../files/folder-store.ts';
import { Events } from '../../observe/events.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../postgres/embedded.ts';
import type { Apps } from '../apps.ts';
import { Lifecycle } from '../provisioning/lifecycle.ts';
import { ServerPools } from '../provisioning/server-pools.ts';
import { Registry } from '../registry/registry.ts';
import { type Server, smallPool } from '../registry/server.ts';
import { dumpSchema } from './pg-dump.ts';
import { readSource } from './read-source.ts';
import type { TransferResult } from './transfer-database.ts';

const proof = `/tmp/ninefold-transfer-${randomBytes(6).toString('hex')}`;
const email = uniqueEmail();
const password = 'a long password';
const copy = uniqueRef('copy');
const tools = { folders: [], thread: new URL('../../../dist/wasm-dump.js', import.meta.url) };

const node = ownNode('transfer');
let app: AppConnection;
let scratch: EmbeddedPostgres;
let scratchHome: string;
let specification: { hash: string };
let copied: TransferResult;
let missingFiles: number;

const sourceUrl = () => inDatabase(scratch.url, `app_${app.ref}`);

beforeAll(async () => {
  app = await createApp(node);
  await withClient(app.database_url ?? '', (client) => client.query(unusualObjects(proof)));
  await withClient(app.database_url ?? '', (client) =>
    client.query(`select vault.create_secret('of the source', 'kept'); select ninefold.create_database_role('transferred_role');
      select ninefold.allow_database_role('transferred_role'); grant create on schema public to transferred_role;
      create table public.of_role (id int); alter table public.of_role owner to transferred_role;
      create policy p on public.of_role to transferred_role using (true)`),
  );
  expect((await clientOf(app).auth.signUp({ email, password })).error).toBeNull();
  const { error } = await clientOf(app, app.secret_key ?? '')
    .storage.from('files')
    .upload('a.txt', 'bytes of a file');
  expect(error).toBeNull();
  await node.stop();
  scratchHome = await makeTestHome('transfer-scratch');
  await copyFolder(await dataFolderOf(node.home), join(scratchHome, 'postgres'));
  await node.startAgain();
  specification = await admin(node, 'GET', `/apps/${app.ref}/specification`);
  const secret = await readFile(join(node.home, 'secrets/postgres-password'), 'utf8');
  scratch = await startEmbeddedPostgres({ home: scratchHome, port: 0, password: secret.trim(), log: () => undefined });
  await withClient(await superuserUrl(node, 'postgres'), (client) =>
    client.query(`alter role ninefold set log_statement = 'all'`),
  );
  ({ copied, missingFiles } = await copyApp());
}, 120_000);
afterAll(async () => {
  await scratch?.stop();
  if (scratchHome) await rm(scratchHome, { recursive: true, force: true });
  await rm(proof, { force: true });
});

async function copyApp() {
  const target = parseConnectionUrl(await superuserUrl(node, 'postgres'), 'ninefold');
  const server: Server = {
    target: { ...target, searchPath: '', ignoresLockTimeout: true },
    masterKey: Buffer.from((await readFile(join(node.home, 'secrets/master-key'), 'utf8')).trim(), 'base64url'),
    isEmbedded: true,
    missingRights: [],
    temporaryBytes: 2 ** 30,
  };
  const pools = [smallPool(server.target), smallPool(server.target)] as const;
  const registryPool = smallPool({ ...server.target, database: 'app_console' });
  // The workers of the node learn of the copy from the console's database.
  const apps = { forget: async () => undefined } as unknown as Apps;
  const registry = new Registry(registryPool, server.masterKey);
  const lifecycle = new Lifecycle({
    ...{ apps, locks: pools[1], events: new Events(), registry },
    servers: new ServerPools({ server, maintenance: pools[0] }, registry),
    store: new FolderStore(join(node.home, 'files/apps'), join(node.home, 'files/incoming')),
  });
  const connection = parseConnectionUrl(sourceUrl(), 'ninefold');
  try {
    return await lifecycle.copyFromServer({ connection, tools, ref: app.ref, schemaFile: '0020_changes' }, copy, {
      name: app.ref,
    });
  } finally {
    await Promise.all([...pools, registryPool].map((pool) => pool.close()));
  }
}

const copyUrl = () => superuserUrl(node, `app_${copy}`);

/** Runs `work` in a superuser's session in each of the two databases. */
const inBoth = async <T>(work: (session: RawSession, connection: ConnectionConfig) => Promise<T>): Promise<[T, T]> => {
  const run = async (url: string) => {
    const connection = { ...parseConnectionUrl(url, 'test'), searchPath: '' };
    const session = await RawSession.open(connection);
    try {
      await session.query('begin isolation level repeatable read');
      return await work(session, connection);
    } finally {
      await session.close();
    }
  };
  return [await run(sourceUrl()), await run(await copyUrl())];
};

/** Returns the lines that only one of two texts has. */
function differences(source: readonly string[], target: readonly string[]) {
  const [inSource, inTarget] = [new Set(source), new Set(target)];
  return {
    missing: source.filter((line) => !inTarget.has(line)),
    added: target.filter((line) => !inSource.has(line)),
  };
}

it('creates all objects of the source, with the privileges, owners and settings that they have there', async () => {
  const [source, target] = await inBoth(async (session, connection) => {
    const [row] = await session.query('select pg_catalog.pg_export_snapshot() as snapshot');
    const dump = await dumpSchema({ path: null, major: 18 }, tools, connection, row?.snapshot ?? '');
    // PostgreSQL prints the names of unnamed columns of a query only after it has read its own text.
    return dump.replaceAll(/^-- Dumped .*$/gm, '').replaceAll(/ AS "(?:text|regproc)"(?=,?$)/gm, '');
  });
  expect(differences(source.split(/\n{2,}/), target.split(/\n{2,}/))).toEqual({ missing: [], added: [] });
  expect(target.length).toBe(source.length);
});

/** Facts that no dump of a schema contains, one query each. */
const facts = {
  'who may call functions of PostgreSQL': `select p.oid::regprocedure as name, (select string_agg(x::text, ' ' order by x::text) from unnest(p.proacl) x) as acl
    from pg_proc p where p.oid < 16384 order by 1`,
  'initial privileges': `select i.classoid::regclass, case i.classoid when 'pg_proc'::regclass then i.objoid::regprocedure::text else i.objoid::regclass::text end as name,
    i.objsubid, (select string_agg(x::text, ' ' order by x::text) from unnest(i.initprivs) x) as acl from pg_init_privs i
    where i.classoid in ('pg_proc'::regclass, 'pg_class'::regclass) order by 1, 2, 3`,
  'views of PostgreSQL': `select schemaname, viewname, definition from pg_views where schemaname in ('pg_catalog', 'information_schema') order by 1, 2`,
  extensions: `select e.extname, e.extowner::regrole, e.extnamespace::regnamespace, (select count(*) from pg_depend d where d.refobjid = e.oid) as members
    from pg_extension e order by 1`,
  'checked constraints': 'select conrelid::regclass, conname, convalidated from pg_constraint order by 1, 2',
  'filled views': `select oid::regclass as name, relispopulated from pg_class where relkind = 'm' order by 1`,
  'settings of the database': `select s.setrole::regrole as role, x from pg_db_role_setting s, unnest(s.setconfig) x
    where s.setdatabase = (select oid from pg_database where datname = current_database()) order by 1, 2`,
  database: `select shobj_description(oid, 'pg_database') as comment, encoding, datlocprovider, datcollate, datctype, datlocale, datdba::regrole,
    (select string_agg(x::text, ' ' order by x::text) from unnest(datacl) x) as acl from pg_database where datname = current_database()`,
  sequences: `select schemaname, sequencename, last_value, sequenceowner from pg_sequences
    where schemaname <> 'ninefold' order by 1, 2`,
  'large objects': `select m.oid, m.lomowner::regrole, (select string_agg(x::text, ' ' order by x::text) from unnest(m.lomacl) x) as acl,
    (select sum(length(data)) from pg_largeobject l where l.loid = m.oid) as bytes
    from pg_largeobject_metadata m order by 1`,
};

it.each(Object.entries(facts))('copies what pg_dump leaves out: %s', async (_, query) => {
  const [source, target] = await inBoth((session) => session.query(query));
  expect(source.length).toBeGreaterThan(0);
  const lines = (rows: TextRow[]) => rows.map((row) => JSON.stringify(row));
  expect(differences(lines(source), lines(target))).toEqual({ missing: [], added: [] });
});

/** Tables that the copy changes on purpose, or that a worker of the node writes. */
const CHANGED =
  /^"(auth"\."(sessions|refresh_tokens|one_time_tokens|flow_state|mfa_amr_claims|users|audit_log_entries)|cron"|net"|realtime"|trap"\."ran|ninefold"\."(versions|journal|mails|settings|authors|.*count|request|.*sign_in|unused|watched|changes))/;

it('keeps the secrets of the Vault sealed, and the copy opens them', async () => {
  const [source, target] = await inBoth((session) =>
    session.query(`select secret from vault.secrets where name = 'kept'`),
  );
  expect(target).toEqual(source);
  expect(source[0]?.secret).not.toContain('of the source');
  const opened = await withClient(await copyUrl(), (client) =>
    client.query(`set role "app_${copy}"; select decrypted_secret from vault.decrypted_secrets`),
  );
  expect((opened as unknown as { rows: unknown[] }[]).at(-1)?.rows).toEqual([{ decrypted_secret: 'of the source' }]);
});

it('gives the copy the database roles of the app', async () => {
  const owned = await withClient(await copyUrl(), (client) =>
    client.query(`set role "app_${copy}"; select ninefold.database_roles() as role,
      (select tableowner from pg_tables where tablename = 'of_role') as owner,
      pg_has_role('app_${copy}_authenticator', 'transferred_role', 'SET') as allowed`),
  );
  expect((owned as unknown as { rows: unknown[] }[]).at(-1)?.rows).toEqual([
    { role: 'transferred_role', owner: 'transferred_role', allowed: true },
  ]);
});

it('copies all rows', async () => {
  const [source, target] = await inBoth(async (session) => {
    const { tables } = await readSource(session, '');
    const sums: [table: string, sum: string][] = [];
    for (const { name } of tables.filter((table) => !CHANGED.test(table.name))) {
      const head = 'copy '.length;
      // COPY evaluates nothing, and its text contains names instead of numbers of objects.
      const text = await session.exchange(queryMessage(`copy ${name} to stdout`));
      sums.push([name, text.subarray(head).toString('latin1').split('\n').sort().join('\n')]);
    }
    return sums;
  });
  expect(source.length).toBeGreaterThan(70);
  expect(differences(source.map(String), target.map(String))).toEqual({ missing: [], added: [] });
  expect(copied.emptyViews).toEqual([]);
  const odd = source.find(([name]) => name === '"public"."odd"');
  expect(odd?.[1]).toContain('{public.odd,trap.ran}');
});

it('the copy is an app with its members, files and specification, and with keys of its own', async () => {
  const keys = await admin<AppConnection>(node, 'GET', `/apps/${copy}/connection`);
  const client = clientOf(keys);
  const signedIn = await client.auth.signInWithPassword({ email, password });
  expect(signedIn.error).toBeNull();
  const file = await clientOf(keys, keys.secret_key ?? '')
    .storage.from('files')
    .download('a.txt');
  expect(await file.data?.text()).toBe('bytes of a file');
  expect(missingFiles).toBe(0);
  const foreign = await clientOf({ ...keys, publishable_key: app.publishable_key })
    .from('parts')
    .select();
  expect(foreign.status).toBe(401);
  await withClient(keys.database_url ?? '', async (owner) => {
    const jobs = await owner.query('select jobid, active, username from cron.job');
    expect(jobs.rows).toEqual([{ jobid: expect.anything(), active: false, username: `app_${copy}` }]);
    await owner.query('select cron.alter_job($1, active => true)', [jobs.rows[0]?.jobid]);
  });
  const own: { hash: string } = await admin(node, 'GET', `/apps/${copy}/specification`);
  expect(own.hash).toBe(specification.hash);
});

/** Statements of the superuser in the database of the copy while it was made, from the log of the server. */
async function superuserStatements(): Promise<string[]> {
  const log = await readFile(join(node.home, 'logs/postgres.log'), 'utf8');
  const entries = log.split(/^(?=\d{4}-\d\d-\d\d )/m);
  return entries.flatMap((entry) => {
    const found = new RegExp(` ninefold@app_${copy} ninefold\\S* LOG:  (?:statement|execute [^:]*): ([^]*)`).exec(
      entry,
    );
    return found ? [found[1] ?? ''] : [];
  });
}

it('no session of the superuser evaluates what the owner of the app defined', async () => {
  expect(existsSync(proof)).toBe(false);
  const statements = await superuserStatements();
  expect(statements.length).toBeGreaterThan(20);
  const text = statements.join('\n');
  // The rows of the app are read by the other login, and the constraints, indexes and views of the app are created by it.
  const copies = [...text.matchAll(/^copy (\S+)/gm)].map(([, table]) => table ?? '');
  expect(copies.length).toBeGreaterThan(50);
  expect(
    copies.filter(
      (table) =>
        !/^("(ninefold|cron|net|vault)"\.|"supabase_functions"."hooks"|pg_catalog\.pg_largeobject)/.test(table),
    ),
  ).toEqual([]);
  const made = [
    ...text.matchAll(
      /^CREATE (?:UNIQUE )?(?:INDEX "[^"]*" ON|TABLE|DOMAIN|AGGREGATE|TRIGGER "[^"]*".* ON|POLICY "[^"]*" ON) ([^ ;(]*)/gm,
    ),
  ];
  expect(
    made
      .map(([, name]) => name)
      .filter((name) => !/^"(ninefold|cron|net|vault)"\.|^"supabase_functions"."hooks"/.test(name ?? '')),
  ).toEqual([]);
  expect(text).not.toMatch(/refresh materialized view|trap\.(spring|sprung)/i);
  const keys = [...text.matchAll(/ADD CONSTRAINT "[^"]*" FOREIGN KEY [^;]*;/g)].map(([key]) => key);
  expect(keys.length).toBeGreaterThan(10);
  expect(keys.filter((key) => !key.endsWith(' NOT VALID;'))).toEqual([]);
  // The traps work: PostgreSQL evaluated them in the session that has the privileges of the app's roles.
  const [, ran] = await inBoth((session) => session.query('select distinct hook, session from trap.ran'));
  const during = ran.filter(({ session }) => session === `app_${copy}_transfer`).map(({ hook }) => hook);
  expect(during).toEqual(expect.arrayContaining(['domain', 'check', 'expression', 'check of accounts']));
  expect(ran.map(({ session }) => session)).not.toContain('ninefold');
});

it('leaves no login behind that was used for the copy', async () => {
  const rows = await withClient(await superuserUrl(node, 'postgres'), (client) =>
    client.query(`select rolname from pg_roles where rolname like '%\\_transfer'`),
  );
  expect(rows.rows).toEqual([]);
});

/** Returns a message of the simple query protocol. */
function queryMessage(sql: string): Buffer {
  const writer = new MessageWriter();
  writer.query(sql);
  return writer.take();
}
