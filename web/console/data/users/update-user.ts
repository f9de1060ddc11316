import type { AdminUserAttributes } from '@supabase/supabase-js';
import { mutationOptions } from '@tanstack/react-query';
import { throughDoor } from '../door.ts';
import { afterChange } from './after-change.ts';

/** Changes an account: what is left out stays. A new password ends every session of the account. */
export const updateUser = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: async (attributes: AdminUserAttributes) =>
      (await throughDoor(ref, (admin) => admin.updateUserById(id, attributes))).data.user,
    onSuccess: (changed) => afterChange(ref, changed),
  });
