import { unlinkIdentity } from '../../accounts/providers/identities.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { authCall } from '../call.ts';
import { beginAtProvider, redirectTo } from '../providers/authorize.ts';
import { json } from '../reply.ts';
import { requireWholeAccount } from '../sessions/assurance.ts';
import { requirePresence } from '../sessions/proof-of-presence.ts';
import { clientOf } from '../sign-in/token-reply.ts';

/** The identity is not added if the session of the call has ended when the member confirms. */
export const linkIdentityCall = authCall({
  id: 'auth.identities.link',
  route: 'GET /user/identities/authorize',
  caller: 'member',
  needsMemberPages: true,
  needs: { security_manual_linking_enabled: true },
  errors: ['insufficient_aal', 'manual_linking_disabled', 'reauthentication_needed'],
  summary: 'Leads the member who calls to a provider whose identity their account gets once they confirm it.',
  query: {
    provider: required('The provider.'),
    redirect_to: optional('Where the member goes afterwards.'),
    skip_http_redirect: optional('Whether the address comes as JSON, not as a redirect.', 'boolean'),
  },
  returns: 'url: the page of the provider',
  supabaseJs: "supabase.auth.linkIdentity({ provider: 'github' })",
  handle: async (context, request, { member }) => {
    const { userId, sessionId, aal } = member;
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
  },
});

export const unlinkIdentityCall = authCall({
  id: 'auth.identities.unlink',
  route: 'DELETE /user/identities/{identity_id}',
  caller: 'member',
  needs: { security_manual_linking_enabled: true },
  errors: ['identity_not_found', 'insufficient_aal', 'manual_linking_disabled', 'single_identity_not_deletable'],
  summary: 'Removes an identity from the account of the member who calls. One identity stays.',
  returns: 'an empty object',
  handle: async (context, request, { member, path }) => {
    const { userId, aal } = member;
    if (!context.settings.security_manual_linking_enabled) throw new NinefoldError('manual_linking_disabled');
    if (!UUID.test(path.identity_id)) {
      throw new NinefoldError('validation_failed', { status: 404, message: 'identity_id must be an UUID' });
    }
    const user = await requireWholeAccount(context, userId, aal);
    const { mailer_autoconfirm } = context.settings;
    await unlinkIdentity(context.database, user, path.identity_id.toLowerCase(), mailer_autoconfirm, clientOf(request));
    return json({});
  },
});
