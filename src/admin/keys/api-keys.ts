import { z } from 'zod';
import type { ApiKeyEntry, CreatedApiKey, RevealedApiKey } from '../../../contract/admin.ts';
import type { Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { listApiKeys, revealFirstKey, withoutKey, withRotatedKey, withSecretKey } from '../../apps/keys/api-keys.ts';
import { type ApiKey, JWT_SECRET_KID } from '../../apps/keys/app-keys.ts';
import { readKeyUses, type StoredKeyUses } from '../../apps/keys/key-uses.ts';
import type { AppRecord, AppSecrets } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { json } from '../reply.ts';

const showApiKeys = adminCall({
  route: 'GET /apps/:ref/api-keys',
  least: 'developer',
  summary: 'Returns every API key, of each only the first characters.',
  returns: 'ApiKeyEntry[]',
  handle: async ({ context, ref }) => {
    const app = await context.apps.get(ref);
    return json(entriesOf(app.record, await readKeyUses(app)));
  },
});

const createApiKey = adminCall({
  route: 'POST /apps/:ref/api-keys',
  least: 'owner',
  sensitive: 'create a secret key',
  audit: { action: 'api_key_created', details: ({ name }) => ({ name }) },
  summary: 'Creates a secret key. Only this response contains it.',
  returns: '201 CreatedApiKey',
  errors: ['api_keys_full'],
  body: z.strictObject({ name: line(limits.apiKeyNameCharacters.default) }),
  handle: async ({ context, ref, body: { name } }) =>
    addKey(context, ref, (secrets) => withSecretKey(secrets, name, new Date().toISOString())),
});

const rotateApiKey = adminCall({
  route: 'POST /apps/:ref/api-keys/:id/rotate',
  least: 'owner',
  sensitive: 'rotate a secret key',
  audit: { action: 'api_key_rotated', details: (_, { id }) => ({ id }) },
  summary: 'Creates a secret key in the place of another one, and revokes that one.',
  returns: '201 CreatedApiKey',
  errors: ['api_key_unknown', 'api_key_older_kind'],
  handle: ({ context, ref, id }) =>
    addKey(context, ref, (secrets) => withRotatedKey(secrets, id, new Date().toISOString())),
});

const revokeApiKey = adminCall({
  route: 'POST /apps/:ref/api-keys/:id/revoke',
  least: 'owner',
  sensitive: 'revoke a secret key',
  audit: { action: 'api_key_revoked', details: (_, { id }) => ({ id }) },
  summary: 'Revokes an API key.',
  returns: 'ApiKeyEntry[]',
  errors: ['api_key_unknown', 'api_key_needed'],
  handle: async ({ context, ref, id }) => {
    const app = await context.apps.get(ref);
    const uses = await readKeyUses(app);
    const record = await change(context, ref, (secrets) => withoutKey(secrets, id, new Date().toISOString()));
    return json(entriesOf(record, uses));
  },
});

const revealApiKey = adminCall({
  route: 'POST /apps/:ref/api-keys/:id/reveal',
  least: 'owner',
  sensitive: 'see a secret key',
  audit: { action: 'api_key_revealed', details: (_, { id }) => ({ id }) },
  summary: 'Returns a secret key with which the app was created, or the shared secret for the id `jwt-secret`.',
  returns: 'RevealedApiKey',
  errors: ['api_key_unknown'],
  handle: async ({ context, ref, id }) => {
    const { record } = await context.apps.get(ref);
    const key = id === JWT_SECRET_KID ? record.jwtSecret : revealFirstKey(record, id);
    if (key === null) throw new NinefoldError('api_key_unknown', { details: { id } });
    return json({ key } satisfies RevealedApiKey);
  },
});

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

export const apiKeyCalls: readonly AdminCall[] = [showApiKeys, createApiKey, rotateApiKey, revokeApiKey, revealApiKey];
