import type { CallRequest } from '../../contract/call-request.ts';
import type { AuthContext } from './context.ts';
import { homeOf, redirectTarget } from './redirects.ts';

/**
 * Returns the address to which a link in a mail redirects. Returns null if the client names no allowed address and the
 * app has no site. The link then leads to one of the app's own pages.
 * @param asked The value of redirect_to in a body.
 */
export function linkTarget(context: AuthContext, request: CallRequest, asked?: string): string | null {
  const target = redirectTarget(context, request, asked);
  return context.settings.site_url === null && target === homeOf(context) ? null : target;
}
