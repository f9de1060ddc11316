import type { RoleCell, RolesChapter } from '../../../../../contract/specification-roles.ts';
import { literal } from '../../../queries/sql.ts';

/** A migration, and the migration that takes it back. */
export interface RoleMigration {
  readonly sql: string;
  readonly undo: string;
}

const defineSql = (name: string, description: string | null): string =>
  `select ninefold.define_role(${[name, ...(description ? [description] : [])].map(literal).join(', ')});`;
const dropSql = (name: string): string => `select ninefold.drop_role(${literal(name)});`;

/**
 * Returns the migration that creates or describes a role. Pure.
 * @param before The description of an existing role; undefined for a new role.
 */
export const roleMigration = (
  name: string,
  description: string,
  before: { readonly description: string | null } | undefined,
): RoleMigration => ({
  sql: defineSql(name, description.trim()),
  undo: before ? defineSql(name, before.description) : dropSql(name),
});

/** Returns the migration that deletes a role. To undo it, the role is granted again to the members who had it. Pure. */
export const dropMigration = (
  { name, description }: { readonly name: string; readonly description: string | null },
  holders: readonly { readonly id: string }[],
): RoleMigration => ({
  sql: dropSql(name),
  undo: [
    defineSql(name, description),
    ...holders.map(({ id }) => `select ninefold.grant_role(${literal(id)}::uuid, ${literal(name)});`),
  ].join('\n'),
});

const weights: Readonly<Record<RoleCell['verdict'], number>> = { always: 2, when: 1, never: 0 };

/** Returns the names of roles by what they allow, the least first, so that a form offers the least role first. Pure. */
export function leastFirst(
  names: readonly string[],
  { roles, cells }: Pick<RolesChapter, 'roles' | 'cells'>,
): string[] {
  const weightOf = (name: string): number => {
    const entry = roles.find(({ member_role: role }) => role === name)?.name;
    return cells.reduce((sum, cell) => sum + (cell.role === entry ? weights[cell.verdict] : 0), 0);
  };
  return [...names].sort((a, b) => weightOf(a) - weightOf(b) || a.localeCompare(b));
}
