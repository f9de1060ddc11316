/** An address that an app answers for. */
export interface AppPath {
  readonly ref: string;
  /** Area of the app's API (`rest`, `auth`, …) or `openapi.json`; null if it is neither. */
  readonly area: string | null;
  /** Below the area, as it was sent; `/` for the area itself. */
  readonly path: string;
  /** Without `?`; empty where there is none. */
  readonly query: string;
  /** True below /admin/v1: a builder makes the call. */
  readonly isByBuilder: boolean;
}

/** Areas of an app's API; `NINEFOLD_DEFAULT_APP` answers them without a prefix. */
const areas: ReadonlySet<string> = new Set(['auth', 'rest', 'portal', 'realtime', 'storage', 'functions']);

const TWO = /^\/([^/?]+)\/([^/?]+)/;
/** Where RFC 8414, section 3, puts the description of a provider: before the path of its issuer. */
const METADATA = /^\/\.well-known\/(oauth-authorization-server|openid-configuration)(\/[^?]+)(\?.*)?$/s;
const BUILDER = /^\/[^/?]+\/([^/?]+)\/([^/?]+)\/([^/?]+)/;

/**
 * Reads an address on the origin of the app `ref`, where everything is the app's, or, if `ref` is null, on the node's origin: there
 * `/apps/<ref>/…` is, `/admin/v1/apps/<ref>/<area>/v1…`, and the areas of the default app. Returns null for an address of the node itself.
 * A client may percent-encode letters of the segments.
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

/** `rest` is what follows the app's URL. */
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

/** Address of the app's OpenAPI document, below the app's URL. */
export const OPEN_API = 'openapi.json';

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
