import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { beginAuthorization } from '../../accounts/oauth/authorizations.ts';
import { findOAuthClient, type OAuthClient } from '../../accounts/oauth/clients.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { authCall } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { homeOf } from '../links/redirects.ts';
import { redirectTo } from '../providers/authorize.ts';
import {
  type AuthorizationFault,
  type AuthorizationParameters,
  parametersOf,
  readAuthorization,
} from './authorization-request.ts';
import { issuerOf } from './oauth-server.ts';

export const authorizeApplicationCall = authCall({
  id: 'auth.oauth.authorize',
  route: 'GET /oauth/authorize',
  caller: 'anyone',
  needsMemberPages: true,
  needs: { oauth_server_enabled: true },
  errors: ['oauth_client_not_found'],
  summary: 'An application asks that a member sign in to it: the browser is led to the page where members consent.',
  query: {
    client_id: required('The application.', 'uuid'),
    redirect_uri: required('Where the member goes afterwards: one of the registered addresses.', 'URL'),
    code_challenge: required('SHA-256 of the verifier in base64url (RFC 7636).'),
    code_challenge_method: required('The method of the challenge.', 'S256'),
    scope: optional('Of openid, profile, email, phone and offline_access, with blanks between.'),
    state: optional('What comes back with the answer.'),
    nonce: optional('What the ID token repeats.'),
    prompt: optional('Which pages the member must or must not see.', 'none, login, consent, select_account'),
    max_age: optional('The age up to which a sign-in of the member counts.', 'seconds'),
    login_hint: optional('The address that the sign-in page proposes.'),
  },
  returns: '302 to the page of the app, with authorization_id',
  handle: authorizeApplication,
});

export const authorizeApplicationByForm = authCall({
  id: 'auth.oauth.authorize.post',
  route: 'POST /oauth/authorize',
  caller: 'anyone',
  needsMemberPages: true,
  needs: { oauth_server_enabled: true },
  errors: ['oauth_client_not_found'],
  summary: 'Begins the sign-in to an application as GET does, with the parameters in a form.',
  form: {
    client_id: required('The application.', 'uuid'),
    redirect_uri: required('Where the member goes afterwards: one of the registered addresses.', 'URL'),
    code_challenge: required('SHA-256 of the verifier in base64url (RFC 7636).'),
    code_challenge_method: required('The method of the challenge.', 'S256'),
  },
  returns: '303 to the page of the app, with authorization_id',
  handle: authorizeApplication,
});

/**
 * Handles GET and POST /oauth/authorize: an application requests that a member sign in to it (RFC 6749, section 4.1.1;
 * OpenID Connect Core 1.0, section 3.1.2). Redirects the browser to the page where members consent, with
 * `authorization_id` in the query. A request without a known application and redirect address gets an error instead of
 * a redirect. Other errors are sent to the application by a redirect. An application that registered itself gets no
 * such redirect, because no member has approved its address yet (RFC 9700, section 4.11.2).
 */
async function authorizeApplication(context: AuthContext, request: CallRequest): Promise<Reply> {
  const parameters = parametersOf(request);
  const { client, redirectUri } = await requireRedirect(context, parameters);
  const read = readAuthorization(parameters, client.grant_types.split(',').includes('refresh_token'), client.scope);
  const next = 'error' in read ? read : await begin(context, client, redirectUri, read);
  // The status is 303 after a POST. With 302, a browser could send the POST to the other address too.
  const status = request.method === 'POST' ? 303 : 302;
  if (typeof next === 'string') return redirectTo(next, status);
  const { error, description } = next;
  if (client.registration_type === 'dynamic') {
    throw new NinefoldError('validation_failed', { message: `${error}: ${description}` });
  }
  const answer = { error, error_description: description, state: parameters.get('state') };
  return redirectTo(answerTo(context, redirectUri, answer), status);
}

/** Stores a request and returns the address of the page that continues it. */
async function begin(
  context: AuthContext,
  client: OAuthClient,
  redirectUri: string,
  { scopes, state, nonce, codeChallenge, prompts, maxAge, loginHint }: AuthorizationParameters,
): Promise<string | AuthorizationFault> {
  const page = consentPageOf(context);
  if (page === null) return { error: 'server_error', description: 'oauth authorization path not configured' };
  if (prompts.includes('none') && !(page.isOwn && client.registration_type === 'manual')) {
    return { error: 'interaction_required', description: 'the member must see a page' };
  }
  const prompt = prompts.join(' ');
  const request = { clientId: client.id, redirectUri, scope: scopes.join(' '), state, nonce, codeChallenge };
  const id = await beginAuthorization(context.database, { ...request, prompt, maxAge });
  if (id === null) {
    return { error: 'temporarily_unavailable', description: 'too many requests wait for a decision' };
  }
  const query = new URLSearchParams({
    authorization_id: id,
    ...(prompt !== '' && { prompt }),
    ...(loginHint !== null && { login_hint: loginHint }),
  });
  return `${page.address}?${query}`;
}

/**
 * Returns the page where members consent: a page of the app's front end (`oauth_server_authorization_path`), or, with
 * `isOwn`, the consent page among the pages for members. Returns null if there is none, because no host name leads to
 * the app.
 */
function consentPageOf(context: AuthContext): { address: string; isOwn: boolean } | null {
  const path = context.settings.oauth_server_authorization_path;
  if (path !== null) {
    return { address: `${homeOf(context).replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`, isOwn: false };
  }
  const origin = context.origins.appOrigin(context.app.ref);
  return origin === null ? null : { address: `${origin}/account/consent`, isOwn: true };
}

/**
 * Returns the client and redirect address of a request.
 * @throws oauth_client_not_found, and validation_failed for an address that is not registered
 */
async function requireRedirect(
  { database }: AuthContext,
  parameters: URLSearchParams,
): Promise<{ client: OAuthClient; redirectUri: string }> {
  const [id, redirectUri] = ['client_id', 'redirect_uri'].map((name) => {
    const [value, ...more] = parameters.getAll(name);
    if (!value) throw new NinefoldError('validation_failed', { message: `${name} is required` });
    if (more.length > 0) throw new NinefoldError('validation_failed', { message: `${name} is repeated` });
    return value;
  }) as [string, string];
  const client = UUID.test(id) ? await findOAuthClient(database, id) : null;
  if (client === null) throw new NinefoldError('oauth_client_not_found', { status: 400, message: 'invalid client_id' });
  if (!client.redirect_uris.split(',').includes(redirectUri)) {
    throw new NinefoldError('validation_failed', { message: 'invalid redirect_uri' });
  }
  return { client, redirectUri };
}

/**
 * Returns the redirect address with the result in its query. `iss` lets the application distinguish providers (RFC
 * 9207).
 */
export function answerTo(
  context: AuthContext,
  redirectUri: string,
  answer: Readonly<Record<string, string | null | undefined>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, iss: issuerOf(context) })) {
    if (value) url.searchParams.set(name, value);
  }
  return url.href;
}
