import type { Field } from '../../../../contract/specification-entities.ts';
import { keysParameter } from '../../../rows/query.ts';
import { kindOf } from '../../values/field-kind.ts';
import { ApiFailure } from '../api-failure.ts';
import { entityKeys } from '../entities.ts';
import { queryClient } from '../query-client.ts';
import { rowKeys } from './keys.ts';
import { readNumberings, restoreNumberings } from './numbering.ts';
import { portions, selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import type { Row } from './row.ts';
import { rowBody } from './row-body.ts';

/** A row of a file. Fields that have no value in it get their default. */
export interface ImportedRow {
  /** Number of the line in the file. */
  readonly line: number;
  readonly values: Row;
}

/** A row that PostgreSQL refuses, with PostgreSQL's error. */
export interface RefusedRow {
  readonly row: ImportedRow;
  readonly error: ApiFailure;
}

/** What the import does with a row whose key already exists. `merge` updates the stored row; `ignore` leaves out the row of the file. */
export interface Conflict {
  /** Fields of the key. */
  readonly fields: readonly string[];
  readonly resolution: 'merge' | 'ignore';
}

/** Number of rows that one request of the check inserts and rolls back. */
const CHECKED_ROWS = 200;
/** Number of refused rows after which the check ends. */
const MAX_REFUSED = 200;

/**
 * The fields that the rows of the file fill, and what happens to a row whose key already exists. `conflict` null means
 * that PostgreSQL refuses such a row.
 */
export interface ImportPlan {
  readonly fields: readonly string[];
  readonly conflict: Conflict | null;
}

/**
 * Sends rows as one INSERT, in one transaction.
 * @param returned Names of the fields that are returned of each inserted row. If there are none, no rows are returned.
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
 * Inserts the rows in transactions that are rolled back, and returns the rows that PostgreSQL refuses. If a portion
 * fails, it is divided and tried again until each refused row is found.
 * @param onProgress Called with the number of rows that were checked. If many rows are refused, the check ends before the last row.
 * @throws {ApiFailure} for an error that is not about a row, such as a missing privilege
 */
export async function checkRows(
  table: Table,
  plan: ImportPlan,
  rows: readonly ImportedRow[],
  onProgress: (checked: number) => void,
  signal: AbortSignal,
): Promise<RefusedRow[]> {
  // Values of JSON fields become a part of the request's body, so they must be JSON before the body is made.
  const refused: RefusedRow[] = rows.flatMap((row) => {
    const error = invalidJson(row, table.entity.fields);
    return error ? [{ row, error }] : [];
  });
  const numberings = await readNumberings(table, signal);
  let tried = 0;
  const unread = new Set(refused.map(({ row }) => row));
  const sent = rows.filter((row) => !unread.has(row));
  let checked = unread.size;
  onProgress(checked);
  const check = async (part: readonly ImportedRow[]): Promise<void> => {
    if (part.length === 0 || refused.length >= MAX_REFUSED) return;
    try {
      tried += part.length;
      await insertAll(table, plan, part, { prefer: ['tx=rollback'], signal });
      checked += part.length;
    } catch (error) {
      const [only] = part;
      if (!(error instanceof ApiFailure) || !isOfRow(error)) throw error;
      if (part.length === 1 && only) {
        refused.push({ row: only, error });
        checked += 1;
      } else {
        const middle = Math.ceil(part.length / 2);
        await check(part.slice(0, middle));
        await check(part.slice(middle));
      }
    }
  };
  try {
    for (let at = 0; at < sent.length && refused.length < MAX_REFUSED; at += CHECKED_ROWS) {
      await check(sent.slice(at, at + CHECKED_ROWS));
      onProgress(checked);
    }
  } finally {
    await restoreNumberings(table, numberings, tried);
  }
  return refused.sort((a, b) => a.row.line - b.row.line);
}

/** Returns PostgreSQL's error for the first JSON field whose text is not JSON; null if each text is JSON. */
function invalidJson({ values }: ImportedRow, fields: readonly Field[]): ApiFailure | null {
  for (const field of fields) {
    const text = kindOf(field) === 'json' ? values[field.name] : null;
    if (typeof text !== 'string') continue;
    try {
      JSON.parse(text);
    } catch {
      return new ApiFailure(`invalid input syntax for type json: "${text}"`, { code: '22P02', status: 400 });
    }
  }
  return null;
}

/**
 * Returns true for an error that is about one row: a data exception, a violated constraint, RAISE, row-level security
 * or a state machine.
 */
const isOfRow = ({ code, status }: ApiFailure): boolean =>
  /^(22|23|P0|NF|42501)/.test(code) || (status === 400 && !/^(PGRST|42)/.test(code));

/**
 * Inserts all rows in one transaction. After an error or an abort, none of them is inserted.
 * @param returned Names of the fields that are returned of each inserted row. If there are none, no rows are returned.
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

/** Finds the rows of an entity whose labels are in a file, and returns their keys by label. A label that several rows have is omitted. */
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
