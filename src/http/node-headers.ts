import type { Origins } from '../apps/registry/origins.ts';

/** Content-Security-Policy of replies other than pages: a browser shows them as text, and runs and loads nothing. */
export const INERT_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

/** Browser features that no page of the node uses. */
const unused = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'cross-origin-isolated',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];

const common: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': [
    ...unused.map((feature) => `${feature}=()`),
    // The console copies text to the clipboard and signs builders in with passkeys.
    ...['clipboard-write', 'publickey-credentials-create', 'publickey-credentials-get'].map((name) => `${name}=(self)`),
  ].join(', '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** The header does not include subdomains, because host names below that of the node belong to the operator. */
const HSTS = 'max-age=31536000';

/** Returns the headers of every reply of the node itself: pages, assets and the management API. */
export const nodeHeaders = ({ isSecure }: Origins): Readonly<Record<string, string>> =>
  isSecure ? { ...common, 'strict-transport-security': HSTS } : common;

/**
 * Returns the Content-Security-Policy of the console for a request with this Host header. All resources of the console
 * are files of its assets.
 */
export function consolePolicy(origins: Origins, host: string | undefined): string {
  const source = origins.sourceOf(host);
  // A policy cannot contain an IPv6 address, so for such a host the policy allows scripts from the complete origin. In
  // that case, only `refusedAsScript` keeps browsers from running a reply below /apps as a script.
  const assets = source === null ? "'self'" : `${source}/assets/`;
  const preview = origins.appSource();
  return [
    "default-src 'none'",
    `script-src ${assets}`,
    `worker-src ${assets}`,
    `style-src ${assets} 'unsafe-inline'`,
    // The page Files shows bytes of an app as images, videos and sounds, whose types the console chooses.
    `img-src ${assets} data: blob:`,
    'media-src blob:',
    `font-src ${assets}`,
    // The preview of the pages for members is the only page that the console frames.
    `frame-src ${preview === null ? "'none'" : `${preview}/account/preview`}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Content-Security-Policy of a shared specification: a document that runs nothing, loads nothing and leads nowhere. */
const SHARED_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers of every reply below `/shared`. */
export const sharedHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': SHARED_POLICY,
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** Content-Security-Policy of a page without scripts and with an inline style. */
export const PLAIN_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
