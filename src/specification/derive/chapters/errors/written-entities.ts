import type { Entity } from '../../../../../contract/specification-entities.ts';

/** The kinds of writes. */
export type Write = 'insert' | 'update' | 'delete';

/**
 * Returns the entities that a write changes: the entity, and for a view that PostgreSQL writes through (CREATE VIEW,
 * "Updatable Views") all its base views and its base table. Pure.
 */
export function writtenEntities(entity: Entity, write: Write, entities: readonly Entity[]): Entity[] {
  const written: Entity[] = [];
  for (let at: Entity | undefined = entity; at && !written.includes(at); ) {
    written.push(at);
    const beneath: string | null = writesThrough(at, write) ? onlySource(at.definition ?? '') : null;
    at = entities.find(({ id }) => id === beneath);
  }
  return written;
}

/** Returns false if a trigger or a rule of the view replaces the write. */
const writesThrough = ({ kind, writable, triggers, rewrite_rules = [] }: Entity, write: Write): boolean =>
  kind === 'view' &&
  writable[write] &&
  !triggers.some(({ enabled, sql }) => enabled && / INSTEAD OF /.test(sql) && firesOn(sql, write)) &&
  !rewrite_rules.some(({ enabled, sql }) => enabled && / DO INSTEAD /.test(sql) && ruleOn(write).test(sql));

/** Returns true if a trigger with this definition fires on the write. */
export const firesOn = (trigger: string, write: Write): boolean =>
  new RegExp(`\\b${write}\\b`, 'i').test(trigger.slice(0, trigger.toUpperCase().indexOf(' ON ')));

const ruleOn = (write: Write): RegExp => new RegExp(`\\sON ${write.toUpperCase()} TO\\s`);

const NAME = '(?:"(?:[^"]|"")+"|[^\\s".,;()]+)';
const token = new RegExp(`'(?:[^']|'')*'|${NAME}(?:\\.${NAME})*|[()]`, 'g');

/** Returns the relation that the query of an updatable view reads, with its name as PostgreSQL prints it. */
function onlySource(query: string): string | null {
  let depth = 0;
  let before = '';
  for (const [found] of query.matchAll(token)) {
    if (found === '(') depth++;
    else if (found === ')') depth--;
    else if (depth === 0) {
      // The relation follows FROM or FROM ONLY. The FROM of IS DISTINCT FROM precedes an operand and is skipped.
      if (before === 'FROM' && found !== 'ONLY') return found;
      if (before !== 'FROM') before = found === 'FROM' && before === 'DISTINCT' ? '' : found;
    }
  }
  return null;
}
