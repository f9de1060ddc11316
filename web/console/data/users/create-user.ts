import type { AdminUserAttributes, User } from '@supabase/supabase-js';
import { mutationOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { invalidateUsers } from './invalidate-users.ts';
import { usersPath } from './user.ts';

/** Creates an account without sending a mail. */
export const createUser = (ref: string) =>
  mutationOptions({
    mutationFn: (attributes: AdminUserAttributes) => api<User>(usersPath(ref), { method: 'POST', body: attributes }),
    onSuccess: (made) => invalidateUsers(ref, made),
  });
