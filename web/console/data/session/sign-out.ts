import { consoleClient } from '../console-client.ts';
import { queryClient } from '../query-client.ts';

/**
 * Ends the builder's session on this device and forgets every answer that was fetched with it. supabase-js takes the
 * session out of the browser even where the server cannot be told.
 */
export async function signOut(): Promise<void> {
  await (await consoleClient()).auth.signOut({ scope: 'local' });
  queryClient.clear();
}
