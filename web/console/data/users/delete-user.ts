import { mutationOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { invalidateUsers } from './invalidate-users.ts';
import { userPath } from './user.ts';

/** Deletes an account with its identities and sessions. */
export const deleteUser = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: () => api<unknown>(userPath(ref, id), { method: 'DELETE' }),
    onSuccess: () => invalidateUsers(ref, null),
  });
