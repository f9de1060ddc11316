/** A version of an app's own front end. */
export interface SiteVersion {
  readonly id: string;
  /** Number of the version. It counts up within the app. */
  readonly number: number;
  readonly created_at: string;
  /** Name of the builder who published the version, or `operator`. */
  readonly created_by: string;
  /** Number of files. */
  readonly files: number;
  /** Size of all files. */
  readonly bytes: number;
  /** True for the version that the app's origin serves. */
  readonly is_active: boolean;
}

/** The reply of `GET /admin/v1/apps/:ref/site`. */
export interface SiteState {
  /** Address where the front end is served; null if no host name leads to the app. */
  readonly url: string | null;
  /** The published versions, newest first. If none is active, the app's origin serves the pages for members. */
  readonly versions: readonly SiteVersion[];
}

/** The body of `POST /admin/v1/apps/:ref/site/versions`. */
export interface BeginSiteVersion {
  /** The SHA-256 of each file in hexadecimal digits, by path without a leading slash. */
  readonly files: Readonly<Record<string, string>>;
}

/** The reply of `POST /admin/v1/apps/:ref/site/versions`. */
export interface BegunSiteVersion {
  readonly id: string;
  /** The SHA-256 of the files that the app does not store yet, and that must be sent before the version is published. */
  readonly missing: readonly string[];
}

/**
 * Returns why a path cannot belong to a front end; null if it can. Paths have no leading slash. A front end cannot take
 * the paths of the API, of the health check and of the pages for the account.
 */
export function sitePathProblem(path: string): string | null {
  const segments = path.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) return 'is no relative path';
  if (/[\p{Cc}\p{Cs}\\]/u.test(path)) return 'has a character that paths cannot have';
  const [first = '', second] = segments;
  const isApi = second === 'v1' && ['auth', 'rest', 'portal', 'realtime', 'storage', 'functions'].includes(first);
  const isTaken = isApi || first === 'account' || path === 'health' || path === 'openapi.json';
  return isTaken ? 'is an address of the app’s API or of the pages for the account' : null;
}
