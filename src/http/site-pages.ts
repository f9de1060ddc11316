import { LRUCache } from 'lru-cache';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import type { App } from '../apps/app.ts';
import { readSiteFile, readSiteFiles, type SiteCoding } from '../apps/site-store.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { acceptedCodings, contentTypeOf, FOREVER, fileReply, hasKnownType } from './stored-files.ts';

/** Approximate memory of an entry of a map, in addition to its path. */
const ENTRY_BYTES = 150;

/** The SHA-256 of each file of a version, by path without a leading slash. */
type SiteFiles = ReadonlyMap<string, string>;

/** The file that a path leads to, or the path that the browser should open instead. */
export type SiteTarget = { readonly file: string; readonly status: 200 | 404 } | { readonly redirect: string };

/**
 * Finds the file of a path: the file itself, `index.html` of a folder, or the file with `.html` after the path. If no
 * file belongs to the path of a page, returns `404.html`. If that file does not exist either, returns `index.html`,
 * whose script then reads the path itself.
 * @param path The path of the request, percent-encoded.
 * @param isPage True if a person opens the path in a browser.
 * @returns null if the version has no such file.
 */
export function findSiteFile(files: Pick<SiteFiles, 'has'>, path: string, isPage: boolean): SiteTarget | null {
  const name = decoded(path.slice(1));
  if (name === null) return null;
  const isFolder = name === '' || name.endsWith('/');
  const exact = isFolder ? `${name}index.html` : name;
  if (files.has(exact)) return { file: exact, status: 200 };
  if (!isFolder && files.has(`${name}.html`)) return { file: `${name}.html`, status: 200 };
  if (!isFolder && files.has(`${name}/index.html`)) return { redirect: `${path}/` };
  if (!isPage) return null;
  if (files.has('404.html')) return { file: '404.html', status: 404 };
  return !hasKnownType(name) && files.has('index.html') ? { file: 'index.html', status: 200 } : null;
}

function decoded(path: string): string | null {
  try {
    // The names of published files are in this form of Unicode.
    return decodeURIComponent(path).normalize('NFC');
  } catch {
    return null;
  }
}

interface StoredFile {
  readonly coding: SiteCoding;
  readonly bytes: Buffer;
}

/** Serves the apps' own front ends. The most recently requested files stay in memory. */
export class SitePages {
  /** The files of each version, by the id of the version. The files of a version never change. */
  readonly #versions = new LRUCache<string, SiteFiles>({
    maxSize: limits.siteCacheBytes.default,
    sizeCalculation: (files) => [...files.keys()].reduce((sum, path) => sum + path.length + ENTRY_BYTES, ENTRY_BYTES),
  });
  /**
   * File contents by app, SHA-256 and accepted codings. The app is part of the key, so that no app gets a file that
   * another app stores.
   */
  readonly #files = new LRUCache<string, StoredFile>({
    maxSize: limits.siteCacheBytes.default,
    sizeCalculation: ({ bytes }) => bytes.length + ENTRY_BYTES,
  });

  /**
   * Returns the reply for a GET or HEAD request; null if the app has no front end of its own.
   * @throws NinefoldError not_found if the front end has no such file
   */
  async answer(app: App, request: CallRequest): Promise<Reply | null> {
    const version = await app.activeSite();
    const files = version === null ? null : await this.#filesOf(app, version);
    if (!files) return null;
    const { path, query, headers } = request;
    const target = findSiteFile(files, path, (headers.accept ?? '').includes('text/html'));
    if (target === null) throw new NinefoldError('not_found');
    if ('redirect' in target) return redirect(query === '' ? target.redirect : `${target.redirect}?${query}`);
    const sha256 = files.get(target.file) as string;
    const codings: SiteCoding[] = headers.range
      ? ['content']
      : [...acceptedCodings(headers['accept-encoding']), 'content'];
    const key = `${app.ref} ${sha256} ${codings.join()}`;
    const file = this.#files.get(key) ?? (await readSiteFile(app.serverDatabase, sha256, codings));
    if (!file) return null;
    this.#files.set(key, file);
    const isForever = HASHED.test(target.file) && target.status === 200 && !target.file.endsWith('.html');
    return fileReply(request, {
      status: target.status,
      type: contentTypeOf(target.file),
      sha256,
      coding: file.coding === 'content' ? null : file.coding,
      bytes: file.bytes,
      headers: { 'cache-control': isForever ? FOREVER : 'no-cache' },
    });
  }

  async #filesOf(app: App, version: string): Promise<SiteFiles | null> {
    const known = this.#versions.get(version);
    if (known) return known;
    const files = await readSiteFiles(app.serverDatabase, version);
    if (!files) return null;
    const found = new Map(Object.entries(files));
    this.#versions.set(version, found);
    return found;
  }
}

const redirect = (location: string): Reply => ({
  status: 308,
  headers: { 'cache-control': 'no-cache' },
  redirect: location,
  body: null,
});

/**
 * Matches a path in a folder whose file name has a hash of the content, as build tools generate it: eight characters,
 * or 9 to 64 hexadecimal digits, with a letter and a digit among them.
 */
const HASHED = /^.+\/[^/]*[-.](?=[^./]*\d)(?=[^./]*[A-Za-z])(?:[\w-]{8}|[\da-f]{9,64})\.[^/]+$/;
