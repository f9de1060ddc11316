import type { CatalogJson } from './read-catalog.ts';

/** A result of a reading of the catalog. */
interface KnownResult {
  readonly bytes: Buffer;
  readonly value: unknown;
  /** The values of its rows by their JSON. */
  readonly rows: ReadonlyMap<string, unknown>;
}

/** The results of a reading of the catalog, by the names of their queries. */
export type KnownResults = ReadonlyMap<string, KnownResult>;

/**
 * Parses the result of `readCatalog` and compares it with an earlier one. A result that PostgreSQL printed as before is
 * the same object, and so is each row of `list`. Only changed rows are parsed. Callers must not modify the objects.
 * @returns The facts, and the results for the next reading.
 */
export function parseRows<Facts>(
  json: CatalogJson<Facts>,
  earlier: KnownResults,
): { facts: Facts; results: KnownResults } {
  const results = new Map<string, KnownResult>();
  for (const bytes of resultsOf(Buffer.from(json.buffer, json.byteOffset, json.byteLength))) {
    const at = bytes.indexOf(':');
    const name: string = JSON.parse(bytes.toString('utf8', 0, at));
    const value = bytes.subarray(at + 1);
    const known = earlier.get(name);
    // Keeps the new bytes, because they are parts of one buffer.
    results.set(name, known?.bytes.equals(value) ? { ...known, bytes: value } : parseResult(value, known?.rows));
  }
  const facts = Object.fromEntries([...results].map(([name, { value }]) => [name, value])) as Facts;
  return { facts, results };
}

function parseResult(bytes: Buffer, known: ReadonlyMap<string, unknown> | undefined): KnownResult {
  const text = bytes.toString('utf8');
  const rows = new Map<string, unknown>();
  const parse = (part: string): unknown => {
    const parsed = rows.get(part) ?? known?.get(part) ?? JSON.parse(part);
    rows.set(part, parsed);
    return parsed;
  };
  if (!text.startsWith(LIST_START)) return { bytes, value: parse(text), rows };
  const parts = text.slice(LIST_START.length, -1);
  return { bytes, value: parts === '' ? [] : parts.split(ROW_END).map(parse), rows };
}

/** Returns the members of the JSON object, as name and value. */
function resultsOf(json: Buffer): Buffer[] {
  const members = json.subarray(1, -1);
  const results: Buffer[] = [];
  for (let start = 0; start <= members.length; ) {
    const found = members.indexOf(RESULT_END, start);
    const end = found < 0 ? members.length : found;
    results.push(members.subarray(start, end));
    start = end + RESULT_END.length;
  }
  return results;
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

/** Returns the results of a reading in the form of `readCatalog`. */
export const factsJson = (results: KnownResults): Buffer =>
  Buffer.concat([
    Buffer.from('{'),
    ...[...results].flatMap(([name, { bytes }], i) => [
      Buffer.from(`${i === 0 ? '' : RESULT_END}${JSON.stringify(name)}:`),
      bytes,
    ]),
    Buffer.from('}'),
  ]);
