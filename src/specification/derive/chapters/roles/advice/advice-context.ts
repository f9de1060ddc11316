import type { AdviceEntry, RoleCell } from '../../../../../../contract/specification-roles.ts';
import type { Access } from '../../../../../access/access.ts';
import type { ChapterRole } from '../../../../../access/calling-roles.ts';
import type { Lookup } from '../../../../../access/lookup.ts';
import { operations, privilegeOf, type RowOperation } from '../../../../../access/operations.ts';
import type { RequestAccess } from '../../../../../access/request-access.ts';
import type { RelationFact } from '../../../../../catalog/entities.ts';
import type { DecisionFacts } from '../../../../../catalog/facts.ts';
import { groupBy } from '../../../../../catalog/group.ts';
import { entityId, sqlName } from '../../../../../catalog/names.ts';

/** The data from which advice is derived: the facts and the cells of the chapter. */
export interface AdviceContext {
  facts: DecisionFacts;
  look: Lookup;
  access: Access;
  requests: RequestAccess;
  /** The roles that a call can have; each is a column of the matrix. */
  roles: readonly ChapterRole[];
  /** The relations that /rest/v1 serves. */
  exposed: readonly RelationFact[];
  cells: readonly RoleCell[];
}

export type Advice = Omit<AdviceEntry, 'id' | 'policies'> & {
  policies?: string[];
  /** Distinguishes advice of the same kind on the same entity. */
  detail?: string;
};

/** Returns the id of a relation. */
export const idOf = (relation: RelationFact): string => entityId(relation.schema, relation.name);

/** Returns a list of role names in SQL. The keyword PUBLIC is not quoted. */
export const roleList = (names: readonly string[]): string =>
  names.map((name) => (name === 'public' ? name : sqlName(name))).join(', ');

/** Returns true for a database role to which row-level security applies. Returns false for member roles. */
export const isBound = ({ fact, caller }: ChapterRole): boolean =>
  caller.memberRole === null && !fact.superuser && !fact.bypasses_row_security;

/** Joins names for a sentence: "a", "a and b", "a, b and c". */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/**
 * Returns SQL that revokes privileges on a relation from roles, including `public`. Other roles of calls may have had
 * these privileges only through PUBLIC or through one of the revoked roles. Such a role gets a direct grant if `kept`
 * returns true for it.
 */
export function revoke(
  { access, roles }: AdviceContext,
  relation: RelationFact,
  from: readonly string[],
  taken: readonly RowOperation[],
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
