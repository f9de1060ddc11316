import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { signInExternally } from '../accounts/external-sign-in.ts';
import { makeAuthCode, type ReturnedFlow, takeFlow } from '../accounts/flow-states.ts';
import { linkIdentity } from '../accounts/identities.ts';
import type { Grant } from '../accounts/sessions.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { redirectTo } from './authorize.ts';
import { isBound } from './browser-binding.ts';
import type { AuthContext } from './context.ts';
import { externalIdentity, rulesFor } from './external-identity.ts';
import { ProviderFailure } from './provider-fetch.ts';
import { asObject, claimText, type Profile } from './provider-profile.ts';
import { finishAtProvider, type ProviderSignIn } from './provider-sign-in.ts';
import { findProvider, type Provider, ProviderUnavailable } from './providers.ts';
import { homeOf } from './redirects.ts';
import { clientOf, sessionBody } from './token-reply.ts';

/**
 * GET and POST /callback: a member comes back from a provider. Leads to the address that the sign-in began with, with a code for the
 * session (PKCE) or the session itself in the fragment; errors go there too. Without a valid state it leads to the site.
 */
export async function callback(context: AuthContext, exchange: Exchange): Promise<Reply> {
  const answer = parametersOf(exchange);
  const state = answer.get('state') ?? '';
  let flow: ReturnedFlow;
  try {
    flow = await flowOf(context, exchange, state);
  } catch (error) {
    return redirectTo(withError(homeOf(context), error, false), 303);
  }
  const target = flow.referrer ?? homeOf(context);
  try {
    return redirectTo(await finish(context, exchange, { flow, state, answer, target }));
  } catch (error) {
    const shown = asShown(error);
    if (shown === null) throw error;
    const { app, events } = context;
    if (shown instanceof NinefoldError && shown.status >= 500) {
      events.emit({ type: 'fault', requestId: exchange.requestId, where: 'auth', error });
    }
    events.emit({ type: 'auth', what: 'sign-in-failed', app: app.ref, userId: null, address: exchange.address });
    return redirectTo(withError(target, shown, true));
  }
}

/** Apple posts a form. */
function parametersOf(exchange: Exchange): URLSearchParams {
  if (exchange.method !== 'POST') return new URLSearchParams(exchange.query);
  return new URLSearchParams(Buffer.from(exchange.body ?? new Uint8Array()).toString('utf8'));
}

async function flowOf(context: AuthContext, exchange: Exchange, state: string): Promise<ReturnedFlow> {
  if (state === '') throw new NinefoldError('bad_oauth_callback', { message: 'OAuth state parameter missing' });
  const taken = await takeFlow(context.database, state);
  switch (taken.verdict) {
    case 'taken':
      // A member who adds an identity begins with a call of the client, which gets no cookie.
      if (taken.flow.linkingTargetId === null && !isBound(context, exchange, state)) {
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

/** What the provider reports instead of a code (RFC 6749, section 4.1.2.1). */
class RefusedByProvider extends Error {
  readonly error: string;
  readonly description: string;

  constructor(error: string, description: string) {
    super(error);
    this.error = error;
    this.description = description;
  }
}

interface Returned {
  readonly flow: ReturnedFlow;
  readonly state: string;
  readonly answer: URLSearchParams;
  readonly target: string;
}

/** Returns the address where the member goes. */
async function finish(context: AuthContext, exchange: Exchange, returned: Returned): Promise<string> {
  const { flow, state, answer, target } = returned;
  const refused = answer.get('error');
  if (refused) throw new RefusedByProvider(refused, answer.get('error_description') ?? '');
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
  const code = flow.isPkce ? makeAuthCode() : null;
  const grant = await enter(context, exchange, flow, { provider, profile, tokens: signedIn.tokens }, code);
  if (code !== null) {
    const url = new URL(target);
    url.searchParams.set('code', code.code);
    return url.href;
  }
  return withSession(context, exchange, target, grant, signedIn);
}

/** The library checks these; a provider may add others. */
function protocolParameters(answer: URLSearchParams): URLSearchParams {
  const known = ['code', 'state', 'iss'].flatMap((name) =>
    answer.getAll(name).map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(known);
}

/** Apple tells the name once, in the form. It is not signed, so nothing but the name is taken from it. */
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

/** Signs in, or adds the identity to the account for which the flow began. Returns the session; null if the client gets a code. */
async function enter(
  context: AuthContext,
  exchange: Exchange,
  flow: ReturnedFlow,
  { provider, profile, tokens }: ProviderSignIn & { provider: Provider },
  code: ReturnType<typeof makeAuthCode> | null,
): Promise<Grant | null> {
  const { database, app, events } = context;
  const { address } = exchange;
  const identity = externalIdentity(provider, profile);
  const ending = code
    ? ({ kind: 'code', client: clientOf(exchange), flowId: flow.id, code, tokens } as const)
    : ({ kind: 'session', client: clientOf(exchange), flowId: flow.id } as const);
  if (flow.linkingTargetId !== null) return linkIdentity(database, flow.linkingTargetId, identity, ending);
  const { userId, isNew, grant } = await signInExternally(
    database,
    identity,
    rulesFor(context, exchange, provider, identity),
    ending,
  );
  if (isNew) events.emit({ type: 'auth', what: 'signed-up', app: app.ref, userId, address });
  if (grant) events.emit({ type: 'auth', what: 'signed-in', app: app.ref, userId, address });
  return grant;
}

async function withSession(
  context: AuthContext,
  exchange: Exchange,
  target: string,
  grant: Grant | null,
  { tokens }: ProviderSignIn,
): Promise<string> {
  if (grant === null) throw new Error('a sign-in gave neither a code nor a session');
  const { user: _, ...session } = await sessionBody(context, exchange, grant);
  const fragment = new URLSearchParams({
    ...Object.fromEntries(Object.entries(session).map(([name, value]) => [name, String(value)])),
    provider_token: tokens.accessToken,
    ...(tokens.refreshToken !== undefined && { provider_refresh_token: tokens.refreshToken }),
    sb: '',
  });
  return `${target.replace(/#.*$/s, '')}#${fragment}`;
}

/** Returns an error whose words may be shown; null for a fault of the node. */
function asShown(error: unknown): NinefoldError | RefusedByProvider | null {
  if (error instanceof NinefoldError || error instanceof RefusedByProvider) return error;
  if (error instanceof ProviderFailure)
    return new NinefoldError('provider_failed', { message: error.message, cause: error });
  if (error instanceof ProviderUnavailable) {
    const message = `Unsupported provider: ${error.message}`;
    return new NinefoldError('oauth_provider_not_supported', { message, cause: error });
  }
  return null;
}

const DENIED: ReadonlySet<string> = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);
/** RFC 6749, section 4.1.2.1, by status. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  503: 'temporarily_unavailable',
};

/** Returns an address with an error in the query, and in the fragment where clients of the implicit flow look. */
function withError(target: string, error: unknown, inFragment: boolean): string {
  const parameters = errorParameters(error);
  const url = new URL(target);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (inFragment) url.hash = new URLSearchParams({ ...parameters, sb: '' }).toString();
  return url.href;
}

function errorParameters(error: unknown): Record<string, string> {
  if (error instanceof RefusedByProvider) {
    const { error: name, description } = error;
    return { error: claimText(name), ...(description !== '' && { error_description: claimText(description) }) };
  }
  if (!(error instanceof NinefoldError)) throw error;
  const { code, status, message } = error;
  const name = DENIED.has(code) ? 'access_denied' : (NAMES[status] ?? 'server_error');
  return { error: name, error_code: code, error_description: message };
}
