import type {
  Attribute,
  DistanceIndex,
  EntitiesChapter,
  Entity,
  Field,
  Relation,
} from '../../../../../contract/specification-entities.ts';
import type { Computed } from '../../../../access/computed.ts';
import { fieldName, primaryKey, type Reads } from '../../../../access/fact-indexes.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import { writeBit } from '../../../../access/operations.ts';
import type { ConstraintFact } from '../../../../catalog/constraints.ts';
import type { FieldFact, NumberingFact, RelationFact, TypeFact } from '../../../../catalog/entities.ts';
import type { Facts } from '../../../../catalog/facts.ts';
import { groupBy } from '../../../../catalog/group.ts';
import type { DistanceIndexFact } from '../../../../catalog/indexes.ts';
import { byName, compareText, entityId, idOf, roleName } from '../../../../catalog/names.ts';
import type { RoutineFact } from '../../../../catalog/routines.ts';
import { viewColumnOrigins } from '../../../../catalog/view-columns.ts';
import { Entries, type EntryLookup } from '../../entries.ts';
import { equalTexts } from '../../words/collation.ts';
import { isDocumented } from '../documented.ts';
import { bucketEntries, fileTables } from '../files.ts';
import { fileFieldOf } from './file-field.ts';
import { junctionsOf } from './junctions.ts';
import { shownKeys } from './shown-keys.ts';

/**
 * The max number of attributes of one field's type to describe, at every depth. Composite types can contain one another
 * many times.
 */
export const MOST_OF_A_TYPE = 200;

/** Builds chapter 3: the entities of the app, their fields and their references. */
export function entitiesChapter(entries: Entries): EntitiesChapter {
  const { facts, look } = entries;
  const documented = facts.relations.filter((relation) => isDocumented(facts, relation.schema));
  const entities = describe(entries, documented);
  const relations = foreignKeys(look, new Set(documented.map((relation) => relation.oid)));
  const shown = shownKeys(look);
  return {
    entities,
    relations,
    junctions: junctionsOf(entities, relations, shown),
    view_foreign_keys: shown.keys,
    ...(fileTables(look, look.facts) && { buckets: entries.of(bucketEntries, '', facts.buckets) }),
    sources: [
      { kind: 'catalog', label: 'pg_class and pg_attribute: relations and their fields', sql: relationsSql },
      { kind: 'catalog', label: 'pg_constraint: keys and foreign keys', sql: keysSql },
      { kind: 'catalog', label: 'pg_rewrite: what the fields of views show' },
      { kind: 'catalog', label: 'comment on table, comment on column: the words' },
      ...(fileTables(look, look.facts) ? [bucketSource] : []),
    ],
  };
}

const bucketSource = {
  kind: 'catalog',
  label: 'storage.buckets: the buckets of files',
  sql: 'select id, name, public, file_size_limit, allowed_mime_types from storage.buckets order by id',
} as const;

/** Returns the relations of every schema except PostgreSQL's own, without partitions. */
export const allEntities = (facts: Facts): Entity[] => describe(new Entries(facts), facts.relations);

function describe(entries: Entries, relations: readonly RelationFact[]): Entity[] {
  const { facts, look } = entries;
  const computed = groupBy(look.computed, ({ relation }) => relation.oid);
  // Facts of versions that were stored before these facts existed lack them.
  const nearest = groupBy(facts.distance_indexes ?? [], ({ relation }) => relation);
  const keys = new ViewKeys(look);
  return relations
    .filter((relation) => !relation.is_partition)
    .sort(byName)
    .map((relation) => {
      const key = keys.of(relation.oid);
      const owner = roleName(facts, relation.owner);
      const exposed = facts.exposedSchemas.includes(relation.schema);
      const own = computed.get(relation.oid) ?? [];
      const routines = own.map(({ routine }) => routine);
      const kinds = own.map(({ as }) => as);
      const byDistance = nearest.get(relation.oid) ?? [];
      return entries.of(entity, relation.oid, relation, owner, exposed, key, routines, kinds, byDistance);
    });
}

/** Returns the names of fields by their numbers. */
const namesOf = (look: Reads<'fields'>, relation: number, numbers: readonly number[]): string[] =>
  numbers.map((number) => fieldName(look, relation, number) ?? String(number));

/** Returns all partitions below a relation that contain rows. */
function partitionsOf(look: EntryLookup, relation: number): RelationFact[] {
  return (look.children.get(relation) ?? []).flatMap(({ child }) => {
    const fact = look.relations.get(child);
    if (!fact?.is_partition) return [];
    return fact.kind === 'p' ? partitionsOf(look, child) : [fact];
  });
}

