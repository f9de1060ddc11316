import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { Origins } from '../apps/registry/origins.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { ERROR_PAGES } from './help-link.ts';
import { INERT_POLICY, nodeHeaders } from './node-headers.ts';

/** Headers to write, by name in lower case. */
export type WrittenHeaders = Record<string, string | string[]>;

/**
 * Selects the headers of an app's reply that are written. An app's functions choose names and values, so every reply
 * passes through a policy. A policy may modify the object `reply.headers`.
 */
export type HeaderPolicy = (reply: Reply) => WrittenHeaders;

/**
 * Headers that an inert reply may have with any value. They are the headers of PostgREST, GoTrue, resumable uploads
 * and supabase-js, and headers that describe only the reply itself. Other headers might affect the whole origin in some browser.
 */
const harmless: ReadonlySet<string> = new Set([
  'accept-ranges',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-max-age',
  'age',
  'allow',
  'cache-control',
  'connection',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-profile',
  'content-range',
  'deprecation',
  'etag',
  'expires',
  'last-modified',
  'ninefold-max-rows',
  'pragma',
  'preference-applied',
  'proxy-status',
  'range-unit',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'sb-request-id',
  'server-timing',
  'sunset',
  'tus-extension',
  'tus-max-size',
  'tus-resumable',
  'tus-version',
  'upload-defer-length',
  'upload-expires',
  'upload-length',
  'upload-metadata',
  'upload-offset',
  'vary',
  'warning',
  'x-request-id',
]);

/**
 * Headers that control a proxy: nginx, Apache, lighttpd, LiteSpeed and h2o serve files of their own machine on request.
 */
const FOR_PROXY = /^x-(?:accel|sendfile|lighttpd|litespeed|reproxy)/;
/** Matches headers beginning with `x-` that a browser or its developer tools obey, or obeyed in an earlier version. */
const FOR_BROWSER =
  /^x-(?:auto-login|chrome-|content-|dns-prefetch-|download-options|frame-options|permitted-|sourcemap|ua-compatible|webkit-|xss-)/;
/**
 * Matches a Link header that names only related pages. Browsers load resources for other relations, so such a header is
 * removed.
 */
const PLAIN_LINKS =
  /^<[^<>]*>; ?rel="?(?:describedby|first|help|last|next|prev|self)"?(?:, *<[^<>]*>; ?rel="?(?:describedby|first|help|last|next|prev|self)"?)*$/;
/**
 * Matches a Bearer challenge (WWW-Authenticate). A challenge of another scheme is removed, because browsers would ask
 * the user for a password.
 */
const BEARER = /^Bearer(?: +[\w-]+=(?:"[^"\\]*"|[\w.-]+)(?:, *[\w-]+=(?:"[^"\\]*"|[\w.-]+))*)?$/i;
/**
 * Matches a path on the same origin. A path that starts with `//` or `/\` is excluded, because browsers read that as
 * the start of a host.
 */
const PATH = /^\/(?![/\\])[^\t]*$/;
/** Matches the content type of a response with several parts. It is removed, because each part has its own headers. */
const MULTIPART = /^\s*multipart\//i;

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** Returns true if a header of an inert reply may have this value. */
function isHarmless(name: string, value: string, status: number): boolean {
  switch (name) {
    case 'content-type':
      return !MULTIPART.test(value);
    case 'link':
      return PLAIN_LINKS.test(value);
    case 'www-authenticate':
      return BEARER.test(value);
    case 'location':
      // A redirect would send a request of the console to an address that the app chooses, with the builder's
      // credentials.
      return !isRedirect(status) && PATH.test(value);
    default:
      return name.startsWith('x-') && !FOR_PROXY.test(name) && !FOR_BROWSER.test(name);
  }
}

/**
 * Creates the policy of replies on the node's origin. A browser shows such a reply as a document without scripts, forms
 * and frames. The reply cannot affect anything outside of this document.
 * @param always Headers of every reply; they override those of the app.
 * @param redirects True if sign-in may redirect and set cookies. False for builders' requests, which carry the builder's credentials.
 */
function inert(always: Readonly<Record<string, string>>, redirects: boolean): HeaderPolicy {
  const known = new Set([...harmless, ...Object.keys(always)]);
  return ({ headers, status, redirect, cookies, hasOwnCookies, decidesCors }) => {
    const cors = decidesCors ? corsOf(headers) : null;
    for (const name in headers) {
      if (!known.has(name) && !isHarmless(name, headers[name] as string, status)) delete headers[name];
    }
    if (redirects && redirect !== undefined) headers.location = redirect;
    const written: WrittenHeaders = Object.assign(headers, always);
    if (cors) Object.assign(written, cors.set);
    for (const name of cors?.left ?? []) delete written[name];
    return redirects && hasOwnCookies && cookies ? { ...written, 'set-cookie': [...cookies] } : written;
  };
}

/** Returns the headers about other origins that a reply sets, and the names of those that it leaves out. */
function corsOf(headers: Reply['headers']): { set: Record<string, string>; left: readonly string[] } {
  const names = Object.keys(corsHeaders);
  return {
    set: Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
    left: names.filter((name) => headers[name] === undefined),
  };
}

/**
 * Headers that an app may not set on its own origin, because they also affect other host names of the domain, or a
 * proxy in front of the node.
 */
