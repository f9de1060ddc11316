import type { User } from '@supabase/supabase-js';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, apiWithHeaders } from '../api.ts';
import { ApiFailure } from '../api-failure.ts';
import { userKeys } from './keys.ts';
import { userPath, usersPath } from './user.ts';

export const usersPageSize = 200;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface UserPage {
  users: User[];
  /** Number of users that match the search. */
  total: number;
  isEstimated: boolean;
}

/**
 * Reads the users of an app, newest first, page by page.
 * @param search Part of an address or a name, or a complete id; empty for all users.
 */
export const userList = (ref: string, search: string) =>
  infiniteQueryOptions({
    queryKey: userKeys.list(ref, search),
    queryFn: ({ pageParam, signal }) =>
      uuid.test(search) ? withId(ref, search, signal) : page(ref, search, pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: ({ users, total }, _, number) =>
      users.length > 0 && number * usersPageSize < total ? number + 1 : undefined,
    select: ({ pages }) => ({
      users: distinct(pages.flatMap(({ users }) => users)),
      total: pages.at(-1)?.total ?? 0,
      isEstimated: pages.at(-1)?.isEstimated ?? false,
    }),
    refetchInterval: 30_000,
  });

async function page(ref: string, search: string, number: number, signal: AbortSignal): Promise<UserPage> {
  const query = new URLSearchParams({ page: String(number), per_page: String(usersPageSize) });
  if (search !== '') query.set('filter', search);
  const { data, headers } = await apiWithHeaders<{ users: User[] }>(`${usersPath(ref)}?${query}`, { signal });
  return {
    users: data.users,
    total: Number(headers.get('x-total-count') ?? data.users.length),
    isEstimated: headers.get('x-total-count-estimated') === 'true',
  };
}

async function withId(ref: string, id: string, signal: AbortSignal): Promise<UserPage> {
  try {
    return { users: [await api<User>(userPath(ref, id), { signal })], total: 1, isEstimated: false };
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return { users: [], total: 0, isEstimated: false };
    throw error;
  }
}

/** Removes duplicates: a sign-up between two requests moves the last user of a page to the next page. */
const distinct = (users: readonly User[]): User[] => [...new Map(users.map((user) => [user.id, user])).values()];
