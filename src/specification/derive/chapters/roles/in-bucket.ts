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

/** Returns a decision for rows of which some fields are known. Conditions that these fields settle are removed. */
export function inBucket(decision: Decision, row: KnownRow, isInsert: boolean): Decision {
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
      const reason = 'no policy lets it through in this bucket';
      return { ...decision, verdict: 'never', conditions: [], reason, code: isInsert ? INSUFFICIENT_PRIVILEGE : null };
    }
    if (!parts.every((part) => outcomes(part, caller) === TRUE)) conditions.push({ ...condition, caller });
  }
  return { ...decision, verdict: conditions.length === 0 ? 'always' : 'when', conditions };
}
