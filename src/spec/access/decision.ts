import type { PolicyFact } from '../../catalog/access.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import { join } from '../../sql-reader/condition.ts';
import type { Expression } from '../../sql-reader/tree.ts';
import type { Caller } from '../words/outcomes.ts';
import { phrase } from '../words/phrase.ts';

/** The result of an operation on a relation for one role. */
export interface Decision {
  verdict: 'always' | 'when' | 'never';
  words: string;
  reason: string;
  /** Of verdict `never`: true if PostgreSQL returns an error, false if the statement finds no row. */
  refused: boolean;
  /** The reason why the probe cannot test the decision with statements on rows; null if it can. */
  untried: UntestableReason | null;
  /** Names of the policies that apply, permissive policies first. */
  policies: string[];
  /** The fields that the privilege is limited to; null if it covers all. */
  columns: string[] | null;
}

/**
 * The reasons why the probe cannot test a decision:
 * - `rule`: a constraint that no row satisfies, instead of a privilege
 * - `types`: the types of the values that a statement sets
 * - `table`: the partition or child table that contains the row
 * - `name`: the function that a call selects among functions of the same name
 * - `code`: the privileges that the code of a function needs
 */
export type UntestableReason = 'rule' | 'types' | 'table' | 'name' | 'code';

const blank = { words: '', refused: false, untried: null, policies: [], columns: null };

/** Returns a decision whose operation PostgreSQL never refuses. */
export const always = (reason: string): Decision => ({ ...blank, verdict: 'always', reason });
/** Returns a decision whose operation succeeds under the condition in `words`. */
export const conditional = (reason: string, words: string): Decision => ({ ...blank, verdict: 'when', words, reason });
/** Returns a decision whose operation PostgreSQL refuses with an error. */
export const denied = (reason: string): Decision => ({ ...blank, verdict: 'never', refused: true, reason });
/** Returns a denial because field `name` must have a value and no statement can set one. */
export const missingValue = (name: string): Decision => ({
  ...denied(`field ${name} must have a value, and none can be given (23502)`),
  untried: 'rule',
});
/** Returns a decision whose operation runs without an error but finds no row. */
export const noRows = (reason: string): Decision => ({ ...blank, verdict: 'never', reason });

/** Returns the decision with an additional condition and its reason. */
export function addCondition(
  decision: Decision,
  words: string,
  reason: string,
  untried: UntestableReason | null = decision.untried,
): Decision {
  return {
    ...decision,
    untried,
    verdict: 'when',
    words: decision.words === '' ? words : `${decision.words}, ${words}`,
    reason: `${decision.reason}; ${reason}`,
  };
}

/** Returns the name of the relation with its schema, unquoted, for sentences. */
export const display = (relation: RelationFact): string => `${relation.schema}.${relation.name}`;
/** Returns the names of the policies. */
export const namesOf = (policies: readonly PolicyFact[]): string[] => policies.map((policy) => policy.name);
/** Returns the names of the policies in quotes, for sentences. */
export const quoted = (policies: readonly PolicyFact[]): string =>
  `${policies.length === 1 ? 'policy' : 'policies'} ${policies.map((policy) => `"${policy.name}"`).join(', ')}`;

/**
 * Returns the conditions in words, without repetition.
 * @param using The condition on the existing row.
 * @param check The condition on the row as it is written.
 * @param seen An additional condition of a statement that reads the row.
 */
export function conditionWords(
  using: Expression | null,
  check: Expression | null,
  seen: Expression | null,
  caller: Caller,
): string {
  const asked = (part: Expression): string => phrase(seen ? join('and', [part, seen]) : part, caller);
  if (using === null) return check === null ? '' : phrase(check, caller);
  const before = asked(using);
  if (check === null) return before;
  const after = asked(check);
  if (after === before || after === 'always') return before;
  return before === 'always' ? `new row: ${after}` : `${before}; new row: ${after}`;
}
