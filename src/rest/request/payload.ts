import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Action, MediaType, Payload } from './api-request.ts';
import { parseCsv } from './csv.ts';
import { mediaTypeName } from './media-type.ts';
import { decodeForm } from './query-string.ts';

/** The body of a write or a call, by its content type (PostgREST docs, "Insert", "Bulk Insert", "Functions"). */

const lossyText = new TextDecoder('utf-8');
const noBytes = new Uint8Array();

const invalid = (message: string): NinefoldError => new NinefoldError('PGRST102', { message });

const takesPayload = (action: Action): boolean =>
  (action.kind === 'mutate' && action.mutation !== 'delete') || (action.kind === 'call' && action.method === 'POST');

const takesColumns = (action: Action): boolean =>
  (action.kind === 'mutate' && (action.mutation === 'insert' || action.mutation === 'update')) ||
  (action.kind === 'call' && action.method === 'POST');

/**
 * The payload, and the columns or arguments that it sets; those of the parameter `columns` when it counts here.
 * Throws PGRST102 when the body is not what its content type says.
 */
export function parsePayload(
  action: Action,
  contentType: MediaType,
  bytes: Uint8Array | null,
  columnsParameter: readonly string[] | null,
): { payload: Payload | null; columns: readonly string[] } {
  if (!takesPayload(action)) return { payload: null, columns: [] };
  const named = takesColumns(action) ? columnsParameter : null;
  const payload = read(contentType, bytes ?? noBytes, action.kind === 'call', named !== null);
  switch (payload.kind) {
    case 'json':
      return { payload, columns: sortedUnique(payload.keys) };
    case 'form':
      return { payload, columns: sortedUnique(payload.pairs.map(([name]) => name)) };
    case 'json-unread':
      return { payload, columns: sortedUnique(named ?? []) };
    case 'raw':
      return { payload, columns: [] };
  }
}

const sortedUnique = (names: readonly string[]): readonly string[] =>
  names.length < 2 ? names : [...new Set(names)].sort();

function read(contentType: MediaType, bytes: Uint8Array, isCall: boolean, columnsNamed: boolean): Payload {
  switch (contentType.kind) {
    case 'json':
    case 'array-stripped':
      return columnsNamed
        ? { kind: 'json-unread', body: bytes, isObject: looksLikeObject(bytes) }
        : readJson(bytes, isCall);
    case 'csv':
      return readCsv(lossyText.decode(bytes));
    case 'form': {
      const pairs = decodeForm(lossyText.decode(bytes));
      if (isCall) return { kind: 'form', pairs };
      const row = Object.fromEntries(pairs);
      return { kind: 'json', body: JSON.stringify(row), keys: Object.keys(row), isObject: true };
    }
    case 'text':
    case 'xml':
    case 'octet-stream':
      if (isCall) return { kind: 'raw', body: bytes };
  }
  throw invalid(`Content-Type not acceptable: ${mediaTypeName(contentType)}`);
}

/** Space, tab, line feed, carriage return (RFC 8259 section 2). */
const isJsonSpace = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13;

function looksLikeObject(bytes: Uint8Array): boolean {
  let pos = 0;
  while (isJsonSpace(bytes[pos])) pos += 1;
  return bytes[pos] === 0x7b;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readJson(bytes: Uint8Array, isCall: boolean): Payload {
  if (bytes.length === 0 && isCall) return { kind: 'json', body: '{}', keys: [], isObject: true };
  let value: unknown;
  try {
    value = JSON.parse(lossyText.decode(bytes));
  } catch {
    throw invalid('Empty or invalid json');
  }
  if (isObject(value)) return { kind: 'json', body: bytes, keys: Object.keys(value), isObject: true };
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  // a number, a string, true or null is no row
  if (rows.length === 0) return { kind: 'json', body: '[]', keys: [], isObject: false };
  const first = rows[0];
  const keys = isObject(first) ? Object.keys(first) : null;
  if (!keys || !rows.every((row) => isObject(row) && hasKeys(row, keys))) throw invalid('All object keys must match');
  return { kind: 'json', body: bytes, keys, isObject: false };
}

function hasKeys(row: Record<string, unknown>, keys: readonly string[]): boolean {
  let count = 0;
  for (const _key in row) count += 1;
  return count === keys.length && keys.every((key) => Object.hasOwn(row, key));
}

/** The first line names the columns; the word NULL, unquoted or not, is null. */
function readCsv(text: string): Payload {
  let lines: string[][];
  try {
    lines = parseCsv(text);
  } catch (error) {
    throw invalid(error instanceof SyntaxError ? error.message : 'Empty or invalid csv');
  }
  const [header, ...rows] = lines;
  if (!header) throw invalid('Empty or invalid csv');
  if (rows.some((row) => row.length !== header.length)) throw invalid('All lines must have same number of fields');
  const objects = rows.map((row) =>
    Object.fromEntries(header.map((name, i) => [name, row[i] === 'NULL' ? null : row[i]])),
  );
  return {
    kind: 'json',
    body: JSON.stringify(objects),
    keys: rows.length ? [...new Set(header)] : [],
    isObject: false,
  };
}
