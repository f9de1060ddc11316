import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { unlinkIdentity } from '../../accounts/providers/identities.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { requireMember } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { beginAtProvider, redirectTo } from '../providers/authorize.ts';
import { json } from '../reply.ts';
import { requireWholeAccount } from '../sessions/assurance.ts';
import { requirePresence } from '../sessions/proof-of-presence.ts';
import { clientOf } from '../sign-in/token-reply.ts';

/**
 * Handles GET /user/identities/authorize: redirects the calling member to a provider. After the member's confirmation
 * the provider's identity is added to the account, unless the session of the call has ended by then.
 * @throws manual_linking_disabled, insufficient_aal
 */
export async function linkIdentityCall(context: AuthContext, request: CallRequest): Promise<Reply> {
  const { userId, sessionId, aal } = await requireMember(context, request);
  if (!context.settings.security_manual_linking_enabled) throw new NinefoldError('manual_linking_disabled');
  if (context.origins.appOrigin(context.app.ref) === null) {
    throw new NinefoldError('manual_linking_disabled', {
      message: 'Members confirm a link on a page of the app’s own origin, and no host name leads to this app',
    });
  }
  const user = await requireWholeAccount(context, userId, aal);
  if (sessionId !== null) await requirePresence(context, request, { user, sessionId });
  const { url } = await beginAtProvider(context, request, { userId, sessionId });
  const isAsked = new URLSearchParams(request.query).get('skip_http_redirect') === 'true';
  return isAsked ? json({ url }) : redirectTo(url);
}

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
