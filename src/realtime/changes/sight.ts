import { quoteIdentifier } from '../../database/statement.ts';
import { type Condition, callerColumn, compileCondition } from './compiled-condition.ts';
import type { PublishedTable, RoleAccess } from './published-tables.ts';

/** A condition of policies: its SQL, and a function that evaluates it without PostgreSQL, or null. */
export interface SightCondition {
  readonly condition: string;
  readonly test: Condition | null;
  /** The column that contains the id of the caller in each row that the condition shows, if `test` evaluates it. */
  readonly callerColumn: string | null;
}

/** Which rows of a table a role sees: all, none, or those for which a condition is true. */
export type Sight = 'all' | 'none' | SightCondition;

/**
 * Returns which rows of a table a role sees by the policies for SELECT. Permissive policies are joined by OR, restrictive ones by AND
 * (PostgreSQL manual, CREATE POLICY).
 */
export function sightOf(table: PublishedTable, access: RoleAccess): Sight {
  if (access.unrestricted.includes(table.oid)) return 'all';
  const applied = table.policies.filter(({ roles }) => roles.some((role) => role === 0 || access.roles.includes(role)));
  const permissive = applied.filter(({ isPermissive }) => isPermissive);
  if (permissive.length === 0) return 'none';
  const restrictive = applied.filter(({ isPermissive }) => !isPermissive).map(({ using }) => `(${using})`);
  const anyOf = permissive.map(({ using }) => `(${using})`).join(' OR ');
  const condition = [`(${anyOf})`, ...restrictive].join(' AND ');
  const test = compileCondition(condition, table.columns);
  return { condition, test, callerColumn: test && callerColumn(condition, table.columns) };
}

/** Returns the SQL name of a table. */
export const tableName = ({ schema, name }: PublishedTable): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;

/**
 * Returns a query that evaluates a condition on rows of a table that are given as a JSON list in the first parameter. It reads the
 * images and not the table, so it also describes rows that were deleted or changed later. The rows have the name of the table, because
 * policies use it.
 */
export const imageQuery = (table: PublishedTable, condition: string): string =>
  `select (${condition}) is true from pg_catalog.json_populate_recordset(null::${tableName(table)}, $1::pg_catalog.json) as ${quoteIdentifier(table.name)}`;
