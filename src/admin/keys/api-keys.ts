import { z } from 'zod';
import type { ApiKeyEntry, CreatedApiKey, RevealedApiKey } from '../../../contract/admin.ts';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { listApiKeys, revealFirstKey, withoutKey, withRotatedKey, withSecretKey } from '../../apps/keys/api-keys.ts';
import { type ApiKey, JWT_SECRET_KID } from '../../apps/keys/app-keys.ts';
import { readKeyUses, type StoredKeyUses } from '../../apps/keys/key-uses.ts';
import type { AppRecord, AppSecrets } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { line, readBody } from '../body.ts';
import type { AdminContext } from '../context.ts';
import { json } from '../router.ts';

/** Handles GET /apps/:ref/api-keys: returns every key without its secret part. */
export async function showApiKeys(context: AdminContext, ref: string): Promise<Reply> {
  const app = await context.apps.get(ref);
  return json(entriesOf(app.record, await readKeyUses(app)));
}

const createBody = z.strictObject({ name: line(limits.apiKeyNameCharacters.default) });

/**
 * Handles POST /apps/:ref/api-keys: creates a key.
 * @throws api_keys_full
 */
export async function createApiKey(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const { name } = readBody(request, createBody);
  return addKey(context, ref, (secrets) => withSecretKey(secrets, name, new Date().toISOString()));
}

/**
 * Handles POST /apps/:ref/api-keys/:id/rotate: replaces and revokes a key.
 * @throws api_key_unknown, api_key_older_kind
 */
export function rotateApiKey(context: AdminContext, ref: string, id: string): Promise<Reply> {
  return addKey(context, ref, (secrets) => withRotatedKey(secrets, id, new Date().toISOString()));
}

/**
 * Handles POST /apps/:ref/api-keys/:id/revoke: revokes a key.
 * @throws api_key_unknown, api_key_needed
 */
export async function revokeApiKey(context: AdminContext, ref: string, id: string): Promise<Reply> {
  const app = await context.apps.get(ref);
  const uses = await readKeyUses(app);
  const record = await change(context, ref, (secrets) => withoutKey(secrets, id, new Date().toISOString()));
  return json(entriesOf(record, uses));
}

/**
 * Handles POST /apps/:ref/api-keys/:id/reveal: returns a secret key with which the app was created, or the shared
 * secret for the id `jwt-secret`.
 * @throws api_key_unknown
 */
export async function revealApiKey(context: AdminContext, ref: string, id: string): Promise<Reply> {
  const { record } = await context.apps.get(ref);
  const key = id === JWT_SECRET_KID ? record.jwtSecret : revealFirstKey(record, id);
  if (key === null) throw new NinefoldError('api_key_unknown', { details: { id } });
  return json({ key } satisfies RevealedApiKey);
}

async function addKey(
  context: AdminContext,
  ref: string,
  add: (secrets: AppSecrets) => { keys: AppSecrets; key: string; added: ApiKey },
): Promise<Reply> {
  await context.apps.get(ref);
  let created: CreatedApiKey | null = null;
  await change(context, ref, (secrets) => {
    const { keys, key, added } = add(secrets);
    created = { ...entryOf(added, undefined), key };
    return keys;
  });
  return json(created, 201);
}

/**
 * Changes the keys of an app on all nodes.
 * @throws app_unknown
 */
async function change(
  context: AdminContext,
  ref: string,
  apply: (secrets: AppSecrets) => AppSecrets,
): Promise<AppRecord> {
  const record = await context.registry.changeSecrets(ref, apply);
  if (record === null) throw new NinefoldError('app_unknown');
  return record;
}

function entriesOf(record: AppRecord, uses: ReadonlyMap<string, StoredKeyUses>): ApiKeyEntry[] {
  return listApiKeys(record).map((key) => entryOf(key, uses.get(key.id)));
}

const entryOf = (
  { id, name, kind, hint, createdAt, revokedAt }: ApiKey,
  uses: StoredKeyUses | undefined,
): ApiKeyEntry => ({
  ...{ id, name, kind, hint },
  created_at: createdAt,
  revoked_at: revokedAt,
  last_used_on: uses?.lastDay ?? null,
  uses: uses?.uses ?? 0,
});
