import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { UUID } from '../identity/uuid.ts';
import type { StorageContext } from './context.ts';

/**
 * Returns the caller of a call that policies decide.
 * @throws NinefoldError InvalidJWT without a key or token; the errors of the key or token
 */
export async function callerOf(context: StorageContext): Promise<Identity> {
  const identity = await context.identity();
  if (identity.source === 'none') {
    throw new NinefoldError('InvalidJWT', {
      status: 401,
      message: 'Invalid Compact JWS',
    });
  }
  return identity;
}

/** Returns the caller; `public` for a request without a key or token, which can read only public buckets. */
export async function callerOrPublic(context: StorageContext): Promise<Identity | 'public'> {
  const identity = await context.identity();
  return identity.source === 'none' ? 'public' : identity;
}

/** Returns true for a caller that no policy limits: the secret key of the app, or a builder. */
export const isService = ({ role }: Identity): boolean => role === 'service_role';

/** The values of the columns owner and owner_id of rows that a caller writes. */
export const ownerColumns = ({
  userId,
}: Pick<Identity, 'userId'>): { owner: string | null; ownerId: string | null } => ({
  owner: userId !== null && UUID.test(userId) ? userId : null,
  ownerId: userId,
});
