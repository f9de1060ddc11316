import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Action, MediaType, Payload } from './api-request.ts';
import { csvToRows } from './csv-rows.ts';
import { KeysDiffer, readJsonRows, shortName } from './json-rows.ts';
import { mediaTypeName } from './media-type.ts';
import { decodeForm } from './query-string.ts';

/**
 * Parses the body of a write or a function call by its content type (PostgREST docs, "Insert", "Bulk Insert",
 * "Functions").
 */

const lossyText = new TextDecoder('utf-8');
const noBytes = new Uint8Array();

const invalid = (message: string): NinefoldError => new NinefoldError('PGRST102', { message });

const takesPayload = (action: Action): boolean =>
  (action.kind === 'mutate' && action.mutation !== 'delete') || (action.kind === 'call' && action.method === 'POST');

const takesColumns = (action: Action): boolean =>
  (action.kind === 'mutate' && (action.mutation === 'insert' || action.mutation === 'update')) ||
  (action.kind === 'call' && action.method === 'POST');

/** The way in which a body is parsed. */
export interface PayloadKind {
  readonly contentType: MediaType;
  readonly isCall: boolean;
  /** True if the parameter `columns` names the keys, so that the body need not be parsed. */
  readonly columnsNamed: boolean;
}

/** Parses a body. */
export type ReadPayload = (kind: PayloadKind, bytes: Uint8Array) => Payload;

/**
 * Returns the payload and the columns or arguments that it sets; if the parameter `columns` applies, these are the
 * columns that it names.
 * @throws NinefoldError PGRST102 if the body does not match its content type.
 */
export function parsePayload(
  action: Action,
  contentType: MediaType,
  bytes: Uint8Array | null,
  columnsParameter: readonly string[] | null,
  read: ReadPayload = readPayload,
): { payload: Payload | null; columns: readonly string[] } {
  if (!takesPayload(action)) return { payload: null, columns: [] };
  const named = takesColumns(action) ? columnsParameter : null;
  const payload = read({ contentType, isCall: action.kind === 'call', columnsNamed: named !== null }, bytes ?? noBytes);
  switch (payload.kind) {
    case 'json':
      return { payload, columns: sortedUnique(payload.keys) };
    case 'form':
      return { payload, columns: sortedUnique(payload.pairs.map(([name]) => shortName(name))) };
    case 'json-unread':
      return { payload, columns: sortedUnique(named ?? []) };
    case 'raw':
      return { payload, columns: [] };
  }
}

const sortedUnique = (names: readonly string[]): readonly string[] =>
  names.length < 2 ? names : [...new Set(names)].sort();

/**
 * Parses a body that is not empty. Pure; time and memory are proportional to the size of the body.
 * @throws NinefoldError PGRST102, body_too_large
 */
export function readPayload({ contentType, isCall, columnsNamed }: PayloadKind, bytes: Uint8Array): Payload {
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
      return { kind: 'json', body: JSON.stringify(row), keys: Object.keys(row).map(shortName), isObject: true };
    }
    case 'text':
    case 'xml':
      if (isCall) return { kind: 'raw', body: bytes };
      break;
    case 'octet-stream':
      if (isCall) return { kind: 'raw', body: hexadecimal(bytes) };
  }
  throw invalid(`Content-Type not acceptable: ${mediaTypeName(contentType)}`);
}

/** Returns bytes in PostgreSQL's text format of bytea, because parameters are sent as text. */
const hexadecimal = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(`\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`, 'latin1');

/** Returns true if parsing reads the complete body. */
export function isParsed({ contentType, columnsNamed }: PayloadKind): boolean {
  const { kind } = contentType;
  return kind === 'csv' || kind === 'form' || kind === 'octet-stream' || (isJson(contentType) && !columnsNamed);
}

const isJson = ({ kind }: MediaType): boolean => kind === 'json' || kind === 'array-stripped';

/** Returns true for space, tab, line feed and carriage return (RFC 8259, section 2). */
const isJsonSpace = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13;

function looksLikeObject(bytes: Uint8Array): boolean {
  let pos = 0;
  while (isJsonSpace(bytes[pos])) pos += 1;
  return bytes[pos] === 0x7b;
}

function readJson(bytes: Uint8Array, isCall: boolean): Payload {
  if (bytes.length === 0 && isCall) return { kind: 'json', body: '{}', keys: [], isObject: true };
  try {
    const { keys, isObject, isRows } = readJsonRows(bytes);
    // A number, a string, true, false or null is no row. So the payload then becomes an empty list.
    return { kind: 'json', body: isRows ? bytes : '[]', keys, isObject };
  } catch (error) {
    if (error instanceof KeysDiffer) throw invalid('All object keys must match');
    if (error instanceof SyntaxError) throw invalid('Empty or invalid json');
    throw error;
  }
}

/** Parses CSV. The first line contains the names of the columns. */
function readCsv(text: string): Payload {
  try {
    const { header, rows, body } = csvToRows(text);
    return { kind: 'json', body, keys: rows > 0 ? [...new Set(header.map(shortName))] : [], isObject: false };
  } catch (error) {
    throw error instanceof SyntaxError ? invalid(error.message) : error;
  }
}
