import type { SupabaseClient } from '@supabase/supabase-js';
import type { RoleCell } from '../../contract/specification-roles.ts';

/**
 * Compares each cell of chapter 6 with the results of calls of the stock client. Every call is rolled back (db_tx_end).
 */

/** A caller of the app: a member or an API key. */
export interface Actor {
  name: string;
  client: SupabaseClient;
  /** The id of the member; null for a key. */
  id: string | null;
}

type Row = Record<string, unknown>;

/** The rows and values that a test uses in its calls of a table or view. */
export interface EntityPlan {
  /** The key of each existing row: its fields and their values. */
  keys: readonly Row[];
  /**
   * All existing rows with all their values. If given, a row counts as read only if its values equal one of them. This
   * is for views that sum up the rows that the caller may see.
   */
  whole?: readonly Row[];
  /**
   * Returns the rows that a caller tries to insert: rows of the caller and rows of others, also with fields that grants
   * on columns omit.
   */
  inserts: (own: string | null) => readonly Row[];
  /**
   * The changes that a caller tries. The first one only needs the grant on the fewest columns. Nothing but privileges
   * and policies may prevent the changes.
   */
  changes: readonly Row[];
  /** Values of a field that a grant on columns omits. They are also tried, in inserts and in changes. */
  beyond?: Row;
  /** A filter that is added to the key and that all rows pass: a field, and a value that no row has in it. */
  filter?: readonly [string, string];
}

export interface MatrixPlan {
  /** Returns the plan for the table or view with this name. */
  entities: (name: string) => EntityPlan;
  /** Arguments of each function, by its name. */
  calls: Readonly<Record<string, Row>>;
}

/** The result of one call: the number of rows that it reached, and the number that it could have reached. */
interface Met {
  call: string;
  reached: number;
  of: number;
}

interface ClientResult {
  error: { code: string; message: string } | null;
  count?: number | null;
  data?: unknown;
}

const counted = (answer: ClientResult): number => answer.count ?? 0;
const read =
  (whole: readonly Row[] | undefined) =>
  ({ data }: ClientResult): number => {
    if (!Array.isArray(data)) return 0;
    const known = whole && new Set(whole.map((row) => JSON.stringify(row)));
    return known ? data.filter((row) => known.has(JSON.stringify(row))).length : data.length;
  };

/**
 * Tests every cell by calls of each actor of its role. Returns the number of calls, and a message for each cell whose
 * verdict differs from the results of its calls. `atOnce` is the number of cells that are tested at the same time.
 */
