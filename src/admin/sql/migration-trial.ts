import { z } from 'zod';
import type { MigrationWarning } from '../../../contract/admin.ts';
import type { CallRequest } from '../../../contract/call-request.ts';
import type { MigrationTrial } from '../../../contract/changes.ts';
import { limits } from '../../../contract/limits.ts';
import { rolledBack } from '../../access/rolled-back.ts';
import type { App } from '../../apps/app.ts';
import type { Transaction } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { plain, type Result, type Statement } from '../../database/statement.ts';
import type { ImpersonatedCaller } from '../../identity/impersonation.ts';
import { UUID } from '../../identity/uuid.ts';
import { identityAs, requireTeam } from '../authorise.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';
import { checkDeferredConstraints } from './deferred-constraints.ts';
import { blockText } from './do-block.ts';
import { type MigrationFile, migrationsBody, pendingFiles, readMigrations } from './migrate.ts';
import type { DatabaseFacts } from './replacement.ts';
import { type PreparedScript, type PreparedStatement, prepareScript, readFacts, warningsOf } from './script.ts';
import { failureOf } from './sql-failure.ts';
import { splitStatements } from './statements.ts';

/** Max number of characters of a member role, which is that of an identifier of PostgreSQL. */
const ROLE_CHARACTERS = 63;

/** The caller whose screens the trial returns: `anon` or the id of a member, with all of the member's roles or only one. */
const screensAs = z.strictObject({
  caller: z.union([z.literal('anon'), z.string().regex(UUID)]),
  role: z.string().min(1).max(ROLE_CHARACTERS).optional(),
  /** The value of Accept-Language. */
  language: z.string().max(limits.acceptLanguageCharacters.default).optional(),
});

const trialBody = migrationsBody.extend({ screens_as: screensAs.optional() });

const tryMigrations = adminCall({
  route: 'POST /apps/:ref/migrations/trial',
  least: 'developer',
  summary:
    'Runs the pending files in one transaction, reads the specification within it, and rolls the transaction back. Until the rollback, the rows and tables that the files change are locked. Sequences do not go back, as after any rollback. With `screens_as`, the reply contains the screens that this caller would get after the files.',
  returns: 'MigrationTrial',
  errors: ['app_busy', 'migration_changed', 'sql_too_complex', 'server_for_one_team'],
  body: trialBody,
  handle: async ({ context, caller, request, ref, body: { screens_as: as, ...body } }) => {
    requireTeam(context, caller);
    const files = readMigrations(body);
    const app = await openApp(context, ref);
    const asked = as ? await screensCaller(context, request, app, as) : null;
    return context.lifecycle.withAppLocks([ref], async () => {
      const { pending, skipped } = await pendingFiles(context, app.record, files);
      const scripts = files.map(({ sql }) => sql);
      const { state, ...rest } = await tryFiles({ context, app, asked }, pending, scripts);
      const { changes, screens, broken } = await state();
      const trial: MigrationTrial = { ...rest, skipped, changes, ...(screens && { screens, broken: [...broken] }) };
      return json(trial);
    });
  },
});

type Tried = Pick<MigrationTrial, 'tried' | 'untried' | 'failed' | 'warnings'>;

type Asked = Parameters<AdminContext['specify']['within']>[2];

/** The result of the trial, and a function that returns the state of the app that the files would lead to. */
type Found = Tried & { state: Awaited<ReturnType<AdminContext['specify']['within']>> };

/** Returns the caller whose screens the reply contains. */
async function screensCaller(
  context: AdminContext,
  request: CallRequest,
  app: App,
  { caller, role, language }: z.output<typeof screensAs>,
): Promise<Asked> {
  const as: ImpersonatedCaller = caller === 'anon' ? caller : { userId: caller.toLowerCase() };
  const identity = await identityAs(context, request, app, as);
  return { role: identity.role, userId: identity.userId, memberRole: role ?? null, acceptLanguage: language ?? null };
}

async function tryFiles(
  { context, app, asked }: { context: AdminContext; app: App; asked: Asked },
  pending: readonly MigrationFile[],
  scripts: readonly string[],
): Promise<Found> {
  try {
    return await rolledBack(app.trialDatabase, async (tx) => ({
      ...(await runFiles(tx, pending, scripts)),
      state: await context.specify.within(app, tx, asked),
    }));
  } finally {
    // If this fails, the connection has ended, or the owner has dropped PL/pgSQL.
    await app.trialDatabase.run([releaseSession]).catch(() => undefined);
  }
}