function computedFields(routines: readonly RoutineFact[], kinds: readonly Computed['as'][]): Pick<Entity, 'computed'> {
  if (routines.length === 0) return {};
  return {
    computed: routines
      .map((routine, i) => {
        const as = kinds[i] ?? 'field';
        const isOne = as === 'relationship' && routine.one_row;
        const type = isOne ? `${routine.result} ROWS 1, answered as one row` : routine.result;
        return { name: routine.name, as, type, function: idOf(routine) };
      })
      .sort((a, b) => compareText(a.name, b.name) || compareText(a.function, b.function)),
  };
}

const kinds = { r: 'table', p: 'partitioned table', v: 'view', m: 'materialized view', f: 'foreign table' } as const;

/**
 * Describes a relation.
 * @param key The numbers of the fields that identify its rows.
 * @param computed The functions that calls read with its rows, and whether each of them is a computed field or a
 * relationship.
 */
function entity(
  look: EntryLookup,
  relation: RelationFact,
  owner: string,
  exposed: boolean,
  key: readonly number[],
  computed: readonly RoutineFact[],
  computedAs: readonly Computed['as'][],
  byDistance: readonly DistanceIndexFact[],
): Entity {
  const constraints = look.constraints.get(relation.oid) ?? [];
  const named = (keys: readonly ConstraintFact[]) => keys.map((one) => namesOf(look, relation.oid, one.fields));
  const periods = named(constraints.filter((one) => one.special?.period && one.kind !== 'f')).map((fields) => ({
    fields: fields.slice(0, -1),
    period: fields[fields.length - 1] ?? '',
  }));
  const rules = look.rules.get(relation.oid);
  const partitions = relation.kind === 'p' ? partitionsOf(look, relation.oid) : [];
  const parents = (look.parents.get(relation.oid) ?? []).map(({ parent }) => look.relations.get(parent));
  return {
    id: entityId(relation.schema, relation.name),
    schema: relation.schema,
    name: relation.name,
    kind: kinds[relation.kind],
    exposed,
    comment: look.comments.get(`${relation.oid}.0`) ?? null,
    owner,
    row_level_security: relation.row_security,
    forced_row_level_security: relation.row_security && relation.force_row_security,
    security: relation.kind === 'v' ? (relation.security_invoker ? 'invoker' : 'owner') : null,
    ...(relation.check_option !== null && { check_option: relation.check_option }),
    ...(relation.security_barrier && { security_barrier: true as const }),
    ...(relation.unlogged && { unlogged: true as const }),
    writable: {
      insert: (relation.updatable_by_trigger & 8) !== 0,
      update: (relation.updatable_by_trigger & 4) !== 0,
      delete: (relation.updatable_by_trigger & 16) !== 0,
    },
    primary_key: namesOf(look, relation.oid, key),
    unique_keys: named(constraints.filter((one) => one.kind === 'u' && !one.special?.period)).sort((a, b) =>
      compareText(a.join('\0'), b.join('\0')),
    ),
    ...(periods.length > 0 && { period_keys: periods }),
    ...(byDistance.length > 0 && { distance_indexes: byDistance.map(distanceIndex) }),
    fields: (look.fields.get(relation.oid) ?? []).map((field) => describeField(look, constraints, field)),
    ...computedFields(computed, computedAs),
    triggers: (look.triggers.get(relation.oid) ?? [])
      .map(({ name, enabled, sql, always, comment }) => ({
        name,
        enabled,
        sql,
        ...(always && { in_replicas: true as const }),
        ...(comment !== null && { comment }),
      }))
      .sort((a, b) => compareText(a.name, b.name)),
    ...(rules && { rewrite_rules: rules.map(({ name, enabled, sql }) => ({ name, enabled, sql })) }),
    inherits: parents
      .filter((parent) => parent !== undefined)
      .map((parent) => entityId(parent.schema, parent.name))
      .sort(compareText),
    partitions: partitions.length,
    definition: relation.definition,
    extension: relation.extension,
  };
}

const distanceIndex = ({ name, method, part, operator, condition }: DistanceIndexFact): DistanceIndex => ({
  name,
  method,
  part,
  operator: operator ?? '',
  ...(condition !== null && { condition }),
});

