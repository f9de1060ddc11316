/** A request path that belongs to an app. */
export interface AppPath {
  readonly ref: string;
  /** API of the app (`rest`, `auth`, …) or `openapi.json`; null for any other path. */
  readonly area: string | null;
  /** Path below the API, as it was sent; `/` for the API itself. */
  readonly path: string;
  /** Query without `?`; empty if there is none. */
  readonly query: string;
  /** True for paths below /admin/v1, which builders use. */
  readonly isByBuilder: boolean;
}

/** APIs of an app. With `NINEFOLD_DEFAULT_APP`, they are also available without a prefix. */
const areas: ReadonlySet<string> = new Set(['auth', 'rest', 'portal', 'realtime', 'storage', 'functions']);

const TWO = /^\/([^/?]+)\/([^/?]+)/;
/** Location of a provider's metadata by RFC 8414, section 3: before the path of its issuer. */
const METADATA = /^\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/[^?]+)(\?.*)?$/s;
const BUILDER = /^\/[^/?]+\/([^/?]+)\/([^/?]+)\/([^/?]+)/;

/**
 * Reads a request target. On an app's origin, every path belongs to the app. On the node's origin, `/apps/<ref>/…`,
 * `/admin/v1/apps/<ref>/<area>/v1…` and the API paths of the default app do. Clients may percent-encode letters of
 * these segments.
 * @param ref The app whose origin it is; null for the node's origin.
 * @returns null for a path of the node itself.
 */
export function readAppPath(target: string, ref: string | null, defaultApp: string | null): AppPath | null {
  const metadata = target.startsWith('/.well-known/') ? METADATA.exec(target) : null;
  if (metadata) {
    const [, document, issuer, query = ''] = metadata as unknown as [string, string, string, string?];
    const found = readPath(`${issuer}/.well-known/${document}${query}`, ref, defaultApp);
    const isProvider = found?.area === 'auth' && found.path === `/.well-known/${document}` && !found.isByBuilder;
    if (isProvider) return found;
  }
  return readPath(target, ref, defaultApp);
}

function readPath(target: string, ref: string | null, defaultApp: string | null): AppPath | null {
  if (ref !== null) return belowApp(ref, target, false);
  const match = TWO.exec(target);
  if (!match) return null;
  const [prefix, first, second] = match as unknown as [string, string, string];
  const name = decoded(first);
  if (name === 'apps') return belowApp(decoded(second), target.slice(prefix.length), false);
  if (name === 'admin') return isByBuilder(target);
  const isDefault = defaultApp !== null && areas.has(name) && decoded(second) === 'v1';
  return isDefault ? belowApp(defaultApp, target, false) : null;
}

function isByBuilder(target: string): AppPath | null {
  const match = BUILDER.exec(target);
  if (!match) return null;
  const [prefix, version, apps, ref] = match as unknown as [string, string, string, string];
  if (decoded(version) !== 'v1' || decoded(apps) !== 'apps') return null;
  const found = belowApp(decoded(ref), target.slice(prefix.length), true);
  return found.area === null || found.area === OPEN_API ? null : found;
}

/**
 * Reads the part of a path below the app's URL.
 * @param rest Path and query after the app's URL.
 */
function belowApp(ref: string, rest: string, isByBuilder: boolean): AppPath {
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  const match = TWO.exec(path);
  if (match) {
    const [prefix, first, version] = match as unknown as [string, string, string];
    const area = decoded(first);
    if (areas.has(area) && decoded(version) === 'v1') {
      return { ref, area, path: path.slice(prefix.length) || '/', query, isByBuilder };
    }
  }
  return { ref, area: decoded(path) === `/${OPEN_API}` ? OPEN_API : null, path, query, isByBuilder };
}

/** Path of the app's OpenAPI document below the app's URL. */
export const OPEN_API = 'openapi.json';

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
