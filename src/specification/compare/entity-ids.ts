import type { JsonObject } from '../derive/words/sentence-parts.ts';
import { items, text } from '../derive/words/sentence-parts.ts';
import type { ChapterPair } from './describer.ts';

/** Returns the ids of the entities of chapter 3 and of the functions of chapter 6, before and after. */
export const entityIds = ({
  before,
  after,
}: ChapterPair): { before: ReadonlySet<string>; after: ReadonlySet<string> } => ({
  before: idsOf(before),
  after: idsOf(after),
});

const idsOf = (chapters: JsonObject): ReadonlySet<string> =>
  new Set([
    ...items(chapters.entities, 'entities').map((entity) => text(entity, 'id')),
    ...items(chapters.roles, 'cells')
      .filter((cell) => text(cell, 'operation') === 'execute')
      .map((cell) => text(cell, 'entity')),
  ]);
