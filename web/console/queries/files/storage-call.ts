import { type ApiCall, api, segment } from '../api.ts';
import { failureOf } from '../api-failure.ts';
import { reach, readJson } from '../reach.ts';

/** The address of an app's /storage/v1 for a builder, who has the privileges of the service role there. */
export const storageUrl = (ref: string): string => `/admin/v1/apps/${segment(ref)}/storage/v1`;

/**
 * Sends a request to an app's /storage/v1.
 * @param path Path below /storage/v1, for example "/bucket".
 * @throws {ApiFailure} for every error response, and if there is no response
 */
export const storage = <T>(ref: string, path: string, call: ApiCall = {}): Promise<T> =>
  api<T>(`/apps/${segment(ref)}/storage/v1${path}`, call);

/** Returns bucket and path of an object for a URL. */
export const objectPath = (bucket: string, name: string): string => [bucket, ...name.split('/')].map(segment).join('/');

/**
 * Reads bytes from an app's /storage/v1.
 * @param range Inclusive positions of the first and the last byte; all bytes without it.
 * @throws {ApiFailure} for every error response, and if there is no response
 */
export async function storedBytes(
  ref: string,
  path: string,
  { signal, range }: { signal: AbortSignal; range?: readonly [first: number, last: number] },
): Promise<ArrayBuffer> {
  const response = await reach(`${storageUrl(ref)}${path}`, {
    headers: range ? { range: `bytes=${range.join('-')}` } : {},
    signal,
  });
  if (response.ok) return response.arrayBuffer();
  throw failureOf(response.status, await readJson(response), response.headers.get('x-request-id'));
}
