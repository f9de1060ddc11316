import type { JsonObject } from './differences.ts';
import { items, text } from './values.ts';

const known = new WeakMap<JsonObject, ReadonlySet<string>>();

/** Returns true if chapter 3 contains the entity, or chapter 6 the function. */
export function hasEntity(chapters: JsonObject, id: string): boolean {
  const ids = known.get(chapters) ?? idsOf(chapters);
  known.set(chapters, ids);
  return ids.has(id);
}

const idsOf = (chapters: JsonObject): ReadonlySet<string> =>
  new Set([
    ...items(chapters.entities, 'entities').map((entity) => text(entity, 'id')),
    ...items(chapters.roles, 'cells')
      .filter((cell) => text(cell, 'operation') === 'execute')
      .map((cell) => text(cell, 'entity')),
  ]);
