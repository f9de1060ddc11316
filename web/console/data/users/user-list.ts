import type { User } from '@supabase/supabase-js';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { ApiFailure } from '../api-failure.ts';
import { throughDoor } from '../door.ts';
import { userKeys } from './keys.ts';

export const usersAtOnce = 200;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface UserPage {
  users: User[];
  /** Of how many, as the search has it. */
  total: number;
}

/**
 * The users of an app, newest first, page by page. `search` is a part of an address or a name, or a whole id; empty for
 * everybody.
 */
export const userList = (ref: string, search: string) =>
  infiniteQueryOptions({
    queryKey: userKeys.list(ref, search),
    queryFn: ({ pageParam, signal }) =>
      uuid.test(search) ? withId(ref, search, signal) : page(ref, search, pageParam, signal),
    initialPageParam: 1,
    getNextPageParam: ({ users, total }, _, number) =>
      users.length > 0 && number * usersAtOnce < total ? number + 1 : undefined,
    select: ({ pages }) => ({ users: distinct(pages.flatMap(({ users }) => users)), total: pages.at(-1)?.total ?? 0 }),
    refetchInterval: 30_000,
  });

async function page(ref: string, search: string, number: number, signal: AbortSignal): Promise<UserPage> {
  const query = search === '' ? {} : { filter: search };
  const ask = { page: number, perPage: usersAtOnce };
  const { data, headers } = await throughDoor(ref, (admin) => admin.listUsers(ask), { query, signal });
  return { users: data.users, total: Number(headers.get('x-total-count') ?? data.users.length) };
}

async function withId(ref: string, id: string, signal: AbortSignal): Promise<UserPage> {
  try {
    const { data } = await throughDoor(ref, (admin) => admin.getUserById(id), { signal });
    return { users: [data.user], total: 1 };
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return { users: [], total: 0 };
    throw error;
  }
}

/** Somebody who signs up while one pages moves the last of a page on to the next. */
const distinct = (users: readonly User[]): User[] => [...new Map(users.map((user) => [user.id, user])).values()];
