import { entityId } from '../../../../../contract/entity-names.ts';
import type { RequestTrace } from '../../../../../contract/observed.ts';
import type { PolicyEntry, RolesChapter } from '../../../../../contract/specification-roles.ts';

/** Returns the policies that chapter 6 lists for the role, entities and operations of a request. Pure. */
export function policiesForRequest(
  { touched, who }: Pick<RequestTrace, 'touched' | 'who'>,
  { cells, policies }: RolesChapter,
): PolicyEntry[] {
  const applying = new Set<string>();
  for (const { schema, name, operation } of touched) {
    const entity = entityId(schema, name);
    // An UPDATE or DELETE that has a filter or returns rows also reads rows, so the policies for SELECT apply too.
    const asked = operation === 'update' || operation === 'delete' ? [operation, 'select'] : [operation];
    for (const cell of cells) {
      if (cell.role !== who.role || cell.entity !== entity || !asked.includes(cell.operation)) continue;
      for (const policy of cell.policies) applying.add(`${entity} ${policy}`);
    }
  }
  return policies.filter((policy) => applying.has(`${policy.entity} ${policy.name}`));
}
