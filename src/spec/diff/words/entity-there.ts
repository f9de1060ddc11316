import type { JsonObject } from '../differences.ts';
import { items, text } from './values.ts';

/** True where chapter 3 of these chapters knows the entity, or chapter 6 the function. */
export function hasEntity(chapters: JsonObject, id: string): boolean {
  if (items(chapters.entities, 'entities').some((entity) => text(entity, 'id') === id)) return true;
  return items(chapters.roles, 'cells').some(
    (cell) => text(cell, 'operation') === 'execute' && text(cell, 'entity') === id,
  );
}
