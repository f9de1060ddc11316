import type { PolicyFact } from '../catalog/access.ts';
import type { RelationFact } from '../catalog/entities.ts';
import { groupBy } from '../catalog/group.ts';
import { memoize } from '../catalog/memoize.ts';
import { join, readCondition } from '../sql-reader/condition.ts';
import { withTypes } from '../sql-reader/field-types.ts';
import type { Expression } from '../sql-reader/tree.ts';
import { fieldTypes } from './field-types.ts';
import type { Lookup } from './lookup.ts';
import type { Privileges } from './privileges.ts';

export type RowOperation = 'select' | 'insert' | 'update' | 'delete';

/** The limits that row-level security sets for the rows of one relation. */
export type RowSecurity =
  | { bound: false; reason: string }
  | {
      bound: true;
      /** The policies that apply to the role, permissive policies first. */
      policies: PolicyFact[];
      /** The condition on existing rows; null for insert. */
      using: Expression | null;
      /** The condition on rows as they are written; null for select and delete. */
      check: Expression | null;
    };

const PUBLIC = 0;
const commandOf = { select: 'r', insert: 'a', update: 'w', delete: 'd' } as const;

/** Row-level security as PostgreSQL applies it (rewrite/rowsecurity.c). */
export class Policies {
  readonly #privileges: Privileges;
  readonly #byRelation: ReadonlyMap<number, readonly PolicyFact[]>;
  readonly #rows = new Map<string, RowSecurity>();
  readonly #look: Lookup;
  readonly #read = new Map<string, Expression>();

  constructor(look: Lookup) {
    this.#look = look;
    this.#privileges = look.privileges;
    this.#byRelation = groupBy(look.facts.policies, (policy) => policy.relation);
  }

  of(relation: number): readonly PolicyFact[] {
    return this.#byRelation.get(relation) ?? [];
  }

  /** Returns the conditions of row-level security for an operation of a role. Does not consider privileges. */
  rows(role: number, relation: RelationFact, operation: RowOperation): RowSecurity {
    const key = `${role} ${relation.oid} ${operation}`;
    const known = this.#rows.get(key);
    if (known) return known;
    const rows = this.#rowsAfresh(role, relation, operation);
    this.#rows.set(key, rows);
    return rows;
  }

  #rowsAfresh(role: number, relation: RelationFact, operation: RowOperation): RowSecurity {
    if (!relation.row_security) {
      const count = this.of(relation.oid).length;
      const idle = count === 0 ? '' : `: its ${count === 1 ? 'policy has' : `${count} policies have`} no effect`;
      return { bound: false, reason: `row-level security is off${idle}` };
    }
    const { membership } = this.#privileges;
    const entry = membership.role(role);
    if (entry?.superuser || entry?.bypasses_row_security)
      return { bound: false, reason: 'the role bypasses row-level security' };
    if (!relation.force_row_security && this.#privileges.owns(role, relation)) {
      return { bound: false, reason: 'row-level security does not bind the owner' };
    }
    const policies = this.of(relation.oid).filter((policy) => this.#applies(role, policy, operation));
    return {
      bound: true,
      policies,
      ...this.#conditions(policies, operation),
    };
  }

  /** Returns a condition of a policy, together with the words of the policy's comment. */
  parsed(policy: PolicyFact, text: string): Expression {
    const item = this.#typed(policy.relation, text);
    const settled = item.kind === 'constant';
    return policy.comment === null || settled ? item : { kind: 'named', item, words: policy.comment };
  }

  /** Parses a condition and interprets it by the types of the relation's fields. */
  #typed(relation: number, text: string): Expression {
    const key = `${relation} ${text}`;
    const expression = this.#read.get(key) ?? withTypes(readText(text).expression, fieldTypes(this.#look, relation));
    this.#read.set(key, expression);
    return expression;
  }

  /** Returns the conditions of some policies of one relation after `replace` has changed the text of each. */
  conditionsOf(policies: readonly PolicyFact[], operation: RowOperation, replace: (text: string) => string) {
    const replaced = policies.map((policy) => ({
      ...policy,
      using: policy.using && replace(policy.using),
      check: policy.check && replace(policy.check),
      comment: null,
    }));
    return this.#conditions(replaced, operation);
  }

  #conditions(policies: readonly PolicyFact[], operation: RowOperation) {
    return {
      using: operation === 'insert' ? null : this.#all(policies, (policy) => policy.using),
      check:
        operation === 'insert' || operation === 'update'
          ? this.#all(policies, (policy) => policy.check ?? policy.using)
          : null,
    };
  }

  /** Returns true if a policy contains a subquery of any kind, also `(select auth.uid())`. */
  holdSubqueries(policies: readonly PolicyFact[], operation: RowOperation): boolean {
    return policies.some((policy) => textsFor(policy, operation).some((text) => readText(text).queries));
  }

  #applies(role: number, policy: PolicyFact, operation: RowOperation): boolean {
    if (policy.command !== '*' && policy.command !== commandOf[operation]) return false;
    return policy.roles.some((to) => to === PUBLIC || this.#privileges.membership.hasPrivilegesOf(role, to));
  }

  /**
   * Joins the conditions: at least one permissive policy and every restrictive policy must pass. Without a permissive
   * policy, no row passes.
   */
  #all(policies: readonly PolicyFact[], text: (policy: PolicyFact) => string | null): Expression {
    const conditions = (permissive: boolean) =>
      policies.flatMap((policy) => {
        const condition = policy.permissive === permissive ? text(policy) : null;
        return condition === null ? [] : [this.parsed(policy, condition)];
      });
    const some = conditions(true);
    if (some.length === 0) return { kind: 'constant', value: false };
    return join('and', [join('or', some), ...conditions(false)]);
  }
}

const readText = memoize((text) => {
  return { expression: readCondition(text), queries: /\(\s*(SELECT|WITH|VALUES)\s/.test(text) };
});

/**
 * Returns the clauses of a policy that an operation evaluates. If the policy has no WITH CHECK, its USING also applies
 * to new rows.
 */
function clausesFor(policy: PolicyFact, operation: RowOperation): ('using' | 'check')[] {
  const check = policy.check === null ? 'using' : 'check';
  if (operation === 'insert') return [check];
  return operation === 'update' ? ['using', check] : ['using'];
}

/** Returns the expressions of a policy that an operation evaluates. */
const textsFor = (policy: PolicyFact, operation: RowOperation): string[] =>
  clausesFor(policy, operation).flatMap((clause) => policy[clause] ?? []);

/** Returns the functions that the policies call for an operation, by oid. */
export const functionsCalled = (policies: readonly PolicyFact[], operation: RowOperation): number[] =>
  policies.flatMap((policy) => {
    const asked = clausesFor(policy, operation);
    return policy.functions.filter((one) => asked.some((clause) => one[clause])).map(({ oid }) => oid);
  });

/**
 * Returns the relations that the subqueries of the policies read for an operation, each relation once for each set of
 * fields.
 */
export const relationsRead = (policies: readonly PolicyFact[], operation: RowOperation): PolicyFact['reads'] =>
  policies.flatMap((policy) => {
    const asked = clausesFor(policy, operation);
    return policy.reads.filter(({ clause }) => asked.includes(clause));
  });
