import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { MigrateResponse, MigrationFailure, MigrationWarning } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import { exceedsRescans } from '../../../contract/sql-rescans.ts';
import { ownerConnection } from '../../apps/app-connections.ts';
import type { AppRecord } from '../../apps/registry/app-record.ts';
import { withPool } from '../../apps/registry/server.ts';
import { registerAuthor } from '../../apps/team/author.ts';
import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { quoteLiteral as literal, plain, type Result, rowsAsText, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { requireTeam } from '../authorise.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';
import { checkDeferredConstraints } from './deferred-constraints.ts';
import type { DatabaseFacts } from './replacement.ts';
import { type PreparedScript, placeOf, prepareScript, readFacts, warningsOf } from './script.ts';
import { failureOf } from './sql-failure.ts';
import type { ScriptStatement } from './statements.ts';
import { loneStatement, withRemains } from './without-transaction.ts';

const sql = z.string().max(limits.bodyBytes.default);
const fileName = line(limits.migrationNameCharacters.default).regex(/^[^/\\]*$/, 'is the name of a file, not a path');
export const migrationFile = z.strictObject({ name: fileName, sql });
const seedFile = z.strictObject({ name: line(limits.migrationNameCharacters.default), sql });
/** The body of a call that applies or tries migrations. */
export const migrationsBody = z.strictObject({
  files: z.array(migrationFile),
  seed: z.union([sql, z.array(seedFile)]).optional(),
});

export interface MigrationFile {
  name: string;
  sql: string;
  /** True for a seed file. It runs only once, even if it changes later. */
  isSeed?: true;
}

const migrate = adminCall({
  route: 'POST /apps/:ref/migrations',
  least: 'developer',
  audit: { action: 'migrations_applied' },
  summary:
    "Applies the pending files in order as the app's owner. Each file runs in its own transaction, except a file whose only statement PostgreSQL refuses in a transaction. If there are only a few files, each of them becomes a version of the specification.",
  returns: 'MigrateResponse',
  errors: ['app_busy', 'migration_changed', 'migration_failed', 'sql_too_complex', 'server_for_one_team'],
  body: migrationsBody,
  handle: async ({ context, caller, ref, body }) => {
    requireTeam(context, caller);
    const asked = readMigrations(body);
    const app = await openApp(context, ref);
    const who = await callerName(context, caller);
    const started = performance.now();
    const response = await context.lifecycle.withAppLocks([ref], async () => {
      const { pending, skipped } = await pendingFiles(context, app.record, asked);
      const answer: MigrateResponse = { applied: [], skipped, seeded: [], warnings: [] };
      if (pending.length === 0) return answer;
      // For a thousand files, it would take hours to derive the specification after each file.
      const isLarge = pending.length > limits.versionsPerMigration.default;
      // Changes that someone made before the migration are recorded as a version of their own.
      await context.versions.note(app);
      const scripts = asked.map(({ sql: text }) => text);
      const facts = await withPool(ownerConnection(context.server.target, app.record), (pool) =>
        readFacts(pool, scripts),
      );
      for (const file of pending) {
        answer.warnings.push(...(await apply(context, app.record, file, { who, facts, done: answer })));
        (file.isSeed ? answer.seeded : answer.applied).push(file.name);
        if (!isLarge) await context.versions.note(app);
      }
      if (isLarge) await context.versions.note(app);
      return answer;
    });
    context.events.emit({ type: 'app', what: 'migrated', app: ref, milliseconds: performance.now() - started });
    return json(response);
  },
});

/**
 * Returns the files of a request without byte order marks, the seed last.
 * @throws `validation_invalid` with the place of a value that is not a text; `sql_too_complex`
 */
export function readMigrations({ files, seed }: z.output<typeof migrationsBody>): MigrationFile[] {
  const seeds = typeof seed === 'string' ? [{ name: 'seed.sql', sql: seed }] : (seed ?? []);
  const all: MigrationFile[] = [...files, ...seeds.map((file) => ({ ...file, isSeed: true as const }))];
  return all.map(({ sql: text, ...file }) => {
    const { name } = file;
    const sql = text.replace(/^\ufeff/, '');
    const bad = /\0|\p{Cs}/u.exec(sql);
    if (bad) {
      const { line: at, column } = placeOf(sql, bad.index);
      const rule = bad[0] === '\0' ? 'a NUL character' : 'half a surrogate pair';
      throw new NinefoldError('validation_invalid', {
        message: `${name}:${at}:${column}: holds ${rule}, which PostgreSQL cannot store.`,
        details: { file: name, line: at, column, rule },
      });
    }
    if (exceedsRescans(sql)) {
      const message = `${name}: PostgreSQL would take too long to read this file.`;
      throw new NinefoldError('sql_too_complex', { message, details: { file: name } });
    }
    return { ...file, sql };
  });
}

/**
 * Returns the files that are not applied yet. A seed that changed since it ran is not applied again.
 * @throws `migration_changed`
 */
export async function pendingFiles(
  context: AdminContext,
  record: AppRecord,
  files: readonly MigrationFile[],
): Promise<{ pending: MigrationFile[]; skipped: string[] }> {
  const known = await appliedFiles(context, record);
  for (const file of files) {
    const before = known.get(file.name);
    if (before !== undefined && before !== hashOf(file.sql) && !file.isSeed) {
      throw new NinefoldError('migration_changed', { details: { file: file.name } });
    }
  }
  return {
    pending: files.filter(({ name }) => !known.has(name)),
    skipped: files.filter(({ name, isSeed }) => known.has(name) && !isSeed).map(({ name }) => name),
  };
}

export const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function appliedFiles(context: AdminContext, record: AppRecord): Promise<Map<string, string>> {
  return withPool(ownerConnection(context.server.target, record), async (pool) => {
    const [result] = await pool.run([{ text: 'select name, sha256 from ninefold.migrations', params: [] }]);
    return new Map(result ? rowsAsText(result).map((row) => [row.name ?? '', row.sha256 ?? '']) : []);
  });
}

/** The parameters of `apply` in addition to the file. */
export interface Applying {
  /** The name of the caller. */
  who: string;
  facts: DatabaseFacts;
  /** The results of the files that were applied before this one, for the report of a failure. */
  done: { readonly applied: readonly string[]; readonly warnings: readonly MigrationWarning[] };
}

/**
 * Applies one file on a new connection, so that its settings do not affect the next file. Returns warnings about
 * statements that did not run as written.
 * @throws `migration_failed`
 */
export async function apply(
  context: AdminContext,
  record: AppRecord,
  file: MigrationFile,
  { who, facts, done }: Applying,
): Promise<MigrationWarning[]> {
  const script = prepareScript(file.sql, facts);
  const inFile = (warning: Omit<MigrationWarning, 'file'>): MigrationWarning => ({ file: file.name, ...warning });
  try {
    const lone = loneStatement(file.sql);
    const results = await withPool(ownerConnection(context.server.target, record), (pool) => {
      const author = (connection: Executor) =>
        registerAuthor(context.server, record, connection, { name: who, migration: file.name });
      return lone === null
        ? runInTransaction(pool, file, script, facts, author)
        : runAlone(pool, file, lone, facts, author);
    });
    return warningsOf(script, results).map(inFile);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const failure = failureOf(error, script, facts);
    const warnings = [...done.warnings, ...warningsOf(script, []).map(inFile)];
    const details: MigrationFailure = { file: file.name, applied: [...done.applied], ...failure, warnings };
    const place = failure.line === null ? file.name : `${file.name}:${failure.line}:${failure.column}`;
    const message = `${place}: ${failure.message} (SQLSTATE ${failure.sqlstate})`;
    throw new NinefoldError('migration_failed', { message, details, cause: error });
  }
}

type Author = (connection: Executor) => Promise<void>;

function runInTransaction(
  pool: Pool,
  file: MigrationFile,
  script: PreparedScript,
  facts: DatabaseFacts,
  author: Author,
): Promise<Result[]> {
  const started = performance.now();
  return pool.transaction(async (tx) => {
    await author(tx);
    const results = await tx.script(script.text, script.copies);
    await checkDeferredConstraints(tx, script);
    await tx.run(recordFile(file, facts, started));
    return results;
  });
}

/**
 * Runs a statement that PostgreSQL refuses in a transaction, then records the file as applied. If the node stops
 * between these two steps, the file runs again; a statement with IF [NOT] EXISTS then does nothing. The pool has one
 * connection, whose author is known.
 */
async function runAlone(
  pool: Pool,
  file: MigrationFile,
  statement: ScriptStatement,
  facts: DatabaseFacts,
  author: Author,
): Promise<Result[]> {
  const started = performance.now();
  await author(pool);
  const results = await pool.run([plain(file.sql)]).catch((error: unknown) => {
    throw error instanceof DatabaseError ? withRemains(error, statement) : error;
  });
  await pool.run(recordFile(file, facts, started));
  return results;
}

/**
 * Returns the statements that record a file as applied. They reset the role first, because the file may have changed
 * it.
 */
const recordFile = ({ name, sql: text }: MigrationFile, facts: DatabaseFacts, started: number): Statement[] => [
  plain('reset role'),
  {
    text: 'insert into ninefold.migrations (name, sha256, applied_by, milliseconds) values ($1, $2, current_user, $3)',
    params: [name, hashOf(text), String(Math.round(performance.now() - started))],
  },
  ...(facts.hasHelpers ? noteVersion(name) : []),
];

/**
 * Returns the statement that records the file in Supabase's own table of migrations. An error is ignored, because the
 * owner may have dropped or changed the table.
 */
function noteVersion(name: string) {
  const [, version, rest] = /^(\d+)_(.*)\.sql$/.exec(name) ?? [];
  if (version === undefined || rest === undefined) return [];
  const insert = `insert into supabase_migrations.schema_migrations (version, name) values (${literal(version)}, ${literal(rest)}) on conflict do nothing`;
  return [{ text: 'select ninefold.attempt($1)', params: [insert] }];
}

export const migrateCalls: readonly AdminCall[] = [migrate];
