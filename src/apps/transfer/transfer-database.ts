import { randomBytes } from 'node:crypto';
import { type ConnectionConfig, loginAt } from '../../database/connection-config.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { RawSession } from '../../database/raw-session.ts';
import { quoteIdentifier as id, quoteLiteral as literal, plain } from '../../database/statement.ts';
import owner from '../../schema/0003_owner.sql';
import { type DatabaseRole, giveDatabaseRoles } from '../provisioning/database-roles.ts';
import { scramVerifier } from '../provisioning/scram-verifier.ts';
import { setVaultKey } from '../provisioning/vault-keys.ts';
import { authenticatorRole, databaseName, ownerRole, transferRole } from '../registry/app-record.ts';
import { type Server, superuserIn } from '../registry/server.ts';
import { settingStatement } from './database-settings.ts';
import { readDumpEntries } from './dump-entries.ts';
import {
  givenExtensions,
  giveToOwners,
  installExtensions,
  installSchemas,
  markForeignKeysChecked,
  runEntries,
  SESSION_SETTINGS,
  type TargetSessions,
  withdrawSchemaGrants,
} from './install.ts';
import { planInstallation } from './install-plan.ts';
import { DumpError, type DumpTools, dumpSchema, findDumpProgram } from './pg-dump.ts';
import {
  type DatabaseProperties,
  OWN_SCHEMAS,
  readProperties,
  readSource,
  type SourceFacts,
  type SourceTable,
} from './read-source.ts';

/** The statements around the part of 0003_owner.sql that changes who may take advisory locks. */
const LOCKS_BEGIN = 'set local allow_system_table_mods = on;';
const LOCKS_END = 'set local allow_system_table_mods = off;';
/** SQL that lets only the owner and the service role take advisory locks. A released schema file never changes, so its text is used. */
const restrictAdvisoryLocks = owner.slice(owner.indexOf(LOCKS_BEGIN), owner.indexOf(LOCKS_END) + LOCKS_END.length);

/** Longest statement of the login that may evaluate code of the app, such as the build of an index. */
const APP_STATEMENT = '2h';

