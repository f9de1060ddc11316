import { failureOf } from './api-failure.ts';
import { reach, readJson } from './reach.ts';
import { askForProof } from './waiting-call.ts';

export interface ApiCall {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/**
 * Calls the management API as the builder who is signed in. `path` is below /admin/v1: "/apps/helpdesk/activity".
 *
 * @throws {ApiFailure} for every answer that is no success, and where none came
 */
export const api = async <T>(path: string, call: ApiCall = {}): Promise<T> =>
  (await apiWithHeaders<T>(path, call)).data;

/**
 * Calls the management API as `api` does, and returns the headers of the response too. Asks for a proof of identity where the call needs
 * one, and repeats it.
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

/** One segment of a path: refs and ids come from the address bar, so they are encoded. */
export const segment = (value: string): string => encodeURIComponent(value);
