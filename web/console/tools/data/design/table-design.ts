import { entityId, platformSchemas } from '../../../../../contract/entity-names.ts';
import type { Rule, Specification } from '../../../../../contract/specification.ts';
import type { Entity, Field, Relation } from '../../../../../contract/specification-entities.ts';
import type { PolicyEntry } from '../../../../../contract/specification-roles.ts';
import { kindOfType } from '../../../values/field-kind.ts';

/** The kind of a field in plain words. `other` is any PostgreSQL type that has no plain word here. */
export type TypeKind =
  | 'text'
  | 'whole'
  | 'number'
  | 'money'
  | 'yes-no'
  | 'date'
  | 'time'
  | 'list'
  | 'reference'
  | 'identifier'
  | 'json'
  | 'other';

/** The words for each kind, and the SQL type that a new field of the kind gets. */
export const typeKinds: Readonly<Record<Exclude<TypeKind, 'reference' | 'other'>, { words: string; sql: string }>> = {
  text: { words: 'text', sql: 'text' },
  whole: { words: 'whole number', sql: 'bigint' },
  number: { words: 'number', sql: 'numeric' },
  money: { words: 'money', sql: 'numeric(12,2)' },
  'yes-no': { words: 'yes or no', sql: 'boolean' },
  date: { words: 'date', sql: 'date' },
  time: { words: 'date and time', sql: 'timestamp with time zone' },
  list: { words: 'one of a list', sql: 'text' },
  identifier: { words: 'random identifier', sql: 'uuid' },
  json: { words: 'JSON', sql: 'jsonb' },
};

export const onDeleteWords = {
  'no action': 'stops the deletion',
  cascade: 'is deleted too',
  'set null': 'becomes empty',
} as const;
export type OnDelete = keyof typeof onDeleteWords;

/** The target of a reference. */
export interface Target {
  /** Id of the entity, for example public.tickets. */
  entity: string;
  field: string;
  /** Type of the referenced field. The referencing field gets the same type. */
  type: string;
}

export const membersTarget: Target = { entity: 'auth.users', field: 'id', type: 'uuid' };

/** The value that a new row gets if the caller gives none. `sql` is any expression of an existing field that no other kind describes. */
export type DefaultDesign =
  | { kind: 'none' | 'counts-up' | 'now' | 'caller' | 'random' }
  | { kind: 'value'; text: string }
  | { kind: 'sql'; sql: string };

/** A condition on the values of one field. */
export interface RuleDesign {
  key: string;
  /** Name of the constraint if it exists; null for a new rule. */
  name: string | null;
  kind: 'between' | 'length' | 'values' | 'existing';
  /** The bounds as the builder typed them. An empty text means that there is no bound. */
  min: string;
  max: string;
  values: readonly string[];
  /** Comment of the constraint. The server sends it to a caller who violates the rule. */
  message: string;
  /** The SQL and the description of an existing rule. */
  sql: string;
  words: string;
}

export interface FieldDesign {
  /** Identifies the field in the form: the name of an existing field, or a generated key of a new field. */
  key: string;
  name: string;
  kind: TypeKind;
  /** SQL type of the field. */
  type: string;
  target: Target | null;
  onDelete: OnDelete | Relation['on_delete'];
  /** Name of the foreign key if it exists; null for a new reference. */
  referenceName: string | null;
  isKey: boolean;
  isRequired: boolean;
  isUnique: boolean;
  /** Name and SQL of the unique constraint or index if it exists; null without one. */
  unique: { name: string; sql: string } | null;
  default: DefaultDesign;
  rules: readonly RuleDesign[];
  /** Values of an existing enum type; empty for any other type. */
  enumValues: readonly string[];
  comment: string;
}

export const verbs = {
  select: 'sees',
  insert: 'inserts',
  update: 'changes',
  delete: 'deletes',
  all: 'sees, inserts, changes and deletes',
} as const;
export type Verb = keyof typeof verbs;

/** The rows that a sentence allows. `field` is the key of a field. */
export type Rows =
  | { kind: 'every' }
  /** The rows in which the field contains the id of the caller. */
  | { kind: 'own'; field: string }
  /** The rows in which the field references a row of another table whose `owner` field contains the id of the caller. */
  | { kind: 'parent'; field: string; owner: string };

