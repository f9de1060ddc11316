import type { CatalogJson } from './read-catalog.ts';

/** The values of a reading of the catalog, by their JSON and the name of their query. */
export type KnownRows = ReadonlyMap<string, ReadonlyMap<string, unknown>>;

/**
 * Parses the result of `readCatalog` and compares it with an earlier one. If PostgreSQL printed a row of `list` as it
 * did before, the result contains the same object as before. Only changed rows are parsed. Callers must not modify the
 * objects.
 * @returns The facts, and their rows for the next reading.
 */
export function parseRows<Facts>(json: CatalogJson<Facts>, earlier: KnownRows): { facts: Facts; rows: KnownRows } {
  const rows = new Map<string, Map<string, unknown>>();
  const facts: Record<string, unknown> = {};
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('utf8');
  for (const result of text.slice(1, -1).split(RESULT_END)) {
    const at = result.indexOf(':');
    const name: string = JSON.parse(result.slice(0, at));
    const value = result.slice(at + 1);
    const known = earlier.get(name);
    // A new map whose keys are parts of this text. So no map refers to the text of an earlier reading, which can be
    // freed.
    const own = new Map<string, unknown>();
    const parse = (part: string): unknown => {
      const parsed = own.get(part) ?? known?.get(part) ?? JSON.parse(part);
      own.set(part, parsed);
      return parsed;
    };
    const isList = value.startsWith(LIST_START);
    const parts = isList ? value.slice(LIST_START.length, -1) : value;
    facts[name] = !isList ? parse(value) : parts === '' ? [] : parts.split(ROW_END).map(parse);
    rows.set(name, own);
  }
  return { facts: facts as Facts, rows };
}

/** The separator of results in the JSON of `readCatalog`. */
const RESULT_END = ',\r\n';
/** The start of a result of `list`, and the separator of its rows. */
const LIST_START = '[\r';
const ROW_END = ',\r';

/** Returns values by the names of their queries, in the form of `readCatalog`. */
export const resultsJson = (values: object): string =>
  `{${Object.entries(values)
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join(RESULT_END)}}`;
