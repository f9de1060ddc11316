import type { RoleCell } from '../../../../../contract/specification-roles.ts';
import type { Decision, PolicyConditions } from '../../../../access/decision.ts';
import { operations } from '../../../../access/operations.ts';
import { type Caller, outcomes, TRUE } from '../../../../access/outcomes.ts';
import { INSUFFICIENT_PRIVILEGE } from '../../../../access/refusals.ts';
import { RequestAccess } from '../../../../access/request-access.ts';
import type { PolicyFact } from '../../../../catalog/access.ts';
import type { Expression } from '../../../../sql-reader/tree.ts';
import type { Entries } from '../../entries.ts';
import { cell } from './roles.ts';

/**
 * Returns who may do what with the files of each bucket: the decisions about storage.objects for rows whose bucket is
 * known. The entity of a cell is the id of the bucket. Returns no cells if the app has no table storage.objects.
 */
export function bucketCells({ look }: Pick<Entries, 'look'>, buckets: readonly string[]): RoleCell[] {
  const relation = look.facts.relations.find(({ schema, name }) => schema === 'storage' && name === 'objects');
  if (!relation) return [];
  const requests = new RequestAccess(look);
  const { policies } = requests.access;
  const all = policies.of(relation.oid);
  const decided = operations.flatMap((operation) =>
    requests.roles.map((role) => ({ operation, role, decision: requests.relation(role, relation, operation) })),
  );
  return buckets.flatMap((bucket) => {
    const row: Row = new Map([['bucket_id', { is: 'known', text: bucket }]]);
    const isPossible = (policy: PolicyFact, caller: Caller) =>
      [policy.using, policy.check].every(
        (text) => text === null || canHold(policies.parsed(policy, text), caller, row),
      );
    return decided.map(({ operation, role, decision }) => {
      const known = inBucket(decision, row, operation === 'insert');
      const [first] = decision.conditions.filter((one) => typeof one !== 'string');
      const relevant = first
        ? known.policies.filter((name) => all.some((one) => one.name === name && isPossible(one, first.caller)))
        : known.policies;
      return cell(role, bucket, operation, { ...known, policies: relevant });
    });
  });
}

type Row = NonNullable<Caller['row']>;

const canHold = (condition: Expression, caller: Caller, row: Row): boolean =>
  (outcomes(condition, { ...caller, row }) & TRUE) !== 0;

/** Returns a decision for rows of which some fields are known. Conditions that these fields settle are removed. */
function inBucket(decision: Decision, row: Row, isInsert: boolean): Decision {
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
