import type { ExplainedRow, ExplainedRowSecurity } from '../../../contract/access.ts';
import type { CancelSignal } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { RelationRights } from '../../access/role-access.ts';
import { rolledBack, SavepointRunner } from '../../access/rolled-back.ts';
import type { Relation } from '../../catalog/schema-cache.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { type Result, rowsAsText, type Statement } from '../../database/statement.ts';
import type { Value } from '../../sql-reader/places.ts';
import type { RestContext } from '../handle.ts';
import type { MutatePlan, ReadPlan } from '../plan/plan.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { beforeQuery, setupStatement } from '../sql/build-statements.ts';
import { arrayLiteral, identifier, Params, qualified } from '../sql/text.ts';
import { checkRow, columnsNamed, type DescribeCondition, expressionsOf, type RowValues } from './check-row.ts';
import { type Evaluations, evaluate } from './evaluate.ts';
import { type Asked, type Needs, policiesAsked } from './needs.ts';
import { conflictsText, existingRowsText, insertedRowsText, triggeredRowsText } from './rows-text.ts';

/** The rows that a request affects, with the result of their policies. */
export interface InspectedRows {
  readonly rows: readonly ExplainedRow[];
  /** Number of matching rows. The count stops at the maximum number of rows that are read. */
  readonly matches: number;
  readonly more: boolean;
  /** True if all tables under a view are empty. */
  readonly isEmpty: boolean;
  /** The error because of which the rows could not be read; null if they were read. */
  readonly problem: { readonly code: string; readonly message: string } | null;
  /** The error of a policy's expression that fails even when there are no rows; null if there is none. */
  readonly policyError: { readonly code: string; readonly message: string } | null;
}

/** The result of an inspection that found no rows. */
export const nothingInspected: InspectedRows = {
  rows: [],
  matches: 0,
  more: false,
  isEmpty: false,
  problem: null,
  policyError: null,
};

/** The request whose rows are inspected. */
export interface InspectOptions {
  readonly request: ApiRequest;
  readonly plan: ReadPlan | MutatePlan;
  readonly target: Relation;
  readonly rights: RelationRights;
  /** The relations that a view reads, at every depth. */
  readonly beneath: readonly RelationRights[];
  readonly needs: Needs;
  readonly security: ExplainedRowSecurity | null;
  readonly describe: DescribeCondition;
}

/**
 * Reads the rows that a request affects with the privileges of the service role, and evaluates the policies on each as
 * the caller. Everything runs in one transaction that is rolled back.
 * @throws ConnectionError
 * @throws PoolTimeoutError
 * @throws DatabaseError for a cancelled statement
 */
export function inspectRows(context: RestContext, what: InspectOptions, signal: CancelSignal): Promise<InspectedRows> {
  return rolledBack(context.database, (tx) => look(new SavepointRunner(tx, signal), context, what));
}

/** A row as it is before the write, as it is after the write, or both. Rows are in PostgreSQL's text format. */
interface FoundRow {
  readonly existing: string | null;
  readonly new: string | null;
}

async function look(runner: SavepointRunner, context: RestContext, what: InspectOptions): Promise<InspectedRows> {
  const { identity, settings } = context;
  const { request, plan, target, security } = what;
  const found = await (what.needs.operation === 'insert' || what.needs.operation === 'upsert'
    ? rowsToInsert(runner, context, what)
    : rowsThere(runner, context, what));
  if (found instanceof DatabaseError) return { ...nothingInspected, problem: errorOf(found) };
  const max = limits.explainedRows.default;
  const seen = { matches: found.length, more: found.length > max, isEmpty: false, problem: null, policyError: null };
  const rows = found.slice(0, max);
  // The relations that a view reads decide which rows the view shows. So no policy is evaluated on the view itself.
  if (target.isView) {
    const isEmpty = found.length === 0 && (await areEmpty(runner, context, what));
    return { ...nothingInspected, ...seen, isEmpty };
  }
  const become = await runner.try(beforeQuery(request, plan, identity, settings));
  if (become instanceof DatabaseError) return { ...nothingInspected, problem: errorOf(become) };

  const asked = security?.binds ? policiesAsked(what.needs) : [];
  const conflicting = found.some((row) => row.existing !== null && what.needs.operation === 'upsert');
  const all = conflicting ? [...asked, ...askedOfConflicts(plan, asked)] : asked;
  const policies = security?.policies ?? [];
  const of = { relation: target.name, columns: new Set(target.columns.keys()) };
  const shown = [...new Set([...target.primaryKey, ...columnsNamed(policies, all, of)])];
  const evaluateFor = async (side: 'existing' | 'new') => {
    const expressions = expressionsOf(
      policies,
      all.filter((each) => each.of === side),
      of,
    );
    const texts = rows.map((row) => row[side]).filter((row) => row !== null);
    return {
      evaluations: await evaluate(runner, target, expressions, texts),
      columns: await evaluate(runner, target, shown.map(identifier), texts),
    };
  };
  const [existing, fresh] = [await evaluateFor('existing'), await evaluateFor('new')];
  const places = { existing: 0, new: 0 };
  const explained = rows.map((row): ExplainedRow => {
    const values = {
      existing: row.existing === null ? null : valuesAt(places.existing++, existing, shown),
      new: row.new === null ? null : valuesAt(places.new++, fresh, shown),
    };
    const named = values.existing ?? values.new;
    return { row: textsOf(shown, named), ...checkRow(policies, all, of, values, what.describe) };
  });
  const policyError = rows.length > 0 ? null : (errorIn(existing.evaluations) ?? errorIn(fresh.evaluations));
  return { ...seen, rows: explained, policyError };
}

const errorOf = (error: DatabaseError) => ({ code: error.sqlstate, message: error.message });

