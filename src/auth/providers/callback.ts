import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { type ExternalIdentity, type Finish, signInExternally } from '../../accounts/providers/external-sign-in.ts';
import { makeAuthCode, type ReturnedFlow, takeFlow } from '../../accounts/providers/flow-states.ts';
import type { Grant } from '../../accounts/sessions/sessions.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { authCall } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { homeOf } from '../links/redirects.ts';
import { afterFailure, OAuthError, withCode, withError, withSession } from '../oauth-server/return-to-client.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import { redirectTo } from './authorize.ts';
import { elsewhereForSignIn, isBound } from './browser-binding.ts';
import { askToLink } from './confirm-linking.ts';
import { externalIdentity, rulesFor } from './external-identity.ts';
import { findProvider } from './find-provider.ts';
import { asObject, claimText, type Profile } from './provider-profile.ts';
import { finishAtProvider } from './provider-sign-in.ts';
import type { Provider } from './provider-table.ts';

/** The codes of a sign-in at a provider. They are in the address to which the member is redirected. */
const throughProvider = [
  'bad_id_token',
  'bad_oauth_callback',
  'bad_oauth_state',
  'email_exists',
  'flow_state_already_used',
  'identity_already_exists',
  'oauth_provider_not_supported',
  'provider_email_needs_verification',
  'provider_failed',
  'provider_identity_refused',
  'signup_disabled',
  'user_banned',
  'user_not_found',
] as const;

export const callbackCall = authCall({
  id: 'auth.callback',
  route: 'GET /callback',
  caller: 'anyone',
  needsMemberPages: true,
  errors: throughProvider,
  runsHooks: true,
  summary: 'Takes a member back from a provider. Register this address at the provider.',
  query: {
    state: required('The state of the sign-in, which works once.'),
    code: optional('The code of the provider.'),
  },
  returns: '302 to redirect_to, with a code or a session, or with error, error_code and error_description',
  handle: callback,
});

export const callbackByForm = authCall({
  id: 'auth.callback.form',
  route: 'POST /callback',
  caller: 'anyone',
  needsMemberPages: true,
  errors: throughProvider,
  runsHooks: true,
  summary: 'Takes a member back from a provider that sends a form, as Apple does.',
  returns: '302 to redirect_to, as for GET',
  handle: callback,
});

/**
 * Handles GET and POST /callback, by which a member returns from a provider. Redirects to the address with which the
 * sign-in began: with a code for the session (PKCE), or with the session in the fragment. Errors are sent to the same
 * address, and without a valid state to the site. A member who adds an identity is redirected to the page that asks for
 * confirmation. On an origin other than the app's own, redirects there first, because the cookies belong to that
 * origin.
 */
async function callback(context: AuthContext, request: CallRequest): Promise<Reply> {
  const elsewhere = elsewhereForSignIn(context, request, '/auth/v1/callback');
  // With status 307, the browser sends a form again, so that the parameters of a POST are not lost.
  if (elsewhere !== null) return redirectTo(elsewhere, request.method === 'POST' ? 307 : 303);
  const answer = parametersOf(request);
  const state = answer.get('state') ?? '';
  let flow: ReturnedFlow;
  try {
    flow = await flowOf(context, request, state);
  } catch (error) {
    return redirectTo(withError(homeOf(context), error, false), 303);
  }
  const target = flow.referrer ?? homeOf(context);
  try {
    return await finish(context, request, { flow, state, answer, target });
  } catch (error) {
    return redirectTo(afterFailure(context, request, target, error));
  }
}

/** Returns the parameters of the query or of the form that Apple posts. */
function parametersOf(request: CallRequest): URLSearchParams {
  if (request.method !== 'POST') return new URLSearchParams(request.query);
  return new URLSearchParams(Buffer.from(request.body ?? new Uint8Array()).toString('utf8'));
}

