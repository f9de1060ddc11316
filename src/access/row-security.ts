import type { RowOperation } from './operations.ts';

/** Row-level security as PostgreSQL applies it to a statement (rewrite/rowsecurity.c), for policies of any source. */

/** The expressions of a policy, and how PostgreSQL combines it with other policies. */
export interface PolicyExpressions {
  readonly permissive: boolean;
  readonly using: string | null;
  readonly check: string | null;
}

/**
 * A set of policies that PostgreSQL evaluates for one state of a row: the existing row, or the row as it is written.
 */
export interface PolicyCheck {
  readonly command: RowOperation;
  readonly of: 'existing' | 'new';
}

/**
 * Returns the sets of policies that a statement must pass, in the order in which PostgreSQL evaluates them.
 * @param reads True if a write reads fields, for a filter or to return rows. The policies for SELECT then apply too.
 */
export function policyChecks(operation: RowOperation, reads: boolean): PolicyCheck[] {
  const sides = {
    select: ['existing'],
    insert: ['new'],
    update: ['existing', 'new'],
    delete: ['existing'],
  } as const;
  const alsoSelect = reads && operation !== 'select';
  return sides[operation].flatMap((of): PolicyCheck[] => [
    { command: operation, of },
    ...(alsoSelect ? [{ command: 'select' as const, of }] : []),
  ]);
}

/**
 * Returns the clause of a policy that applies. A policy for SELECT has only USING, which also applies to new rows. If
 * the policy has no WITH CHECK, its USING applies to new rows.
 */
export const clauseFor = ({ check }: PolicyExpressions, { command, of }: PolicyCheck): 'using' | 'check' =>
  of === 'existing' || command === 'select' || check === null ? 'using' : 'check';

/** The reasons why row-level security does not apply to a role. */
export type UnboundReason = 'off' | 'bypasses' | 'owner';

/**
 * Returns the reason why row-level security does not limit the rows of a relation for a role; null if it does.
 * @param role `bypasses` is true for superusers and roles with BYPASSRLS, `owns` for roles with the privileges of the
 * owner.
 */
export function unboundReason(
  relation: { row_security: boolean; force_row_security: boolean },
  role: { bypasses: boolean; owns: boolean },
): UnboundReason | null {
  if (!relation.row_security) return 'off';
  if (role.bypasses) return 'bypasses';
  return role.owns && !relation.force_row_security ? 'owner' : null;
}

/** The operators that combine the results of policies: booleans, typed conditions or SQL. */
export interface Connectives<T> {
  or(items: readonly T[]): T;
  and(items: readonly T[]): T;
  /** The result without a permissive policy: no row passes. */
  none: T;
}

/** Combines the results of policies: at least one permissive policy and every restrictive policy must pass. */
export function combinePolicies<T>(
  policies: readonly { readonly permissive: boolean; readonly result: T }[],
  { or, and, none }: Connectives<T>,
): T {
  const resultsOf = (permissive: boolean): T[] =>
    policies.flatMap((policy) => (policy.permissive === permissive ? [policy.result] : []));
  const some = resultsOf(true);
  return some.length === 0 ? none : and([or(some), ...resultsOf(false)]);
}
