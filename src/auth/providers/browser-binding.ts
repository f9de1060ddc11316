import { createHash } from 'node:crypto';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { AuthContext } from '../context.ts';
import { isSame } from './id-token.ts';
import { derived } from './provider-sign-in.ts';

type BindingContext = Pick<AuthContext, 'app' | 'origins' | 'nodeKey'>;

/** Matches the User-Agent of every browser. Programs name themselves. */
const BROWSER = /^(?:Mozilla|Opera)\//;

/**
 * Returns true if a browser may have sent the request. Browsers send Fetch Metadata only over TLS and to this machine,
 * and older ones never, so the headers that every page load has count too. A page of another site can change none of
 * these headers.
 */
function isBrowser({ headers }: Pick<CallRequest, 'headers'>): boolean {
  const mode = headers['sec-fetch-mode'];
  // The fetch of Node.js and of Deno sends the mode cors. A browser that sends it hands the response to a script.
  if (mode !== undefined && mode !== 'cors') return true;
  return BROWSER.test(headers['user-agent'] ?? '') || (headers.accept ?? '').includes('text/html');
}

/**
 * Returns true if a page of another origin sent the form. Browsers without Fetch Metadata send at least the header
 * Origin with a form.
 */
export function isFromOtherOrigin({ headers }: Pick<CallRequest, 'headers'>): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site !== 'same-origin';
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}

/**
 * Returns the name of the cookie of a sign-in. Each sign-in has its own cookie, so that two tabs can sign in at the
 * same time.
 */
const cookieName = ({ origins }: Pick<BindingContext, 'origins'>, state: string): string =>
  // With this prefix, browsers accept the cookie only from this host. Without TLS, they would not accept it at all.
  `${origins.isSecure ? '__Host-' : ''}nf-sign-in-${createHash('sha256').update(state).digest('hex')}`;

/**
 * Returns the URL of the app at which the cookies of its sign-ins are set: the app's own origin, or its path on the
 * node's origin if no host name leads to the app.
 */
export const signInBase = ({ app, origins }: Pick<AuthContext, 'app' | 'origins'>): string =>
  origins.appOrigin(app.ref) ?? origins.pathUrl(app.ref);

/** Returns true if a request was sent to the host whose cookies bind the app's sign-ins. */
const isAtSignInBase = (context: BindingContext, { headers }: Pick<CallRequest, 'headers'>): boolean =>
  context.origins.isHostOf(signInBase(context), headers.host);

/**
 * Returns the address to which a browser must be redirected before a call of a sign-in, because the cookies belong to
 * another host. Returns null for a request at that host, and for a program.
 */
export function elsewhereForSignIn(
  context: BindingContext,
  request: CallRequest,
  call: '/auth/v1/authorize' | '/auth/v1/callback',
): string | null {
  if (!isBrowser(request) || isAtSignInBase(context, request)) return null;
  return `${signInBase(context)}${call}${request.query === '' ? '' : `?${request.query}`}`;
}

/**
 * Returns the cookie that binds a sign-in at a provider to the browser that began the sign-in. Without this cookie, an
 * attacker could send the callback address of the attacker's own sign-in to a member. The member would then work in the
 * attacker's account. Over TLS, the cookie is set so that the browser also sends it with a form from another site,
 * because Apple returns with such a form.
 */
export function bindToBrowser(context: BindingContext, state: string): string {
  const value = derived(context, 'browser', state);
  const sameSite = context.origins.isSecure ? 'SameSite=None; Secure' : 'SameSite=Lax';
  const seconds = limits.providerSignInSeconds.default;
  // On the node's origin, the callback of the default app also has a path without /apps/<ref>.
  const isOnOwnOrigin = context.origins.appOrigin(context.app.ref) !== null;
  const path = isOnOwnOrigin && !context.origins.isSecure ? '/auth/v1/callback' : '/';
  return `${cookieName(context, state)}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; ${sameSite}`;
}

/** Returns true if the browser that opens a callback began the sign-in, or if the caller is a program. */
export function isBound(context: BindingContext, request: CallRequest, state: string): boolean {
  if (!isBrowser(request)) return true;
  const shown = cookieOf(request, cookieName(context, state));
  return shown !== undefined && isSame(shown, derived(context, 'browser', state));
}

/** Matches the cookies of sign-ins at providers in a header Cookie. */
const SIGN_IN_COOKIES = /(?<![^\s;])(?:__Host-)?nf-sign-in-[0-9a-f]{64}=[\w-]+/g;

/**
 * Returns the headers of a request with only the cookies of sign-ins. On the node's origin, all other cookies belong to
 * the node.
 */
export function withSignInCookies(headers: CallRequest['headers']): CallRequest['headers'] {
  const { cookie, ...rest } = headers;
  const own = cookie?.match(SIGN_IN_COOKIES);
  return own ? { ...rest, cookie: own.join('; ') } : rest;
}

/** Returns the value of the cookie with this name; undefined if the request has no such cookie. */
export const cookieOf = ({ headers }: Pick<CallRequest, 'headers'>, name: string): string | undefined =>
  (headers.cookie ?? '')
    .split(/;\s*/)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
