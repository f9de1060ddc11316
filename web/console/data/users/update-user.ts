import type { AdminUserAttributes, User } from '@supabase/supabase-js';
import { mutationOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { invalidateUsers } from './invalidate-users.ts';
import { userPath } from './user.ts';

/** Changes the given fields of an account. A new password ends every session of the account. */
export const updateUser = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: (attributes: AdminUserAttributes) => api<User>(userPath(ref, id), { method: 'PUT', body: attributes }),
    onSuccess: (changed) => invalidateUsers(ref, changed),
  });
