import type { Rule, RulesChapter } from '../../../../../contract/specification.ts';
import type { BucketEntry } from '../../../../../contract/specification-files.ts';
import { fieldName, primaryKey } from '../../../../access/fact-indexes.ts';
import { baseOf, fieldTypes } from '../../../../access/field-types.ts';
import type { CollationFact } from '../../../../catalog/collations.ts';
import type {
  ConstraintFact,
  PartitionConstraintFact,
  SpecialFact,
  UniqueIndexFact,
} from '../../../../catalog/constraints.ts';
import type { FieldFact, RelationFact } from '../../../../catalog/entities.ts';
import { byName, compareText, entityId, sqlName } from '../../../../catalog/names.ts';
import type { Entries, EntryLookup } from '../../entries.ts';
import { equalKeys } from '../../words/collation.ts';
import { ruleWords, valueWords } from '../../words/rule.ts';
import { thing } from '../../words/sentence-parts.ts';
import { isDocumented } from '../documented.ts';
import { exclusionWords, periodWords, referenceWords, uniqueWords } from './key-words.ts';
import { bucketRules } from './rules-of-buckets.ts';
import { fileRules } from './rules-of-files.ts';
import { partitionBoundRules } from './rules-of-partitions.ts';
import { appliesTo, type Part, typeRules } from './rules-of-types.ts';

/**
 * Builds chapter 5: the rules for valid data. They are the constraints, unique indexes, domains and limited types of
 * the app's tables.
 * @param buckets The buckets of chapter 3; absent if the app has no files.
 */
export function rulesChapter(entries: Entries, buckets?: readonly BucketEntry[]): RulesChapter {
  const { facts } = entries;
  const relations = facts.relations
    .filter((relation) => isDocumented(facts, relation.schema) && !relation.is_partition && /[rpf]/.test(relation.kind))
    .sort(byName);
  return {
    rules: relations.flatMap((relation) => entries.of(rulesOf, relation.oid, relation)),
    ...(buckets && { files: bucketRules(buckets) }),
    sources: [
      { kind: 'catalog', label: 'pg_constraint: what each table and domain asks', sql: constraintsSql },
      { kind: 'catalog', label: 'pg_index: unique indexes', sql: 'select indexdef from pg_indexes order by 1' },
      { kind: 'catalog', label: 'pg_attribute, pg_type: required fields, lengths, the values of enums' },
      { kind: 'catalog', label: 'comment on constraint: the hint of its error' },
    ],
  };
}

const namesOf = (look: EntryLookup, relation: number, numbers: readonly number[]): string[] =>
  numbers.flatMap((number) => fieldName(look, relation, number) ?? []);

/** Returns fields by their numbers, each with the collation that compares its texts. */
const compared = (look: EntryLookup, relation: number, numbers: readonly number[]) =>
  (look.fields.get(relation) ?? [])
    .filter((field) => numbers.includes(field.number))
    .map((field) => ({ key: field.name, collation: comparedBy(look, field) }));

/** The collation that describes how the extension citext compares texts. citext ignores the collation of a field. */
const caseless = { name: 'citext', deterministic: false, locale: 'und-u-ks-level2', tailored: false };

/**
 * Returns the collation that determines which texts of a field are equal; null for the default collation of the
 * database.
 */
const comparedBy = (look: EntryLookup, field: FieldFact): CollationFact | null =>
  /(^|\.)citext$/.test(baseOf(field, look.types).type) ? caseless : field.collation;

