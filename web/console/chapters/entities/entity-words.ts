import type { EntitiesChapter, Entity, EntityTrigger, Field, Relation } from '../../../../contract/specification.ts';
import { shortId } from '../../format/format.ts';
import { plainSql } from '../../format/plain-sql.ts';

/** What PostgreSQL fills in by itself, in words; null where it fills in nothing. */
export function filledBy({ default: expression, generated, identity }: Field): string | null {
  if (identity !== null) return identity === 'always' ? 'counted up' : 'counted up unless given';
  if (generated !== null) return `from ${plainSql(expression ?? '')}`;
  return expression && plainSql(expression);
}

/** How a field is counted up: "always, from 1 to 100, then none (2200H)"; "no" where nothing is told of it. */
export const countedWords = ({ identity, numbering }: Field): string =>
  [identity, numbering].filter((part) => part !== null && part !== undefined).join(', ') || 'no';

/** What a value of a composite type consists of: "street text (without its number), town text"; empty for every other type. */
export const attributeWords = ({ attributes = [] }: Field): string =>
  attributes
    .map(({ name, type, comment }) => `${name} ${shortId(type)}${comment === undefined ? '' : ` (${comment})`}`)
    .join(', ');

/** Which texts of a field count as the same although they are spelled otherwise; null where only the same do. */
export const equalWords = ({ collation }: Field): string | null =>
  collation?.equal === undefined ? null : `texts ${collation.equal} count as the same`;

/** What a view keeps of what is written through it, in words; null where it keeps nothing. */
export function checkWords({ check_option }: Entity): string | null {
  if (check_option === undefined) return null;
  return check_option === 'local'
    ? 'only rows that it shows by its own condition'
    : 'only rows that it shows, by its own condition and those of the views beneath';
}

/** What of a trigger is not as usual, in words; null where nothing is. */
export function triggerRemark({ enabled, in_replicas }: EntityTrigger): string | null {
  if (!enabled) return 'switched off';
  return in_replicas ? 'for replicated rows too' : null;
}

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
