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
 * Percent-decodes a text.
 * @throws NinefoldError PGRST100 if the bytes are not UTF-8.
 */
export function decodeComponent(text: string): string {
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

/** A decoded name and value; the value is null without `=`. */
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
