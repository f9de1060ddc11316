import type { ReadNode } from './plan.ts';

/**
 * The columns that a write or a call must give so that what is selected, ordered by and embedded can be read from its rows:
 * `*` alone, or names, sorted.
 */
export function columnsNeeded(read: ReadNode, primaryKey: readonly string[]): string[] {
  const columns = new Set([...read.select, ...read.orderColumns].map((item) => item.field.name));
  if (columns.has('*')) return ['*'];
  for (const term of read.order) if (term.relation === null) columns.add(term.field.name);
  for (const { embedding } of read.children) {
    const relationship = embedding?.relationship;
    if (relationship?.kind === 'computed') return ['*'];
    const pairs = relationship?.kind === 'many-to-many' ? relationship.sourceColumns : (relationship?.columns ?? []);
    for (const [column] of pairs) columns.add(column);
  }
  for (const column of primaryKey) columns.add(column);
  return [...columns].sort();
}