function describeField(look: EntryLookup, constraints: readonly ConstraintFact[], field: FieldFact): Field {
  const type = look.types.get(field.type_oid);
  const attributes = attributesOf(look, field.type_oid, { left: MOST_OF_A_TYPE });
  const chain = domainChain(look, field.type_oid);
  // The period of a foreign key with PERIOD is skipped, because its value does not reference a single row.
  const key = constraints.find(
    (one) =>
      one.kind === 'f' &&
      one.fields.includes(field.number) &&
      !(one.special?.period && one.fields.at(-1) === field.number),
  );
  const base = chain[chain.length - 1]?.base_name ?? field.type;
  const { files, comment } = fileFieldOf(look, field, base);
  const comments = [comment, ...typeComments(look, field.type_oid)].filter((comment) => comment !== null);
  const numbering = numberingOf(look, field, base);
  const target = key && look.relations.get(key.target);
  const targetField = key && namesOf(look, key.target, key.target_fields)[key.fields.indexOf(field.number)];
  return {
    name: field.name,
    type: field.type,
    base_type: type?.kind === 'd' ? (chain[chain.length - 1]?.base_name ?? null) : null,
    nullable: !field.not_null && !chain.some((domain) => domain.not_null),
    default: field.default ?? chain.find((domain) => domain.default !== null)?.default ?? null,
    generated: field.generated === 's' ? 'stored' : field.generated === 'v' ? 'virtual' : null,
    ...(field.computed && { computed: true as const }),
    identity: field.identity === 'a' ? 'always' : field.identity === 'd' ? 'by default' : null,
    enum_values: enumValues(look, field.type_oid),
    ...(attributes !== null && { attributes }),
    ...(field.collation && { collation: describeCollation(field.collation) }),
    ...(numbering !== null && { numbering }),
    ...(files !== null && { files }),
    comment: comments[0] ?? null,
    ...(comments.length > 1 && { type_comments: comments.slice(1) }),
    references:
      target && targetField !== undefined ? { schema: target.schema, entity: target.name, field: targetField } : null,
  };
}

function describeCollation(collation: NonNullable<FieldFact['collation']>): NonNullable<Field['collation']> {
  const equal = equalTexts(collation);
  return { name: collation.name, ...(equal !== null && { equal }) };
}

/** Returns the words for the sequence that numbers a field, or for the sequences that its default uses. */
function numberingOf(look: EntryLookup, field: FieldFact, type: string): string | null {
  const own = (look.numbered.get(field.relation) ?? []).filter((one) => one.field === field.number);
  const taken = [...own, ...(field.needs?.sequences ?? []).flatMap((sequence) => look.sequences.get(sequence) ?? [])];
  const words = taken.map((one) => numberingWords(one, type)).filter((one) => one !== null);
  return words.length === 0 ? null : words.join('; ');
}

/** Returns the comments on a type, on the base type of a domain and on the element type of an array. */
function typeComments(look: EntryLookup, oid: number): (string | null)[] {
  const type = look.types.get(oid);
  return type ? [type.comment, ...typeComments(look, type.base)] : [];
}

/** Returns the domain of a type, its base domain, and so on. */
function domainChain(look: EntryLookup, oid: number): TypeFact[] {
  const type = look.types.get(oid);
  return type?.kind === 'd' ? [type, ...domainChain(look, type.base)] : [];
}

/** Returns the values of an enum, of a domain over an enum, or of an array of either. */
function enumValues(look: EntryLookup, oid: number): string[] | null {
  const type = look.types.get(oid);
  if (!type) return null;
  return type.kind === 'e' ? type.labels : type.kind === 'd' || type.is_array ? enumValues(look, type.base) : null;
}

/** Returns the attributes of a composite type and of the types inside. Stops when `count.left` is used up. */
function attributesOf(look: EntryLookup, oid: number, count: { left: number }): Attribute[] | null {
  const type = look.types.get(oid);
  if (!type) return null;
  if (type.kind === 'd' || type.is_array) return attributesOf(look, type.base, count);
  if (type.attributes === null || count.left <= 0) return null;
  count.left -= type.attributes.length;
  return type.attributes.map((attribute) => {
    const part = type.parts?.find(({ name }) => name === attribute.name);
    const attributes = part ? attributesOf(look, part.type_oid, count) : null;
    return attributes === null ? attribute : { ...attribute, attributes };
  });
}

const onUpdate = { c: 'cascade', n: 'set null', d: 'set default', x: 'nothing' } as const;
const endings = { a: 'no action', r: 'restrict', ...onUpdate } as const;

