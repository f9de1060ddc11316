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

/** Number of rows that one request of the check inserts. */
const CHECKED_ROWS = 200;
/** The check ends after this number of refused rows. */
const MAX_REFUSED = 200;

/** Sends rows as one INSERT, in one transaction. */
async function insertAll(
  table: Table,
  fields: readonly string[],
  rows: readonly ImportedRow[],
  prefer: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await restCall(table, {
    method: 'POST',
    parameters: [['columns', fields.map((name) => `"${name.replaceAll(/[\\"]/g, '\\$&')}"`).join(',')]],
    body: `[${rows.map(({ values }) => rowBody(values, table.entity.fields)).join(',')}]`,
    prefer: ['return=minimal', 'missing=default', ...prefer],
    signal,
  });
}

/**
 * Inserts the rows in transactions that are rolled back, and returns the rows that PostgreSQL refuses. After an error, a
 * portion is divided until each refused row is found.
 * @param onProgress Called with the number of checked rows.
 * @throws {ApiFailure} for an error that is not about a row, such as a missing privilege
 */
export async function checkRows(
  table: Table,
  fields: readonly string[],
  rows: readonly ImportedRow[],
  onProgress: (checked: number) => void,
  signal: AbortSignal,
): Promise<RefusedRow[]> {
  const refused: RefusedRow[] = [];
  const check = async (part: readonly ImportedRow[]): Promise<void> => {
    if (part.length === 0 || refused.length >= MAX_REFUSED) return;
    try {
      await insertAll(table, fields, part, ['tx=rollback'], signal);
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

/** Inserts all rows in one transaction: all of them, or after an error or an abort none. */
export async function importRows(
  table: Table,
  fields: readonly string[],
  rows: readonly ImportedRow[],
  signal: AbortSignal,
): Promise<void> {
  await insertAll(table, fields, rows, [], signal);
  void queryClient.invalidateQueries({ queryKey: rowKeys.table(table.ref, table.entity.id) });
  void queryClient.invalidateQueries({ queryKey: entityKeys.list(table.ref) });
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
