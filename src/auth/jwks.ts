import type { Reply } from '../../contract/exchange.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';

/** GET /.well-known/jwks.json: the public key that access tokens can be verified with (RFC 7517, section 5). */
export const jwks = (context: AuthContext): Reply =>
  json({ keys: [context.app.signingKey.publicJwk] }, { 'cache-control': 'public, max-age=600' });
