import type { FilesAccess } from './files-access.ts';

/** Seconds for which a signed link is valid. */
export const LINK_SECONDS = 3600;
/** The most paths of one request that signs links or deletes files. */
const PATHS = 500;

/** Size and type of a stored file. */
export interface FileInfo {
  readonly size: number | null;
  readonly type: string;
}

/** Returns bucket and path of an object for a URL. */
export const objectUrl = (bucket: string, path: string): string =>
  [bucket, ...path.split('/')].map(encodeURIComponent).join('/');

/** Returns the address of a file, which a caller with a token reads. */
export const objectAddress = (url: string, bucket: string, path: string): string =>
  `${url}/object/authenticated/${objectUrl(bucket, path)}`;

/** Sends a request to /storage/v1. @throws the error of the application for each error response */
async function call(access: FilesAccess, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = {
    ...(await access.headers()),
    ...(typeof init.body === 'string' && { 'content-type': 'application/json' }),
    ...init.headers,
  };
  const response = await fetch(`${access.url}${path}`, { ...init, headers }).catch(() => null);
  if (!response) throw access.failure(0, '', null);
  if (response.ok) return response;
  throw access.failure(response.status, await response.text(), response.headers.get('x-request-id'));
}

/** The paths that the next request signs, by access and bucket. */
interface Batch {
  readonly paths: Set<string>;
  readonly links: Promise<ReadonlyMap<string, string>>;
}
const batches = new WeakMap<FilesAccess, Map<string, Batch>>();

/**
 * Returns a signed link below /storage/v1; null for a file that does not exist or that the caller may not read. Calls in
 * the same moment share a request.
 */
export async function signedLink(access: FilesAccess, bucket: string, path: string): Promise<string | null> {
  const ofAccess = batches.get(access) ?? new Map<string, Batch>();
  batches.set(access, ofAccess);
  let batch = ofAccess.get(bucket);
  if (!batch) {
    const paths = new Set<string>();
    const links = new Promise((resolve) => setTimeout(resolve)).then(() => {
      ofAccess.delete(bucket);
      return signAll(access, bucket, [...paths]);
    });
    batch = { paths, links };
    ofAccess.set(bucket, batch);
  }
  batch.paths.add(path);
  return (await batch.links).get(path) ?? null;
}

async function signAll(access: FilesAccess, bucket: string, paths: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let from = 0; from < paths.length; from += PATHS) {
    const response = await call(access, `/object/sign/${encodeURIComponent(bucket)}`, {
      method: 'POST',
      body: JSON.stringify({ expiresIn: LINK_SECONDS, paths: paths.slice(from, from + PATHS) }),
    });
    for (const { path, signedURL } of (await response.json()) as { path: string; signedURL: string | null }[]) {
      if (signedURL !== null) found.set(path, signedURL);
    }
  }
  return found;
}

/** Uploads a small file in one request. */
export async function uploadFile(
  access: FilesAccess,
  { bucket, path, file }: { bucket: string; path: string; file: File },
): Promise<void> {
  const headers = { 'content-type': file.type };
  await call(access, `/object/${objectUrl(bucket, path)}`, { method: 'POST', headers, body: file });
}

/** Reads size and type of a file. */
export async function fileInfo(access: FilesAccess, bucket: string, path: string): Promise<FileInfo> {
  const response = await call(access, `/object/info/${objectUrl(bucket, path)}`);
  const { size, content_type } = (await response.json()) as { size: number | null; content_type: string };
  return { size, type: content_type };
}

/** Reads the bytes of a file. Returns null if it is larger than `most`. */
export async function fileBytes(
  access: FilesAccess,
  bucket: string,
  path: string,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<ArrayBuffer | null> {
  const response = await call(access, `/object/authenticated/${objectUrl(bucket, path)}`, { signal });
  if (Number(response.headers.get('content-length') ?? 0) <= most) return response.arrayBuffer();
  await response.body?.cancel();
  return null;
}

/** Reads a scaled picture of an image. */
export const scaledBytes = async (
  access: FilesAccess,
  bucket: string,
  path: string,
  { width, height, signal }: { width: number; height: number; signal: AbortSignal },
): Promise<ArrayBuffer> =>
  (
    await call(
      access,
      `/render/image/authenticated/${objectUrl(bucket, path)}?width=${width}&height=${height}&resize=cover`,
      { signal },
    )
  ).arrayBuffer();

/** Deletes files. Files that the caller may not delete stay. */
export async function removeFiles(access: FilesAccess, bucket: string, paths: readonly string[]): Promise<void> {
  for (let from = 0; from < paths.length; from += PATHS) {
    await call(access, `/object/${encodeURIComponent(bucket)}`, {
      method: 'DELETE',
      body: JSON.stringify({ prefixes: paths.slice(from, from + PATHS) }),
    });
  }
}
