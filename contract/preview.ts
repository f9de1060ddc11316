import type { PortalScreens } from './portal.ts';

/**
 * The messages between the console and the preview of the pages for members, which the console shows in a frame with an
 * opaque origin. docs/decisions/0090-preview-in-an-opaque-origin.md describes why.
 */

/** The path of the preview on the app's origin. */
export const PREVIEW_PATH = '/account/preview';

/** The member whose session the preview pretends to have: a user as GoTrue returns it. */
export interface PreviewMember {
  readonly id: string;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export type PreviewTheme = 'light' | 'dark';

/** The part of the portal that a preview shows. */
export interface PreviewView {
  /** Route or address of a page. A part that starts with a colon stands for the key of the first readable row. */
  readonly path: string;
  readonly theme: PreviewTheme;
  /** A draft that replaces the screens that the app has; null for these. */
  readonly screens: PortalScreens | null;
}

/** The first message of the console, sent to the window of the frame together with the port for all further messages. */
export interface PreviewStart extends PreviewView {
  readonly kind: 'ninefold-preview';
  /** The member; null for a visitor. */
  readonly member: PreviewMember | null;
  /** Tag of the language; null for the member's language or that of the browser. */
  readonly language: string | null;
  /** True for a picture that nobody operates: it reads its rows only once. */
  readonly isPicture: boolean;
}

/** A message of the console on the port. */
export type ToPreview =
  | ({ readonly kind: 'view' } & PreviewView)
  | {
      readonly kind: 'reply';
      readonly id: number;
      readonly status: number;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly body: ArrayBuffer | null;
    };

/** A message of the preview on the port. */
export type FromPreview =
  | {
      readonly kind: 'request';
      readonly id: number;
      readonly method: string;
      /** Path and query of the request on the app's origin. */
      readonly target: string;
      readonly headers: readonly (readonly [name: string, value: string])[];
    }
  /** The address of the shown page. */
  | { readonly kind: 'at'; readonly path: string }
  /** The page is complete. */
  | { readonly kind: 'painted' }
  /** No row is readable whose page could be shown. */
  | { readonly kind: 'no-row' };

/** Max number of characters of a target: that of a request line, which is the limit urlBytes. */
const TARGET_CHARACTERS = 16_000;

/** The calls that a preview may send: data, the pages for members, and the bytes of files. */
const READS = [
  /^\/rest\/v1\/[^/]+$/,
  /^\/rest\/v1\/rpc\/[^/]+$/,
  /^\/portal\/v1\/[a-z-]+$/,
  /^\/storage\/v1\/object\/(?:authenticated|info)\/./,
  /^\/storage\/v1\/render\/image\/authenticated\/./,
];

/**
 * Returns true for a request of a preview that the console passes on: a read of the app's own API. Every part of the
 * path must have one meaning for all programs, so a part that decodes to dots or contains a slash is refused. Pure.
 */
export function isPreviewRead(method: string, target: string): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || target.length > TARGET_CHARACTERS) return false;
  // Only characters of a URI: no space, no control character, no backslash, no fragment (RFC 3986, section 2).
  if (!/^\/[\w.~!$&'()*+,;=:@%/?[\]-]*$/.test(target)) return false;
  const [path = ''] = target.split('?', 1);
  return READS.some((read) => read.test(path)) && path.slice(1).split('/').every(isPlainSegment);
}

function isPlainSegment(segment: string): boolean {
  try {
    const text = decodeURIComponent(segment);
    return text !== '' && text !== '.' && text !== '..' && !/[/\\\0]/.test(text);
  } catch {
    return false;
  }
}
