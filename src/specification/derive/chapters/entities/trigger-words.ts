import type { EntityTrigger } from '../../../../../contract/specification-entities.ts';

/** Returns when a trigger runs, from its SQL: "before insert or update of state". */
export function triggerEvents({ sql }: Pick<EntityTrigger, 'sql'>): string {
  const [, time = '', events = ''] = /\b(BEFORE|AFTER|INSTEAD OF) (.*?) ON (?:"|\w)/s.exec(sql) ?? [];
  // Keywords are in capitals; names of fields after UPDATE OF stay as they are.
  return `${time} ${events}`
    .replace(/\b(BEFORE|AFTER|INSTEAD OF|INSERT|UPDATE|DELETE|TRUNCATE|OR|OF)\b/g, (word) => word.toLowerCase())
    .trim();
}
