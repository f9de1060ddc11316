import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { limits } from '../../contract/limits.ts';

/** A value as JSON in gzip, as the text of a bytea. Packed beside the event loop: megabytes take a tenth of a second. */
export async function pack(value: unknown): Promise<string> {
  return `\\x${(await promisify(gzip)(JSON.stringify(value))).toString('hex')}`;
}

/**
 * The value of what `pack` made, in base64. The app's own code can reach where it was kept: null for what is no JSON in gzip, and for
 * more bytes than the limit specificationBytes.
 */
export async function unpack(packed: string): Promise<unknown> {
  try {
    const bytes = await promisify(gunzip)(Buffer.from(packed, 'base64'), {
      maxOutputLength: limits.specificationBytes.default,
    });
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
