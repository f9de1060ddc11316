import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../query-client.ts';
import { specificationKeys } from '../specification/keys.ts';
import { literal } from '../sql/literal.ts';
import { runSql } from '../sql/run-sql.ts';
import { userKeys } from './keys.ts';

/** A role of the app, and whether one member has it. */
export interface MemberRole {
  name: string;
  description: string | null;
  /** When the member got the role, ISO 8601; null if the member does not have it. */
  grantedAt: string | null;
  /** Number of members with the role. */
  members: number;
}

const rolesSql = (id: string): string => `
  select r.name, r.description,
    (select to_json(m.granted_at) #>> '{}' from ninefold.member_roles m where m.role = r.name and m.user_id = ${literal(id)}::uuid),
    (select count(*) from ninefold.member_roles m where m.role = r.name)
  from ninefold.roles r order by r.name`;

/**
 * Reads all roles that members of the app can have. For each role, reads since when this member has it (null if not),
 * and the number of members with it.
 */
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

/** Grants a role to a member, or revokes it. The change is in force from the member's next request. */
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
