import { limits } from '../../../contract/limits.ts';
import type { ProbedCell } from '../../../contract/probe.ts';
import type { RoleCell, RolesChapter } from '../../../contract/specification-roles.ts';
import { executedRoutines, exposedRelations } from '../../access/exposed.ts';
import { lookupOf } from '../../access/lookup.ts';
import { rolledBack } from '../../access/rolled-back.ts';
import { type CodeFacts, codeQueries } from '../../catalog/executed-code.ts';
import type { Facts } from '../../catalog/facts.ts';
import { groupBy } from '../../catalog/group.ts';
import { entityId, idOf } from '../../catalog/names.ts';
import { readCatalog } from '../../catalog/read-catalog.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { notProbed } from './evaluate-cell.ts';
import { type Accounts, accountsOf, readAccounts } from './members.ts';
import { ProbeContext } from './probe-context.ts';
import { probeFunctions } from './probe-functions.ts';
import { probeRelation } from './probe-relation.ts';

export interface ProbeOptions {
  /** The schemas that calls search besides the schema of the called object. */
  extraSearchPath: readonly string[];
  /** Receives the number of finished steps and the total after each step. */
  onProgress?: (done: number, total: number) => void;
  /**
   * The time in milliseconds from the start of one step to the start of the next, on average. Without a pace, there is
   * no pause between steps.
   */
  pace?: number;
  /** Is called before each step. Returns true to end the run; the remaining cells are then not tested. */
  isStopped?: () => boolean;
}

/** The number of accounts of the app that the probe uses as callers. */
const ACCOUNTS = 4;
/** Number of function cells that one transaction tests. */
const FUNCTION_CELLS = 60;

/**
 * Tests every cell of the chapter in short transactions that are rolled back. The app's login role runs them and
 * switches to each role in turn.
 * @throws ConnectionError, PoolTimeoutError, and DatabaseError if the catalog cannot be read.
 */
export async function probe(
  database: Database,
  facts: Facts,
  chapter: Pick<RolesChapter, 'cells'>,
  options: ProbeOptions,
): Promise<ProbedCell[]> {
  const code = await readCatalog<CodeFacts>(database, codeQueries, limits.catalogLockMilliseconds.default);
  const accounts = await probedAccounts(database);
  const look = lookupOf(facts);
  const context = new ProbeContext(look, code, accounts);
  const byEntity = groupBy(chapter.cells, (cell) => cell.entity);
  const relations = exposedRelations(facts).map((relation) => {
    const id = entityId(relation.schema, relation.name);
    const cells = (byEntity.get(id) ?? []).filter((cell) => cell.operation !== 'execute');
    return {
      schema: relation.schema,
      cells,
      work: (tx: Transaction, deadline: number) => probeRelation(context, tx, relation, cells, deadline),
    };
  });
  const calls = executedRoutines(look).flatMap((executed) =>
    (byEntity.get(idOf(executed.routine)) ?? [])
      .filter((cell) => cell.operation === 'execute')
      .map((cell) => ({ cell, executed })),
  );
  const functions = Array.from({ length: Math.ceil(calls.length / FUNCTION_CELLS) }, (_, i) => {
    const some = calls.slice(i * FUNCTION_CELLS, (i + 1) * FUNCTION_CELLS);
    return {
      schema: some[0]?.executed.routine.schema ?? '',
      cells: some.map(({ cell }) => cell),
      work: (tx: Transaction, deadline: number) => probeFunctions(context, tx, some, deadline),
    };
  });
  const steps = [...relations, ...functions].map((step) => ({ ...step, isAgain: false }));
  const found = new Map<RoleCell, ProbedCell>();
  const began = performance.now();
  const until = began + limits.probeSeconds.default * 1000;
  for (const [i, step] of steps.entries()) {
    const { schema, cells, work } = step;
    if (performance.now() > until || options.isStopped?.()) {
      for (const cell of cells) {
        if (!found.has(cell)) found.set(cell, notProbed(cell, 'the run took too long before it came to it'));
      }
      continue;
    }
    const started = performance.now();
    const probed = await withRollback(database, [schema, ...options.extraSearchPath], work).catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
      return cells.map((cell) => notProbed(cell, `PostgreSQL refused the transaction: ${error.message}`));
    });
    for (const [at, cell] of cells.entries()) found.set(cell, probed[at] ?? notProbed(cell, 'it was left out'));
    const took = performance.now() - started;
    // The server may have been busy, so the step is repeated once at the end of the run.
    if (took > limits.probeStepMilliseconds.default && !step.isAgain) steps.push({ ...step, isAgain: true });
    options.onProgress?.(i + 1, steps.length);
    if (options.pace === undefined || i + 1 === steps.length) continue;
    // Even if the run is late, a pause of half the step's duration follows, so that calls get the processor.
    const early = began + (i + 1) * options.pace - performance.now();
    const pause = Math.max(took / 2, Math.min(early, took * limits.probeRestFactor.default));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return chapter.cells.flatMap((cell) => found.get(cell) ?? []);
}

/** Reads the accounts of the app that the probe uses as callers. */
export const probedAccounts = (database: Database): Promise<Accounts> =>
  readAccounts(database, ACCOUNTS).catch((error: unknown) => {
    // If the accounts cannot be read, the probe uses only synthetic members. A database that existed before the app may
    // store its members elsewhere, or metadata may be nested too deeply for a token.
    if (!(error instanceof DatabaseError || error instanceof NinefoldError)) throw error;
    return accountsOf([], []);
  });

/** Runs the work in a transaction with short timeouts, and rolls the transaction back. */
export function withRollback<T>(
  database: Database,
  searchPath: readonly string[],
  work: (tx: Transaction, deadline: number) => Promise<T>,
): Promise<T> {
  const settings: Readonly<Record<string, string>> = {
    search_path: searchPath.map((name) => `"${name.replaceAll('"', '""')}"`).join(', '),
    statement_timeout: String(limits.probeStatementMilliseconds.default),
    lock_timeout: String(limits.probeLockMilliseconds.default),
    jit: 'off',
    max_parallel_workers_per_gather: '0',
    // PostgreSQL then compiles the block without checking its expressions. It checks each expression when it runs.
    check_function_bodies: 'off',
    application_name: 'ninefold probe',
  };
  const names = Object.keys(settings);
  const calls = names.map((name, i) => `pg_catalog.set_config('${name}', $${i + 1}, true)`);
  const values = names.map((name) => settings[name] ?? '');
  return rolledBack(database, async (tx) => {
    // This statement and the first statement of the work are sent in one write. If this statement fails, the work fails
    // too.
    const set = tx.run([{ text: `select ${calls.join(', ')}`, params: values, planKey: 'the probe' }]).then(
      () => null,
      (error: unknown) => error,
    );
    const value = await work(tx, performance.now() + limits.probeStepMilliseconds.default);
    const refused = await set;
    if (refused !== null) throw refused;
    return value;
  });
}
