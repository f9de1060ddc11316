import type { EntitiesChapter, Entity, Field, Relation } from '../../../../contract/specification.ts';
import { plainSql } from '../../format/plain-sql.ts';

/** What PostgreSQL fills in by itself, in words; null where it fills in nothing. */
export function filledBy({ default: expression, generated, identity }: Field): string | null {
  if (identity !== null) return identity === 'always' ? 'counted up' : 'counted up unless given';
  if (generated !== null) return `from ${plainSql(expression ?? '')}`;
  return expression && plainSql(expression);
}

/** Whether a trigger is a state machine's: it is told with the machine, not by its name. */
export const ofMachine = ({ name }: Entity['triggers'][number]): boolean => name.startsWith('zz_ninefold_');

/** The marks of a field within its entity: part of the primary key, a reference, may be null. */
export function fieldMarks(entity: Entity, { name, references, nullable }: Field): string[] {
  return [
    ...(entity.primary_key.includes(name) ? ['key'] : []),
    ...(references ? ['reference'] : []),
    ...(nullable ? ['may be null'] : []),
  ];
}

const isOf = (end: Relation['from'], entity: Entity) => end.schema === entity.schema && end.entity === entity.name;

/** The relations that leave an entity and those that arrive at it. */
export const relationsOf = (entity: Entity, relations: readonly Relation[]): { out: Relation[]; in: Relation[] } => ({
  out: relations.filter(({ from }) => isOf(from, entity)),
  in: relations.filter(({ to }) => isOf(to, entity)),
});

/** Tables that anybody with a grant reads whole: exposed, and without row-level security. Views have none of their own. */
export const openTables = ({ entities }: EntitiesChapter): Entity[] =>
  entities.filter(
    ({ exposed, kind, row_level_security }) =>
      exposed && (kind === 'table' || kind === 'partitioned table') && !row_level_security,
  );
