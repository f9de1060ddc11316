import { z } from 'zod';
import type { SigningKeyEntry } from '../../../contract/admin.ts';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { AppKeys, RingKey } from '../../apps/keys/app-keys.ts';
import { keyRing, revoked, rotated, withKeys } from '../../apps/keys/signing-keys.ts';
import { importKeys, makeRingKey } from '../../apps/registry/import-key.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody } from '../body.ts';
import type { AdminContext } from '../context.ts';
import { json } from '../router.ts';

/** Handles GET /apps/:ref/keys: returns the signing keys, newest first. */
export async function listKeys(context: AdminContext, ref: string): Promise<Reply> {
  const { record } = await context.apps.get(ref);
  return json(keyRing(record).map(entryOf));
}

const addBody = z.strictObject({
  jwk: z.record(z.string(), z.unknown()).optional(),
  alg: z.enum(['ES256', 'RS256', 'EdDSA']).optional(),
});

/**
 * Handles POST /apps/:ref/keys: adds signing keys as standby.
 * @throws signing_key_invalid, signing_key_exists, signing_keys_full
 */
export async function addKeys(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const { jwk, alg } = readBody(request, addBody);
  const now = new Date().toISOString();
  const added = jwk === undefined ? [makeRingKey(alg ?? 'ES256', now)] : importKeys(jwk, now);
  await change(context, ref, (ring) => withKeys(ring, added));
  return json(added.map(entryOf), 201);
}

const rotateBody = z.strictObject({ kid: z.string().optional() });

/**
 * Handles POST /apps/:ref/keys/rotate: makes a key current.
 * @throws signing_key_unknown, signing_key_revoked, signing_keys_full
 */
export async function rotateKeys(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const { kid } = readBody(request, rotateBody);
  const now = new Date().toISOString();
  return json(
    (await change(context, ref, (ring) => rotated(ring, kid, () => makeRingKey('ES256', now), now))).map(entryOf),
  );
}

/**
 * Handles POST /apps/:ref/keys/:kid/revoke: revokes a signing key.
 * @throws signing_key_unknown, signing_key_current
 */
export async function revokeKey(context: AdminContext, ref: string, kid: string): Promise<Reply> {
  return json((await change(context, ref, (ring) => revoked(ring, kid, new Date().toISOString()))).map(entryOf));
}

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