/** The part of a transfer that runs, and how much of it is done. */
export interface TransferProgress {
  readonly step: 'schema' | 'rows' | 'indexes' | 'end';
  /** Copied bytes of rows, and the size of all tables on disk. */
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Where a database is copied from, and how. */
export interface TransferSource {
  /** The superuser's connection parameters at the source, for the database to copy. */
  readonly connection: ConnectionConfig;
  readonly tools: DumpTools;
  readonly onProgress?: (progress: TransferProgress) => void;
}

/** The result of a transfer. */
export interface TransferResult {
  /** Number of tables and rows, and bytes of the rows on the wire. */
  readonly tables: number;
  readonly rows: number;
  readonly bytes: number;
  /** Materialized views that stay empty, because their queries failed. */
  readonly emptyViews: readonly string[];
}

/** Shared roles without login that may own objects of an app (cluster.sql). `ninefold_server` is none of them. */
const OWNING_ROLES = [
  ...[
    'anon',
    'authenticated',
    'service_role',
    'authenticator',
    'postgres',
    'dashboard_user',
    'pgbouncer',
    'ninefold_owner',
  ],
  ...['supabase_admin', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin'],
  ...['supabase_functions_admin', 'supabase_replication_admin', 'supabase_etl_admin', 'supabase_read_only_user'],
];

/**
 * Copies the database of an app from another PostgreSQL server: the schema by pg_dump, the rows by COPY from server to server,
 * all as of one snapshot. The login roles of the app exist already, and the database does not. If the transfer fails, the caller
 * removes what exists.
 * @param ref The app at the target. At the source, the app's roles have the names of this ref.
 * @throws DumpError if the schema cannot be read.
 * @throws InstallError if the target does not accept an object.
 * @throws DatabaseError, ConnectionError of either server
 */
export async function transferDatabase(
  server: Server,
  maintenance: Pool,
  ref: string,
  source: TransferSource,
): Promise<TransferResult> {
  const from = await RawSession.open({ ...source.connection, searchPath: '' });
  try {
    await from.query(`begin isolation level repeatable read read only; set local row_security = off;
      set local extra_float_digits = 3`);
    const properties = await readProperties(from, source.connection.database);
    if (!properties) throw new Error(`the source has no database ${source.connection.database}`);
    const facts = await readSource(from, ref);
    const dump = await readDump(from, source);
    await giveDatabaseRoles(maintenance, ref, facts.databaseRoles);
    if (facts.vaultKey !== null) await setVaultKey(maintenance, ref, facts.vaultKey);
    const login = await makeTransferLogin(maintenance, ref, facts.databaseRoles);
    const database = databaseName(ref);
    await createDatabase(maintenance, ref, properties);
    const superuser = await RawSession.open(superuserIn(server, database));
    const appTarget = {
      ...loginAt(server.target, { ...login, database, applicationName: 'ninefold-transfer' }),
      searchPath: '',
    };
    const app = await RawSession.open(appTarget);
    const sessions = { superuser, app, appLogin: login.user };
    try {
      await superuser.query(SESSION_SETTINGS);
      await app.query(`${SESSION_SETTINGS} set statement_timeout = '${APP_STATEMENT}'`);
      return await install({ from, sessions, facts, dump, ref, source, properties });
    } finally {
      await Promise.all([superuser.close(), app.close()]);
      await removeTransferLogin(maintenance, login.user);
    }
  } finally {
    await from.close();
  }
}

async function readDump(from: RawSession, { connection, tools }: TransferSource): Promise<string> {
  const [row] = await from.query(`select pg_catalog.pg_export_snapshot() as snapshot,
    pg_catalog.current_setting('server_version_num')::pg_catalog.int4 / 10000 as major`);
  const program = await findDumpProgram(tools, Number(row?.major));
  if (program.path === null) await refuseLeftOutLines(from);
  return dumpSchema(program, tools, { ...connection, applicationName: 'ninefold-dump' }, row?.snapshot ?? '');
}

/**
 * Refuses a schema that pg_dump in WebAssembly would change: its package deletes each line that begins with a command of psql
 * against injection, also inside of functions and comments.
 * @throws DumpError
 */
async function refuseLeftOutLines(from: RawSession): Promise<void> {
  const [found] = await from.query(`select texts.name from (
      select p.oid::pg_catalog.regprocedure::pg_catalog.text as name, p.prosrc as content from pg_catalog.pg_proc p
      union all select 'a comment', d.description from pg_catalog.pg_description d
    ) texts where texts.content operator(pg_catalog.~*) '(?n)^\\\\(un)?restrict\\M' limit 1`);
  if (!found) return;
  throw new DumpError(
    `A line of ${found.name} begins with “\\restrict” or “\\unrestrict”, and the installed pg_dump would leave it out: install the client programs of PostgreSQL.`,
  );
}

async function createDatabase(maintenance: Pool, ref: string, properties: DatabaseProperties): Promise<void> {
  const database = id(databaseName(ref));
  const { collate, ctype, provider, locale, comment } = properties;
  const providers: Record<string, string> = {
    b: `locale_provider builtin builtin_locale ${literal(locale ?? 'C')}`,
    i: `locale_provider icu icu_locale ${literal(locale ?? '')}`,
  };
  await maintenance.run([
    plain(
      `create database ${database} template template0 encoding 'UTF8' lc_collate ${literal(collate)} lc_ctype ${literal(ctype)} ${providers[provider] ?? ''}`,
    ),
  ]);
  await maintenance.run([
    plain(`alter database ${database} owner to ${id(ownerRole(ref))}`),
    plain(`revoke connect, temporary on database ${database} from public`),
    plain(`grant connect, temporary on database ${database} to ${id(transferRole(ref))}`),
    ...(comment === null ? [] : [plain(`comment on database ${database} is ${literal(comment)}`)]),
  ]);
}

/** Creates the login that creates the objects of the app: a member of all roles that may own some, and no superuser. */
async function makeTransferLogin(
  maintenance: Pool,
  ref: string,
  roles: readonly DatabaseRole[],
): Promise<{ user: string; password: string }> {
  const user = transferRole(ref);
  const password = randomBytes(24).toString('base64url');
  await maintenance.run([plain(`drop role if exists ${id(user)}`)]);
  await maintenance.run([
    plain(`create role ${id(user)} login inherit bypassrls password ${literal(scramVerifier(password))}`),
    plain(`grant ${[ownerRole(ref), authenticatorRole(ref)].map(id).join(', ')} to ${id(user)}`),
    // Objects may belong to a database role of the app.
    ...roles.map(({ name }) => plain(`grant ${id(name)} to ${id(user)}`)),
    plain(`do $do$ declare shared name; begin
      for shared in select rolname from pg_catalog.pg_roles
        where rolname in (${OWNING_ROLES.map(literal).join(', ')}) and not rolsuper and not rolcanlogin
      loop execute pg_catalog.format('grant %I to %I', shared, ${literal(user)}); end loop; end $do$`),
  ]);
  return { user, password };
}

/** If the transfer failed, the role still owns objects, and the removal of the database removes them first. */
const removeTransferLogin = (maintenance: Pool, user: string): Promise<void> =>
  maintenance.run([plain(`drop role ${id(user)}`)]).then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
    },
  );

interface Parts {
  from: RawSession;
  sessions: TargetSessions;
  facts: SourceFacts;
  dump: string;
  ref: string;
  source: TransferSource;
  properties: DatabaseProperties;
}

