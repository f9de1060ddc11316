import type { Exchange } from '../../contract/exchange.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { UUID } from '../identity/uuid.ts';
import type { AuthContext } from './context.ts';

/** The member who calls. Throws no_authorization without an access token, bad_jwt when it names no account. */
export async function requireMember(
  context: AuthContext,
  exchange: Exchange,
): Promise<{ userId: string; sessionId: string | null }> {
  const { userId, sessionId } = await context.identity();
  if (userId !== null && UUID.test(userId)) return { userId, sessionId };
  if (!exchange.headers.authorization) throw new NinefoldError('no_authorization');
  throw new NinefoldError('bad_jwt', {
    message: userId === null ? 'invalid claim: missing sub claim' : 'invalid claim: sub claim must be a UUID',
  });
}

/** Throws no_authorization for a caller that shows nothing, not_admin for one without the rights of the secret key. */
export async function requireAdmin(context: AuthContext): Promise<Identity> {
  const identity = await context.identity();
  if (identity.role === 'service_role') return identity;
  throw new NinefoldError(identity.source === 'none' ? 'no_authorization' : 'not_admin');
}

/** The id in `/admin/users/<id>`. Throws validation_failed. */
export function requireUserId(segment: string): string {
  if (UUID.test(segment)) return segment;
  throw new NinefoldError('validation_failed', { status: 404, message: 'user_id must be an UUID' });
}
