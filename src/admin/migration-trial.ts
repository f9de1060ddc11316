import type { Change, MigrationTrial } from '../../contract/changes.ts';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import type { App } from '../apps/app.ts';
import { ownerOf } from '../apps/owner.ts';
import { withPool } from '../apps/server.ts';
import type { Transaction } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { plain, type Statement } from '../database/statement.ts';
import type { AdminContext } from './context.ts';
import { type MigrationFile, pendingFiles, readMigrations } from './migrate.ts';
import { openApp } from './open-app.ts';
import { json } from './router.ts';
import { failureOf } from './sql.ts';
import { type ScriptStatement, splitStatements } from './statements.ts';

/**
 * POST /apps/:ref/migrations/trial: runs the files that are not applied yet in one transaction, reads the specification within it, and
 * takes all of it back. Rows and tables that the files touch are locked for so long; sequences they draw from stay advanced,
 * as after any rollback. Throws `app_busy`, `migration_changed`.
 */
export async function tryMigrations(context: AdminContext, exchange: Exchange, ref: string): Promise<Reply> {
  const files = readMigrations(exchange);
  const app = await openApp(context, ref);
  return context.lifecycle.alone([ref], async () => {
    const { pending, skipped } = await pendingFiles(context, app.record, files);
    const { changes, ...rest } = await tryFiles(context, app, pending);
    const trial: MigrationTrial = { ...rest, skipped, changes: await changes() };
    return json(trial);
  });
}

type Tried = Pick<MigrationTrial, 'tried' | 'untried' | 'failed'>;

/** What was tried, and what tells the changes that it would make. */
type Found = Tried & { changes: () => Promise<Change[]> };

/** Thrown so that the transaction ends with a rollback; carries what was found. */
class TakenBack extends Error {
  readonly found: Found;

  constructor(found: Found) {
    super('the trial was taken back');
    this.found = found;
  }
}

async function tryFiles(context: AdminContext, app: App, files: readonly MigrationFile[]): Promise<Found> {
  try {
    return await withPool(ownerOf(context.server, app.record), (pool) =>
      pool.transaction(async (tx) => {
        const found = await runFiles(tx, files);
        throw new TakenBack({ ...found, changes: await context.specify.within(app, tx) });
      }),
    );
  } catch (error) {
    if (error instanceof TakenBack) return error.found;
    throw error;
  }
}

async function runFiles(tx: Transaction, files: readonly MigrationFile[]): Promise<Tried> {
  const found: Tried = { tried: [], untried: [], failed: null };
  for (const file of files) {
    const statements = splitStatements(file.sql);
    const ending = statements.find(({ command, text }) => endsTransaction(command, text));
    if (ending) {
      found.untried.push({ file: file.name, reason: `it ends its transaction with ${ending.command}` });
      continue;
    }
    await tx.run([plain('savepoint ninefold_trial'), ...asAfresh]);
    try {
      await runStatements(tx, statements, file.sql);
      await tx.run([plain('release savepoint ninefold_trial')]);
      found.tried.push(file.name);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      await tx.run([plain('rollback to savepoint ninefold_trial')]);
      if (error.sqlstate === NO_TRANSACTION) {
        found.untried.push({ file: file.name, reason: error.message });
        continue;
      }
      return { ...found, failed: { file: file.name, message: error.message, details: failureOf(error) } };
    }
  }
  await tx.run(asAfresh);
  return found;
}

/** Each file meets a connection as if it were the first on it: no role and no setting of the file before. */
const asAfresh: readonly Statement[] = [
  plain('reset role'),
  plain('reset all'),
  {
    text: `select pg_catalog.set_config('statement_timeout', $1, true), pg_catalog.set_config('lock_timeout', $2, true)`,
    params: [String(limits.builderStatementMilliseconds.default), String(limits.catalogueLockMilliseconds.default)],
  },
];

/** 25001, active_sql_transaction: CREATE INDEX CONCURRENTLY, VACUUM and the like. */
const NO_TRANSACTION = '25001';

/** A file that frames itself in BEGIN and COMMIT is tried without them. */
const frames = new Set(['BEGIN', 'START', 'COMMIT', 'END']);

function endsTransaction(command: string, text: string): boolean {
  if (command === 'PREPARE') return /^prepare\s+transaction\b/i.test(text);
  if (command === 'COMMIT') return /\bprepared\b/i.test(text);
  return command === 'ROLLBACK' || command === 'ABORT';
}

/**
 * One statement in one message, by the extended protocol, which takes no second one: so a COMMIT that the split does not see
 * as one cannot end the transaction.
 */
async function runStatements(tx: Transaction, statements: readonly ScriptStatement[], script: string): Promise<void> {
  for (const [i, { text, command, at }] of statements.entries()) {
    if (frames.has(command)) continue;
    try {
      await tx.run([plain(text)]);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      const { position, ...fields } = error.fields;
      const before = [...script.slice(0, at)].length;
      throw new DatabaseError({ ...fields, ...(position !== undefined && { position: position + before }) }, i);
    }
  }
}