/** One permission in words: who does what with which rows. Each sentence becomes one policy. */
export interface Sentence {
  key: string;
  /** `anyone`: every caller, also without a session. `members`: every caller with a session. Otherwise the name of a role of members. */
  who: string;
  verb: Verb;
  rows: Rows;
  /** A further condition that the rows must meet; null without a further condition. */
  when: Condition | null;
}

/** The condition that a field has a certain value. */
export interface Condition {
  /** Key of the field. If `parent` is given, this field is the reference to the row that has the field `parent`. */
  field: string;
  /** Name of the field of the referenced row that must have the value; null if the condition is about the row itself. */
  parent: string | null;
  value: string;
}

/** A table as the editor shows it. */
export interface TableDesign {
  schema: string;
  name: string;
  comment: string;
  /** Name of the primary key if it exists; null for a new table. */
  keyName: string | null;
  fields: readonly FieldDesign[];
  /** Existing policies that are not removed. */
  policies: readonly PolicyEntry[];
  /** New policies, written as sentences. */
  sentences: readonly Sentence[];
  rowLevelSecurity: boolean;
}

let invented = 0;
/** Returns a key that no other new field, rule or sentence has. */
export const newKey = (): string => `new ${++invented}`;

export const newField = (part: Partial<FieldDesign> = {}): FieldDesign => ({
  ...{ key: newKey(), name: '', kind: 'text', type: typeKinds.text.sql, target: null, onDelete: 'no action' },
  ...{ referenceName: null, isKey: false, isRequired: false, isUnique: false, unique: null },
  ...{ default: { kind: 'none' }, rules: [], enumValues: [], comment: '' },
  ...part,
});

export const newRule = (part: Partial<RuleDesign>): RuleDesign => ({
  ...{ key: newKey(), name: null, kind: 'between', min: '', max: '', values: [], message: '', sql: '', words: '' },
  ...part,
});

/** Returns the design of a new table: a key that counts up, and row-level security. */
export const newTable = (): TableDesign => ({
  ...{ schema: 'public', name: '', comment: '', keyName: null, policies: [], sentences: [], rowLevelSecurity: true },
  fields: [
    newField({
      ...{ name: 'id', kind: 'whole', type: 'bigint', isKey: true, isRequired: true, isUnique: true },
      default: { kind: 'counts-up' },
    }),
  ],
});

/** Reads the design of an existing table from chapters 3, 5 and 6 of the specification. Pure. */
export function readDesign(entity: Entity, entities: readonly Entity[], specification: Specification): TableDesign {
  const { chapters } = specification;
  const rules = (chapters.rules?.rules ?? []).filter((rule) => rule.entity === entity.id);
  const relations = (chapters.entities?.relations ?? []).filter(
    ({ from }) => from.schema === entity.schema && from.entity === entity.name && from.fields.length === 1,
  );
  return {
    ...{ schema: entity.schema, name: entity.name, comment: entity.comment ?? '' },
    keyName: rules.find(({ kind }) => kind === 'primary key')?.name ?? null,
    fields: entity.fields.map((field) => readField(entity, field, entities, rules, relations)),
    policies: (chapters.roles?.policies ?? []).filter((policy) => policy.entity === entity.id),
    sentences: [],
    rowLevelSecurity: entity.row_level_security,
  };
}

function readField(
  entity: Entity,
  field: Field,
  entities: readonly Entity[],
  rules: readonly Rule[],
  relations: readonly Relation[],
): FieldDesign {
  const { name, type } = field;
  const relation = relations.find(({ from }) => from.fields[0] === name);
  const own = rules.filter(({ fields }) => fields.length === 1 && fields[0] === name);
  const isKey = entity.primary_key.includes(name);
  const unique = own.find(({ kind }) => kind === 'unique');
  const target: Target | null = relation
    ? {
        entity: entityId(relation.to.schema, relation.to.entity),
        field: relation.to.fields[0] ?? '',
        type:
          entities
            .find(({ schema, name: own }) => schema === relation.to.schema && own === relation.to.entity)
            ?.fields.find((one) => one.name === relation.to.fields[0])?.type ?? type,
      }
    : null;
  return {
    ...{ key: name, name, type, target, isKey, isRequired: !field.nullable, comment: field.comment ?? '' },
    kind: target ? 'reference' : kindOf(field),
    onDelete: relation?.on_delete ?? 'no action',
    referenceName: relation?.name ?? null,
    isUnique: unique !== undefined || (isKey && entity.primary_key.length === 1),
    unique: unique ? { name: unique.name, sql: unique.sql } : null,
    default: readDefault(field),
    enumValues: field.enum_values ?? [],
    rules: own
      .filter(({ kind }) => kind === 'check')
      .map((rule) =>
        newRule({
          ...{ key: rule.name, name: rule.name, kind: 'existing', sql: rule.sql, words: rule.words },
          message: rule.comment ?? '',
        }),
      ),
  };
}

