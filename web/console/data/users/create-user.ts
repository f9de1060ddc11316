import type { AdminUserAttributes } from '@supabase/supabase-js';
import { mutationOptions } from '@tanstack/react-query';
import { throughDoor } from '../door.ts';
import { afterChange } from './after-change.ts';

/** Makes an account; no mail is sent. */
export const createUser = (ref: string) =>
  mutationOptions({
    mutationFn: async (attributes: AdminUserAttributes) =>
      (await throughDoor(ref, (admin) => admin.createUser(attributes))).data.user,
    onSuccess: (made) => afterChange(ref, made),
  });
