import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { Origins } from '../apps/registry/origins.ts';
import { BuiltFiles } from './built-files.ts';

const PAGE = 'index.html';

/** The page that shows the screens to builders inside the console, and its file. */
const PREVIEW = '/account/preview';
const PREVIEW_PAGE = 'preview.html';

/** Prefix of the pages for the account and of all assets. */
const ACCOUNT = '/account/';
const ASSETS = `${ACCOUNT}assets/`;

/**
 * Matches paths that may lead to a screen. All of them get the same status, so that a stranger cannot find out which
 * screens an app has; the page itself says whether a screen exists. Paths of the node and of APIs are
 * excluded. The key of a row may begin with a dot, but it is never `.` or `..`.
 */
const PAGE_ADDRESS =
  /^\/(?:(?!(?:admin|apps|docs|health)(?:\/|$))[\w~%-][\w.~%-]*(?:\/(?!\.\.?(?:\/|$))[\w.~%!'()*:@,;=+$&-]+)*)?$/;

/**
 * Matches names of files that do not exist as pages. Browsers and robots request some of them, such as favicon.ico,
 * from every origin. A name below a folder may be the key of a row: `/documents/report.pdf`.
 */
const FILE_NAME = /^\/[^/]*\.(?:css|gif|ico|jpe?g|js|json|map|pdf|png|svg|txt|webmanifest|webp|woff2?|xml|zip)$/i;

/**
 * Matches a path of the node after decoding. PAGE_ADDRESS reads the path before decoding, so it does not recognise a
 * percent-encoded prefix.
 */
const ENCODED_NODE = /^\/(?:admin|apps|docs|health)(?:\/|$)/;

/** Matches files that have no path of their own: compressed copies of files, and source maps. */
const SKIPPED = /\.(?:br|gz|map)$/;

/**
 * Returns the Content-Security-Policy of the preview: an opaque origin without any request, which only the console may
 * frame (docs/decisions/0090-preview-in-an-opaque-origin.md).
 * @param source The app's origin. In an opaque origin, browsers disagree about `'self'`.
 */
const previewPolicy = (source: string, consoleOrigins: readonly string[]): string =>
  [
    "default-src 'none'",
    'sandbox allow-scripts',
    `script-src ${source}${ASSETS}`,
    `style-src ${source}${ASSETS} 'unsafe-inline'`,
    // Bytes that the console has read, and the public pictures of members.
    `img-src data: blob: ${source}/storage/v1/object/public/`,
    'media-src blob:',
    `font-src ${source}${ASSETS}`,
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${consoleOrigins.join(' ') || "'none'"}`,
  ].join('; ');

/** Content-Security-Policy of the pages. Scripts and requests are limited to the app's origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  // Pictures, videos and PDFs of fields: signed links, and bytes with a type that the pages choose.
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  'frame-src blob:',
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the pages for members, which are the same for all apps: one file for every page path of an app's origin, and
 * its assets.
 */
export class PortalPages {
  readonly #files: BuiltFiles;
  readonly #origins: Pick<Origins, 'sourceOf' | 'consoleOrigins'>;

  /** @param folder The built web application. Without it no pages are served. */
  constructor(folder: string, origins: Pick<Origins, 'sourceOf' | 'consoleOrigins'>) {
    this.#files = new BuiltFiles(folder, PAGE, SKIPPED);
    this.#origins = origins;
  }

  /** Returns the reply for a page or an asset; null for any other request. */
  answer(request: CallRequest): Reply | null {
    const { method, path, headers } = request;
    if (method !== 'GET' && method !== 'HEAD') return null;
    if (path.startsWith(ASSETS)) {
      return this.#files.answer(request, path.slice(ACCOUNT.length), {
        'referrer-policy': 'no-referrer',
        // The preview has an opaque origin, and browsers load its modules and fonts with CORS.
        'access-control-allow-origin': '*',
      });
    }
    if (path === PREVIEW) return this.#preview(request);
    if (!isPage(path) || !(headers.accept ?? '').includes('text/html')) return null;
    return this.#files.answer(request, PAGE, {
      'referrer-policy': 'no-referrer',
      'content-security-policy': policy,
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
    });
  }

  #preview(request: CallRequest): Reply | null {
    const source = this.#origins.sourceOf(request.headers.host);
    if (source === null) return null;
    return this.#files.answer(request, PREVIEW_PAGE, {
      'referrer-policy': 'no-referrer',
      'content-security-policy': previewPolicy(source, this.#origins.consoleOrigins()),
    });
  }
}

/** Returns true for the paths that belong to the pages for members even if the app has a front end of its own. */
export const isAccountPath = (path: string): boolean => path === '/account' || path.startsWith(ACCOUNT);

function isPage(path: string): boolean {
  if (!PAGE_ADDRESS.test(path) || FILE_NAME.test(path)) return false;
  try {
    return !ENCODED_NODE.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}
