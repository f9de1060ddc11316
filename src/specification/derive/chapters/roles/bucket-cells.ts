import type { RoleCell } from '../../../../../contract/specification-roles.ts';
import { operations } from '../../../../access/operations.ts';
import type { Caller } from '../../../../access/outcomes.ts';
import { RequestAccess } from '../../../../access/request-access.ts';
import type { PolicyFact } from '../../../../catalog/access.ts';
import type { Entries } from '../../entries.ts';
import { canHold, inBucket, rowOf } from './in-bucket.ts';
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
    const row = rowOf(bucket);
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
