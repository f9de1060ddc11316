import { consoleHeader } from '../../../contract/admin.ts';
import { ApiFailure } from './api-failure.ts';

/**
 * Fetches from the node as the builder who is signed in: the browser adds the cookie, the header proves that the console asks. A redirect is
 * a failure, because an app could lead a call elsewhere with it.
 *
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

/** The body as JSON; null where there is none or it is something else. */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
