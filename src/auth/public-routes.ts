import type { Reply } from '../../contract/call-request.ts';
import { keyRing } from '../apps/keys/signing-keys.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';

/**
 * Handles GET /health: reports that the auth API works, and its name. Does not contain the version, because every
 * stranger can make this call.
 */
export const health = (): Reply =>
  json({ name: 'Ninefold', description: 'Sign-in and sessions, as GoTrue answers them' });

/** Handles GET /.well-known/jwks.json: returns the public keys that verify access tokens (RFC 7517, section 5). */
export const jwks = (context: AuthContext): Reply =>
  json(
    {
      keys: keyRing(context.app).flatMap(({ state, publicJwk }) =>
        state === 'revoked' || publicJwk === null ? [] : [publicJwk],
      ),
    },
    { 'cache-control': 'public, max-age=600' },
  );

/** Handles POST /sso: responds as GoTrue does if SAML is off. */
export const signInWithSso = (): never => {
  throw new NinefoldError('saml_provider_disabled');
};