async function flowOf(context: AuthContext, request: CallRequest, state: string): Promise<ReturnedFlow> {
  if (state === '') throw new NinefoldError('bad_oauth_callback', { message: 'OAuth state parameter missing' });
  const taken = await takeFlow(context.database, state);
  switch (taken.verdict) {
    case 'taken':
      // The cookie is not checked for a member who adds an identity. This begins with a request of the client, which
      // cannot store a cookie.
      if (taken.flow.linkingTargetId === null && !isBound(context, request, state)) {
        throw new NinefoldError('bad_oauth_state', { message: 'OAuth state belongs to another browser' });
      }
      return taken.flow;
    case 'expired':
      throw new NinefoldError('bad_oauth_state', { message: 'OAuth state has expired' });
    case 'used':
      throw new NinefoldError('flow_state_already_used');
    case 'unknown':
      throw new NinefoldError('bad_oauth_state', { message: 'OAuth state not found or expired' });
  }
}

interface Returned {
  readonly flow: ReturnedFlow;
  readonly state: string;
  readonly answer: URLSearchParams;
  readonly target: string;
}

async function finish(context: AuthContext, request: CallRequest, returned: Returned): Promise<Reply> {
  const { flow, state, answer, target } = returned;
  const refused = answer.get('error');
  if (refused) throw new OAuthError(refused, answer.get('error_description') ?? '');
  if (!answer.get('code')) {
    throw new NinefoldError('bad_oauth_callback', {
      message: 'OAuth callback with missing authorization code missing',
    });
  }
  const provider = await findProvider(context, flow.provider);
  const signedIn = await finishAtProvider(context, provider, state, protocolParameters(answer));
  const profile = withPostedName(provider, signedIn.profile, answer.get('user'));
  if (profile.emails.length === 0 && !provider.isEmailOptional) {
    throw new NinefoldError('unexpected_failure', { message: 'Error getting user email from external provider' });
  }
  const { tokens } = signedIn;
  const identity = externalIdentity(provider, profile);
  if (flow.linkingTargetId !== null) {
    return askToLink(context, flow.id, { identity, providerTitle: provider.title, tokens });
  }
  const code = flow.isPkce ? makeAuthCode() : null;
  const ending: Finish = code
    ? { kind: 'code', client: clientOf(request), flowId: flow.id, code, tokens }
    : { kind: 'session', client: clientOf(request), flowId: flow.id };
  const grant = await signIn(context, request, provider, identity, ending);
  return redirectTo(code ? withCode(target, code) : await withSession(context, request, target, grant, tokens));
}

/** Returns only the parameters of the protocol, which the library checks. A provider may send other parameters too. */
function protocolParameters(answer: URLSearchParams): URLSearchParams {
  const known = ['code', 'state', 'iss'].flatMap((name) =>
    answer.getAll(name).map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(known);
}

/** Apple sends the name once, in the form. The form is not signed, so only the name is read from it. */
function withPostedName(provider: Provider, profile: Profile, posted: string | null): Profile {
  if (provider.name !== 'apple' || !posted || posted.length > limits.claimCharacters.default) return profile;
  try {
    const { firstName, lastName } = asObject(asObject(JSON.parse(posted)).name);
    const name = `${claimText(firstName)} ${claimText(lastName)}`.trim();
    return { ...profile, claims: { ...profile.claims, name, full_name: name } };
  } catch {
    return profile;
  }
}

/** Returns the session; null if the client gets a code. */
async function signIn(
  context: AuthContext,
  request: CallRequest,
  provider: Provider,
  identity: ExternalIdentity,
  ending: Finish,
): Promise<Grant | null> {
  const { database, app, events } = context;
  const { address } = request;
  const rules = rulesFor(context, request, provider, identity);
  const { userId, isNew, grant } = await signInExternally(database, identity, rules, ending);
  if (isNew) events.emit({ type: 'auth', what: 'signed-up', app: app.ref, userId, address });
  if (grant) events.emit({ type: 'auth', what: 'signed-in', app: app.ref, userId, address });
  return grant;
}
