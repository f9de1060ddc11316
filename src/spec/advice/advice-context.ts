import type { AdviceEntry, RoleCell } from '../../../contract/specification-roles.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import type { Access } from '../access/access.ts';
import type { ChapterRole } from '../access/calling-roles.ts';
import type { Facts } from '../facts.ts';
import { groupBy } from '../group.ts';
import type { Lookup } from '../lookup.ts';
import { entityId, sqlName } from '../names.ts';

/** What advice is drawn from: the facts, and what the chapter says already. */
export interface AdviceContext {
  facts: Facts;
  relations: Lookup['relations'];
  access: Access;
  /** The columns of the matrix that a call can have. */
  roles: readonly ChapterRole[];
  /** What /rest/v1 serves. */
  exposed: readonly RelationFact[];
  cells: readonly RoleCell[];
}

export type Advice = Omit<AdviceEntry, 'id' | 'policies'> & {
  policies?: string[];
  /** Tells apart what is about the same on the same entity. */
  detail?: string;
};

export const idOf = (relation: RelationFact): string => entityId(relation.schema, relation.name);

/** Names of roles as SQL takes them, PUBLIC as the keyword that it is. */
export const roleList = (names: readonly string[]): string =>
  names.map((name) => (name === 'public' ? name : sqlName(name))).join(', ');

/** True of a role of the database that row-level security binds; roles of members are no such roles. */
export const isBound = ({ fact, caller }: ChapterRole): boolean =>
  caller.memberRole === null && !fact.superuser && !fact.bypasses_row_security;

/** "a", "a and b", "a, b and c". */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export const operations = ['select', 'insert', 'update', 'delete'] as const;
export const privilegeOf = { select: 'SELECT', insert: 'INSERT', update: 'UPDATE', delete: 'DELETE' } as const;

/**
 * Takes rights on a relation from roles, `public` among them. The roles that calls have and that would lose what they
 * hold through PUBLIC or through another role get it by their own name.
 */
export function revoke(
  { access, roles }: AdviceContext,
  relation: RelationFact,
  from: readonly string[],
  taken: readonly (typeof operations)[number][],
  kept: (role: ChapterRole) => boolean,
): string {
  const held = (role: ChapterRole): string[] =>
    taken.flatMap((operation) => {
      const fields = access.privileges.fields(role.caller.oid, relation, privilegeOf[operation]);
      if (fields === 'all') return [operation];
      return fields.length === 0 ? [] : [`${operation} (${fields.map((field) => sqlName(field.name)).join(', ')})`];
    });
  const losing = roles.filter((role) => role.caller.memberRole === null && kept(role) && held(role).length > 0);
  const again = [...groupBy(losing, (role) => held(role).join(', '))].map(
    ([rights, group]) => `\ngrant ${rights} on ${idOf(relation)} to ${roleList(group.map((role) => role.name))};`,
  );
  const all = taken.length === operations.length ? 'all' : taken.join(', ');
  return `revoke ${all} on ${idOf(relation)} from ${roleList(from)};${again.join('')}`;
}
