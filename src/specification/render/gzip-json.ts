import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { limits } from '../../../contract/limits.ts';

/**
 * Compresses a value as JSON with gzip, and returns the bytes in the text format of bytea. Does not block the event
 * loop, because compressing several megabytes takes a tenth of a second.
 */
export const gzipJson = async (value: unknown): Promise<string> =>
  asBytea(await promisify(gzip)(JSON.stringify(value)));

/**
 * Decompresses a value of `gzipJson`. Returns null if the bytes are not JSON in gzip or exceed the limit
 * specificationBytes. This is possible, because code of the app can write to the tables that contain the bytes.
 */
export async function gunzipJson(packed: Uint8Array): Promise<unknown> {
  try {
    return parse(await promisify(gunzip)(packed, bounded));
  } catch {
    return null;
  }
}

const bounded = { maxOutputLength: limits.specificationBytes.default };

const asBytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;

const parse = (bytes: Buffer): unknown => JSON.parse(bytes.toString('utf8'));
