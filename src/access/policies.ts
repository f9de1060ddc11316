import type { PolicyFact } from '../catalog/access.ts';
import type { RelationFact } from '../catalog/entities.ts';
import { memoize } from '../catalog/memoize.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { join, readCondition } from '../sql-reader/condition.ts';
import { type FieldTypes, withTypes } from '../sql-reader/field-types.ts';
import { mapOperands, mapSources } from '../sql-reader/map-tree.ts';
import type { Expression, Operand, Source, Subquery } from '../sql-reader/tree.ts';
import { named } from './fact-indexes.ts';
import { fieldTypes } from './field-types.ts';
import type { AccessLookup } from './lookup.ts';
import type { RowOperation } from './operations.ts';
import type { Privileges } from './privileges.ts';
import { clauseFor, combinePolicies, policyChecks, type UnboundReason, unboundReason } from './row-security.ts';

/** Maximum length of a meaning within a sentence. Longer comments are only shown with the function. */
const LONGEST_MEANING = 100;

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
  readonly #rows = new Map<string, RowSecurity>();
  readonly #look: AccessLookup;
  readonly #read = new Map<string, Expression>();
  readonly #types = new Map<number, FieldTypes>();

  constructor(look: AccessLookup) {
    this.#look = look;
    this.#privileges = look.privileges;
  }

  of(relation: number): readonly PolicyFact[] {
    return this.#look.policies.get(relation) ?? [];
  }

  /** Returns the conditions of row-level security for an operation of a role. Does not consider privileges. */
  rows(role: number, relation: RelationFact, operation: RowOperation): RowSecurity {
    const key = `${role} ${relation.oid} ${operation}`;
    return this.#look.recorder.within(relation.oid, () => {
      const rows = this.#rows.get(key) ?? this.#rowsAfresh(role, relation, operation);
      this.#rows.set(key, rows);
      return rows;
    });
  }

  #rowsAfresh(role: number, relation: RelationFact, operation: RowOperation): RowSecurity {
    const entry = this.#privileges.membership.role(role);
    const unbound = unboundReason(relation, {
      bypasses: entry !== undefined && (entry.superuser || entry.bypasses_row_security),
      owns: this.#privileges.owns(role, relation),
    });
    if (unbound !== null) return { bound: false, reason: this.#unboundWords(unbound, relation) };
    const policies = this.of(relation.oid).filter((policy) => this.#applies(role, policy, operation));
    return {
      bound: true,
      policies,
      ...this.#conditions(policies, operation),
    };
  }

  #unboundWords(reason: UnboundReason, { oid }: RelationFact): string {
    if (reason === 'bypasses') return 'the role bypasses row-level security';
    if (reason === 'owner') return 'row-level security does not bind the owner';
    const count = this.of(oid).length;
    const idle = count === 0 ? '' : `: its ${count === 1 ? 'policy has' : `${count} policies have`} no effect`;
    return `row-level security is off${idle}`;
  }

  /**
   * Parses a condition of a policy and interprets it by the types of the relation's fields. A call of a function that
   * has a comment has the meaning that the comment states.
   */
  parsed({ relation, functions }: PolicyFact, text: string): Expression {
    const key = `${relation} ${text}`;
    return this.#look.recorder.within(relation, () => {
      const known = this.#read.get(key);
      if (known) return known;
      const types = this.#types.get(relation) ?? fieldTypes(this.#look, relation);
      this.#types.set(relation, types);
      const called = functions.flatMap(({ oid }) => this.#look.shared.routines.get(oid) ?? []);
      const typed = mapSources(withTypes(parse(text), types), (source, query) =>
        source.kind === 'relation' && this.#isLimited(source, query) ? { ...source, isLimited: true } : source,
      );
      const expression = withMeanings(typed, called);
      this.#read.set(key, expression);
      return expression;
    });
  }

  /**
   * Returns true if policies decide which rows of a relation a subquery sees. Returns false if the subquery asks for rows of the
   * member, and a policy lets each member read these.
   */
  #isLimited({ schema, name, alias }: Extract<Source, { kind: 'relation' }>, query: Subquery): boolean {
    const relation = named(this.#look, schema, name);
    if (!relation?.row_security || (relation.kind !== 'r' && relation.kind !== 'p')) return false;
    const reading = this.of(relation.oid).filter(({ command }) => command === 'r' || command === '*');
    if (reading.some(({ permissive }) => !permissive)) return true;
    const asked = [...query.on, query.where].flatMap((item) => (item.kind === 'and' ? item.items : [item]));
    const own = asked.flatMap((item) => callerField(item, alias) ?? []);
    return !reading.some(({ using }) => {
      if (using === null) return false;
      const field = using === 'true' ? null : callerField(parse(using), null);
      return using === 'true' || (field !== null && own.includes(field));
    });
  }

  /**
   * Returns the conditions of some policies of one relation, after `replace` has changed the SQL text of each
   * condition.
   */
  conditionsOf(policies: readonly PolicyFact[], operation: RowOperation, replace: (text: string) => string) {
    const replaced = policies.map((policy) => ({
      ...policy,
      using: policy.using && replace(policy.using),
      check: policy.check && replace(policy.check),
    }));
    return this.#conditions(replaced, operation);
  }

  #conditions(policies: readonly PolicyFact[], operation: RowOperation) {
    const checks = checksOf[operation];
    const condition = (of: 'existing' | 'new'): Expression | null => {
      const check = checks.find((one) => one.of === of);
      if (!check) return null;
      const results = policies.flatMap((policy) => {
        const text = policy[clauseFor(policy, check)];
        return text === null ? [] : [{ permissive: policy.permissive, result: this.parsed(policy, text) }];
      });
      return combinePolicies(results, connectives);
    };
    return { using: condition('existing'), check: condition('new') };
  }

  /**
   * Returns true if a policy contains a subquery of any kind, also one that reads no table, such as `(select
   * auth.uid())`.
   */
  holdSubqueries(policies: readonly PolicyFact[], operation: RowOperation): boolean {
    return policies.some((policy) =>
      clausesFor(policy, operation).some((clause) => policy.subqueries.includes(clause)),
    );
  }

  #applies(role: number, policy: PolicyFact, operation: RowOperation): boolean {
    return (policy.command === '*' || policy.command === commandOf[operation]) && this.names(policy, role);
  }

  /** Returns true if the policy names the role, a role whose privileges the role has, or PUBLIC. */
  names(policy: PolicyFact, role: number): boolean {
    return policy.roles.some((to) => to === PUBLIC || this.#privileges.membership.hasPrivilegesOf(role, to));
  }
}

