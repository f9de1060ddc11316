import { createHash, randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type ApiKey, type AppKeys, type FirstKeyId, firstKeys } from './app-keys.ts';
import { makeApiKey } from './make-keys.ts';

const HINT_CHARACTERS = 6;

/** Returns the SHA-256 by which an API key is stored. Keys are random, so a salt is not necessary. */
export const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('base64url');

/** Returns the first characters of a key, by which its owner recognises it. */
const hintOf = (key: string): string =>
  key.slice(0, (/^sb_(?:publishable|secret)_/.exec(key)?.[0].length ?? 0) + HINT_CHARACTERS);

const isFirstKey = (id: string): id is FirstKeyId => Object.hasOwn(firstKeys, id);

/** The keys of an app. They come from the app's record or from its encrypted secrets. */
type Keys = Omit<AppKeys, 'ref'>;

/** Returns every API key of an app: the keys that the app was created with first, then the other keys, newest first. */
export function listApiKeys(keys: Keys): readonly ApiKey[] {
  const stored = keys.apiKeys ?? [];
  const hashes = new Set(stored.map(({ hash }) => hash));
  const first = Object.entries(firstKeys).flatMap(([id, { field, kind, name }]): ApiKey[] => {
    const key = keys[field];
    const hash = hashApiKey(key);
    if (key === '' || hashes.has(hash)) return [];
    return [{ id, name, kind, hash, hint: hintOf(key), createdAt: null, revokedAt: null }];
  });
  return [...first, ...stored];
}

/**
 * Adds a secret key. Returns the keys and the new key; only its hash is stored.
 * @throws NinefoldError api_keys_full
 */
export function withSecretKey<K extends Keys>(
  keys: K,
  name: string,
  now: string,
): { keys: K; key: string; added: ApiKey } {
  const valid = listApiKeys(keys).filter(({ revokedAt }) => revokedAt === null);
  if (valid.length >= limits.apiKeys.default) throw new NinefoldError('api_keys_full');
  return withKey(keys, 'secret', name, now);
}

/**
 * Revokes a key.
 * @throws NinefoldError api_key_unknown; api_key_needed for the publishable key
 */
export function withoutKey<K extends Keys>(keys: K, id: string, now: string): K {
  const found = findValid(keys, id);
  if (isCurrentPublishable(keys, found)) throw new NinefoldError('api_key_needed', { details: { id } });
  return withRevoked(keys, found, now);
}

/**
 * Revokes a key and adds a new key with the same name and kind.
 * @throws NinefoldError api_key_unknown; api_key_older_kind for the keys `anon` and `service_role`
 */
export function withRotatedKey<K extends Keys>(
  keys: K,
  id: string,
  now: string,
): { keys: K; key: string; added: ApiKey } {
  const found = findValid(keys, id);
  if (found.id === 'anon' || found.id === 'service_role') {
    throw new NinefoldError('api_key_older_kind', { details: { id } });
  }
  const isPublishable = isCurrentPublishable(keys, found);
  const rotated = withKey(withRevoked(keys, found, now), found.kind, found.name, now);
  return isPublishable ? { ...rotated, keys: { ...rotated.keys, publishableKey: rotated.key } } : rotated;
}

/** Returns a valid key that the app was created with; null for any other key, of which only the hash is stored. */
export const revealFirstKey = (keys: Keys, id: string): string | null =>
  isFirstKey(id) ? keys[firstKeys[id].field] || null : null;

/** Returns the ids of the valid secret keys that the app was created with. */
export const revealableKeys = (keys: Keys): ('secret' | 'service_role')[] =>
  (['secret', 'service_role'] as const).filter((id) => keys[firstKeys[id].field] !== '');

const isCurrentPublishable = (keys: Keys, { hash }: ApiKey): boolean => hash === hashApiKey(keys.publishableKey);

function findValid(keys: Keys, id: string): ApiKey {
  const found = listApiKeys(keys).find((key) => key.id === id && key.revokedAt === null);
  if (!found) throw new NinefoldError('api_key_unknown', { details: { id } });
  return found;
}

function withKey<K extends Keys>(keys: K, kind: ApiKey['kind'], name: string, now: string) {
  const key = makeApiKey(kind);
  const added: ApiKey = {
    id: randomUUID(),
    name,
    kind,
    hash: hashApiKey(key),
    hint: hintOf(key),
    createdAt: now,
    revokedAt: null,
  };
  return { keys: { ...keys, apiKeys: [added, ...(keys.apiKeys ?? [])] }, key, added };
}

/** Moves a key that the app was created with to the list of revoked keys, so that it cannot be revealed. */
function withRevoked<K extends Keys>(keys: K, found: ApiKey, now: string): K {
  const others = (keys.apiKeys ?? []).filter(({ id }) => id !== found.id);
  const apiKeys = withoutOldest([{ ...found, revokedAt: now }, ...others]);
  return { ...keys, apiKeys, ...(isFirstKey(found.id) && { [firstKeys[found.id].field]: '' }) };
}

/**
 * Removes the oldest revoked keys above the limit. Keeps the keys that the app was created with, because a revoked
 * legacy JWT is rejected only while it is in this list.
 */
function withoutOldest(keys: readonly ApiKey[]): readonly ApiKey[] {
  const forgettable = keys.filter(({ revokedAt, createdAt }) => revokedAt !== null && createdAt !== null);
  const dropped = new Set(forgettable.slice(limits.revokedApiKeys.default));
  return keys.filter((key) => !dropped.has(key));
}
