import { failureOf } from './api-failure.ts';
import { reach, readJson } from './reach.ts';
import { askForProof } from './waiting-call.ts';

export interface ApiCall {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The body of the request. It is sent as JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a request to the management API as the builder who is signed in.
 * @param path Path below /admin/v1, for example "/apps/helpdesk/activity".
 * @throws {ApiFailure} for every error response, and if there is no response
 */
export const api = async <T>(path: string, call: ApiCall = {}): Promise<T> =>
  (await apiWithHeaders<T>(path, call)).data;

/**
 * Sends a request as `api` does, and also returns the headers of the response. If the server requires a proof of
 * identity, asks the builder and repeats the request.
 */
export async function apiWithHeaders<T>(path: string, call: ApiCall = {}): Promise<{ data: T; headers: Headers }> {
  const { method = 'GET', body, headers, signal } = call;
  const response = await reach(`/admin/v1${path}`, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const answer = await readJson(response);
  if (!response.ok) {
    const failure = failureOf(response.status, answer, response.headers.get('x-request-id'));
    if (failure.code === 'recent_sign_in_needed' && (await askForProof(failure))) return apiWithHeaders(path, call);
    throw failure;
  }
  return { data: answer as T, headers: response.headers };
}

/** Encodes a segment of a path. Refs and ids come from the address bar, so they may contain any character. */
export const segment = (value: string): string => encodeURIComponent(value);
