import { consoleHeader } from '../../../contract/admin.ts';
import { ApiFailure } from './api-failure.ts';

/**
 * Sends a request to the node as the builder who is signed in. The browser adds the session cookie, and a header proves
 * that the console sends the request. A redirect counts as a failure, because an app could redirect the request to
 * another address.
 * @throws {ApiFailure} unreachable
 */
export async function reach(url: string, { headers, ...request }: NodeRequest): Promise<Response> {
  try {
    return await fetch(url, {
      ...request,
      headers: { ...headers, [consoleHeader]: '1' },
      credentials: 'same-origin',
      redirect: 'error',
    });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiFailure('The server does not answer.', { code: 'unreachable', status: null });
  }
}

interface NodeRequest {
  method?: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Blob;
  signal?: AbortSignal;
}

/** Parses the body of a response as JSON. Returns null if the body is empty or is not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
