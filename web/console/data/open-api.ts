import { ApiFailure, failureOf } from './api-failure.ts';

export interface ApiCall {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/**
 * Calls the management API, with an access token or, for /setup, without. `path` is below /admin/v1.
 *
 * @throws {ApiFailure} for every answer that is no success, and where none came
 */
export async function openApi<T>(path: string, call: ApiCall = {}, token: string | null = null): Promise<T> {
  const { method = 'GET', body, headers, signal } = call;
  const response = await reach(`/admin/v1${path}`, {
    method,
    headers: {
      accept: 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  const answer = await readJson(response);
  if (!response.ok) throw failureOf(response.status, answer, response.headers.get('x-request-id'));
  return answer as T;
}

/**
 * Fetches, and tells a server that does not answer from a call that was given up.
 *
 * @throws {ApiFailure} unreachable
 */
export async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiFailure('The server does not answer.', { code: 'unreachable', status: null });
  }
}

/** The body as JSON; null where there is none or it is something else. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
