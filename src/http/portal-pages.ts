import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { HASHED } from './static-files.ts';
import { acceptedCodings, contentTypeOf, FOREVER } from './stored-files.ts';

/** A built file with its compressed versions. */
interface PortalFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

const PAGE = 'index.html';

/** Prefix of the pages for the account and of all assets. */
const ACCOUNT = '/account/';
const ASSETS = `${ACCOUNT}assets/`;

/**
 * Addresses that may be a screen. All are answered alike: the status must not tell a stranger which screens an app has, and the page says
 * if there is none. Those of the node, of calls and of files are not among them.
 */
const PAGE_ADDRESS = /^\/(?:(?!(?:admin|apps|docs|health)(?:\/|$))[\w~%-][\w.~%-]*(?:\/[\w~%-][\w.~%-]*)*)?$/;

/** What browsers and robots ask each origin for. */
const FILE_NAME = /\.(?:css|gif|ico|jpe?g|js|json|map|pdf|png|svg|txt|webmanifest|webp|woff2?|xml|zip)$/i;

/** A node's own prefix that is percent-encoded. */
const ENCODED_NODE = /^\/(?:admin|apps|docs|health)(?:\/|$)/;

/** Compressed copies, which are read with their file, and source maps. */
const SKIPPED = /\.(?:br|gz|map)$/;

/** Content-Security-Policy of the pages. Scripts and requests are limited to the app's origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the pages for members, which are the same for all apps: one file for every page path of an app's origin, and
 * its assets. The files are few and small, so they stay in memory.
 */
export class PortalPages {
  readonly #files = new Map<string, PortalFile>();

  /** @param folder The built web application. Without it no pages are served. */
  constructor(folder: string) {
    if (!existsSync(join(folder, PAGE))) return;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || SKIPPED.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const read = (suffix: string) => (existsSync(path + suffix) ? readFileSync(path + suffix) : null);
      const name = relative(folder, path).split(sep).join('/');
      this.#files.set(name, {
        type: contentTypeOf(name),
        plain: readFileSync(path),
        br: read('.br'),
        gzip: read('.gz'),
      });
    }
  }

  /** Returns the reply for a page or an asset; null for any other request. */
  answer({ method, path, headers }: CallRequest): Reply | null {
    if (method !== 'GET' && method !== 'HEAD') return null;
    const isAsset = path.startsWith(ASSETS);
    if (!isAsset && !(isPage(path) && (headers.accept ?? '').includes('text/html'))) return null;
    const file = this.#files.get(isAsset ? path.slice(ACCOUNT.length) : PAGE);
    if (!file) return null;
    const { bytes, encoding } = encoded(file, headers['accept-encoding']);
    return {
      status: 200,
      headers: {
        'content-type': file.type,
        'cache-control': HASHED.test(path) ? FOREVER : 'no-cache',
        vary: 'Accept-Encoding',
        'referrer-policy': 'no-referrer',
        ...(encoding && { 'content-encoding': encoding }),
        ...(!isAsset && {
          'content-security-policy': policy,
          'x-frame-options': 'DENY',
          'cross-origin-opener-policy': 'same-origin',
        }),
        'content-length': String(bytes.length),
      },
      body: method === 'HEAD' ? null : bytes,
    };
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

function encoded(file: PortalFile, accepted: string | undefined): { bytes: Buffer; encoding: string | null } {
  for (const coding of acceptedCodings(accepted)) {
    const bytes = file[coding];
    if (bytes) return { bytes, encoding: coding };
  }
  return { bytes: file.plain, encoding: null };
}
