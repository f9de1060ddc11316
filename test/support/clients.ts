import { createClient, type Session, type SupabaseClient, type User } from '@supabase/supabase-js';
import ws from 'ws';
import type { AppConnection } from '../../contract/admin.ts';
import { uniqueEmail } from './unique.ts';

/**
 * Returns a supabase-js client, created as in the code of an app.
 * @param key By default the app's publishable key.
 */
export function clientOf(
  app: Pick<AppConnection, 'url' | 'publishable_key'>,
  key = app.publishable_key,
): SupabaseClient {
  return createClient(app.url, key, {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    // Node.js 20 has no built-in WebSocket.
    realtime: { transport: ws as never },
  });
}

export interface Member {
  client: SupabaseClient;
  user: User;
  session: Session;
  email: string;
  password: string;
}

/** Signs up a member of an app. Returns a client that is signed in as this member. */
export async function signUpMember(
  app: Pick<AppConnection, 'url' | 'publishable_key'>,
  name?: string,
): Promise<Member> {
  const client = clientOf(app);
  const email = uniqueEmail(name);
  const password = `pass-${email}`;
  const { data, error } = await client.auth.signUp({ email, password });
  if (error) throw error;
  if (!data.user || !data.session) throw new Error('sign-up gave no session');
  return { client, user: data.user, session: data.session, email, password };
}