function foreignKeys(look: Lookup, documented: ReadonlySet<number>): Relation[] {
  return look.facts.constraints
    .flatMap((key): Relation[] => {
      const from = look.relations.get(key.relation);
      const to = look.relations.get(key.target);
      if (key.kind !== 'f' || !from || !to || !documented.has(from.oid)) return [];
      const unique = (look.constraints.get(from.oid) ?? []).some(
        (one) => (one.kind === 'p' || one.kind === 'u') && !key.special?.period && sameFields(one.fields, key.fields),
      );
      return [
        {
          name: key.name,
          from: { schema: from.schema, entity: from.name, fields: namesOf(look, from.oid, key.fields) },
          to: { schema: to.schema, entity: to.name, fields: namesOf(look, to.oid, key.target_fields) },
          kind: unique ? 'one-to-one' : 'many-to-one',
          ...(key.special?.period && { period: true as const }),
          on_delete: endings[key.on_delete as keyof typeof endings],
          ...(key.special?.delete_fields && { on_delete_fields: namesOf(look, from.oid, key.special.delete_fields) }),
          ...(/[cndx]/.test(key.on_update) && { on_update: onUpdate[key.on_update as keyof typeof onUpdate] }),
        },
      ];
    })
    .sort(
      (a, b) =>
        compareText(a.from.schema, b.from.schema) ||
        compareText(a.from.entity, b.from.entity) ||
        compareText(a.name, b.name),
    );
}

const sameFields = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((field) => b.includes(field));

const relationsSql = `select c.oid::regclass as relation, a.attname as field, format_type(a.atttypid, a.atttypmod) as type
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped
  and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
order by 1, a.attnum`;

const keysSql = `select conrelid::regclass as relation, conname as name, pg_get_constraintdef(oid) as rule
from pg_constraint where contype in ('p', 'u', 'f') order by 1, 2`;

const largest: Readonly<Record<string, bigint>> = {
  smallint: 2n ** 15n - 1n,
  integer: 2n ** 31n - 1n,
  bigint: 2n ** 63n - 1n,
};

/**
 * Returns words for the numbers of a sequence: "from 1 to 100, then none (2200H)". Returns null if it counts from 1
 * upwards to the limit of the field's type.
 * @param type The type of the field. It refuses a number outside its range, whatever the sequence allows.
 */
function numberingWords(fact: NumberingFact, type: string): string | null {
  const [start, by, min, max] = [fact.start, fact.increment, fact.least, fact.most].map(BigInt) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const last = largest[type] ?? largest[fact.type] ?? 0n;
  const upwards = by > 0n;
  const isBounded = upwards ? max < last : min > -last - 1n;
  const [end, again] = upwards ? [max, min] : [min, max];
  const steps = by === 1n ? '' : by === -1n ? ' downwards' : ` in steps of ${by}`;
  const to = isBounded ? ` to ${end}` : '';
  const then = fact.cycles ? `, then again from ${again}` : isBounded ? ', then none (2200H)' : '';
  // Without CYCLE, a sequence takes a number before its start only after setval or RESTART. So the words name the limit
  // of these numbers only if it is unusual.
  const isOpen = fact.cycles || again === (upwards ? 1n : -1n);
  const behind = isOpen ? '' : `, never set ${upwards ? 'below' : 'above'} ${again}`;
  const ahead = fact.cache === '1' ? '' : `, ${fact.cache} at a time for each connection`;
  const words = `from ${start}${to}${steps}${then}${behind}${ahead}`;
  return words === 'from 1' ? null : words;
}

/**
 * Finds the fields that identify the rows of a view: the fields that show the complete primary key of its table. Each
 * row of the table must appear at most once in the view. This holds for views that PostgreSQL can update (PostgreSQL
 * manual, "Updatable Views"), because they read one table or one such view and do not join, group or repeat rows. In a
 * view that joins, a key may appear twice, so a call on one row would reach several rows.
 */
class ViewKeys {
  readonly #look: Lookup;
  readonly #trees: ReadonlyMap<number, string>;

  constructor(look: Lookup) {
    this.#look = look;
    this.#trees = new Map(look.facts.view_trees.map(({ view, tree }) => [view, tree]));
  }

  /**
   * Returns the numbers of the key fields, in the order of the key. For a table, this is the primary key. Returns an
   * empty list if no key identifies a row.
   */
  of(oid: number): readonly number[] {
    const relation = this.#look.relations.get(oid);
    if (relation?.kind !== 'v') return primaryKey(this.#look, oid);
    // A rewrite rule may replace the DELETE. Then the view may accept a DELETE although its rows are not rows of one
    // table.
    if ((relation.updatable & writeBit.delete) === 0 || relation.replaced.includes('delete')) return [];
    const origins = viewColumnOrigins(this.#trees.get(oid) ?? '');
    const base = origins[0]?.table;
    if (base === undefined) return [];
    const shown = this.of(base).map((field) => origins.find(({ tableColumn }) => tableColumn === field)?.column);
    return shown.every((column) => column !== undefined) ? shown : [];
  }
}
