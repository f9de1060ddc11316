import type { PolicyFact } from '../../catalog/access.ts';
import type { RelationFact } from '../../catalog/entities.ts';
import { join } from '../../sql-reader/condition.ts';
import type { Expression } from '../../sql-reader/tree.ts';
import type { Caller } from '../words/outcomes.ts';
import { phrase } from '../words/phrase.ts';

/** What an operation on a relation comes to for one role. */
export interface Decision {
  verdict: 'always' | 'when' | 'never';
  words: string;
  reason: string;
  /** `never` only: PostgreSQL answers with an error, where else the statement finds no row. */
  refused: boolean;
  /** What it hangs on that a try of some statement on some row does not tell; null where it does. */
  untried: UntestableReason | null;
  /** Names of the policies that were looked at, permissive first. */
  policies: string[];
  /** Fields the grant is limited to; null where it covers all. */
  columns: string[] | null;
}

/**
 * A rule that no row can keep, which is no right; the types of what a statement gives; the partition or the child table that a row is in; which
 * of the functions of a name a call finds; what the code of a function needs.
 */
export type UntestableReason = 'rule' | 'types' | 'table' | 'name' | 'code';

const blank = { words: '', refused: false, untried: null, policies: [], columns: null };

export const always = (reason: string): Decision => ({ ...blank, verdict: 'always', reason });
export const conditional = (reason: string, words: string): Decision => ({ ...blank, verdict: 'when', words, reason });
export const denied = (reason: string): Decision => ({ ...blank, verdict: 'never', refused: true, reason });
/** Field `name` must have a value, and no statement can give one. */
export const missingValue = (name: string): Decision => ({
  ...denied(`field ${name} must have a value, and none can be given (23502)`),
  untried: 'rule',
});
export const noRows = (reason: string): Decision => ({ ...blank, verdict: 'never', reason });

/** The decision with one more condition, and why. */
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

export const display = (relation: RelationFact): string => `${relation.schema}.${relation.name}`;
export const namesOf = (policies: readonly PolicyFact[]): string[] => policies.map((policy) => policy.name);
export const quoted = (policies: readonly PolicyFact[]): string =>
  `${policies.length === 1 ? 'policy' : 'policies'} ${policies.map((policy) => `"${policy.name}"`).join(', ')}`;

/**
 * The conditions in words: on a row that is there (`using`) and on the row as it is written (`check`), each said once.
 * `seen` is what a statement that reads the row must pass besides.
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
