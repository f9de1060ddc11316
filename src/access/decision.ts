import type { PolicyFact } from '../catalog/access.ts';
import type { RelationFact } from '../catalog/entities.ts';
import type { Raise } from '../sql-reader/body/raises.ts';
import type { Expression } from '../sql-reader/tree.ts';
import { errorsWords, raisesWords } from './code-errors.ts';
import type { Caller } from './outcomes.ts';
import { INSUFFICIENT_PRIVILEGE } from './refusals.ts';

/** The conditions that the policies of a relation set for a statement. The specification describes them in words. */
export interface PolicyConditions {
  /** The condition on the existing row. */
  using: Expression | null;
  /** The condition on the row as it is written. */
  check: Expression | null;
  /** An additional condition of a statement that reads the row. */
  seen: Expression | null;
  caller: Caller;
}

/** The result of an operation on a relation for one role. */
export interface Decision {
  verdict: 'always' | 'when' | 'never';
  /** The conditions of verdict `when`, which must all hold. Conditions of calls and of fields are in words. */
  conditions: readonly (string | PolicyConditions)[];
  /**
   * Errors that the app's own code raises for some rows or arguments, whatever privileges the caller has. The verdict
   * does not include them.
   */
  errors: readonly CodeErrors[];
  reason: string;
  /** For verdict `never`: the code of the error that refuses the call; null if the call succeeds but finds no row. */
  code: string | null;
  /** The reason why the probe cannot test the decision with statements on rows; null if it can. */
  untried: UntestableReason | null;
  /** Names of the policies that apply, permissive policies first. */
  policies: string[];
  /** The fields that the privilege is limited to; null if it covers all. */
  columns: string[] | null;
}

/** The errors of a trigger or a function: the condition that none occurs, in words, and the errors. */
interface CodeErrors {
  words: string;
  reason: string;
}

/**
 * The reasons why the probe cannot test a decision:
 * - `request`: the function that runs before each request, which the probe does not run
 * - `rule`: a constraint that no row satisfies, instead of a privilege
 * - `types`: the types of the values that a statement sets
 * - `table`: the partition or child table that contains the row
 * - `name`: the function that a call selects among functions of the same name
 * - `code`: the privileges that the code of a function needs
 */
export type UntestableReason = 'request' | 'rule' | 'types' | 'table' | 'name' | 'code';

const blank = { conditions: [], errors: [], code: null, untried: null, policies: [], columns: null };

/** Returns a decision whose operation PostgreSQL never refuses. */
export const always = (reason: string): Decision => ({ ...blank, verdict: 'always', reason });
/** Returns a decision whose operation succeeds under the condition. */
export const conditional = (reason: string, condition: string | PolicyConditions): Decision => ({
  ...blank,
  verdict: 'when',
  conditions: [condition],
  reason,
});
/** The reason of an error, which ends with its code, and the code. */
export interface Refusal {
  reason: string;
  code: string;
}

/** Returns a refusal whose reason names its code. */
export const refusal = (why: string, code: string = INSUFFICIENT_PRIVILEGE): Refusal => ({
  reason: `${why} (${code})`,
  code,
});

/** Returns a decision whose operation is refused with an error. */
export const denied = (reason: string | Refusal, code: string = INSUFFICIENT_PRIVILEGE): Decision =>
  typeof reason === 'string' ? { ...blank, verdict: 'never', code, reason } : { ...blank, verdict: 'never', ...reason };
/** Returns a denial because field `name` must have a value and no statement can set one. */
export const missingValue = (name: string): Decision => ({
  ...denied(refusal(`field ${name} must have a value, and none can be given`, '23502')),
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
    conditions: [...decision.conditions, words],
    reason: `${decision.reason}; ${reason}`,
  };
}

/** Returns the decision with the errors that the code of a trigger or a function raises for some rows or arguments. */
export function addErrors(decision: Decision, code: string, raises: readonly Raise[]): Decision {
  if (raises.length === 0 || decision.verdict === 'never') return decision;
  const errors = {
    words: `unless ${code} raises ${errorsWords(raises)}`,
    reason: `${code} raises ${raisesWords(raises)}`,
  };
  return { ...decision, errors: [...decision.errors, errors] };
}

/** Returns the name of the relation for words of conditions: without the schema public. */
export const shortName = ({ schema, name }: RelationFact): string => (schema === 'public' ? name : `${schema}.${name}`);

/** Returns the name of the relation with its schema, unquoted, for sentences. */
export const display = (relation: RelationFact): string => `${relation.schema}.${relation.name}`;
/** Returns the names of the policies. */
export const namesOf = (policies: readonly PolicyFact[]): string[] => policies.map((policy) => policy.name);
/** Returns the names of the policies in quotes, for sentences. */
export const quoted = (policies: readonly PolicyFact[]): string =>
  `${policies.length === 1 ? 'policy' : 'policies'} ${policies.map((policy) => `"${policy.name}"`).join(', ')}`;
