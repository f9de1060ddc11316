import type { Reply } from '../../contract/call-request.ts';
import { keyRing } from '../apps/key-ring.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';

/** GET /health: says that the auth calls are answered, and by what. The version is not for strangers. */
export const health = (): Reply =>
  json({ name: 'Ninefold', description: 'Sign-in and sessions, as GoTrue answers them' });

/** GET /.well-known/jwks.json: the public keys that access tokens can be verified with (RFC 7517, section 5). */
export const jwks = (context: AuthContext): Reply =>
  json(
    {
      keys: keyRing(context.app).flatMap(({ state, publicJwk }) =>
        state === 'revoked' || publicJwk === null ? [] : [publicJwk],
      ),
    },
    { 'cache-control': 'public, max-age=600' },
  );
