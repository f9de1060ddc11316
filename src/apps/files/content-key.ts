/** The id and the hash of bytes that the node stores for an app. */
export interface ContentId {
  readonly id: string;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** Returns the key of bytes in the store of the node. The key has the id, so that no other upload ever gets it. */
export const contentKey = (ref: string, { id, sha256 }: ContentId): string =>
  `${ref}/${sha256.slice(0, 2)}/${sha256}.${id}`;

/** Returns the start of the keys of an app. */
export const keysOfApp = (ref: string): string => `${ref}/`;

/** Returns the start of the keys of an upload in parts. */
export const keysOfUpload = (ref: string, upload: string): string => `${ref}/uploads/${upload}/`;

/** Returns the key of a part of an upload. */
export const partKey = (ref: string, upload: string, part: string): string => `${keysOfUpload(ref, upload)}${part}`;

const CONTENT = /^[^/]+\/[0-9a-f]{2}\/([0-9a-f]{64})\.([0-9a-f-]{36})$/;
const PART = /^[^/]+\/uploads\/([0-9a-f-]{36})\/([0-9a-f-]{36})$/;

/** Returns the id and the hash in the key of a content; null for any other key. */
export function contentOfKey(key: string): ContentId | null {
  const [, sha256, id] = CONTENT.exec(key) ?? [];
  return sha256 === undefined || id === undefined ? null : { id, sha256 };
}

/** Returns the id in the key of a part; null for any other key. */
export const partOfKey = (key: string): string | null => PART.exec(key)?.[2] ?? null;
