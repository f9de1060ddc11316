import { createClient, isAuthRetryableFetchError, type SupabaseClient } from '@supabase/supabase-js';
import { ApiFailure } from './api-failure.ts';
import { queryClient } from './query-client.ts';
import { setupState } from './setup/setup-state.ts';

let client: Promise<SupabaseClient> | null = null;

/**
 * The stock client for app `console`, of which builders are the members: it signs in, remembers the session and
 * renews it. Made once; its publishable key comes from the server.
 *
 * @throws {ApiFailure} where the server does not answer
 */
export function consoleClient(): Promise<SupabaseClient> {
  client ??= connect().catch((error: unknown) => {
    client = null;
    throw error;
  });
  return client;
}

async function connect(): Promise<SupabaseClient> {
  const setup = await queryClient.ensureQueryData(setupState());
  return createClient(`${location.origin}/apps/console`, setup.publishable_key, {
    auth: { storageKey: 'ninefold-console', detectSessionInUrl: false },
  });
}

/**
 * The builder's access token, renewed when it is about to expire.
 *
 * @throws {ApiFailure} operator_required when nobody is signed in
 */
export async function accessToken(): Promise<string> {
  const { data, error } = await (await consoleClient()).auth.getSession();
  if (isAuthRetryableFetchError(error)) {
    throw new ApiFailure('The server does not answer.', { code: 'unreachable', status: null });
  }
  if (!data.session) throw new ApiFailure('You are signed out.', { code: 'operator_required', status: 401 });
  return data.session.access_token;
}
