import type { Factor } from '@supabase/supabase-js';
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { sessionListKeys } from '../sessions/keys.ts';
import { userKeys } from './keys.ts';
import { userPath } from './user.ts';

/** A second factor. For recovery codes, includes the number of unused codes. */
export type UserFactor = Pick<Factor, 'id' | 'friendly_name' | 'status' | 'created_at'> & {
  readonly factor_type: string;
  readonly total?: number;
  readonly remaining?: number;
};

export interface UserPasskey {
  readonly id: string;
  readonly friendly_name?: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

/** The passkeys and the second factors of an account. */
export const userFactors = (ref: string, id: string) =>
  queryOptions({
    queryKey: userKeys.factors(ref, id),
    queryFn: async ({ signal }) => {
      const path = userPath(ref, id);
      const [passkeys, factors] = await Promise.all([
        api<UserPasskey[]>(`${path}/passkeys`, { signal }),
        api<UserFactor[]>(`${path}/factors`, { signal }),
      ]);
      return { passkeys, factors };
    },
  });

/** Removes a passkey or a second factor. The server lowers the level of sessions that used the factor. */
export const removeFactor = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: ({ kind, factor }: { kind: 'passkeys' | 'factors'; factor: string }) =>
      api<unknown>(`${userPath(ref, id)}/${kind}/${segment(factor)}`, { method: 'DELETE' }),
    onSuccess: async () => {
      void queryClient.invalidateQueries({ queryKey: sessionListKeys.all(ref) });
      await queryClient.invalidateQueries({ queryKey: userKeys.factors(ref, id) });
    },
  });
