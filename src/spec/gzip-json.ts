import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';
import { limits } from '../../contract/limits.ts';

/** A value as JSON in gzip, as the text of a bytea. Packed beside the event loop: megabytes take a tenth of a second. */
export const gzipJson = async (value: unknown): Promise<string> =>
  asBytea(await promisify(gzip)(JSON.stringify(value)));

/** The same of what is JSON already, while all else waits. */
export const gzipJsonSync = (json: string): string => asBytea(gzipSync(json));

/**
 * The value of what `gzipJson` made. The app's own code can reach where it was kept: null for what is no JSON in gzip, and for
 * more bytes than the limit specificationBytes.
 */
export async function gunzipJson(packed: Uint8Array): Promise<unknown> {
  try {
    return parse(await promisify(gunzip)(packed, bounded));
  } catch {
    return null;
  }
}

/** The same, while all else waits. */
export function gunzipJsonSync(packed: Uint8Array): unknown {
  try {
    return parse(gunzipSync(packed, bounded));
  } catch {
    return null;
  }
}

const bounded = { maxOutputLength: limits.specificationBytes.default };

const asBytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;

const parse = (bytes: Buffer): unknown => JSON.parse(bytes.toString('utf8'));