/**
 * The conditions of policies that each operation must pass, without the policies for SELECT that apply to a write that
 * reads fields.
 */
const checksOf = {
  select: policyChecks('select', false),
  insert: policyChecks('insert', false),
  update: policyChecks('update', false),
  delete: policyChecks('delete', false),
};

const connectives = {
  or: (items: readonly Expression[]) => join('or', items),
  and: (items: readonly Expression[]) => join('and', items),
  none: { kind: 'constant', value: false } as const,
};

const parse = memoize(readCondition);

/** Returns the field that a condition compares with the id of the caller: `user_id = auth.uid()`. */
function callerField(item: Expression, qualifier: string | null): string | null {
  if (item.kind !== 'compare' || item.operator !== '=') return null;
  const [field, other] = item.left.kind === 'field' ? [item.left, item.right] : [item.right, item.left];
  return field.kind === 'field' && field.qualifier === qualifier && other.kind === 'user-id' ? field.name : null;
}

/** Returns the clauses of a policy that an operation evaluates. */
const clausesFor = (policy: PolicyFact, operation: RowOperation): ('using' | 'check')[] =>
  checksOf[operation].map((check) => clauseFor(policy, check));

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

/**
 * Adds to each call the meaning of its function: the first sentence of the function's comment. A call gets no meaning if
 * functions of the same name have different comments, because the condition does not show which one PostgreSQL calls.
 */
function withMeanings(expression: Expression, called: readonly RoutineFact[]): Expression {
  const meanings = meaningsOf(called);
  if (meanings.size === 0) return expression;
  return mapOperands(expression, (operand): Operand => {
    const meaning = operand.kind === 'call' ? meanings.get(operand.name) : undefined;
    return operand.kind === 'call' && meaning !== undefined ? { ...operand, meaning } : operand;
  });
}

function meaningsOf(called: readonly RoutineFact[]): Map<string, string> {
  const found = new Map<string, string | null>();
  for (const { schema, name, comment } of called) {
    const key = `${schema}.${name}`;
    const own = firstSentence(comment ?? '');
    found.set(key, found.has(key) && found.get(key) !== own ? null : own);
  }
  return new Map([...found].filter((entry): entry is [string, string] => entry[1] !== null));
}

/** Returns the first sentence of a comment without its full stop; null if the sentence is empty or too long. */
function firstSentence(comment: string): string | null {
  const [first = ''] = comment.trim().split(/(?<=[.!?])\s|\n\s*\n/);
  const words = first.replace(/\s+/g, ' ').replace(/\.$/, '').trim();
  return words === '' || words.length > LONGEST_MEANING ? null : words;
}
