import type { Tail } from './tail.ts';

/** A value on its way to PostgreSQL, in text format; `null` is SQL NULL. */
export type Param = string | Uint8Array | null;

/** One parametrised SQL statement. Values are only ever in `params`. */
export interface Statement {
  readonly text: string;
  readonly params: readonly Param[];
  /**
   * When given, the statement is prepared once per connection under its text and this word (the database
   * role that runs it: a plan with row-level security belongs to one role).
   */
  readonly preparedFor?: string;
}

/** A statement without parameters, prepared for nobody. */
export const plain = (text: string): Statement => ({ text, params: [] });

/** The result of one statement. Values are the bytes PostgreSQL sent, in text format. */
export interface Result {
  readonly fields: readonly { readonly name: string; readonly typeOid: number }[];
  readonly rows: readonly (readonly (Buffer | null)[])[];
  /** The command tag: `SELECT 1`, `INSERT 0 3`; empty for an empty statement. */
  readonly command: string;
  /** Rows that were answered; more than `rows` holds where a caller asked for the first ones only. */
  readonly rowCount: number;
  /** When the last of it arrived, in milliseconds of performance.now(). */
  readonly at: number;
  /**
   * The last value of the only row, where it is long and the caller asked for it to be handed on as it arrives (`tailOf`); in
   * `rows` it is null. Must be read to its end or destroyed.
   */
  readonly tail: Tail | null;
}

/** The number of rows that a command tag names; 0 where it names none. */
export function affectedRows(result: Result): number {
  const match = /(\d+)$/.exec(result.command);
  return match ? Number(match[1]) : 0;
}

/** The rows as objects with string values, by column name. */
export function rowsAsText(result: Result): Record<string, string | null>[] {
  return result.rows.map((row) =>
    Object.fromEntries(result.fields.map((field, i) => [field.name, row[i]?.toString('utf8') ?? null])),
  );
}

/** The first column of the first row, parsed as JSON; null where there is none. */
export function firstJson<T>(result: Result): T | null {
  const value = result.rows[0]?.[0];
  return value ? (JSON.parse(value.toString('utf8')) as T) : null;
}

/** An identifier as SQL text, always quoted. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A string literal as SQL text, for the few commands that take no parameters (CREATE ROLE … PASSWORD). */
export function quoteLiteral(value: string): string {
  if (value.includes('\0')) throw new TypeError('a string literal cannot hold a NUL character');
  const doubled = value.replaceAll("'", "''");
  return value.includes('\\') ? ` E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/** The size of a statement's parameters; letters of a text count as one byte each. */
export function parameterBytes(statement: Statement | undefined): number {
  let bytes = 0;
  for (const param of statement?.params ?? []) bytes += param?.length ?? 0;
  return bytes;
}
