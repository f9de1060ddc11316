import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import { keyFields } from '../../queries/rows/row.ts';

/** Returns the reason why no row of an entity can be changed here; null if rows can be changed. */
export function rowsReadOnly(entity: Entity): string | null {
  if (keyFields(entity).length === 0) {
    return entity.kind === 'view' || entity.kind === 'materialized view'
      ? `${entity.name} is a ${entity.kind} without a key, so rows cannot be edited. Change the base tables.`
      : `${entity.name} has no primary key, so rows cannot be edited. Add one.`;
  }
  return entity.writable.update ? null : `PostgreSQL does not allow updates on this ${entity.kind}.`;
}

/** Returns the reason why a field of a row cannot be changed; null if it can. */
export function fieldReadOnly(entity: Entity, field: Field): string | null {
  const rows = rowsReadOnly(entity);
  if (rows !== null) return rows;
  if (field.generated !== null) return `The database generates ${field.name} from other fields.`;
  if (field.computed) return `The view computes ${field.name}.`;
  return field.identity === 'always' ? `${field.name} is an identity field.` : null;
}

/** Returns the reason why no row can be inserted; null if rows can be inserted. */
export function insertOff(entity: Entity): string | null {
  if (keyFields(entity).length === 0) return rowsReadOnly(entity);
  return entity.writable.insert ? null : `PostgreSQL does not allow inserts into this ${entity.kind}.`;
}

/** Returns the reason why no row can be deleted; null if rows can be deleted. */
export function deleteOff(entity: Entity): string | null {
  if (keyFields(entity).length === 0) return rowsReadOnly(entity);
  return entity.writable.delete ? null : `PostgreSQL does not allow deletes from this ${entity.kind}.`;
}
