import { ApiFailure } from '../api-failure.ts';
import { entityKeys } from '../entities.ts';
import { queryClient } from '../query-client.ts';
import { rowKeys } from './keys.ts';
import { keysParameter, portions, selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import type { Row } from './row.ts';
import { rowBody } from './row-body.ts';

/** A row of a file. Fields without a value get their default. */
export interface ImportedRow {
  /** Line of the file. */
  readonly line: number;
  readonly values: Row;
}

/** A row that PostgreSQL refuses, with its error. */
export interface RefusedRow {
  readonly row: ImportedRow;
  readonly error: ApiFailure;
}

/** What happens to a row whose key exists: `merge` updates the stored row, `ignore` leaves the row out. */
export interface Conflict {
  /** Fields of the key. */
  readonly fields: readonly string[];
  readonly resolution: 'merge' | 'ignore';
}

/** Number of rows that one request of the check inserts. */
const CHECKED_ROWS = 200;
/** The check ends after this number of refused rows. */
const MAX_REFUSED = 200;

/** The fields that a file fills, and what happens to a row whose key exists; null refuses the row. */
export interface ImportPlan {
  readonly fields: readonly string[];
  readonly conflict: Conflict | null;
}

/**
 * Sends rows as one INSERT, in one transaction.
 * @param returned Fields of the inserted rows that are returned; without fields, no row is returned.
 */
async function insertAll(
  table: Table,
  { fields, conflict }: ImportPlan,
  rows: readonly ImportedRow[],
  { prefer = [], returned = [], signal }: { prefer?: string[]; returned?: readonly string[]; signal: AbortSignal },
): Promise<Row[]> {
  const listed = (names: readonly string[]) => names.map((name) => `"${name.replaceAll(/[\\"]/g, '\\$&')}"`).join(',');
  const response = await restCall(table, {
    method: 'POST',
    parameters: [
      ['columns', listed(fields)],
      ...(conflict ? [['on_conflict', listed(conflict.fields)] as const] : []),
      ...(returned.length > 0 ? [['select', selectOf(returned)] as const] : []),
    ],
    body: `[${rows.map(({ values }) => rowBody(values, table.entity.fields)).join(',')}]`,
    prefer: [
      returned.length > 0 ? 'return=representation' : 'return=minimal',
      'missing=default',
      ...(conflict ? [`resolution=${conflict.resolution}-duplicates`] : []),
      ...prefer,
    ],
    signal,
  });
  return response.rows;
}

/**
 * Inserts the rows in transactions that are rolled back, and returns the rows that PostgreSQL refuses. After an error, a
 * portion is divided until each refused row is found.
 * @param onProgress Called with the number of checked rows.
 * @throws {ApiFailure} for an error that is not about a row, such as a missing privilege
 */
export async function checkRows(
  table: Table,
  plan: ImportPlan,
  rows: readonly ImportedRow[],
  onProgress: (checked: number) => void,
  signal: AbortSignal,
): Promise<RefusedRow[]> {
  const refused: RefusedRow[] = [];
  const check = async (part: readonly ImportedRow[]): Promise<void> => {
    if (part.length === 0 || refused.length >= MAX_REFUSED) return;
    try {
      await insertAll(table, plan, part, { prefer: ['tx=rollback'], signal });
    } catch (error) {
      const [only] = part;
      if (!(error instanceof ApiFailure) || !isOfRow(error)) throw error;
      if (part.length === 1 && only) refused.push({ row: only, error });
      else {
        const middle = Math.ceil(part.length / 2);
        await check(part.slice(0, middle));
        await check(part.slice(middle));
      }
    }
  };
  for (let at = 0; at < rows.length && refused.length < MAX_REFUSED; at += CHECKED_ROWS) {
    await check(rows.slice(at, at + CHECKED_ROWS));
    onProgress(Math.min(rows.length, at + CHECKED_ROWS));
  }
  return refused;
}

/** Data exceptions, constraints, RAISE, row-level security and errors of state machines. */
const isOfRow = ({ code, status }: ApiFailure): boolean =>
  /^(22|23|P0|NF|42501)/.test(code) || (status === 400 && !/^(PGRST|42)/.test(code));

/**
 * Inserts all rows in one transaction: all of them, or after an error or an abort none.
 * @param returned Fields of the inserted rows that are returned; without fields, no row is returned.
 */
export async function importRows(
  table: Table,
  plan: ImportPlan,
  rows: readonly ImportedRow[],
  returned: readonly string[],
  signal: AbortSignal,
): Promise<Row[]> {
  const inserted = await insertAll(table, plan, rows, { returned, signal });
  void queryClient.invalidateQueries({ queryKey: rowKeys.table(table.ref, table.entity.id) });
  void queryClient.invalidateQueries({ queryKey: entityKeys.list(table.ref) });
  return inserted;
}

/** Returns the keys of the rows of an entity by label, for the labels in a file; a label of several rows has no key. */
export async function keysByLabel(
  target: Table,
  key: string,
  label: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string | null>();
  for (const portion of portions(
    [label],
    names.map((name) => [name]),
  )) {
    const { rows } = await restCall(target, {
      parameters: [['select', selectOf([key, label])], keysParameter([label], portion)],
      signal,
    });
    for (const row of rows) {
      const name = row[label];
      if (typeof name === 'string') found.set(name, found.has(name) ? null : (row[key] ?? null));
    }
  }
  return new Map([...found].filter((pair): pair is [string, string] => pair[1] !== null));
}
