import type { User } from '@supabase/supabase-js';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { userKeys } from './keys.ts';
import { userPath } from './path.ts';

/** One user of an app. Fails with `user_not_found` where there is none. */
export const user = (ref: string, id: string) =>
  queryOptions({
    queryKey: userKeys.one(ref, id),
    queryFn: ({ signal }) => api<User>(userPath(ref, id), { signal }),
  });
