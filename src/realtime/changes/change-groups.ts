import type { Identity } from '../../identity/identity.ts';
import type { FollowedTable, Follower } from './change-follower.ts';
import type { PublishedTable, RoleAccess } from './published-tables.ts';
import { type Sight, sightOf } from './sight.ts';

/** Subscribers that see the same rows of a table, because their role and the claims that policies can read are equal. */
export interface ChangeGroup {
  readonly as: Identity;
  readonly sight: Sight;
  readonly members: { readonly follower: Follower; readonly entries: FollowedTable[] }[];
}

/** The subscribers of one table. */
export interface TableFollowers {
  readonly table: PublishedTable;
  readonly groups: Map<string, ChangeGroup>;
}

/** Claims that change with every token of a session, and that no policy asks for. */
const changingClaims = new Set(['iat', 'exp']);

/** Returns the key of the callers that see the same rows. */
function groupKey({ role, claims }: Identity, sight: Sight): string {
  if (typeof sight === 'string') return role;
  return JSON.stringify([role, Object.entries(claims).filter(([name]) => !changingClaims.has(name))]);
}

/** Groups subscribers by table and by what they see of it. */
export function groupFollowers(
  followers: Iterable<Follower>,
  accessOf: (role: string) => RoleAccess | undefined,
): Map<number, TableFollowers> {
  const byTable = new Map<number, TableFollowers>();
  for (const follower of followers) {
    const access = accessOf(follower.identity.role);
    if (!access || follower.isEnded) continue;
    const ofTable = new Map<PublishedTable, FollowedTable[]>();
    for (const entry of follower.entries) ofTable.set(entry.table, [...(ofTable.get(entry.table) ?? []), entry]);
    for (const [table, entries] of ofTable) {
      const found = byTable.get(table.oid) ?? { table, groups: new Map<string, ChangeGroup>() };
      byTable.set(table.oid, found);
      const sight = sightOf(table, access);
      const key = groupKey(follower.identity, sight);
      const group = found.groups.get(key) ?? { as: follower.identity, sight, members: [] };
      found.groups.set(key, group);
      group.members.push({ follower, entries });
    }
  }
  return byTable;
}
