import type { Exchange, Reply } from '../../contract/exchange.ts';
import type { Origins } from '../apps/origins.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { corsHeaders } from './cors.ts';
import { ERROR_PAGES } from './help-link.ts';
import { INERT_POLICY, nodeHeaders } from './node-headers.ts';

/** Headers to write, by name in lower case. */
export type WrittenHeaders = Record<string, string | string[]>;

/**
 * Decides which headers of an app's reply are written. An app's functions choose names and values, so a reply is written through a
 * policy only. It may change `reply.headers`.
 */
export type HeaderPolicy = (reply: Reply) => WrittenHeaders;

/**
 * Headers that an inert reply may have, with any value: those of PostgREST, GoTrue and supabase-js, and those that say something
 * about this reply alone. A header that is not here may act on the whole origin, today or in a later browser.
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
  'vary',
  'warning',
  'x-request-id',
]);

/** Headers that the proxy in front obeys: nginx, Apache, lighttpd, LiteSpeed and h2o would serve files of their own machine. */
const FOR_PROXY = /^x-(?:accel|sendfile|lighttpd|litespeed|reproxy)/;
/** Headers with `x-` that browsers or their tools have obeyed. */
const FOR_BROWSER =
  /^x-(?:content-|dns-prefetch-|download-options|frame-options|permitted-|sourcemap|ua-compatible|webkit-|xss-)/;
/** A link to another page of the same kind; other relations make a browser load something. */
const PLAIN_LINKS =
  /^<[^<>]*>; ?rel="?(?:describedby|first|help|last|next|prev|self)"?(?:, *<[^<>]*>; ?rel="?(?:describedby|first|help|last|next|prev|self)"?)*$/;
/** A challenge without a scheme for which browsers ask for a password. */
const BEARER = /^Bearer(?: +[\w-]+=(?:"[^"\\]*"|[\w.-]+)(?:, *[\w-]+=(?:"[^"\\]*"|[\w.-]+))*)?$/i;
/** A path on the same origin. A browser reads `//` and `/\` as the beginning of a host. */
const PATH = /^\/(?![/\\])[^\t]*$/;
/** Several parts, each with headers of its own. */
const MULTIPART = /^\s*multipart\//i;

const isRedirect = (status: number): boolean => status >= 300 && status < 400;

/** True if a header of an inert reply may have this value. */
function isHarmless(name: string, value: string, status: number): boolean {
  switch (name) {
    case 'content-type':
      return !MULTIPART.test(value);
    case 'link':
      return PLAIN_LINKS.test(value);
    case 'www-authenticate':
      return BEARER.test(value);
    case 'location':
      // A redirect would lead a call of the console to an address of the app's choice, with the builder's rights.
      return !isRedirect(status) && PATH.test(value);
    default:
      return name.startsWith('x-') && !FOR_PROXY.test(name) && !FOR_BROWSER.test(name);
  }
}

/**
 * Makes the policy of replies on the node's origin: a browser shows them as a document without scripts, forms and frames, and they
 * change nothing outside themselves. `always` is on every reply, whatever the app says.
 *
 * @param redirects Whether sign-in may lead elsewhere: not where a builder calls, with the builder's rights.
 */
function inert(always: Readonly<Record<string, string>>, redirects: boolean): HeaderPolicy {
  const known = new Set([...harmless, ...Object.keys(always)]);
  return ({ headers, status, redirect }) => {
    for (const name in headers) {
      if (!known.has(name) && !isHarmless(name, headers[name] as string, status)) delete headers[name];
    }
    if (redirects && redirect !== undefined) headers.location = redirect;
    return Object.assign(headers, always);
  };
}

/** Headers that reach beyond an app's origin: to other names of the domain, or to the proxy in front. */
const reaching: ReadonlySet<string> = new Set(['clear-site-data', 'strict-transport-security']);

/** Makes the policy of replies on an app's own origin: the app decides, except on headers that reach further. */
function onOwnOrigin(nodeUrl: string): HeaderPolicy {
  const relativeHelp = `<${ERROR_PAGES}/`;
  return ({ headers, cookies, redirect }) => {
    if (redirect !== undefined) headers.location = redirect;
    for (const name in headers) if (reaching.has(name) || FOR_PROXY.test(name)) delete headers[name];
    headers['x-content-type-options'] = 'nosniff';
    if (headers.link?.startsWith(relativeHelp)) headers.link = `<${nodeUrl}${headers.link.slice(1)}`;
    return cookies?.length ? { ...headers, 'set-cookie': [...cookies] } : headers;
  };
}

/** The policies of a node: replies below /apps/<ref>, replies to builders below /admin/v1, and replies on an app's origin. */
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
    own: onOwnOrigin(origins.url),
  };
}

/** Requests whose response a browser would run as a script (Fetch standard, "script-like"). */
const scripts: ReadonlySet<string> = new Set([
  'audioworklet',
  'paintworklet',
  'script',
  'serviceworker',
  'sharedworker',
  'worker',
]);

/** Refuses a request for a script on the node's origin; undefined for any other request. */
export function refusedAsScript(headers: Exchange['headers']): NinefoldError | undefined {
  const isScript = headers['service-worker'] !== undefined || scripts.has(headers['sec-fetch-dest'] ?? '');
  return isScript ? new NinefoldError('script_refused') : undefined;
}

/** Returns the headers without cookies: on the node's origin all cookies are the node's. */
export function withoutCookies(headers: Exchange['headers']): Exchange['headers'] {
  if (headers.cookie === undefined) return headers;
  const { cookie: _, ...rest } = headers;
  return rest;
}

/** Returns the headers of a builder's request without what proves who the builder is: the app's functions read the rest. */
export function withoutCredentials(headers: Exchange['headers']): Exchange['headers'] {
  const { cookie: _, authorization: __, ...rest } = headers;
  return rest;
}