async function install({ from, sessions, facts, dump, ref, source }: Parts): Promise<TransferResult> {
  const { superuser, app } = sessions;
  const totalBytes = facts.tables.reduce((sum, table) => sum + table.bytes, 0);
  const report = (step: TransferProgress['step'], bytes: number) => source.onProgress?.({ step, bytes, totalBytes });
  const plan = planInstallation(readDumpEntries(dump), facts.superusers);
  report('schema', 0);
  await installSchemas(sessions, plan, facts);
  await installExtensions(sessions, plan.extensions, facts, ownerRole(ref));
  await runEntries(sessions, plan.beforeRows);
  await giveToOwners(sessions, plan.beforeRows);
  await runEntries(sessions, plan.sequenceLinks);
  const copied = await copyRows(from, sessions, facts, (bytes) => report('rows', bytes));
  report('indexes', copied.bytes);
  await runEntries(sessions, plan.afterRows);
  await giveToOwners(sessions, plan.afterRows);
  await markForeignKeysChecked(sessions, plan.afterRows);
  await withdrawSchemaGrants(sessions);
  await restoreCatalogChanges(sessions, facts);
  await runEntries(sessions, plan.privileges);
  await runEntries(sessions, plan.eventTriggers);
  await giveToOwners(sessions, plan.eventTriggers);
  const emptyViews = await fillViews(app, facts.filledViews);
  for (const setting of facts.settings) {
    const statement = settingStatement(databaseName(ref), setting);
    if (statement !== null) await superuser.query(statement);
  }
  await superuser.query(
    `reassign owned by ${id(sessions.appLogin)} to ${id(ownerRole(ref))}; drop owned by ${id(sessions.appLogin)}`,
  );
  report('end', copied.bytes);
  return { tables: facts.tables.length, ...copied, emptyViews };
}

/** Copies the rows of all tables, the states of sequences, and large objects. No index, trigger or policy exists at the target yet. */
async function copyRows(
  from: RawSession,
  sessions: TargetSessions,
  facts: SourceFacts,
  onBytes: (bytes: number) => void,
): Promise<{ rows: number; bytes: number }> {
  let rows = 0;
  let bytes = 0;
  for (const table of facts.tables) {
    const copied = await from.copyTo(sessions[loginOfTable(table, facts)], copyStatements(table));
    rows += copied.rows;
    bytes += copied.bytes;
    onBytes(bytes);
  }
  const sequences = facts.sequences.map(
    ({ name, lastValue, isCalled }) =>
      `pg_catalog.setval(${literal(name)}::pg_catalog.regclass, ${lastValue}, ${isCalled})`,
  );
  if (sequences.length > 0) await sessions.superuser.query(sequences.map((call) => `select ${call}`).join(';'));
  bytes += await copyLargeObjects(from, sessions.superuser, facts);
  await renewMessages(sessions.app);
  return { rows, bytes };
}

/** A table on which the app's owner can define nothing belongs to the superuser or to the server's role. */
function loginOfTable(table: SourceTable, { superusers }: SourceFacts): 'superuser' | 'app' {
  if (!OWN_SCHEMAS.has(table.schema) && !superusers.has(table.owner) && table.owner !== 'ninefold_server') return 'app';
  if (table.hasTypesOfApp) {
    throw new Error(`the table ${table.name} of the server has columns of types of the app`);
  }
  return 'superuser';
}

function copyStatements({ name, columns, format }: SourceTable): { from: string; to: string } {
  const list = columns.length === 0 ? '' : ` (${columns.map(id).join(', ')})`;
  return {
    from: `copy ${name}${list} to stdout (format ${format})`,
    to: `copy ${name}${list} from stdin (format ${format})`,
  };
}

async function copyLargeObjects(
  from: RawSession,
  superuser: RawSession,
  { largeObjects }: SourceFacts,
): Promise<number> {
  if (largeObjects.length === 0) return 0;
  const statements = largeObjects.flatMap(({ oid, owner, statements }) => [
    `select pg_catalog.lo_create(${oid})`,
    `alter large object ${oid} owner to ${id(owner)}`,
    ...statements,
  ]);
  await superuser.query(statements.join(';'));
  const { bytes } = await from.copyTo(superuser, {
    from: 'copy pg_catalog.pg_largeobject to stdout (format binary)',
    to: 'copy pg_catalog.pg_largeobject from stdin (format binary)',
  });
  return bytes;
}

/**
 * Gives the stored messages of private channels a transaction of the target. Workers compare the number with those of running
 * transactions, and the servers count separately.
 */
async function renewMessages(app: RawSession): Promise<void> {
  await app
    .query('update realtime.messages set transaction_id = pg_catalog.pg_current_xact_id()')
    .catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error; // The owner changed the table. It is the app's own.
    });
}

/** Applies again what the schema files changed in pg_catalog. pg_dump leaves changes of pg_catalog out. */
async function restoreCatalogChanges({ superuser }: TargetSessions, facts: SourceFacts): Promise<void> {
  const applied = await superuser.query('select name from ninefold.schema_files');
  const has = (file: string) => applied.some(({ name }) => name === file);
  if (has('0003_owner')) await superuser.query(`begin; ${restrictAdvisoryLocks}; commit`);
  for (const name of givenExtensions(facts)) {
    await superuser.query(`select ninefold.give_extension(${literal(name)})`);
  }
  if (facts.extensions.has('pg_stat_statements'))
    await superuser.query('select ninefold.restrict_pg_stat_statements()');
  if (has('0004_hide_other_apps')) await superuser.query('select ninefold.hide_other_apps()');
}

/** Returns the views whose queries failed. */
async function fillViews(app: RawSession, views: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const view of views) {
    await app.query(`refresh materialized view ${view}`).catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
      failed.push(view);
    });
  }
  return failed;
}