export async function cellsThatLie(
  cells: readonly RoleCell[],
  actors: Readonly<Record<string, readonly Actor[]>>,
  plan: MatrixPlan,
  atOnce: number,
): Promise<{ lies: string[]; calls: number }> {
  const left = [...cells];
  const lies: string[] = [];
  let calls = 0;
  const work = async () => {
    for (let cell = left.pop(); cell; cell = left.pop()) {
      const found: Met[] = [];
      for (const actor of actors[cell.role] ?? []) found.push(...(await tryCell(cell, actor, plan)));
      calls += found.length;
      if (found.length > 0 && agrees(cell, found)) continue;
      const reported = found.map((one) => `    ${one.reached}/${one.of} ${one.call}`).join('\n');
      lies.push(
        `${cell.role} ${cell.operation} ${cell.entity}: ${cell.verdict} ${cell.words} (${cell.reason})\n${reported}`,
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { lies, calls };
}

function agrees(cell: RoleCell, met: readonly Met[]): boolean {
  // An actor calls a function only once. If the function's code has a condition, this call cannot show both of its results.
  if (cell.operation === 'execute' && cell.verdict === 'when' && met.length === 1) return true;
  const some = met.some((one) => one.reached > 0);
  const whole = met.every((one) => one.reached === one.of);
  if (cell.verdict === 'always' || dependsOnErrors(cell)) return whole;
  return cell.verdict === 'never' ? !some : some && !whole;
}

/**
 * Returns true for a cell whose only condition is that no trigger or function raises an error. The values of a plan raise
 * none, so all of its calls must succeed.
 */
const dependsOnErrors = ({ verdict, words }: RoleCell): boolean => verdict === 'when' && words.startsWith('unless ');

/**
 * The SQLSTATEs for missing privileges and for views or numbered fields that accept no value; anything else is a
 * mistake in the test.
 */
const refusals = new Set(['42501', '42P17', '55000', '44000', '42809', '428C9']);
const brokenRules = /^23/;

function met(call: string, answer: ClientResult, of: number, reached: (answer: ClientResult) => number): Met {
  if (answer.error === null) return { call, reached: reached(answer), of };
  // PostgreSQL checks constraints after the privileges, so a constraint error means that the privileges were
  // sufficient.
  if (brokenRules.test(answer.error.code)) return { call: `${call} (${answer.error.code})`, reached: of, of };
  if (!refusals.has(answer.error.code)) throw new Error(`${call}: ${answer.error.code} ${answer.error.message}`);
  return { call: `${call} (${answer.error.code})`, reached: 0, of };
}

async function tryCell(cell: RoleCell, actor: Actor, plan: MatrixPlan): Promise<Met[]> {
  const name = /^public\.(\w+)/.exec(cell.entity)?.[1] ?? '';
  const rows = /\(public\.(\w+)\)$/.exec(cell.entity)?.[1];
  if (cell.operation === 'execute' && rows !== undefined) return [await compute(actor, name, rows)];
  if (cell.operation === 'execute') return [await execute(actor, name, plan.calls[name] ?? {})];
  const entity = plan.entities(name);
  const who = `${actor.name} ${cell.operation} ${name}`;
  if (cell.operation === 'select') return select(cell, actor, name, who, entity);
  return cell.operation === 'insert' ? insert(cell, actor, name, who, entity) : write(cell, actor, name, who, entity);
}

/**
 * Counts a call as refused only if PostgreSQL refuses the function or a statement in its body. An error that the body
 * raises does not count, because it says nothing about privileges.
 */
async function execute(actor: Actor, name: string, given: Row): Promise<Met> {
  const { error } = await actor.client.rpc(name, given).rollback();
  const refused = /^(permission denied for|new row violates row-level security)/.test(error?.message ?? '');
  return { call: `${actor.name} execute ${name} (${error?.message ?? 'ran'})`, reached: refused ? 0 : 1, of: 1 };
}

/** Selects a computed field from its table, because calls do not run its function directly. */
async function compute(actor: Actor, name: string, table: string): Promise<Met> {
  const { error } = await actor.client.from(table).select(name);
  const refused = /^permission denied for (function|schema|table)/.test(error?.message ?? '');
  return {
    call: `${actor.name} reads ${name} of ${table} (${error?.message ?? 'ran'})`,
    reached: refused ? 0 : 1,
    of: 1,
  };
}

async function select(cell: RoleCell, actor: Actor, name: string, who: string, plan: EntityPlan): Promise<Met[]> {
  const found: Met[] = [];
  const { keys, whole } = plan;
  for (const columns of ['*', ...(cell.columns ? [cell.columns.join(',')] : [])]) {
    found.push(met(`${who} ${columns}`, await actor.client.from(name).select(columns), keys.length, read(whole)));
  }
  return found;
}

async function insert(cell: RoleCell, actor: Actor, name: string, who: string, plan: EntityPlan): Promise<Met[]> {
  const rows = plan.inserts(actor.id);
  const { columns } = cell;
  const cut = columns
    ? rows.flatMap((row) => [
        Object.fromEntries(columns.map((column) => [column, row[column]])),
        ...(plan.beyond ? [{ ...row, ...plan.beyond }] : []),
      ])
    : [];
  const found: Met[] = [];
  for (const row of [...rows, ...cut]) {
    found.push(met(`${who} ${JSON.stringify(row)}`, await actor.client.from(name).insert(row).rollback(), 1, () => 1));
  }
  return found;
}

async function write(cell: RoleCell, actor: Actor, name: string, who: string, plan: EntityPlan): Promise<Met[]> {
  const { keys, changes, beyond, filter } = plan;
  const isUpdate = cell.operation === 'update';
  const table = actor.client.from(name);
  const start = (change: Row) =>
    isUpdate ? table.update(change, { count: 'exact' }) : table.delete({ count: 'exact' });
  const key = Object.keys(keys[0] ?? {})[0] ?? '';
  const found: Met[] = [];
  const rows = keys.length;
  let isRefused = false;
  for (const [i, change] of (isUpdate ? changes : [{}]).entries()) {
    const as = isUpdate ? ` ${JSON.stringify(change)}` : '';
    found.push(met(`${who}${as} without a filter`, await start(change).rollback(), rows, counted));
    if (i > 0) continue;
    const filtered = await start(change).not(key, 'is', null).rollback();
    isRefused = filtered.error !== null;
    found.push(met(`${who}${as} by ${key}`, filtered, rows, counted));
    if (filter === undefined) continue;
    const other = start(change).neq(...filter);
    found.push(met(`${who}${as} by ${filter[0]}`, await other.rollback(), rows, counted));
  }
  // If one row is refused, the whole statement is refused, so each row is tried separately.
  for (const one of isRefused && cell.verdict === 'when' ? keys : []) {
    const answer = await start(changes[0] ?? {})
      .match(one)
      .rollback();
    found.push(met(`${who} ${JSON.stringify(one)}`, answer, 1, counted));
  }
  if (isUpdate && cell.columns && beyond) {
    const answer = await start(beyond).not(key, 'is', null).rollback();
    found.push(met(`${who} ${JSON.stringify(beyond)}`, answer, rows, counted));
  }
  return found;
}