function rulesOf(look: EntryLookup, relation: RelationFact): Rule[] {
  const fields = look.fields.get(relation.oid) ?? [];
  const constraints = look.constraints.get(relation.oid) ?? [];
  const key = primaryKey(look, relation.oid);
  const entity = entityId(relation.schema, relation.name);
  const ofFields = fields.flatMap((field) => [
    ...required(field, key.includes(field.number), entity),
    ...typeRules(look, field),
    ...fileRules(look, relation, field),
  ]);
  const ofRows = [
    ...constraints.flatMap((one) => constraintRules(look, relation, one)),
    ...(look.partitions.get(relation.oid) ?? []).flatMap((one) => partitionRules(look, relation, one)),
    ...partitionBoundRules(look, relation),
    ...(look.indexes.get(relation.oid) ?? []).map((index) => indexRule(look, relation, index)),
  ].sort((a, b) => compareText(a.name, b.name));
  return [
    ...ofFields.map((part) => rule(entity, [part.fields[0] ?? '', ...(part.path ?? []), part.name], part)),
    ...ofRows.map((part) => rule(entity, [part.name, ...(part.path ?? [])], part)),
  ].map(numbered(new Set()));
}

const rule = (entity: string, id: readonly string[], { comment = null, path: _, ...part }: Part): Rule => ({
  id: [entity, ...id.map(sqlName)].join('.'),
  entity,
  ...part,
  comment,
});

/** Makes the ids of rules distinct. A domain and its base domain can have constraints of the same name. */
const numbered =
  (taken: Set<string>) =>
  (rule: Rule): Rule => {
    let id = rule.id;
    for (let i = 2; taken.has(id); i++) id = `${rule.id}.${i}`;
    taken.add(id);
    return { ...rule, id };
  };

/**
 * Returns the rule of a field that must not be null. Omits fields of a primary key unless the constraint has a comment,
 * because the rule of the key already says that they have a value. Omits identity fields, because PostgreSQL always
 * sets them.
 */
function required(field: FieldFact, isKey: boolean, entity: string): Part[] {
  // `own` is null before PostgreSQL 18, where NOT NULL is an attribute of the field and not a constraint.
  const own = field.required;
  const isSaid = own?.comment !== undefined;
  if (!field.not_null || (!isSaid && (isKey || field.identity !== ''))) return [];
  return [
    {
      name: own?.name ?? 'required',
      kind: 'required',
      fields: [field.name],
      words: `${field.name} has a value`,
      comment: own?.comment ?? null,
      sql: own?.no_inherit
        ? `alter table ${entity} add constraint ${sqlName(own.name)} not null ${sqlName(field.name)} no inherit`
        : `alter table ${entity} alter column ${sqlName(field.name)} set not null`,
      applies_to: appliesTo({ enforced: true, validated: own?.validated ?? true }),
      sqlstate: '23502',
    },
  ];
}

const kinds = { p: 'primary key', u: 'unique', f: 'reference', c: 'check', x: 'exclusion', n: 'required' } as const;
const sqlstates = { p: '23505', u: '23505', f: '23503', c: '23514', x: '23P01', n: '23502' } as const;

const plain: SpecialFact = {
  period: false,
  match_full: false,
  delete_fields: null,
  timing: 'at once',
  exclusion: null,
};

const sqlstateOf = (kind: ConstraintFact['kind'], period: boolean): string =>
  period && kind !== 'f' ? sqlstates.x : sqlstates[kind];

function constraintRules(look: EntryLookup, relation: RelationFact, constraint: ConstraintFact): Part[] {
  const fields = namesOf(look, relation.oid, constraint.fields);
  const { kind, name } = constraint;
  const { period, timing } = constraint.special ?? plain;
  const rule: Part = {
    name,
    kind: period && kind === 'u' ? 'exclusion' : kinds[kind],
    fields,
    words: `${constraintWords(look, constraint, fields)}${timings[timing]}`,
    comment: constraint.comment,
    sql: constraint.definition,
    applies_to: appliesTo(constraint),
    sqlstate: sqlstateOf(kind, period),
  };
  if (!period || kind === 'f') return [rule];
  const during = fields.slice(-1);
  const words = `${during.join()} is not an empty range`;
  const { comment: _, ...same } = rule;
  return [rule, { ...same, path: ['not empty'], kind: 'check', fields: during, words, sqlstate: sqlstates.c }];
}

