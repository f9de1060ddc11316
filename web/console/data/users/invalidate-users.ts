import type { User } from '@supabase/supabase-js';
import { appKeys } from '../apps/keys.ts';
import { queryClient } from '../query-client.ts';
import { sessionListKeys } from '../sessions/keys.ts';
import { userKeys } from './keys.ts';

/**
 * Renews the lists of users and sessions, and their numbers. `changed` is already known as it now is; null for one who is
 * deleted, whom asking for again would only fail.
 */
export async function invalidateUsers(ref: string, changed: User | null): Promise<void> {
  if (changed) queryClient.setQueryData(userKeys.one(ref, changed.id), changed);
  void queryClient.invalidateQueries({ queryKey: appKeys.activity(ref) });
  void queryClient.invalidateQueries({ queryKey: sessionListKeys.all(ref) });
  await queryClient.invalidateQueries({ queryKey: userKeys.lists(ref) });
}
