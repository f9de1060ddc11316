import { timingSafeEqual } from 'node:crypto';
import { NinefoldError } from '../../../errors/ninefold-error.ts';
import { ALGORITHM, scopeText, signingKey, signText, stringToSign } from '../../../files/sign-v4.ts';
import type { PartSigner } from '../body/aws-chunked.ts';
import type { SignedRequest } from './signed-request.ts';

/**
 * Verifies the signature of a request with the secret of its access key.
 * @returns The signer of the chunks of its body.
 * @throws NinefoldError SignatureDoesNotMatch
 */
export function verifySignature(request: SignedRequest, secret: string): PartSigner {
  const { time, scope, signature: seed } = request;
  const key = signingKey(secret, scope);
  if (!isEqual(seed, signText(key, stringToSign(time, scope, request.canonical)))) {
    throw new NinefoldError('SignatureDoesNotMatch');
  }
  const sign: PartSigner['sign'] = (kind, lines) =>
    signText(key, [`${ALGORITHM}-${kind}`, time, scopeText(scope), ...lines].join('\n'));
  return { seed, sign, isEqual };
}

/** Compares two signatures in a time that does not depend on their common beginning. */
function isEqual(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
