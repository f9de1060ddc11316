import { type AuthError, GoTrueAdminApi } from '@supabase/supabase-js';
import { segment } from './api.ts';
import { ApiFailure, failureOf } from './api-failure.ts';
import { accessToken } from './console-client.ts';

type Asked<T> = { data: T; error: null } | { data: unknown; error: AuthError };

interface DoorCall {
  /** Query parameters of the server that the stock client has no word for, such as `filter`. */
  query?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/**
 * Asks something of an app's accounts with `auth.admin` of the stock client, through the builder's door: the builder's
 * access token opens it, and the call then has the rights of the service role. Answers what the client gives as `data`,
 * and the headers of the server's answer.
 *
 * @throws {ApiFailure} for every answer that is no success, and where none came
 */
export async function throughDoor<T>(
  ref: string,
  ask: (admin: GoTrueAdminApi) => Promise<Asked<T>>,
  { query = {}, signal }: DoorCall = {},
): Promise<{ data: T; headers: Headers }> {
  const heard: { headers: Headers; failure: ApiFailure | null } = { headers: new Headers(), failure: null };
  const admin = new GoTrueAdminApi({
    url: `${location.origin}/admin/v1/apps/${segment(ref)}/auth/v1`,
    headers: { authorization: `Bearer ${await accessToken()}` },
    fetch: async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const response = await fetch(url, { ...init, ...(signal && { signal }) });
      heard.headers = response.headers;
      // The client's own error leaves out the request id.
      if (!response.ok) heard.failure = await failureIn(response.clone());
      return response;
    },
  });
  const { data, error } = await ask(admin);
  signal?.throwIfAborted();
  if (error) {
    throw heard.failure ?? new ApiFailure('The server does not answer.', { code: 'unreachable', status: null });
  }
  return { data, headers: heard.headers };
}

const failureIn = async (response: Response): Promise<ApiFailure> =>
  failureOf(response.status, await response.json().catch(() => null), response.headers.get('x-request-id'));
