import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';

/** Decodes query strings and forms: `+` is a space, a `%` without two hexadecimal digits stays unchanged. */

const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const needsDecoding = /[%+\u0080-\uffff]/;

const hexValue = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 70) return code - 55;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
};

/**
 * Percent-decodes a string.
 * @throws NinefoldError PGRST100 if the bytes are not UTF-8.
 */
function decodeComponent(text: string): string {
  if (!needsDecoding.test(text)) return text;
  const raw = Buffer.from(text, 'utf8');
  const bytes = Buffer.allocUnsafe(raw.length);
  let length = 0;
  for (let i = 0; i < raw.length; i += 1) {
    const byte = raw[i] as number;
    const high = byte === 0x25 ? hexValue(raw[i + 1] ?? 0) : -1;
    const low = high >= 0 ? hexValue(raw[i + 2] ?? 0) : -1;
    if (low >= 0) {
      bytes[length] = high * 16 + low;
      i += 2;
    } else {
      bytes[length] = byte === 0x2b ? 0x20 : byte;
    }
    length += 1;
  }
  try {
    return strictText.decode(bytes.subarray(0, length));
  } catch {
    throw new NinefoldError('PGRST100', {
      message: 'the query string is not valid UTF-8',
      details: 'Percent-encode text as UTF-8.',
    });
  }
}

/** A name and a value, both decoded. The value is null if the parameter has no `=`. */
export type QueryPair = readonly [name: string, value: string | null];

/**
 * Returns the pairs of a query string in order. A name without `=` has the value null.
 * @throws NinefoldError PGRST100 for a NUL character, which PostgreSQL text cannot contain, and as `decodeComponent`
 */
export function decodeQuery(query: string): QueryPair[] {
  if (query === '') return [];
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      const name = decodeComponent(equals === -1 ? part : part.slice(0, equals));
      const value = equals === -1 ? null : decodeComponent(part.slice(equals + 1));
      if (name.includes('\0') || value?.includes('\0')) {
        throw new NinefoldError('PGRST100', {
          message: 'the query string holds a NUL character',
          details: 'PostgreSQL text cannot hold it; leave it out.',
        });
      }
      return [name, value];
    });
}

/**
 * Returns the pairs of an `application/x-www-form-urlencoded` body. A name without `=` has an empty value.
 * @throws NinefoldError PGRST100 as `decodeQuery`, PGRST102 for more pairs than the limit formFields.
 */
export function decodeForm(text: string): [string, string][] {
  const pairs: [string, string][] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('&', start);
    const part = text.slice(start, end === -1 ? text.length : end);
    start += part.length + 1;
    for (const [name, value] of decodeQuery(part)) pairs.push([name, value ?? '']);
    if (pairs.length > limits.formFields.default) {
      throw new NinefoldError('PGRST102', {
        message: `The form has more than ${limits.formFields.default} fields`,
        limit: 'formFields',
      });
    }
  }
  return pairs;
}

const reserved = /[!'()*]/g;

const unreserved = /^[A-Za-z0-9_.~-]*$/;

/** Percent-encodes all characters except letters, digits and `-_.~` (RFC 3986, section 2.3). */
export const encodeComponent = (text: string): string =>
  unreserved.test(text)
    ? text
    : encodeURIComponent(text).replace(reserved, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns a pair with the encoding of Content-Location. */
export const encodePair = ([name, value]: QueryPair): string =>
  `${encodeComponent(name)}=${encodeComponent(value ?? '')}`;

/** Returns the pairs sorted by name, as in Content-Location. */
export const canonicalOrder = <P extends readonly [name: string, ...unknown[]]>(pairs: readonly P[]): readonly P[] =>
  pairs.length < 2 ? pairs : [...pairs].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/** The value of a comparison in a query string. */
interface ComparedValue {
  /** The decoded value. */
  readonly text: string;
  /** The part before the value, such as `not.eq.`. */
  readonly operator: string;
  /** Position of its parameter in the query; empty parameters are not counted. */
  readonly parameter: number;
}

/** A query string without the values of its comparisons. */
export interface QueryShape {
  /** The query with the values removed. */
  readonly text: string;
  /** The values in the order of the query. */
  readonly values: readonly ComparedValue[];
}

/** Matches the start of a comparison whose value is the rest of the parameter. */
const COMPARISON = /^(?:not\.)?(?:eq|neq|gte|gt|lte|lt)\./;

/** Matches names of parameters that are never filters, whatever their value is. */
const NO_FILTER = /(?:^|\.)(?:select|order|limit|offset|and|or|columns|on_conflict)$/;

/** Returns the shape of a query string; null if the query is malformed. */
export function shapeOfQuery(query: string): QueryShape | null {
  const values: ComparedValue[] = [];
  let text = '';
  let from = 0;
  let parameter = 0;
  for (let at = 0; at < query.length; ) {
    const end = query.indexOf('&', at);
    const next = end === -1 ? query.length : end;
    const equals = query.indexOf('=', at);
    if (equals !== -1 && equals < next) {
      const raw = query.slice(equals + 1, next);
      const operator = COMPARISON.exec(raw)?.[0];
      if (operator !== undefined && !NO_FILTER.test(query.slice(at, equals))) {
        const value = decoded(raw.slice(operator.length));
        if (value === null) return null;
        text += `${query.slice(from, equals + 1 + operator.length)}\0`;
        values.push({ text: value, operator, parameter });
        from = next;
      }
    }
    if (next > at) parameter += 1;
    at = next + 1;
  }
  return { text: text + query.slice(from), values };
}

function decoded(text: string): string | null {
  try {
    const value = decodeComponent(text);
    return value.includes('\0') ? null : value;
  } catch {
    return null;
  }
}
