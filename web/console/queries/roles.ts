import type { User } from '@supabase/supabase-js';
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { api, segment } from './api.ts';
import { queryClient } from './query-client.ts';
import { specificationKeys } from './specification.ts';
import { literal, runSql } from './sql.ts';
import { userKeys } from './users.ts';

const roleKeys = {
  list: (ref: string) => ['member-roles', ref, 'list'] as const,
  holders: (ref: string, role: string) => ['member-roles', ref, 'holders', role] as const,
};

/** A role of members, and how many members have it. */
export interface DefinedRole {
  readonly name: string;
  readonly description: string | null;
  readonly members: number;
}

/** A member who has a role. */
export interface RoleHolder {
  readonly id: string;
  /** The name of the member, else the address or the phone number. */
  readonly name: string;
  readonly email: string | null;
  readonly grantedAt: string;
}

/** Max number of members that the panel of a role lists. */
export const HOLDERS = 200;

const ROLES = `select r.name, r.description, (select count(*) from ninefold.member_roles m where m.role = r.name)
  from ninefold.roles r order by r.name`;

const holdersSql = (role: string): string => `
  select u.id, coalesce(nullif(u.raw_user_meta_data ->> 'name', ''), nullif(u.email, ''), '+' || nullif(u.phone, ''), u.id::text), u.email,
    to_json(m.granted_at) #>> '{}'
  from ninefold.member_roles m join auth.users u on u.id = m.user_id
  where m.role = ${literal(role)} order by m.granted_at desc limit ${HOLDERS}`;

/** Reads the roles of the app's members. */
export const definedRoles = (ref: string) =>
  queryOptions({
    queryKey: roleKeys.list(ref),
    queryFn: async ({ signal }): Promise<DefinedRole[]> => {
      const { results } = await runSql(ref, ROLES, signal);
      return (results[0]?.rows ?? []).map(([name, description = null, members]) => ({
        ...{ name: name ?? '', description, members: Number(members) },
      }));
    },
  });

/** Reads the members who have a role, the newest first. */
export const roleHolders = (ref: string, role: string) =>
  queryOptions({
    queryKey: roleKeys.holders(ref, role),
    queryFn: async ({ signal }): Promise<RoleHolder[]> => {
      const { results } = await runSql(ref, holdersSql(role), signal);
      return (results[0]?.rows ?? []).map(([id, name, email = null, grantedAt]) => ({
        ...{ id: id ?? '', name: name ?? '', email, grantedAt: grantedAt ?? '' },
      }));
    },
  });

/** Refreshes everything that shows roles of members. */
export async function invalidateRoles(ref: string): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
  void queryClient.invalidateQueries({ queryKey: ['users', ref] });
  await queryClient.invalidateQueries({ queryKey: ['member-roles', ref] });
}

/** Grants a role to a member, or revokes it. The change applies from the next request of the member. */
export const changeHolder = (ref: string, role: string) =>
  mutationOptions({
    mutationFn: ({ id, has }: { id: string; has: boolean }) =>
      runSql(
        ref,
        `select ninefold.${has ? 'grant_role' : 'revoke_role'}(${literal(id)}::uuid, ${literal(role)})`,
        new AbortController().signal,
      ),
    onSuccess: () => invalidateRoles(ref),
  });

/**
 * Mails an invitation, which creates an account, and grants a role to this account. An account without the mail would be
 * no invitation, so the role is granted second.
 */
export const inviteMember = (ref: string) =>
  mutationOptions({
    mutationFn: async ({ email, role }: { email: string; role: string | null }): Promise<User> => {
      const user = await api<User>(`/apps/${segment(ref)}/auth/v1/invite`, { method: 'POST', body: { email } });
      if (role !== null) {
        const sql = `select ninefold.grant_role(${literal(user.id)}::uuid, ${literal(role)})`;
        await runSql(ref, sql, new AbortController().signal);
      }
      return user;
    },
    onSettled: async () => {
      void queryClient.invalidateQueries({ queryKey: userKeys.lists(ref) });
      await invalidateRoles(ref);
    },
  });
