import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import { keyFields } from '../../data/rows/row.ts';

/** Returns the reason why no row of an entity can be changed here; null if rows can be changed. */
export function rowsReadOnly(entity: Entity): string | null {
  if (keyFields(entity).length === 0) {
    return entity.kind === 'view' || entity.kind === 'materialized view'
      ? `${entity.name} is a ${entity.kind} without a key: which row is meant cannot be said. Change the tables beneath it.`
      : `${entity.name} has no primary key: which row is meant cannot be said. Add one, and its rows can be edited.`;
  }
  return entity.writable.update ? null : `PostgreSQL takes no updates on this ${entity.kind}.`;
}

/** Returns the reason why a field of a row cannot be changed; null if it can. */
export function fieldReadOnly(entity: Entity, field: Field): string | null {
  const rows = rowsReadOnly(entity);
  if (rows !== null) return rows;
  if (field.generated !== null) return `The database makes ${field.name} from other fields.`;
  if (field.computed) return `The view computes ${field.name}.`;
  return field.identity === 'always' ? `The database numbers ${field.name} by itself.` : null;
}

/** Returns the reason why no row can be inserted; null if rows can be inserted. */
export function insertOff(entity: Entity): string | null {
  if (keyFields(entity).length === 0) return rowsReadOnly(entity);
  return entity.writable.insert ? null : `PostgreSQL takes no new rows in this ${entity.kind}.`;
}

/** Returns the reason why no row can be deleted; null if rows can be deleted. */
export function deleteOff(entity: Entity): string | null {
  if (keyFields(entity).length === 0) return rowsReadOnly(entity);
  return entity.writable.delete ? null : `PostgreSQL deletes no rows of this ${entity.kind}.`;
}
