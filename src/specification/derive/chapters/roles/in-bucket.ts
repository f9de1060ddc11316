import type { Decision, PolicyConditions } from '../../../../access/decision.ts';
import { type Caller, outcomes, TRUE } from '../../../../access/outcomes.ts';
import { INSUFFICIENT_PRIVILEGE } from '../../../../access/refusals.ts';
import type { Expression } from '../../../../sql-reader/tree.ts';

/** The known fields of a row of storage.objects. */
export type KnownRow = NonNullable<Caller['row']>;

/** Returns the known field of the rows of a bucket. */
export const rowOf = (bucket: string): KnownRow => new Map([['bucket_id', { is: 'known', text: bucket }]]);

export const canHold = (condition: Expression, caller: Caller, row: KnownRow): boolean =>
  (outcomes(condition, { ...caller, row }) & TRUE) !== 0;

/** Returns a decision for rows of a bucket. */
export const inBucket = (decision: Decision, row: KnownRow, isInsert: boolean): Decision =>
  withKnownRow(decision, row, isInsert ? INSUFFICIENT_PRIVILEGE : null, 'no policy lets it through in this bucket');

/**
 * Returns a decision for rows of which some fields are known. Conditions that these fields settle are removed.
 * @param code The code of the error if no policy lets the rows through; null if the call finds no row.
 * @param reason The reason in this case.
 */
export function withKnownRow(decision: Decision, row: KnownRow, code: string | null, reason: string): Decision {
  if (decision.verdict !== 'when') return decision;
  const conditions: (string | PolicyConditions)[] = [];
  for (const condition of decision.conditions) {
    if (typeof condition === 'string') {
      conditions.push(condition);
      continue;
    }
    const caller = { ...condition.caller, row };
    const parts = [condition.using, condition.check, condition.seen].filter((part) => part !== null);
    if (parts.some((part) => !canHold(part, caller, row))) {
      return { ...decision, verdict: 'never', conditions: [], reason, code };
    }
    if (!parts.every((part) => outcomes(part, caller) === TRUE)) conditions.push({ ...condition, caller });
  }
  return { ...decision, verdict: conditions.length === 0 ? 'always' : 'when', conditions };
}
