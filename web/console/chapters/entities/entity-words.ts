import type {
  EntitiesChapter,
  Entity,
  EntityTrigger,
  Field,
  Relation,
} from '../../../../contract/specification-entities.ts';
import { shortId } from '../../format/format.ts';
import { plainSql } from '../../format/plain-sql.ts';

/** Describes the value that PostgreSQL fills in; null without such a value. */
export function filledBy({ default: expression, generated, computed, identity }: Field): string | null {
  if (identity !== null) return identity === 'always' ? 'identity' : 'identity, by default';
  if (generated !== null) return `from ${plainSql(expression ?? '')}`;
  if (computed) return 'computed by the view';
  return expression && plainSql(expression);
}

/**
 * Returns how PostgreSQL numbers an identity field, for example "always, from 1 to 100, then none (2200H)". 2200H is
 * the error after the last number. Returns "none" without an identity and a sequence.
 */
export const countedWords = ({ identity, numbering }: Field): string =>
  [identity, numbering].filter((part) => part !== null && part !== undefined).join(', ') || 'none';

/**
 * Describes the attributes of a composite type: "street text (without its number), town text". Empty for every other
 * type.
 */
export const attributeWords = ({ attributes = [] }: Pick<Field, 'attributes'>): string =>
  attributes
    .map(({ name, type, comment, attributes: parts }) => {
      const words = `${name} ${shortId(type)}${comment === undefined ? '' : ` (${comment})`}`;
      return parts === undefined ? words : `${words} of (${attributeWords({ attributes: parts })})`;
    })
    .join(', ');

/**
 * Describes which different texts the collation of a field treats as equal; null if it treats only identical texts as
 * equal.
 */
export const equalWords = ({ collation }: Field): string | null =>
  collation?.equal === undefined ? null : `texts ${collation.equal} count as the same`;

/** Describes which rows a view accepts on a write (CHECK OPTION); null if it accepts all rows. */
export function checkWords({ check_option }: Entity): string | null {
  if (check_option === undefined) return null;
  return check_option === 'local'
    ? 'only rows that it shows by its own condition'
    : 'only rows that it shows, by its own condition and those of the underlying views';
}

/** Describes an unusual property of a trigger; null for a usual trigger. */
export function triggerRemark({ enabled, in_replicas }: EntityTrigger): string | null {
  if (!enabled) return 'switched off';
  return in_replicas ? 'for replicated rows too' : null;
}

/** Returns the marks of a field: part of the primary key, reference, nullable. */
export function fieldMarks(entity: Entity, { name, references, nullable }: Field): string[] {
  return [
    ...(entity.primary_key.includes(name) ? ['key'] : []),
    ...(references ? ['reference'] : []),
    ...(nullable ? ['may be null'] : []),
  ];
}

/**
 * Describes the keys that contain a field: "primary", "unique with town", "unique among rows whose during overlaps".
 */
export function keysOf(entity: Entity, { name }: Field): string[] {
  return [
    ...(entity.primary_key.includes(name) ? ['primary'] : []),
    ...entity.unique_keys.filter((key) => key.includes(name)).map((key) => uniqueWith(key, name)),
    ...periodKeysOf(entity, name),
  ];
}

/**
 * Describes the keys over periods that contain a field. For the period itself: "without overlaps among rows of the same
 * room".
 */
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

/** Describes the rows among which a key over periods holds. */
export const overlapWords = (period: string): string => `among rows whose ${period} overlaps`;

/**
 * Describes the referenced rows of a relation over periods: "cover all of during together". Null for all other
 * relations.
 */
const coverWords = ({ from, period }: Relation): string | null =>
  period ? `cover all of ${from.fields.at(-1)} together` : null;

/** Describes what happens to referencing rows on a deletion, with the affected fields: "set null (b)". */
const deletionWords = ({ on_delete, on_delete_fields }: Relation): string =>
  on_delete_fields === undefined ? on_delete : `${on_delete} (${on_delete_fields.join(', ')})`;

/**
 * Describes the unusual properties of a relation for the referencing entity: "whose rows cover all of during together",
 * "on delete cascade".
 */
export function leavingWords(relation: Relation): string[] {
  const { on_delete, on_update } = relation;
  const cover = coverWords(relation);
  return [
    ...(cover === null ? [] : [`whose rows ${cover}`]),
    ...(on_delete === 'no action' ? [] : [`on delete ${deletionWords(relation)}`]),
    ...(on_update === undefined ? [] : [`on update ${on_update}`]),
  ];
}

/** Describes the unusual property of a relation for the referenced entity: "one at most". Null for a usual relation. */
export function arrivingWords(relation: Relation): string | null {
  const cover = coverWords(relation);
  if (cover !== null) return `rows here ${cover}`;
  return relation.kind === 'one-to-one' ? 'one at most' : null;
}

/**
 * Describes a relation completely: "many-to-one; on delete there: cascade".
 * @param target Position of the referenced rows.
 */
export function relationWords(relation: Relation, target: 'here' | 'there'): string {
  const cover = coverWords(relation);
  return [
    cover === null ? relation.kind : `rows ${target} ${cover}`,
    `on delete ${target}: ${deletionWords(relation)}`,
    ...(relation.on_update === undefined ? [] : [`on update ${target}: ${relation.on_update}`]),
  ].join('; ');
}

const isOf = (end: Relation['from'], entity: Entity) => end.schema === entity.schema && end.entity === entity.name;

/** Returns the relations from an entity and those to it. */
export const relationsOf = (entity: Entity, relations: readonly Relation[]): { out: Relation[]; in: Relation[] } => ({
  out: relations.filter(({ from }) => isOf(from, entity)),
  in: relations.filter(({ to }) => isOf(to, entity)),
});

/**
 * Returns the tables that every role with a grant can read completely: exposed, and without row-level security. Views
 * have no row-level security of their own.
 */
export const openTables = ({ entities }: EntitiesChapter): Entity[] =>
  entities.filter(
    ({ exposed, kind, row_level_security }) =>
      exposed && (kind === 'table' || kind === 'partitioned table') && !row_level_security,
  );
