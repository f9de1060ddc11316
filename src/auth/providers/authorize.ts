import { randomUUID } from 'node:crypto';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { type NewFlow, startFlow } from '../../accounts/providers/flow-states.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { authCall } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { redirectTarget } from '../links/redirects.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { readCodeChallenge } from '../sign-in/code-challenge.ts';
import { bindToBrowser, elsewhereForSignIn } from './browser-binding.ts';
import { findProvider, ProviderUnavailable } from './find-provider.ts';
import { ProviderFailure } from './provider-fetch.ts';
import { authorizationUrl } from './provider-sign-in.ts';

/**
 * A browser is first redirected to the host whose cookie binds the sign-in to the browser, which is the app's own
 * origin if it has one.
 */
export const authorize = authCall({
  id: 'auth.authorize',
  route: 'GET /authorize',
  caller: 'anyone',
  needsMemberPages: true,
  errors: [],
  summary: 'Leads a member to the page of a provider, where they sign in.',
  query: {
    provider: required(
      'google, github, gitlab, apple, azure, discord, facebook, custom:… for one of your own, or custom:ninefold for the pages of the app.',
    ),
    redirect_to: optional('Where the member goes afterwards; the site when not given or not allowed.'),
    scopes: optional('Further scopes, with spaces between.'),
    code_challenge: optional('The challenge of PKCE; without it the session comes in the fragment.'),
    code_challenge_method: optional('How the challenge was made.', 's256 or plain'),
  },
  returns: '302 to the provider',
  supabaseJs: "supabase.auth.signInWithOAuth({ provider: 'github' })",
  handle: async (context, request) => {
    const elsewhere = elsewhereForSignIn(context, request, '/auth/v1/authorize');
    if (elsewhere !== null) return redirectTo(elsewhere);
    if (new URLSearchParams(request.query).get('provider')?.toLowerCase() === PAGES)
      return toOwnPages(context, request);
    const { url, state } = await beginAtProvider(context, request, null);
    return { ...redirectTo(url), cookies: [bindToBrowser(context, state)], hasOwnCookies: true };
  },
});

/**
 * Provider name with which clients start a sign-in on the app's own pages. It has the prefix `custom:`, because the
 * types of supabase-js accept only such names for further providers.
 */
export const PAGES = 'custom:ninefold';

/**
 * Redirects to the app's pages, where the member signs in with any of the app's sign-in methods. The pages
 * redirect back with a session (`continueElsewhere`).
 */
function toOwnPages(context: AuthContext, request: CallRequest): Reply {
  const own = context.origins.appOrigin(context.app.ref);
  if (own === null) {
    throw new NinefoldError('validation_failed', {
      message: 'Unsupported provider: no host name leads to the pages of this app',
    });
  }
  const query = new URLSearchParams(request.query);
  const challenge = readCodeChallenge(
    query.get('code_challenge') ?? undefined,
    query.get('code_challenge_method') ?? undefined,
  );
  const asked = new URLSearchParams({
    redirect_to: redirectTarget(context, request),
    ...(challenge && { code_challenge: challenge.value, code_challenge_method: challenge.method }),
  });
  return redirectTo(`${own}/account/continue?${asked}`);
}

export const redirectTo = (address: string, status: 302 | 303 | 307 = 302): Reply => ({
  status,
  headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  redirect: address,
  body: null,
});

/**
 * Starts a sign-in at the provider that the query names. Returns the provider's page, and the state that the provider
 * sends back.
 *
 * @param linking The account that gets the identity, and the session of the call; null for a sign-in.
 */
export async function beginAtProvider(
  context: AuthContext,
  request: CallRequest,
  linking: NonNullable<NewFlow['linking']> | null,
): Promise<{ url: string; state: string }> {
  const query = new URLSearchParams(request.query);
  const name = query.get('provider') ?? '';
  try {
    const provider = await findProvider(context, name);
    await takeFromLimit(context, request, 'provider');
    const referrer = redirectTarget(context, request);
    const challenge = readCodeChallenge(
      query.get('code_challenge') ?? undefined,
      query.get('code_challenge_method') ?? undefined,
    );
    const state = randomUUID();
    const scopes = (query.get('scopes') ?? '').slice(0, limits.claimCharacters.default);
    const url = await authorizationUrl(context, provider, { state, scopes, query });
    const { isEmailOptional: emailOptional } = provider;
    const flow = { method: 'oauth', providerType: provider.name, challenge, userId: null } as const;
    await runAsAuthAdmin(context.database, startFlow({ ...flow, state, referrer, linking, emailOptional }));
    return { url, state };
  } catch (error) {
    if (!(error instanceof ProviderUnavailable) && !(error instanceof ProviderFailure)) throw error;
    throw new NinefoldError('validation_failed', { message: `Unsupported provider: ${error.message}`, cause: error });
  }
}
