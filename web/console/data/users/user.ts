import type { User } from '@supabase/supabase-js';
import { queryOptions } from '@tanstack/react-query';
import { api, segment } from '../api.ts';
import { userKeys } from './keys.ts';

/**
 * Returns the address of the accounts of an app below /admin/v1: GoTrue's calls for administrators, sent as the
 * builder.
 */
export const usersPath = (ref: string): string => `/apps/${segment(ref)}/auth/v1/admin/users`;

/** Returns the address of an account. */
export const userPath = (ref: string, id: string): string => `${usersPath(ref)}/${segment(id)}`;

/** Reads a user of an app. Fails with `user_not_found` for an unknown id. */
export const user = (ref: string, id: string) =>
  queryOptions({
    queryKey: userKeys.one(ref, id),
    queryFn: ({ signal }) => api<User>(userPath(ref, id), { signal }),
  });