/** Releases what a rollback leaves in a session, so that the next trial begins as the first one did. */
const releaseSession = plain(`do $$
  declare
    prepared text;
  begin
    perform pg_catalog.pg_advisory_unlock_all();
    for prepared in select name from pg_catalog.pg_prepared_statements where from_sql loop
      execute pg_catalog.format('deallocate %I', prepared);
    end loop;
  end $$`);

async function runFiles(tx: Transaction, files: readonly MigrationFile[], scripts: readonly string[]): Promise<Tried> {
  const found: Tried = { tried: [], untried: [], failed: null, warnings: [] };
  const facts = await readFacts(tx, scripts);
  for (const file of files) {
    const ending = splitStatements(file.sql).find(({ command, text }) => endsTransaction(command, text));
    if (ending) {
      found.untried.push({ file: file.name, reason: `it ends its transaction with ${ending.command}` });
      continue;
    }
    await tx.run([plain('savepoint ninefold_trial'), ...asAfresh]);
    const script = prepareScript(file.sql, facts);
    try {
      found.warnings.push(...(await runStatements(tx, script, file.name)));
      await checkDeferredConstraints(tx, { ...script, sources: [] });
      await tx.run([plain('release savepoint ninefold_trial')]);
      found.tried.push(file.name);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      await tx.run([plain('rollback to savepoint ninefold_trial')]);
      if (error.sqlstate === NO_TRANSACTION) {
        found.untried.push({ file: file.name, reason: error.message });
        continue;
      }
      return { ...found, failed: failed(file, error, script, facts) };
    }
  }
  await tx.run(asAfresh);
  return found;
}

const failed = (file: MigrationFile, error: DatabaseError, script: PreparedScript, facts: DatabaseFacts) => ({
  file: file.name,
  message: error.message,
  // The position in the error must refer to the file as it was sent, and not to the prepared script.
  details: failureOf(error, { ...script, text: script.original, sources: [], pieces: [] }, facts),
});

/** Resets role and settings, so that each file begins as on a new connection. */
const asAfresh: readonly Statement[] = [
  plain('reset role'),
  plain('reset all'),
  {
    text: `select pg_catalog.set_config('statement_timeout', $1, true), pg_catalog.set_config('lock_timeout', $2, true)`,
    params: [String(limits.builderStatementMilliseconds.default), String(limits.catalogLockMilliseconds.default)],
  },
];

/**
 * SQLSTATE active_sql_transaction: PostgreSQL refuses the statement in a transaction, for example CREATE INDEX
 * CONCURRENTLY or VACUUM.
 */
const NO_TRANSACTION = '25001';

/** Commands that begin or end a transaction. The trial skips them, because it runs all files in one transaction. */
const frames = new Set(['BEGIN', 'START', 'COMMIT', 'END']);

function endsTransaction(command: string, text: string): boolean {
  if (command === 'PREPARE') return /^prepare\s+transaction\b/i.test(text);
  if (command === 'COMMIT') return /\bprepared\b/i.test(text);
  return command === 'ROLLBACK' || command === 'ABORT';
}

/**
 * Runs one statement per message with the extended protocol, which accepts only one. A COMMIT that the splitter missed
 * therefore cannot end the transaction.
 */
async function runStatements(tx: Transaction, script: PreparedScript, file: string): Promise<MigrationWarning[]> {
  const statements: readonly PreparedStatement[] =
    script.statements ?? splitStatements(script.original).map((source) => ({ source, replacement: null, within: [] }));
  const results: (Result | undefined)[] = [];
  for (const [i, { source, replacement, within }] of statements.entries()) {
    if (frames.has(source.command)) {
      results.push(undefined);
      continue;
    }
    const parts =
      replacement === null
        ? [blockText(source, within)]
        : splitStatements(replacement.run ?? '').map(({ text }) => text);
    try {
      for (const part of parts) {
        const copies = source.data ? [source.data.text] : [];
        results.push(...(await tx.run([plain(part)], { copies })));
      }
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      const { position, ...fields } = error.fields;
      const before = [...script.original.slice(0, source.at)].length;
      const isPointed = position !== undefined && replacement === null && within.length === 0;
      throw new DatabaseError({ ...fields, ...(isPointed && { position: position + before }) }, i);
    }
  }
  return warningsOf(script, results).map((warning) => ({ file, ...warning }));
}

export const migrationTrialCalls: readonly AdminCall[] = [tryMigrations];
