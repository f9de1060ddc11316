import type {
  EntitiesChapter,
  Entity,
  EntityTrigger,
  Field,
  Relation,
} from '../../../../contract/specification-entities.ts';
import { shortId } from '../../format/format.ts';
import { plainSql } from '../../format/plain-sql.ts';

/** What PostgreSQL fills in by itself, in words; null where it fills in nothing. */
export function filledBy({ default: expression, generated, computed, identity }: Field): string | null {
  if (identity !== null) return identity === 'always' ? 'identity' : 'identity, by default';
  if (generated !== null) return `from ${plainSql(expression ?? '')}`;
  if (computed) return 'computed by the view';
  return expression && plainSql(expression);
}

/** Returns how PostgreSQL numbers an identity field: "always, from 1 to 100, then none (2200H)"; "none" without an identity and a sequence. */
export const countedWords = ({ identity, numbering }: Field): string =>
  [identity, numbering].filter((part) => part !== null && part !== undefined).join(', ') || 'none';

/** What a value of a composite type consists of: "street text (without its number), town text"; empty for every other type. */
export const attributeWords = ({ attributes = [] }: Pick<Field, 'attributes'>): string =>
  attributes
    .map(({ name, type, comment, attributes: parts }) => {
      const words = `${name} ${shortId(type)}${comment === undefined ? '' : ` (${comment})`}`;
      return parts === undefined ? words : `${words} of (${attributeWords({ attributes: parts })})`;
    })
    .join(', ');

/** Which texts of a field count as the same although they are spelled otherwise; null where only the same do. */
export const equalWords = ({ collation }: Field): string | null =>
  collation?.equal === undefined ? null : `texts ${collation.equal} count as the same`;

/** What a view keeps of what is written through it, in words; null where it keeps nothing. */
export function checkWords({ check_option }: Entity): string | null {
  if (check_option === undefined) return null;
  return check_option === 'local'
    ? 'only rows that it shows by its own condition'
    : 'only rows that it shows, by its own condition and those of the underlying views';
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

/** The keys that a field is part of, in words: "primary", "unique with town", "unique among rows whose during overlaps". */
export function keysOf(entity: Entity, { name }: Field): string[] {
  return [
    ...(entity.primary_key.includes(name) ? ['primary'] : []),
    ...entity.unique_keys.filter((key) => key.includes(name)).map((key) => uniqueWith(key, name)),
    ...periodKeysOf(entity, name),
  ];
}

/** The keys over periods that a field is part of: "without overlaps among rows of the same room" of the period itself. */
export const periodKeysOf = ({ period_keys = [] }: Entity, name: string): string[] =>
  period_keys
    .filter(({ fields, period }) => period === name || fields.includes(name))
    .map(({ fields, period }) =>
      period === name
        ? `without overlaps among rows of the same ${fields.join(', ')}`
        : `${uniqueWith(fields, name)} ${overlapWords(period)}`,
    );

function uniqueWith(key: readonly string[], name: string): string {
  const others = key.filter((one) => one !== name);
  return others.length === 0 ? 'unique' : `unique with ${others.join(', ')}`;
}

/** Within which rows a key over periods holds. */
export const overlapWords = (period: string): string => `among rows whose ${period} overlaps`;

/** Of a relation over periods, what the rows that are pointed to do: "cover all of during together"; null for all others. */
const coverWords = ({ from, period }: Relation): string | null =>
  period ? `cover all of ${from.fields.at(-1)} together` : null;

/** What happens to rows when what they point to is deleted, with the fields that it happens to: "set null (b)". */
const deletionWords = ({ on_delete, on_delete_fields }: Relation): string =>
  on_delete_fields === undefined ? on_delete : `${on_delete} (${on_delete_fields.join(', ')})`;

/** What of a relation is not as usual, seen from the entity that points: "whose rows cover all of during together", "on delete cascade". */
export function leavingWords(relation: Relation): string[] {
  const { on_delete, on_update } = relation;
  const cover = coverWords(relation);
  return [
    ...(cover === null ? [] : [`whose rows ${cover}`]),
    ...(on_delete === 'no action' ? [] : [`on delete ${deletionWords(relation)}`]),
    ...(on_update === undefined ? [] : [`on update ${on_update}`]),
  ];
}

/** The same, seen from the entity that is pointed to: "one at most"; null where nothing is. */
export function arrivingWords(relation: Relation): string | null {
  const cover = coverWords(relation);
  if (cover !== null) return `rows here ${cover}`;
  return relation.kind === 'one-to-one' ? 'one at most' : null;
}

/** A relation in full; `target` is where the rows are that are pointed to: "many-to-one; on delete there: cascade". */
export function relationWords(relation: Relation, target: 'here' | 'there'): string {
  const cover = coverWords(relation);
  return [
    cover === null ? relation.kind : `rows ${target} ${cover}`,
    `on delete ${target}: ${deletionWords(relation)}`,
    ...(relation.on_update === undefined ? [] : [`on update ${target}: ${relation.on_update}`]),
  ].join('; ');
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
