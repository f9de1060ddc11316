import type { StreamedValue } from './streamed-value.ts';

/** Statements that a connection keeps prepared. */
const MAX_PREPARED = 400;
/** Maximum number of statements whose durations are stored. */
const TIMES_KEPT = 2000;

/** A parameter in text format; `null` is SQL NULL. */
export type Param = string | Uint8Array | null;

/** One parametrised SQL statement. Values are only in `params`, never in `text`. */
export interface Statement {
  readonly text: string;
  readonly params: readonly Param[];
  /**
   * If set, the statement is prepared once per connection under its text and this key. The key is usually the database
   * role that runs it, because a plan with row-level security is valid for one role.
   */
  readonly planKey?: string;
}

/** Returns a statement without parameters. It is not prepared. */
export const plain = (text: string): Statement => ({ text, params: [] });

/** The result of one statement. Values are the bytes that PostgreSQL sent, in text format. */
export interface Result {
  readonly fields: readonly { readonly name: string; readonly typeOid: number }[];
  readonly rows: readonly (readonly (Buffer | null)[])[];
  /** The command tag: `SELECT 1`, `INSERT 0 3`; empty for an empty statement. */
  readonly command: string;
  /**
   * Number of rows that PostgreSQL returned; It is higher than the length of `rows` if the caller has limited the
   * number of rows that are kept.
   */
  readonly rowCount: number;
  /** Time when the result was complete, in milliseconds of performance.now(). */
  readonly at: number;
  /**
   * The last value of the only row as a stream, if the value is large and the caller asked for streaming
   * (`streamStatement`); In `rows`, this value is null. The caller must read the stream to its end or destroy it.
   */
  readonly stream: StreamedValue | null;
}

/** Returns the number of rows in the command tag; 0 if the tag has none. */
export function affectedRows(result: Result): number {
  const match = /(\d+)$/.exec(result.command);
  return match ? Number(match[1]) : 0;
}

/** Returns the rows as objects with string values, by column name. */
export function rowsAsText(result: Result): Record<string, string | null>[] {
  return result.rows.map((row) =>
    Object.fromEntries(result.fields.map((field, i) => [field.name, row[i]?.toString('utf8') ?? null])),
  );
}

/** Returns the first column of the first row, parsed as JSON; null without a row or value. */
export function firstJson<T>(result: Result): T | null {
  const value = result.rows[0]?.[0];
  return value ? (JSON.parse(value.toString('utf8')) as T) : null;
}

/** Quotes an identifier for SQL text; always with double quotes. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Quotes a string literal for SQL text, for the few commands without parameters (CREATE ROLE … PASSWORD).
 * @throws TypeError if the value contains a NUL character.
 */
export function quoteLiteral(value: string): string {
  if (value.includes('\0')) throw new TypeError('a string literal cannot hold a NUL character');
  const doubled = value.replaceAll("'", "''");
  return value.includes('\\') ? ` E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/**
 * Returns the approximate size of a statement's parameters in bytes; each UTF-16 unit of a string counts as one byte.
 */
export function parameterBytes(statement: Statement | undefined): number {
  let bytes = 0;
  for (const param of statement?.params ?? []) bytes += param?.length ?? 0;
  return bytes;
}

/** One statement that a connection has prepared or is preparing. */
export interface Prepared {
  readonly name: string;
  readonly planKey: string;
  readonly text: string;
  /** True after ParseComplete. Until then later batches must not use it, because the Parse may fail. */
  ready: boolean;
  /** Known after the first execution; a prepared statement is described once. */
  fields: Result['fields'] | null;
}

/** The statements that one connection has prepared. If there are too many, the oldest is closed. */
export class PreparedStatements {
  /**
   * The prepared statements by `planKey`, then by text. A single combined key would be a new string that must be hashed
   * for every call.
   */
  readonly #byText = new Map<string, Map<string, Prepared>>();
  readonly #inOrder = new Set<Prepared>();
  #evicted: string[] = [];
  #count = 0;

  find(planKey: string, text: string): Prepared | undefined {
    return this.#byText.get(planKey)?.get(text);
  }

  /** Adds a statement that is about to be prepared. */
  add(planKey: string, text: string): Prepared {
    this.#count++;
    const prepared: Prepared = { name: `s${this.#count}`, planKey, text, ready: false, fields: null };
    let texts = this.#byText.get(planKey);
    if (!texts) {
      texts = new Map();
      this.#byText.set(planKey, texts);
    }
    texts.set(text, prepared);
    this.#inOrder.add(prepared);
    if (this.#inOrder.size > MAX_PREPARED) this.#evictOldest();
    return prepared;
  }

  /** Removes a statement that could not be prepared or is stale. If the server has it, the next batch closes it. */
  delete(prepared: Prepared): void {
    if (!this.#inOrder.delete(prepared)) return;
    const texts = this.#byText.get(prepared.planKey);
    texts?.delete(prepared.text);
    if (texts?.size === 0) this.#byText.delete(prepared.planKey);
    if (prepared.ready) this.#evicted.push(prepared.name);
  }

  /** Returns the names of statements that the server may close, each name once. */
  takeEvicted(): readonly string[] {
    if (this.#evicted.length === 0) return none;
    const evicted = this.#evicted;
    this.#evicted = [];
    return evicted;
  }

  #evictOldest(): void {
    for (const prepared of this.#inOrder) {
      if (!prepared.ready) continue;
      this.delete(prepared);
      return;
    }
  }
}

const none: readonly string[] = [];

/** Average duration of each statement of a pool by its text, in milliseconds. Recent runs have more weight. */
export class StatementTimes {
  readonly #times = new Map<string, number>();

  /** Returns the average duration of a statement; undefined if the statement has not run yet. */
  get(text: string): number | undefined {
    return this.#times.get(text);
  }

  add(text: string, milliseconds: number): void {
    const known = this.#times.get(text);
    if (known === undefined && this.#times.size >= TIMES_KEPT) {
      const oldest = this.#times.keys().next().value;
      if (oldest !== undefined) this.#times.delete(oldest);
    }
    this.#times.set(text, known === undefined ? milliseconds : known * 0.8 + milliseconds * 0.2);
  }

  clear(): void {
    this.#times.clear();
  }
}
