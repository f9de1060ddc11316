import type { RedirectDecision } from '../../../contract/admin.ts';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';
import { matchesUrlPattern } from './url-pattern.ts';

type RedirectContext = Pick<AuthContext, 'app' | 'settings' | 'origins'>;

/** URL schemes whose addresses run code or read files when a browser opens them. */
const refusedSchemes: ReadonlySet<string> = new Set([
  'about:',
  'blob:',
  'data:',
  'file:',
  'javascript:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]);

const WEB = /^https?:$/;

/**
 * Returns the address of a member after a sign-in: the requested address if it is allowed, else the address in the
 * header Referer, else the address of the site (GoTrue, `GetReferrer`).
 * @param asked The value of redirect_to in a body. The value in the query is read from the request.
 */
export function redirectTarget(context: RedirectContext, request: CallRequest, asked?: string): string {
  const fromQuery = new URLSearchParams(request.query).get('redirect_to');
  const first = request.headers.redirect_to || asked || fromQuery || '';
  return allowedRedirect(context, first) ?? allowedRedirect(context, request.headers.referer ?? '') ?? homeOf(context);
}

/**
 * Returns the address of the app's site: `site_url`, or the app's own origin if the app has no site. The site of the
 * console is the node itself.
 */
export const homeOf = ({ app, settings, origins }: RedirectContext): string =>
  app.ref === CONSOLE_REF ? origins.url : (settings.site_url ?? origins.appOrigin(app.ref) ?? origins.pathUrl(app.ref));

/**
 * Throws unless links and redirects may lead to pages of the app. Builders sign in on the pages of the console, and
 * links to these pages come from the management API.
 * @throws feature_disabled
 */
export function requireMemberPages({ app }: Pick<RedirectContext, 'app'>): void {
  if (app.ref !== CONSOLE_REF) return;
  throw new NinefoldError('feature_disabled', {
    message: 'The console sends no links by mail: builders sign in on its pages, and its owners make recovery links',
  });
}

/** Returns the page of the app that receives the session after a link; null if no host name leads to the app. */
export function arrivalPage({ app, origins }: RedirectContext): string | null {
  const own = origins.appOrigin(app.ref);
  return own === null ? null : `${own}/account/arrive`;
}

/** Returns an address as browsers parse it if tokens may be sent there (`decideRedirect`); null if not. */
export const allowedRedirect = (context: RedirectContext, address: string): string | null =>
  decideRedirect(context, address).address;

/**
 * Decides whether tokens may be sent to an address. Allowed are:
 * - the site and the app's own origin (scheme, host and port),
 * - loopback addresses with any port except the node's (RFC 8252, section 7.3),
 * - addresses that match an entry of uri_allow_list.
 * Browsers read `\` as `/` and remove tabs. Entries are therefore compared with the parsed address.
 */
export function decideRedirect(context: RedirectContext, address: string): RedirectDecision {
  if (address.length > limits.redirectCharacters.default) return refused('too long');
  if (!URL.canParse(address)) return refused('malformed');
  const url = new URL(address);
  if (refusedSchemes.has(url.protocol)) return refused('scheme');
  const isWeb = WEB.test(url.protocol);
  if (isWeb && (url.username !== '' || url.password !== '')) return refused('user name');
  if (isSite(context, url)) return allowed(url, 'site');
  if (isOwn(context, url)) return allowed(url, 'origin');
  const isLocal = isLoopback(url.hostname) || url.hostname === 'localhost';
  if (isWeb && isLocal && !isNode(context, url)) return allowed(url, 'loopback');
  if (isWeb && isLocal && isAddress(url.hostname)) return refused('node');
  if (isWeb && isAddress(url.hostname)) return refused('network address');
  const entry = matchingEntry(context.settings.uri_allow_list, url);
  if (entry !== null) return allowed(url, 'entry', entry);
  return refused(isWeb && isLocal ? 'node' : 'not listed');
}

const allowed = (url: URL, by: NonNullable<RedirectDecision['by']>, entry: string | null = null): RedirectDecision => ({
  ...{ address: url.href, by, entry },
  refusal: null,
});

const refused = (refusal: NonNullable<RedirectDecision['refusal']>): RedirectDecision => ({
  ...{ address: null, by: null, entry: null },
  refusal,
});

function isSite({ settings }: RedirectContext, url: URL): boolean {
  if (settings.site_url === null || !URL.canParse(settings.site_url)) return false;
  const site = new URL(settings.site_url);
  return site.protocol === url.protocol && site.host === url.host && WEB.test(site.protocol);
}

function isOwn({ app, origins }: RedirectContext, url: URL): boolean {
  return WEB.test(url.protocol) && url.origin === origins.appOrigin(app.ref);
}

/** Returns true for an address of the node itself, below which other apps are served. */
function isNode({ origins }: RedirectContext, url: URL): boolean {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return port === origins.port;
}

const isAddress = (hostname: string): boolean => /^[\d.]+$/.test(hostname) || hostname.startsWith('[');

const isLoopback = (hostname: string): boolean => /^127(?:\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]';

/**
 * Returns the first entry that matches an address without its fragment; null if none does. The final slash of a path
 * may be missing in the entry: `https://a.example/docs` also matches `https://a.example/docs/`. Otherwise an address
 * without a path, to which browsers add a slash, would need two entries.
 */
function matchingEntry(entries: readonly string[], url: URL): string | null {
  const whole = url.href.replace(/#.*$/s, '');
  const hasFinalSlash = WEB.test(url.protocol) && !whole.includes('?') && whole.endsWith('/');
  const candidates = hasFinalSlash ? [whole, whole.slice(0, -1)] : [whole];
  const budget = { steps: limits.patternSteps.default };
  const matches = (entry: string) => candidates.some((candidate) => matchesUrlPattern(entry, candidate, budget));
  return entries.find(matches) ?? null;
}

/**
 * Returns the address to which a link in a mail redirects. Returns null if the client names no allowed address and the
 * app has no site: the link then leads to a page of the app itself.
 *
 * @param asked The value of redirect_to in a body.
 */
export function linkTarget(context: AuthContext, request: CallRequest, asked?: string): string | null {
  const target = redirectTarget(context, request, asked);
  return context.settings.site_url === null && target === homeOf(context) ? null : target;
}