const reaching: ReadonlySet<string> = new Set(['clear-site-data', 'strict-transport-security']);

/**
 * Creates the policy of replies on an app's own origin: the app chooses all headers except those that affect other
 * origins or the proxy.
 */
function onOwnOrigin(nodeUrl: string, hsts: string | undefined): HeaderPolicy {
  const relativeHelp = `<${ERROR_PAGES}/`;
  return ({ headers, cookies, redirect }) => {
    if (redirect !== undefined) headers.location = redirect;
    for (const name in headers) if (reaching.has(name) || FOR_PROXY.test(name)) delete headers[name];
    headers['x-content-type-options'] = 'nosniff';
    if (hsts !== undefined) headers['strict-transport-security'] = hsts;
    if (headers.link?.startsWith(relativeHelp)) headers.link = `<${nodeUrl}${headers.link.slice(1)}`;
    return cookies?.length ? { ...headers, 'set-cookie': [...cookies] } : headers;
  };
}

/**
 * Returns the header policies for replies of apps: below /apps/<ref>, to builders below /admin/v1, and on an app's own
 * origin.
 */
export function headerPolicies(origins: Origins): Readonly<Record<'path' | 'builder' | 'own', HeaderPolicy>> {
  const { 'strict-transport-security': hsts } = nodeHeaders(origins);
  return {
    path: inert(
      {
        ...corsHeaders,
        'content-security-policy': INERT_POLICY,
        'x-content-type-options': 'nosniff',
        ...(hsts && { 'strict-transport-security': hsts }),
      },
      true,
    ),
    builder: inert({ ...nodeHeaders(origins), 'content-security-policy': INERT_POLICY }, false),
    own: onOwnOrigin(origins.url, hsts),
  };
}

/**
 * Returns the header policies for the node's own replies, whose content no app can choose. One policy is for the API,
 * whose replies a browser shows as inert text. The other policy is for pages and files.
 */
export function nodePolicies(origins: Origins): Readonly<Record<'api' | 'page', HeaderPolicy>> {
  const always = nodeHeaders(origins);
  return {
    api: ({ headers, cookies }) => ({
      ...always,
      'cache-control': 'no-store',
      ...headers,
      'content-security-policy': INERT_POLICY,
      ...(cookies?.length && { 'set-cookie': [...cookies] }),
    }),
    page: ({ headers }) => ({ ...always, ...headers }),
  };
}

/**
 * Values of the header Sec-Fetch-Dest for requests whose response a browser runs as a script (Fetch standard,
 * "script-like").
 */
const scripts: ReadonlySet<string> = new Set([
  'audioworklet',
  'paintworklet',
  'script',
  'serviceworker',
  'sharedworker',
  'worker',
]);

/** Returns the error for a request for a script on the node's origin; undefined for any other request. */
export function refusedAsScript(headers: CallRequest['headers']): NinefoldError | undefined {
  const isScript = headers['service-worker'] !== undefined || scripts.has(headers['sec-fetch-dest'] ?? '');
  return isScript ? new NinefoldError('script_refused') : undefined;
}

/** Returns the headers without cookies. On the node's origin, all cookies belong to the node. */
export function withoutCookies(headers: CallRequest['headers']): CallRequest['headers'] {
  if (headers.cookie === undefined) return headers;
  const { cookie: _, ...rest } = headers;
  return rest;
}

/**
 * Returns the headers of a builder's request without the builder's credentials, because the app's functions can read
 * all headers.
 */
export function withoutCredentials(headers: CallRequest['headers']): CallRequest['headers'] {
  const { cookie: _, authorization: __, 'x-ninefold-as': ___, ...rest } = headers;
  return rest;
}

/**
 * CORS headers of every response of an app. Any page may read responses and all their headers: this is safe, because
 * requests to apps are authenticated by headers that a page must set itself, and not by cookies. The wildcard covers
 * all headers of requests without credentials (Fetch standard, "CORS-safelisted response-header name"). Browsers reject
 * responses with a wildcard to requests with credentials.
 */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};

/** Returns true for a preflight request of a browser (Fetch standard, "CORS-preflight request"). */
export const isPreflight = (request: CallRequest): boolean =>
  request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;

/** Request headers that every preflight response allows, as in PostgREST. */
const ALWAYS_ALLOWED = ['Authorization', 'Accept', 'Accept-Language', 'Content-Language'] as const;

/** Returns the response to a preflight request: every method, and the requested headers (PostgREST docs, "CORS"). */
export function preflightReply(request: CallRequest): Reply {
  const asked = (request.headers['access-control-request-headers'] ?? 'apikey, Content-Type').split(',');
  const [first, ...rest] = ALWAYS_ALLOWED;
  const names = [first, ...asked.map((name) => name.trim()), ...rest].filter((name) => name !== '');
  return {
    status: 200,
    headers: {
      'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD',
      'access-control-allow-headers': unique(names).join(', '),
      'access-control-max-age': '86400',
      vary: 'access-control-request-headers',
    },
    body: null,
  };
}

/** Removes duplicate header names, ignoring case. */
function unique(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => {
    const folded = name.toLowerCase();
    return !seen.has(folded) && seen.add(folded);
  });
}
