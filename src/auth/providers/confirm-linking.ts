import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { makeAuthCode } from '../../accounts/providers/flow-states.ts';
import { linkIdentity } from '../../accounts/providers/identities.ts';
import {
  type FoundLink,
  findPendingLink,
  type PendingLink,
  storePendingLink,
  takePendingLink,
} from '../../accounts/providers/pending-links.ts';
import { required } from '../../calls/words.ts';
import { UUID } from '../../identity/uuid.ts';
import { authCall } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { memberPage } from '../links/member-page.ts';
import { homeOf } from '../links/redirects.ts';
import { languageOf } from '../links/verify-words.ts';
import { afterFailure, OAuthError, withCode, withSession } from '../oauth-server/return-to-client.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import { redirectTo } from './authorize.ts';
import { cookieOf } from './browser-binding.ts';
import { isSame } from './id-token.ts';
import { type LinkingTexts, linkingTexts } from './linking-words.ts';
import { claimText } from './provider-profile.ts';
import { derived } from './provider-sign-in.ts';

const PATH = '/auth/v1/user/identities/confirm';

/**
 * Returns the name of the cookie of a link. Each link has its own cookie, so that two tabs can link at the same time.
 */
const cookieName = (flowId: string): string => `nf-link-${flowId}`;

/**
 * Stores an identity that a provider reported for a member's account, and returns the redirect to the page that asks
 * the member. The cookie contains the secret of the link: only the browser that returned from the provider can show the
 * page and confirm. The provider's response alone does not add the identity, because an attacker could begin a link and
 * send its address to a person who is signed in at the provider.
 */
export async function askToLink(context: AuthContext, flowId: string, link: PendingLink): Promise<Reply> {
  const secret = await storePendingLink(context.database, flowId, link);
  const { app, origins } = context;
  const origin = origins.appOrigin(app.ref) ?? origins.pathUrl(app.ref);
  const seconds = limits.linkConfirmationSeconds.default;
  const secure = origins.isSecure ? '; Secure' : '';
  const cookie = `${cookieName(flowId)}=${secret}; Path=${PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  return { ...redirectTo(`${origin}${PATH}?id=${flowId}`, 303), cookies: [cookie] };
}

export const showLinking = authCall({
  id: 'auth.identities.confirm.page',
  route: 'GET /user/identities/confirm',
  caller: 'anyone',
  needsMemberPages: true,
  needs: { security_manual_linking_enabled: true },
  errors: [],
  summary:
    'Asks a member who comes back from a provider whether the identity is linked. To open the page changes nothing.',
  query: { id: required('The link that waits. Only the browser that came back from the provider can see it.', 'uuid') },
  returns: 'a page in the language of Accept-Language; below /apps/<ref> a redirect to the app’s own origin',
  handle: async (context, request) => {
    const { app, origins } = context;
    const origin = origins.appOrigin(app.ref);
    if (origin !== null && !origins.isAtOrigin(app.ref, request.headers.host)) {
      return redirectTo(`${origin}${PATH}?${request.query}`, 303);
    }
    const shown = await shownLink(context, request, new URLSearchParams(request.query).get('id'));
    return shown === null ? voidPage(request) : askPage(context, request, shown);
  },
});

/** Redirects to the address with which the linking began. */
export const confirmLinking = authCall({
  id: 'auth.identities.confirm',
  route: 'POST /user/identities/confirm',
  caller: 'anyone',
  needsMemberPages: true,
  needs: { security_manual_linking_enabled: true },
  errors: ['email_exists', 'identity_already_exists', 'user_not_found'],
  runsHooks: true,
  summary: 'Links the identity, or drops it if the member cancels: the form of the page that asks. It works once.',
  returns: '303 to redirect_to, with a code or a session, or with error, error_code and error_description',
  handle: async (context, request) => {
    const form = new URLSearchParams(Buffer.from(request.body ?? []).toString('utf8'));
    const shown = await shownLink(context, request, form.get('id'));
    if (shown === null || !isSame(form.get('proof') ?? '', proofOf(context, shown.secret))) return voidPage(request);
    const { link } = shown;
    if (!(await takePendingLink(context.database, link))) return voidPage(request);
    const target = targetOf(context, link);
    try {
      if (form.get('decision') !== 'link')
        throw new OAuthError('access_denied', 'The member has not confirmed the link');
      return redirectTo(await finishLink(context, request, link, target), 303);
    } catch (error) {
      return redirectTo(afterFailure(context, request, target, error), 303);
    }
  },
});

interface ShownLink {
  readonly link: FoundLink;
  readonly secret: string;
}

/** Returns the link whose secret is in the browser's cookie; null if there is none, or if it has expired. */
async function shownLink(context: AuthContext, request: CallRequest, id: string | null): Promise<ShownLink | null> {
  const secret = id !== null && UUID.test(id) ? cookieOf(request, cookieName(id)) : undefined;
  if (id === null || secret === undefined) return null;
  const link = await findPendingLink(context.database, id, secret);
  return link && { link, secret };
}

/**
 * Returns a field of the form that no other site can know. The cookie alone proves nothing, because a browser also
 * sends it with a form from another origin of the same site.
 */
const proofOf = (context: AuthContext, secret: string): string => derived(context, 'link', secret);

const targetOf = (context: AuthContext, { referrer }: FoundLink): string => referrer ?? homeOf(context);

function askPage(context: AuthContext, request: CallRequest, { link, secret }: ShownLink): Reply {
  const texts = textsFor(request);
  const { account, providerTitle: provider } = link;
  const member = account.email ?? (account.phone === null ? texts.withoutAddress : `+${account.phone}`);
  return memberPage(request, {
    language: texts,
    title: texts.title({ provider }),
    lead: texts.lead({ provider, external: nameOf(link), member }),
    footer: texts.footer,
    form: {
      action: PATH,
      fields: { id: link.flowId, proof: proofOf(context, secret) },
      buttons: [
        { text: texts.link, name: 'decision', value: 'link' },
        { text: texts.cancel, name: 'decision', value: 'cancel' },
      ],
      leadsTo: targetOf(context, link),
    },
  });
}

/** Returns the name of the account at the provider: its address, else its name, else its id. */
function nameOf({ identity }: PendingLink): string {
  const { user_name, preferred_username, name } = identity.data;
  const names = [identity.email, user_name, preferred_username, name].map(claimText);
  return names.find((one) => one !== '') ?? identity.subject;
}

function voidPage(request: CallRequest): Reply {
  const texts = textsFor(request);
  return memberPage(request, { language: texts, ...texts.void, footer: texts.footer });
}

const textsFor = ({ headers }: CallRequest): LinkingTexts => linkingTexts[languageOf(headers['accept-language'])];

/** Links the identity and returns the address to which the member is redirected. */
async function finishLink(
  context: AuthContext,
  request: CallRequest,
  { flowId, isPkce, account, identity, tokens }: FoundLink,
  target: string,
): Promise<string> {
  const client = clientOf(request);
  if (isPkce) {
    const code = makeAuthCode();
    await linkIdentity(context.database, account.id, identity, { kind: 'code', client, flowId, code, tokens });
    return withCode(target, code);
  }
  const grant = await linkIdentity(context.database, account.id, identity, { kind: 'session', client, flowId });
  return withSession(context, request, target, grant, tokens);
}