/** Words for the time of the check if it is not immediate (SET CONSTRAINTS). */
const timings: Readonly<Record<SpecialFact['timing'], string>> = {
  'at once': '',
  deferrable: ', checked at once unless the transaction defers it',
  deferred: ', checked at the end of the transaction',
};

/**
 * Returns the rules that only one partition has. They are listed as rules of the table, because calls reach the rows of
 * a partition through the table.
 */
const partitionRules = (look: EntryLookup, relation: RelationFact, constraint: PartitionConstraintFact): Part[] =>
  constraintRules(look, relation, constraint).map((part) => ({
    ...part,
    name: `${constraint.partition}.${part.name}`,
    words: `of rows in ${constraint.partition}: ${part.words}`,
  }));

function constraintWords(look: EntryLookup, constraint: ConstraintFact, fields: readonly string[]): string {
  const { definition, expression, kind, relation } = constraint;
  const { exclusion, match_full: matchFull, period } = constraint.special ?? plain;
  const equal = equalKeys(compared(look, relation, constraint.fields));
  switch (kind) {
    case 'p':
      return `${keyWords(fields, period)}${equal}`;
    case 'u':
      return period
        ? `${periodWords(fields)}${equal}`
        : `${uniqueWords(fields, null, definition.startsWith('UNIQUE NULLS NOT DISTINCT'))}${equal}`;
    case 'f': {
      const target = look.relations.get(constraint.target);
      const targets = namesOf(look, constraint.target, constraint.target_fields);
      const table = target ? thing(`${target.schema}.${target.name}`) : 'another table';
      const there = equalKeys(compared(look, constraint.target, constraint.target_fields));
      return `${referenceWords({ fields, targets, table, period, matchFull })}${there}`;
    }
    case 'x': {
      if (exclusion === null) return definition;
      const keys = exclusion.keys.map((one, i) => ({
        ...one,
        key: namesOf(look, relation, [constraint.fields[i] ?? 0])[0] ?? valueWords(one.key, fieldTypes(look, relation)),
      }));
      return `${exclusionWords({ ...exclusion, keys })}${equalKeys(keys)}`;
    }
    case 'n':
      return `${fields.join(', ')} has a value`;
    case 'c':
      return expression === null ? definition : ruleWords(expression, fieldTypes(look, relation));
  }
}

function keyWords(fields: readonly string[], period: boolean): string {
  const list = fields.join(', ');
  if (period) return `${list} have values, and ${periodWords(fields)}`;
  return fields.length === 1
    ? `${list} has a value that no other row has`
    : `${list} have values that together no other row has`;
}

function indexRule(look: EntryLookup, relation: RelationFact, index: UniqueIndexFact): Part {
  const fields = namesOf(look, relation.oid, index.fields);
  const keys = index.keys.map((key, i) => {
    const [field] = compared(look, relation.oid, [index.fields[i] ?? 0]);
    const collation = field?.collation === caseless ? caseless : (index.collations[i] ?? null);
    return { key: field?.key ?? valueWords(key, fieldTypes(look, relation.oid)), collation };
  });
  const { partition } = index;
  const words = uniqueWords(
    keys.map(({ key }) => key),
    index.condition,
    index.nulls_not_distinct,
  );
  return {
    name: partition === null ? index.name : `${partition}.${index.name}`,
    kind: 'unique',
    fields,
    words: `${partition === null ? '' : `of rows in ${partition}: `}${words}${equalKeys(keys)}`,
    comment: index.comment,
    sql: index.definition,
    applies_to: 'all rows',
    sqlstate: '23505',
  };
}

const constraintsSql = `select coalesce(conrelid::regclass::text, contypid::regtype::text) as of, conname as name,
  pg_get_constraintdef(oid) as rule, obj_description(oid, 'pg_constraint') as words
from pg_constraint order by 1, 2`;
