import { hkdfSync, randomBytes } from 'node:crypto';
import type { AppRecord } from '../registry/app-record.ts';

/** Returns a new access key id in the form of Amazon S3: 20 capital letters and digits. */
export function newS3KeyId(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  return `NF${[...randomBytes(18)].map((byte) => alphabet[byte % alphabet.length]).join('')}`;
}

/** Returns the secret of an access key of the S3 protocol. It is derived from the id, so no database stores it. */
export const s3KeySecret = ({ authenticatorPassword, ref }: AppRecord, id: string): string =>
  Buffer.from(hkdfSync('sha256', authenticatorPassword, ref, `S3 key ${id}`, 30)).toString('base64url');

/** Returns true for a text that can be an access key id. */
export const isS3KeyId = (id: string): boolean => /^NF[A-Z2-7]{18}$/.test(id);
