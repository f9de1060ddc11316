import { timingSafeEqual } from 'node:crypto';
import { hashApiKey } from '../apps/keys/api-keys.ts';
import { type ApiKey, type AppKeys, firstKeys } from '../apps/keys/app-keys.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** A valid API key of an app. */
export interface KnownKey {
  readonly id: string;
  readonly kind: ApiKey['kind'];
}

const firstEntries = Object.entries(firstKeys).map(([id, { field, kind }]) => ({ field, known: { id, kind } }));

/**
 * Returns the API key that equals a text; null if there is none.
 * @throws NinefoldError key_revoked
 */
export function findKnownKey(app: AppKeys, text: string): KnownKey | null {
  let found: KnownKey | null = null;
  // Compares the text with all four keys, so that the duration does not reveal which of the keys a guess resembles.
  for (const { field, known } of firstEntries) if (equalInConstantTime(text, app[field])) found = known;
  // After a rotation, the publishable key is both in its own field and in the list of keys. The list also has the id of
  // the key, so it is searched too.
  if (!app.apiKeys || !text.startsWith('sb_')) return found;
  const stored = storedKey(app, text);
  if (stored === undefined) return found;
  if (stored.revokedAt !== null) throw new NinefoldError('key_revoked');
  return stored;
}

/**
 * Rejects a JWT that was an API key of the app.
 * @throws NinefoldError key_revoked
 */
export function refuseRevokedKey(app: AppKeys, text: string): void {
  if (app.apiKeys && storedKey(app, text)?.revokedAt) throw new NinefoldError('key_revoked');
}

function storedKey({ apiKeys }: AppKeys, text: string): ApiKey | undefined {
  const hash = hashApiKey(text);
  return apiKeys?.find((key) => key.hash === hash);
}

/** Compares two strings. The duration depends only on their lengths. */
export function equalInConstantTime(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
