import type { Origins } from '../apps/origins.ts';

/** The Content-Security-Policy of a reply that is no page: opened in a browser it shows text, and runs and loads nothing. */
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
    // The console copies texts, and signs builders in with passkeys.
    ...['clipboard-write', 'publickey-credentials-create', 'publickey-credentials-get'].map((name) => `${name}=(self)`),
  ].join(', '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Of the node's own name alone: names below it belong to the operator. */
const HSTS = 'max-age=31536000';

/** Returns the headers of every reply of the node itself: pages, assets and the management API. */
export const nodeHeaders = ({ isSecure }: Origins): Readonly<Record<string, string>> =>
  isSecure ? { ...common, 'strict-transport-security': HSTS } : common;

/** Returns the Content-Security-Policy of the console for a request with this Host. Everything it loads is a file of its assets. */
export function consolePolicy(origins: Origins, host: string | undefined): string {
  const source = origins.sourceOf(host);
  // A policy cannot name an IPv6 address: there the refusal of scripts below /apps stands alone.
  const assets = source === null ? "'self'" : `${source}/assets/`;
  return [
    "default-src 'none'",
    `script-src ${assets}`,
    `worker-src ${assets}`,
    `style-src ${assets} 'unsafe-inline'`,
    `img-src ${assets} data:`,
    `font-src ${assets}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The Content-Security-Policy of a page without scripts whose style stands in the page. */
export const PLAIN_PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
