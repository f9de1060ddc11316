import type { CallRequest } from '../../../contract/call-request.ts';
import { isS3KeyId, s3KeySecret } from '../../apps/keys/s3-keys.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type Identity, serviceRole } from '../../identity/identity.ts';
import type { StorageContext } from '../context.ts';
import type { PartSigner } from './body/aws-chunked.ts';
import type { SignedRequest } from './request/signed-request.ts';
import { verifySignature } from './request/verify-signature.ts';

/** The caller of a request, and the signer of the chunks of its body. */
export interface Authenticated {
  readonly identity: Identity;
  readonly signer: PartSigner;
}

/**
 * Authenticates a request. With an access key of the app, the caller is the service role. With the ref of the app as
 * access key, its publishable key or older anon key as secret, and an access token as session token, the caller is the
 * member of the token.
 * @throws NinefoldError InvalidAccessKeyId, SignatureDoesNotMatch, and the errors of the token.
 */
export async function authenticate(
  context: StorageContext,
  request: CallRequest,
  signed: SignedRequest,
): Promise<Authenticated> {
  if (signed.sessionToken !== null) return authenticateMember(context, request, signed, signed.sessionToken);
  const { app } = context;
  if (!isS3KeyId(signed.accessKey)) throw new NinefoldError('InvalidAccessKeyId');
  const signer = verifySignature(signed, s3KeySecret(app.record, signed.accessKey));
  // The signature is verified first, so that a guessed id costs no query and no response tells which ids exist.
  await requireKey(context, signed.accessKey);
  return { identity: { ...serviceRole, source: 'secret-key' }, signer };
}

async function authenticateMember(
  context: StorageContext,
  request: CallRequest,
  signed: SignedRequest,
  token: string,
): Promise<Authenticated> {
  const { ref, publishableKey, anonKey } = context.app.record;
  if (signed.accessKey !== ref) throw new NinefoldError('InvalidAccessKeyId');
  const { apikey, signer } = verifyWithEither(signed, [publishableKey, anonKey]);
  request.headers = { ...request.headers, apikey, authorization: `Bearer ${token}` };
  return { identity: await context.identity(), signer };
}

/** @throws NinefoldError SignatureDoesNotMatch if the secret is neither key. */
function verifyWithEither(signed: SignedRequest, [first, second]: readonly [string, string]) {
  try {
    return { apikey: first, signer: verifySignature(signed, first) };
  } catch {
    return { apikey: second, signer: verifySignature(signed, second) };
  }
}

/** Finds a key, and notes its use at most once an hour. */
const USE_KEY = `with used as (
    update ninefold.s3_keys k set last_used_at = now()
    where k.id = $1 and (k.last_used_at is null or k.last_used_at < now() - interval '1 hour')
  ) select to_json(exists (select from ninefold.s3_keys k where k.id = $1))`;

/** @throws NinefoldError InvalidAccessKeyId if the key was deleted or never existed. */
async function requireKey({ app }: StorageContext, id: string): Promise<void> {
  const [result] = await runAsServerRole(app.serverDatabase, [{ text: USE_KEY, params: [id] }]);
  if (!result || firstJson<boolean>(result) !== true) throw new NinefoldError('InvalidAccessKeyId');
}
