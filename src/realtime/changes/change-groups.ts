import type { Identity } from '../../identity/identity.ts';
import type { FollowedTable, Follower } from './change-follower.ts';
import type { ReadChange } from './change-view.ts';
import { hasPlainId, textOf } from './compiled-condition.ts';
import type { PublishedTable, RoleAccess } from './published-tables.ts';
import { isAskedOfRows } from './row-questions.ts';
import { type Sight, sightOf } from './sight.ts';

/** Subscribers that see the same rows of a table, because their role and the claims that policies can read are equal. */
export interface ChangeGroup {
  readonly as: Identity;
  readonly sight: Sight;
  /** The columns that the role may select. */
  readonly columns: readonly string[];
  readonly members: { readonly follower: Follower; readonly entries: FollowedTable[] }[];
  /**
   * How PostgreSQL evaluates the policies: on the images; on the images, prepared by the owner, if they name schemas that the caller may not
   * use; or on the rows, if images are not enough.
   */
  asks: 'images' | 'through the owner' | 'rows';
}

/** The subscribers of one table. */
export interface TableFollowers {
  readonly table: PublishedTable;
  readonly groups: Map<string, ChangeGroup>;
  /** Groups of callers that see only rows with their id, by the column and the id. */
  readonly byCaller: Map<string, Map<string, ChangeGroup[]>>;
  /** The other groups. */
  readonly others: ChangeGroup[];
}

/** Returns the groups that may see a change. Of the callers that see only their own rows, it finds those that the rows name. */
export function groupsOf(
  { groups, byCaller, others }: TableFollowers,
  { change, old, new: row }: ReadChange,
): Iterable<ChangeGroup> {
  // The key of a row may not name the caller, and marks have no rows.
  if (byCaller.size === 0 || change.isTooLarge || (old === null && row === null)) return groups.values();
  const found = new Set(others);
  for (const [name, byId] of byCaller) {
    for (const image of [old, row]) {
      const id = image && textOf(image, { name });
      for (const group of (id && byId.get(id)) || []) found.add(group);
    }
  }
  return found;
}

/** Adds a group to those that a change can find. */
function addGroup({ table, groups, byCaller, others }: TableFollowers, key: string, group: ChangeGroup): void {
  groups.set(key, group);
  const { sight, as } = group;
  if (typeof sight === 'string' || sight.callerColumn === null || isAskedOfRows(table, sight.condition)) {
    others.push(group);
    return;
  }
  const byId = byCaller.get(sight.callerColumn) ?? new Map<string, ChangeGroup[]>();
  byCaller.set(sight.callerColumn, byId);
  const id = String(as.claims.sub);
  byId.set(id, [...(byId.get(id) ?? []), group]);
}

/** Claims that change with every token of a session, and that no policy asks for. */
const changingClaims = new Set(['iat', 'exp']);

/** Returns the key of the callers that see the same rows. */
function groupKey({ role, claims }: Identity, sight: Sight): string {
  if (typeof sight === 'string') return role;
  if (sight.test) return JSON.stringify([role, claims.sub]);
  return JSON.stringify([role, Object.entries(claims).filter(([name]) => !changingClaims.has(name))]);
}

/** Groups subscribers by table and by what they see of it. */
export function groupFollowers(
  followers: Iterable<Follower>,
  accessOf: (role: string) => RoleAccess | undefined,
): Map<number, TableFollowers> {
  const byTable = new Map<number, TableFollowers>();
  const sights = new Map<RoleAccess, Map<PublishedTable, Sight>>();
  const sightIn = (table: PublishedTable, access: RoleAccess): Sight => {
    const ofRole = sights.get(access) ?? new Map<PublishedTable, Sight>();
    sights.set(access, ofRole);
    const sight = ofRole.get(table) ?? sightOf(table, access);
    ofRole.set(table, sight);
    return sight;
  };
  for (const follower of followers) {
    const access = accessOf(follower.identity.role);
    if (!access || follower.isEnded) continue;
    for (const [table, entries] of entriesByTable(follower)) {
      const found = byTable.get(table.oid) ?? { table, groups: new Map(), byCaller: new Map(), others: [] };
      byTable.set(table.oid, found);
      const sight = sightFor(follower.identity, sightIn(table, access));
      const key = groupKey(follower.identity, sight);
      const columns = access.columns[table.oid] ?? [];
      let group = found.groups.get(key);
      if (!group) {
        group = { as: follower.identity, sight, columns, members: [], asks: 'images' };
        addGroup(found, key, group);
      }
      group.members.push({ follower, entries });
    }
  }
  return byTable;
}

/** Returns how a caller's rows are found. PostgreSQL decides about callers whose id has another form. */
const sightFor = (identity: Identity, sight: Sight): Sight =>
  typeof sight === 'string' || sight.test === null || hasPlainId(identity)
    ? sight
    : { ...sight, test: null, callerColumn: null };

function entriesByTable({ entries }: Follower): Map<PublishedTable, FollowedTable[]> {
  const found = new Map<PublishedTable, FollowedTable[]>();
  for (const entry of entries) {
    const ofTable = found.get(entry.table);
    if (ofTable) ofTable.push(entry);
    else found.set(entry.table, [entry]);
  }
  return found;
}
