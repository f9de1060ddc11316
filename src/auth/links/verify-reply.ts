import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import type { TokenUsed } from '../../accounts/messages/one-time-tokens.ts';
import type { Grant } from '../../accounts/sessions/sessions.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';
import { sessionBody } from '../sign-in/token-reply.ts';
import type { LinkType } from './link-mails.ts';
import { outcomePage } from './verify-page.ts';

/** GoTrue's message for the first of two confirmations of a change of address. */
export const HALF_CONFIRMED = 'Confirmation link accepted. Please proceed to confirm link sent to the other email';
/** GoTrue's message for an invalid link. */
export const INVALID_LINK = 'Email link is invalid or has expired';

/** Error codes and messages of an invalid link. */
const failures = {
  void: ['access_denied', 'otp_expired', INVALID_LINK],
  banned: ['access_denied', 'user_banned', 'User is banned'],
  taken: ['', 'email_exists', 'A user with this email address has already been registered'],
  'no-flow': ['', 'flow_state_not_found', 'No associated flow state found'],
} as const;

/** The result of a link, and the address to which the member is redirected. */
export interface LinkResult {
  readonly used: TokenUsed;
  readonly type: LinkType | null;
  /** The address to which the member is redirected; null for an app without a site. */
  readonly redirectTo: string | null;
  /** True if the link belongs to a PKCE flow. */
  readonly isPkce: boolean;
}

/**
 * Returns the response to the form of a link as GoTrue's: a redirect with the session in the fragment, or for a PKCE
 * flow with a code in the query. For an app without a site, returns a page with the result and does not use the
 * session.
 */
export async function linkReply(context: AuthContext, request: CallRequest, result: LinkResult): Promise<Reply> {
  const { redirectTo, used } = result;
  if (redirectTo === null) return outcomePage(request, used.verdict);
  const target = new URL(redirectTo);
  if (used.verdict === 'code') target.searchParams.set('code', used.code);
  else target.hash = (await fragmentOf(context, request, result, target)).toString();
  return {
    status: 303,
    headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    redirect: target.href,
    body: null,
  };
}

/** Returns the URL fragment from which clients of GoTrue's implicit flow read a session. */
export async function sessionFragment(
  context: AuthContext,
  request: CallRequest,
  grant: Grant,
  type: LinkType | null,
): Promise<URLSearchParams> {
  const { user: _, ...fields } = await sessionBody(context, request, grant);
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams([...texts, ['sb', ''], ['type', type ?? '']]);
}

/** Returns the fragment of the redirect. In a PKCE flow, an error is also in the query. */
async function fragmentOf(
  context: AuthContext,
  request: CallRequest,
  { used, type, isPkce }: LinkResult,
  target: URL,
): Promise<URLSearchParams> {
  if (used.verdict === 'used') {
    try {
      return await sessionFragment(context, request, used.grant, type);
    } catch (error) {
      // A hook returned no token. The redirect shows the error to the member on the site.
      if (!(error instanceof NinefoldError)) throw error;
      const fields = { error: 'server_error', error_code: error.code, error_description: error.message };
      return new URLSearchParams({ ...fields, sb: '' });
    }
  }
  if (used.verdict === 'half' || used.verdict === 'code') {
    if (isPkce) target.searchParams.set('message', HALF_CONFIRMED);
    return new URLSearchParams({ message: HALF_CONFIRMED, sb: '' });
  }
  const [error, code, description] = failures[used.verdict];
  const fields = { ...(error && { error }), error_code: code, error_description: description };
  if (isPkce) for (const [name, value] of Object.entries(fields)) target.searchParams.set(name, value);
  return new URLSearchParams({ ...fields, sb: '' });
}
