import type { User } from '@supabase/supabase-js';
import { appKeys } from '../apps/keys.ts';
import { queryClient } from '../query-client.ts';
import { sessionListKeys } from '../sessions/keys.ts';
import { userKeys } from './keys.ts';

/**
 * Refreshes the lists of users and sessions, and their totals.
 * @param changed New state of the changed user; null for a deleted user, who is not read again.
 */
export async function invalidateUsers(ref: string, changed: User | null): Promise<void> {
  if (changed) queryClient.setQueryData(userKeys.one(ref, changed.id), changed);
  void queryClient.invalidateQueries({ queryKey: appKeys.activity(ref) });
  void queryClient.invalidateQueries({ queryKey: sessionListKeys.all(ref) });
  await queryClient.invalidateQueries({ queryKey: userKeys.lists(ref) });
}
