import { entityId } from '../../contract/entity-names.ts';
import type { RequestTrace } from '../../contract/observed.ts';
import type { PolicyEntry, RolesChapter } from '../../contract/specification-roles.ts';

/** The policies that chapter 6 names for what a call touched: for its role, each entity and operation. Pure. */
export function policiesForRequest(
  { touched, who }: Pick<RequestTrace, 'touched' | 'who'>,
  { cells, policies }: RolesChapter,
): PolicyEntry[] {
  const applying = new Set<string>();
  for (const { schema, name, operation } of touched) {
    const entity = entityId(schema, name);
    // A write that finds its rows by a filter, or gives them back, reads them too.
    const asked = operation === 'update' || operation === 'delete' ? [operation, 'select'] : [operation];
    for (const cell of cells) {
      if (cell.role !== who.role || cell.entity !== entity || !asked.includes(cell.operation)) continue;
      for (const policy of cell.policies) applying.add(`${entity} ${policy}`);
    }
  }
  return policies.filter((policy) => applying.has(`${policy.entity} ${policy.name}`));
}
