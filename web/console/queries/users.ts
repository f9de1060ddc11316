import type { AdminUserAttributes, Factor, User } from '@supabase/supabase-js';
import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query';
import { api, apiWithHeaders, segment } from './api.ts';
import { ApiFailure } from './api-failure.ts';
import { appKeys } from './apps.ts';
import { queryClient } from './query-client.ts';
import { sessionListKeys } from './sessions.ts';
import { specificationKeys } from './specification.ts';
import { literal, runSql } from './sql.ts';

export const userKeys = {
  lists: (ref: string) => ['users', ref, 'list'] as const,
  list: (ref: string, search: string) => ['users', ref, 'list', search] as const,
  roles: (ref: string, id: string) => ['users', ref, 'roles', id] as const,
  factors: (ref: string, id: string) => ['users', ref, 'factors', id] as const,
  one: (ref: string, id: string) => ['users', ref, 'one', id] as const,
};

/** Creates an account without sending a mail. */
export const createUser = (ref: string) =>
  mutationOptions({
    mutationFn: (attributes: AdminUserAttributes) => api<User>(usersPath(ref), { method: 'POST', body: attributes }),
    onSuccess: (made) => invalidateUsers(ref, made),
  });

/** Deletes an account with its identities and sessions. */
export const deleteUser = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: () => api<unknown>(userPath(ref, id), { method: 'DELETE' }),
    onSuccess: () => invalidateUsers(ref, null),
  });

/**
 * Refreshes the lists of users and sessions, and their totals.
 * @param changed The changed user, who is put into the cache; null after a deletion, so that the deleted user is not
 * read again.
 */
async function invalidateUsers(ref: string, changed: User | null): Promise<void> {
  if (changed) queryClient.setQueryData(userKeys.one(ref, changed.id), changed);
  void queryClient.invalidateQueries({ queryKey: appKeys.activity(ref) });
  void queryClient.invalidateQueries({ queryKey: sessionListKeys.all(ref) });
  await queryClient.invalidateQueries({ queryKey: userKeys.lists(ref) });
}

/** A role that members of the app can have, and whether one member has it. */
export interface MemberRole {
  name: string;
  description: string | null;
  /** When the member got the role, in ISO 8601; null if the member does not have the role. */
  grantedAt: string | null;
  /** Number of all members who have the role. */
  members: number;
}

const rolesSql = (id: string): string => `
  select r.name, r.description,
    (select to_json(m.granted_at) #>> '{}' from ninefold.member_roles m where m.role = r.name and m.user_id = ${literal(id)}::uuid),
    (select count(*) from ninefold.member_roles m where m.role = r.name)
  from ninefold.roles r order by r.name`;

/** Reads every role of the app's members, and the roles of one member. */
export const memberRoles = (ref: string, id: string) =>
  queryOptions({
    queryKey: userKeys.roles(ref, id),
    queryFn: async ({ signal }): Promise<MemberRole[]> => {
      const { results } = await runSql(ref, rolesSql(id), signal);
      const rows = results[0]?.rows ?? [];
      return rows.map(([name, description = null, grantedAt = null, members]) => ({
        ...{ name: name ?? '', description, grantedAt, members: Number(members) },
      }));
    },
  });

/** Grants a role to a member, or revokes it. The change applies from the next request of the member. */
export const setMemberRole = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: ({ role, has }: { role: string; has: boolean }) => {
      const call = has ? 'grant_role' : 'revoke_role';
      const sql = `select ninefold.${call}(${literal(id)}::uuid, ${literal(role)})`;
      return runSql(ref, sql, new AbortController().signal);
    },
    onSuccess: async () => {
      void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
      void queryClient.invalidateQueries({ queryKey: userKeys.one(ref, id) });
      await queryClient.invalidateQueries({ queryKey: userKeys.roles(ref, id) });
    },
  });

/** Mails a member the link that sets a new password. */
export const sendRecovery = (ref: string) =>
  mutationOptions({
    mutationFn: (email: string) =>
      api<unknown>(`/apps/${segment(ref)}/auth/v1/recover`, { method: 'POST', body: { email } }),
  });

/** Changes the given fields of an account. A new password ends every session of the account. */
export const updateUser = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: (attributes: AdminUserAttributes) => api<User>(userPath(ref, id), { method: 'PUT', body: attributes }),
    onSuccess: (changed) => invalidateUsers(ref, changed),
  });

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

/** Reads the passkeys and the second factors of an account. */
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

/** Removes a passkey or a second factor. The server lowers the assurance level of the sessions that used it. */
export const removeFactor = (ref: string, id: string) =>
  mutationOptions({
    mutationFn: ({ kind, factor }: { kind: 'passkeys' | 'factors'; factor: string }) =>
      api<unknown>(`${userPath(ref, id)}/${kind}/${segment(factor)}`, { method: 'DELETE' }),
    onSuccess: async () => {
      void queryClient.invalidateQueries({ queryKey: sessionListKeys.all(ref) });
      await queryClient.invalidateQueries({ queryKey: userKeys.factors(ref, id) });
    },
  });

export const usersPageSize = 200;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

interface UserPage {
  users: User[];
  /** Number of users who match the search. */
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

/** Removes duplicates. If an account is created between two requests, the last user of a page moves to the next page and is read twice. */
const distinct = (users: readonly User[]): User[] => [...new Map(users.map((user) => [user.id, user])).values()];

/**
 * Returns the path of the accounts of an app below /admin/v1. The path leads to GoTrue's calls for administrators,
 * which the node runs for the builder.
 */
const usersPath = (ref: string): string => `/apps/${segment(ref)}/auth/v1/admin/users`;

/** Returns the path of one account. */
const userPath = (ref: string, id: string): string => `${usersPath(ref)}/${segment(id)}`;

/** Reads a user of an app. Fails with `user_not_found` for an unknown id. */
export const user = (ref: string, id: string) =>
  queryOptions({
    queryKey: userKeys.one(ref, id),
    queryFn: ({ signal }) => api<User>(userPath(ref, id), { signal }),
  });
