import { api } from '../api.ts';
import { queryClient } from '../query-client.ts';

/**
 * Ends the builder's session on this device and clears all cached data.
 * @throws {ApiFailure} if the server cannot be reached: only the server can delete the cookie
 */
export async function signOut(): Promise<void> {
  await api<null>('/session', { method: 'DELETE' });
  forgetAnswers();
}

/** Clears all data that was cached for a builder whose session has ended. */
export const forgetAnswers = (): void => queryClient.clear();
