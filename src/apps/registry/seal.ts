import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Encrypts a JSON value with AES-256-GCM under the node's master key (32 bytes). The value is bound to `context`, so
 * that a value of one app cannot replace that of another. The result is `v1.` and base64url of nonce, tag and
 * ciphertext.
 */
export function seal(value: unknown, key: Buffer, context: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

/** Decrypts a result of `seal`. Throws if key or context differ, or the value was changed. */
export function unseal<T>(sealed: string, key: Buffer, context: string): T {
  if (!sealed.startsWith('v1.')) throw new Error('sealed with an unknown version');
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')) as T;
}