/**
 * Returns the policies for existing rows with which an INSERT conflicts. If an upsert changes such a row, PostgreSQL
 * evaluates the policies for UPDATE. If the INSERT ignores the row, PostgreSQL evaluates none.
 */
function askedOfConflicts(plan: ReadPlan | MutatePlan, asked: readonly Asked[]): Asked[] {
  const merges = plan.kind === 'mutate' && plan.onConflict?.resolution === 'merge-duplicates';
  if (asked.length === 0 || !merges) return [];
  const because = 'because a row in conflict is changed';
  return [
    { command: 'update', of: 'existing', because },
    { command: 'select', of: 'existing', because },
  ];
}

/** Returns true if the service role finds no row in any table under a view. */
async function areEmpty(runner: SavepointRunner, context: RestContext, what: InspectOptions): Promise<boolean> {
  const tables = what.beneath.filter(({ kind }) => kind !== 'v');
  const text = `SELECT ${['false', ...tables.map((table) => `EXISTS (SELECT FROM ${qualified(table)})`)].join(' OR ')} AS any`;
  const results = await runner.try([asService(context, what), { text, params: [] }]);
  return !(results instanceof DatabaseError) && lastRows(results)[0]?.any === 'f';
}

/** One row more than the explanation shows, to find out whether there are further rows. */
const rowsAskedFor = limits.explainedRows.default + 1;

/** Reads the rows that match the filters as the service role. */
async function rowsThere(
  runner: SavepointRunner,
  context: RestContext,
  what: InspectOptions,
): Promise<FoundRow[] | DatabaseError> {
  const { plan, target, rights } = what;
  // An update that sets no column changes no row, so there is nothing to read.
  if (plan.kind === 'mutate' && plan.mutation === 'update' && plan.columns.length === 0) return [];
  const triggered = await triggeredRows(runner, context, what, 'update');
  if (triggered) return triggered;
  const params = new Params();
  const text = existingRowsText(plan, target, rights, rowsAskedFor, params);
  const results = await runner.try([asService(context, what), { text, params: params.values }]);
  return results instanceof DatabaseError ? results : foundRows(results);
}

/** Returns the rows that the request would insert, with existing rows in conflict. */
async function rowsToInsert(
  runner: SavepointRunner,
  context: RestContext,
  what: InspectOptions,
): Promise<FoundRow[] | DatabaseError> {
  const { request, plan, rights, needs } = what;
  if (plan.kind !== 'mutate') return [];
  let rows = await triggeredRows(runner, context, what, 'insert');
  if (!rows) {
    const params = new Params();
    const text = insertedRowsText(plan, rights, rowsAskedFor, params);
    const before = beforeQuery(request, plan, context.identity, context.settings);
    const made = await runner.try([...before, { text, params: params.values }]);
    if (made instanceof DatabaseError) return made;
    rows = foundRows(made);
  }
  if (needs.operation !== 'upsert') return rows;
  const params = new Params();
  const text = conflictsText(plan, arrayLiteral(rows.map((row) => row.new ?? '')), params);
  const results = await runner.try([asService(context, what), { text, params: params.values }]);
  if (results instanceof DatabaseError) return results;
  const there = new Map(lastRows(results).map((row) => [Number(row.place) - 1, row.existing ?? null]));
  return rows.map((row, i) => ({ existing: there.get(i) ?? null, new: row.new }));
}

/**
 * Writes the rows as the service role, reads them after BEFORE triggers have run, and rolls the write back. The
 * policies are evaluated on these rows. Returns null if there is no such trigger or if the write fails for another
 * reason; the rows are then computed without triggers.
 */
async function triggeredRows(
  runner: SavepointRunner,
  context: RestContext,
  what: InspectOptions,
  operation: 'insert' | 'update',
): Promise<FoundRow[] | null> {
  const { plan, rights } = what;
  if (plan.kind !== 'mutate' || !rights.changed_by_trigger.includes(operation)) return null;
  if (operation === 'update' && plan.mutation !== 'update') return null;
  const params = new Params();
  const text = triggeredRowsText(plan, rights, rowsAskedFor, params);
  if (text === null) return null;
  const results = await runner.tryAndRollBack([asService(context, what), { text, params: params.values }]);
  return results instanceof DatabaseError ? null : foundRows(results);
}

/**
 * Returns the statement that switches to the service role, which can read all rows. The claims stay those of the
 * caller, because defaults and triggers may depend on them.
 */
const asService = ({ identity, settings }: RestContext, { request, plan }: InspectOptions): Statement =>
  setupStatement(request, plan, { ...identity, role: 'service_role' }, settings);

const foundRows = (results: readonly Result[]): FoundRow[] =>
  lastRows(results).map((row) => ({ existing: row.existing ?? null, new: row.new ?? null }));

const lastRows = (results: readonly Result[]): Record<string, string | null>[] => {
  const last = results[results.length - 1];
  return last ? rowsAsText(last) : [];
};

interface Side {
  readonly evaluations: Evaluations;
  readonly columns: Evaluations;
}

function valuesAt(place: number, { evaluations, columns }: Side, shown: readonly string[]): RowValues {
  const values = new Map<string, Value>();
  for (const name of shown) {
    const found = columns.get(identifier(name))?.[place];
    if (found && 'text' in found) values.set(name, found);
  }
  return { place, evaluations, columns: values };
}

const textsOf = (shown: readonly string[], row: RowValues | null): Record<string, string | null> =>
  Object.fromEntries(shown.map((name) => [name, row?.columns.get(name)?.text ?? null]));

function errorIn(evaluations: Evaluations): InspectedRows['policyError'] {
  for (const outcomes of evaluations.values()) for (const each of outcomes) if ('error' in each) return each.error;
  return null;
}
