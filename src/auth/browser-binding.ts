import { createHash } from 'node:crypto';
import type { CallRequest } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import type { AuthContext } from './context.ts';
import { isSame } from './id-token.ts';
import { derived } from './provider-sign-in.ts';

type BindingContext = Pick<AuthContext, 'app' | 'origins' | 'nodeKey'>;

/** Returns true if a browser opens the address as a page. Programs do not send these headers. */
export const isNavigation = ({ headers }: Pick<CallRequest, 'headers'>): boolean =>
  headers['sec-fetch-mode'] === 'navigate';

/**
 * Returns the name of the cookie of a sign-in. Each sign-in has its own cookie, so that two tabs can sign in at the
 * same time.
 */
const cookieName = (state: string): string => `nf-sign-in-${createHash('sha256').update(state).digest('hex')}`;

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
  return `${cookieName(state)}=${value}; Path=/auth/v1/callback; Max-Age=${seconds}; HttpOnly; ${sameSite}`;
}

/** Returns true if the browser that opens a callback began the sign-in, or if the caller is a program. */
export function isBound(context: BindingContext, request: CallRequest, state: string): boolean {
  const isOnOwn = context.origins.isAtOrigin(context.app.ref, request.headers.host);
  if (!isNavigation(request) || !isOnOwn) return true;
  const shown = cookieOf(request, cookieName(state));
  return shown !== undefined && isSame(shown, derived(context, 'browser', state));
}

/** Returns the value of the cookie with this name; undefined if the request has no such cookie. */
export const cookieOf = ({ headers }: Pick<CallRequest, 'headers'>, name: string): string | undefined =>
  (headers.cookie ?? '')
    .split(/;\s*/)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
