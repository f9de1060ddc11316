import { createHash } from 'node:crypto';

/** One row of a live list. */
export interface PageRow {
  /** The fields of the primary key as JSON text, as PostgreSQL wrote them. It identifies the row. */
  readonly key: string;
  readonly hash: string;
  /** The row as JSON text. */
  readonly text: string;
}

/** The part of a row that stays in memory. */
export type KnownRow = Omit<PageRow, 'text'>;

const QUOTE = '"';
const BACKSLASH = '\\';

/**
 * Splits a list of objects in JSON into its rows without parsing their values, because numbers would lose digits.
 * @param json Valid JSON of PostgreSQL.
 * @param key Names of the fields of the primary key.
 */
export function splitRows(json: string, key: readonly string[]): PageRow[] {
  const rows: PageRow[] = [];
  let depth = 0;
  let start = 0;
  /** Start of a value or name at the level of the row's fields, and the name of the current field. */
  let from = 0;
  let name: string | null = null;
  let values = new Map<string, string>();
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === QUOTE) {
      at = endOfString(json, at);
    } else if (char === '{' || char === '[') {
      depth++;
      if (depth !== 2) continue;
      start = at;
      from = at + 1;
      values = new Map();
    } else if (char === ':' && depth === 2) {
      name = JSON.parse(json.slice(from, at));
      from = at + 1;
    } else if (char === ',' && depth === 2) {
      if (name !== null) values.set(name, json.slice(from, at).trim());
      from = at + 1;
    } else if (char === '}' || char === ']') {
      depth--;
      if (depth !== 1) continue;
      if (name !== null) values.set(name, json.slice(from, at).trim());
      name = null;
      const text = json.slice(start, at + 1);
      rows.push({ key: keyText(key, values), hash: hashOf(text), text });
    }
  }
  return rows;
}

/** Returns the primary key as an object in JSON. */
const keyText = (key: readonly string[], values: ReadonlyMap<string, string>): string =>
  `{${key.map((name) => `${JSON.stringify(name)}:${values.get(name) ?? 'null'}`).join(',')}}`;

const hashOf = (text: string): string => createHash('sha1').update(text).digest('base64');

/** Returns the index of the quote that ends the string which begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let before = at - 1;
    while (json[before] === BACKSLASH) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return json.length;
}

/** Returns true if two rows have the same primary key, which happens in views. */
export const hasRepeatedKey = (rows: readonly KnownRow[]): boolean =>
  new Set(rows.map(({ key }) => key)).size < rows.length;
