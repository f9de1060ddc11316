/** What the path of a call of an app's API says. */
export interface ApiPath {
  readonly ref: string;
  readonly area: string;
  /** Below the area, as it was sent; `/` for the area itself. */
  readonly path: string;
  /** Without `?`; empty where there is none. */
  readonly query: string;
}

const API = /^\/([^/?]+)\/([^/?]+)\/([^/?]+)\/([^/?]+)/;

/** Reads `/apps/<ref>/<area>/v1…`, whose first letters a client may percent-encode; null for any other URL. */
export function readApiPath(url: string): ApiPath | null {
  const match = API.exec(url);
  if (!match) return null;
  const [prefix, first, ref, area, version] = match as unknown as [string, string, string, string, string];
  if (decoded(first) !== 'apps' || decoded(version) !== 'v1') return null;
  const mark = url.indexOf('?', prefix.length);
  const path = mark < 0 ? url.slice(prefix.length) : url.slice(prefix.length, mark);
  return { ref: decoded(ref), area: decoded(area), path: path || '/', query: mark < 0 ? '' : url.slice(mark + 1) };
}

function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
