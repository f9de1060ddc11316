import type { Entity } from '../../../../../contract/specification-entities.ts';
import type { Row } from '../../../queries/rows/row.ts';

const MAX_STEPS = 3;

/**
 * Returns the members whom a row names, each with the first field that names the member: fields that reference an
 * account, or a row whose key is an account. Pure.
 */
export function membersOf(entity: Entity, row: Row, entities: readonly Entity[]): { member: string; field: string }[] {
  const found = new Map<string, string>();
  for (const { name } of entity.fields) {
    const value = row[name];
    if (typeof value === 'string' && isAccount(entity, name, entities, MAX_STEPS) && !found.has(value)) {
      found.set(value, name);
    }
  }
  return [...found].map(([member, field]) => ({ member, field }));
}

/** Returns true if the values of a field are ids of accounts. */
function isAccount(entity: Entity, name: string, entities: readonly Entity[], steps: number): boolean {
  const to = entity.fields.find((field) => field.name === name)?.references;
  if (!to || steps === 0) return false;
  if (to.schema === 'auth' && to.entity === 'users') return to.field === 'id';
  const target = entities.find((one) => one.schema === to.schema && one.name === to.entity);
  return target !== undefined && isAccount(target, to.field, entities, steps - 1);
}
