import { z } from 'zod';
import type { SigningKeyEntry } from '../../../contract/admin.ts';
import type { AppKeys, RingKey } from '../../apps/keys/app-keys.ts';
import { keyRing, revoked, rotated, withKeys } from '../../apps/keys/signing-keys.ts';
import { importKeys, makeRingKey } from '../../apps/registry/import-key.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { json } from '../reply.ts';

const listKeys = adminCall({
  route: 'GET /apps/:ref/keys',
  least: 'reader',
  summary: 'Returns the keys that sign access tokens, newest first.',
  returns: 'SigningKeyEntry[]',
  handle: async ({ context, ref }) => {
    const { record } = await context.apps.get(ref);
    return json(keyRing(record).map(entryOf));
  },
});

const addKeys = adminCall({
  route: 'POST /apps/:ref/keys',
  least: 'owner',
  sensitive: 'add a signing key',
  audit: { action: 'keys_added', details: ({ jwk }) => ({ imported: jwk !== undefined }) },
  summary: 'Adds signing keys as standby.',
  returns: '201 SigningKeyEntry[]',
  errors: ['signing_key_invalid', 'signing_key_exists', 'signing_keys_full'],
  body: z.strictObject({
    jwk: z.record(z.string(), z.unknown()).optional(),
    alg: z.enum(['ES256', 'RS256', 'EdDSA']).optional(),
  }),
  handle: async ({ context, ref, body: { jwk, alg } }) => {
    const now = new Date().toISOString();
    const added = jwk === undefined ? [makeRingKey(alg ?? 'ES256', now)] : importKeys(jwk, now);
    await change(context, ref, (ring) => withKeys(ring, added));
    return json(added.map(entryOf), 201);
  },
});

const rotateKeys = adminCall({
  route: 'POST /apps/:ref/keys/rotate',
  least: 'owner',
  sensitive: 'rotate the signing keys',
  audit: { action: 'keys_rotated', details: ({ kid }) => (kid ? { kid } : {}) },
  summary: 'Makes a signing key the current one. `kid` names it.',
  returns: 'SigningKeyEntry[]',
  errors: ['signing_key_unknown', 'signing_key_revoked', 'signing_keys_full'],
  body: z.strictObject({ kid: z.string().optional() }),
  handle: async ({ context, ref, body: { kid } }) => {
    const now = new Date().toISOString();
    return json(
      (await change(context, ref, (ring) => rotated(ring, kid, () => makeRingKey('ES256', now), now))).map(entryOf),
    );
  },
});

const revokeKey = adminCall({
  route: 'POST /apps/:ref/keys/:kid/revoke',
  least: 'owner',
  sensitive: 'revoke a signing key',
  audit: { action: 'key_revoked', details: (_, { kid }) => ({ kid }) },
  summary: 'Revokes a signing key.',
  returns: 'SigningKeyEntry[]',
  errors: ['signing_key_unknown', 'signing_key_current'],
  handle: async ({ context, ref, kid }) =>
    json((await change(context, ref, (ring) => revoked(ring, kid, new Date().toISOString()))).map(entryOf)),
});

/** Changes the signing keys of an app on all nodes. Returns every key. */
async function change(
  context: AdminContext,
  ref: string,
  apply: (ring: readonly RingKey[]) => readonly RingKey[],
): Promise<readonly RingKey[]> {
  await context.apps.get(ref);
  let ring: readonly RingKey[] = [];
  const record = await context.registry.changeSecrets(ref, (secrets) => {
    ring = apply(keyRing({ ref, ...secrets } satisfies AppKeys));
    return { ...secrets, ring };
  });
  if (record === null) throw new NinefoldError('app_unknown');
  return ring;
}

const entryOf = ({ kid, alg, state, createdAt, changedAt }: RingKey): SigningKeyEntry => ({
  ...{ kid, alg, state },
  created_at: createdAt,
  changed_at: changedAt,
});

export const signingKeyCalls: readonly AdminCall[] = [listKeys, addKeys, rotateKeys, revokeKey];