function kindOf({ type }: Field): TypeKind {
  switch (kindOfType(type)) {
    case 'text':
      return type === 'text' ? 'text' : 'other';
    case 'integer':
      return 'whole';
    case 'decimal':
      return type === typeKinds.money.sql ? 'money' : 'number';
    case 'boolean':
      return 'yes-no';
    case 'uuid':
      return 'identifier';
    case 'date':
      return 'date';
    case 'timestamptz':
      return 'time';
    case 'json':
      return 'json';
    default:
      return 'other';
  }
}

function readDefault(field: Field): DefaultDesign {
  if (field.identity !== null) return { kind: 'counts-up' };
  const { default: sql } = field;
  if (sql === null) return { kind: 'none' };
  if (sql === 'now()' || sql === 'CURRENT_TIMESTAMP') return { kind: 'now' };
  if (/^(?:\( SELECT )?auth\.uid\(\)(?: AS uid\))?$/.test(sql)) return { kind: 'caller' };
  if (sql === 'gen_random_uuid()') return { kind: 'random' };
  const text = /^'((?:[^']|'')*)'::[\w."]+$/.exec(sql)?.[1];
  if (text !== undefined) return { kind: 'value', text: text.replaceAll("''", "'") };
  return /^(?:-?\d+(?:\.\d+)?|true|false)$/.test(sql) ? { kind: 'value', text: sql } : { kind: 'sql', sql };
}

/** Returns the tables of the app that a field can reference, because their key has only one field. Members are first. Pure. */
export const targets = (entities: readonly Entity[]): Target[] => [
  membersTarget,
  ...entities
    .filter(
      ({ kind, schema, extension }) => kind.endsWith('table') && !platformSchemas.has(schema) && extension === null,
    )
    .flatMap(({ id, primary_key, fields }) => {
      const [field] = primary_key;
      const type = fields.find(({ name }) => name === field)?.type;
      return primary_key.length === 1 && field !== undefined && type !== undefined ? [{ entity: id, field, type }] : [];
    }),
];

/** Returns the reasons why a design cannot be applied, as sentences for the builder. Pure. */
export function problemsOf(design: TableDesign): string[] {
  const names = design.fields.map(({ name }) => name);
  const doubled = names.find((name, place) => name !== '' && names.indexOf(name) !== place);
  return [
    design.name === '' && 'The table has no name.',
    names.includes('') && 'A field has no name.',
    doubled !== undefined && `Two fields have the name ${doubled}.`,
    [design.name, ...names].some((name) => new TextEncoder().encode(name).length > 63) &&
      'A name has more than 63 bytes.',
    ...design.fields.flatMap((field) => [
      field.kind === 'list' &&
        !field.rules.some(({ kind, values }) => kind === 'existing' || values.length > 0) &&
        `${field.name || 'A field'} has no values to choose from.`,
      ...field.rules.map((rule) => ruleProblem(field, rule)),
    ]),
    design.sentences.some(({ when }) => when?.value === '') && 'A condition of a sentence has no value.',
  ].filter((problem): problem is string => typeof problem === 'string');
}

function ruleProblem(field: FieldDesign, { kind, min, max, values }: RuleDesign): string | false {
  const name = field.name || 'a field';
  if (kind === 'existing') return false;
  if (kind === 'values') return values.length === 0 && `A rule of ${name} has no values.`;
  if (min === '' && max === '') return `A rule of ${name} has no bound.`;
  const isNumber = (text: string) => text === '' || /^-?\d+(\.\d+)?$/.test(text);
  if (!isNumber(min) || !isNumber(max)) return `A bound of ${name} is not a number.`;
  return min !== '' && max !== '' && Number(min) > Number(max) && `The bounds of ${name} exclude every value.`;
}
