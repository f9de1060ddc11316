import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Encrypts a JSON value with AES-256-GCM under the node's master key (32 bytes). `context` is bound to it: what was
 * sealed for one app cannot be put in the place of another's. The result is `v1.` and base64url of nonce, tag, ciphertext.
 */
export function seal(value: unknown, key: Buffer, context: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

/** Opens what `seal` made. Throws when key or context differ, or when it was changed. */
export function unseal<T>(sealed: string, key: Buffer, context: string): T {
  if (!sealed.startsWith('v1.')) throw new Error('sealed with an unknown version');
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')) as T;
}
