import type { ReadNode } from './plan.ts';

/**
 * Returns the columns that a write or a function must return for `select`, order and embedded relations: `*` alone, or
 * sorted names.
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
