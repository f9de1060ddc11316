import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { unlinkIdentity } from '../accounts/identities.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { UUID } from '../identity/uuid.ts';
import { requireWholeAccount } from './assurance.ts';
import { requireMember } from './callers.ts';
import type { AuthContext } from './context.ts';
import { json } from './reply.ts';
import { clientOf } from './token-reply.ts';

/**
 * Handles DELETE /user/identities/{identity_id}: removes an identity from the account of the calling member. The last
 * identity cannot be removed.
 */
export async function unlinkIdentityCall(context: AuthContext, request: CallRequest, identityId = ''): Promise<Reply> {
  const { userId, aal } = await requireMember(context, request);
  if (!context.settings.security_manual_linking_enabled) throw new NinefoldError('manual_linking_disabled');
  if (!UUID.test(identityId)) {
    throw new NinefoldError('validation_failed', { status: 404, message: 'identity_id must be an UUID' });
  }
  const user = await requireWholeAccount(context, userId, aal);
  const { mailer_autoconfirm } = context.settings;
  await unlinkIdentity(context.database, user, identityId.toLowerCase(), mailer_autoconfirm, clientOf(request));
  return json({});
}
