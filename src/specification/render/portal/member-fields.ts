import { isText } from '../../../../contract/label-fields.ts';
import { plainWords } from '../../../../contract/plain-words.ts';
import type {
  PortalEditor,
  PortalField,
  PortalReference,
  PortalRule,
  PortalRuleSchema,
} from '../../../../contract/portal.ts';
import type { Rule } from '../../../../contract/specification.ts';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import { isTimeOfWrite } from '../../derive/chapters/screens/screens.ts';
import type { InputField, StoredText } from '../types/input.ts';
import { ruleKeywords } from '../types/json-schema.ts';
import { valueRule } from '../types/value-rules.ts';
import type { FullText } from './full-text.ts';
import { fieldLabel, type HiddenNames, helpOf, sentenceCase, singular, unlessNaming } from './member-words.ts';

/** The names of the fields of an entity that one caller may read, insert and update. */
export interface FieldRights {
  readonly read: ReadonlySet<string>;
  readonly insert: ReadonlySet<string>;
  readonly update: ReadonlySet<string>;
}

/** The data from which the fields of one entity are described. */
export interface FieldSources {
  readonly entity: Entity;
  readonly rights: FieldRights;
  /** The rules of chapter 5 on this entity. */
  readonly rules: readonly Rule[];
  /** The limits of stored texts by the name of the field. */
  readonly texts: ReadonlyMap<string, StoredText>;
  /** The names of the text fields that an index finds by their values. */
  readonly indexed: ReadonlySet<string>;
  /** The accepted inputs by the name of the field. */
  readonly inputs: ReadonlyMap<string, InputField>;
  /** Returns the row that a field points to, if the caller may read its key. */
  readonly reference: (field: Field) => PortalReference | null;
  /** The fields whose value the policies fix in a new row: the id of the caller's account, or a constant. */
  readonly fixed: ReadonlyMap<string, { is: 'caller' } | { is: 'constant'; value: string }>;
  /** The names of the fields whose mentions of members are notified. */
  readonly mentioning: ReadonlySet<string>;
  /** The fields that an index for full-text search covers. */
  readonly fullText: FullText;
  /** Names that the caller must not learn of. */
  readonly hidden: HiddenNames;
}

/** The max number of characters of a text for which the portal shows a single-line editor. */
const LINE = 200;

export const isNumber = (type: string): boolean =>
  /^(smallint|integer|bigint|real|double precision|numeric)\b/.test(type) && !type.endsWith('[]');

/** Returns true for types whose values PostgreSQL can order: they have an operator class of B-trees. */
const isOrdered = (type: string): boolean =>
  !/^(json|xml|point|line|lseg|box|path|polygon|circle|xid|cid|aclitem|refcursor|jsonpath|pg_snapshot|txid_snapshot)\b/.test(
    type,
  );

/** Returns the fields of an entity that the caller may read or write, in the order of the table. */
export function memberFields(sources: FieldSources): PortalField[] {
  const fields = sources.entity.fields
    .filter(({ name }) => Object.values(sources.rights).some((names: ReadonlySet<string>) => names.has(name)))
    .map((field) => memberField(sources, field));
  // "Paid" is the label of `paid` and would be the label of `paid_at`.
  const isTaken = ({ name, label }: PortalField) =>
    fields.some((other) => other.name !== name && other.label === label) && label !== sentenceCase(name);
  const taken = new Set(fields.filter(isTaken).map(({ name }) => name));
  return fields.map((field) => (taken.has(field.name) ? { ...field, label: sentenceCase(field.name) } : field));
}

function memberField(sources: FieldSources, field: Field): PortalField {
  const { rights, reference, fullText } = sources;
  const type = field.base_type ?? field.type;
  const rules = rulesOf(sources, field);
  const pointsTo = reference(field);
  const isReadable = rights.read.has(field.name);
  const configuration = fullText.get(field.name);
  const editor = editorOf(sources, field, pointsTo, rules);
  return {
    name: field.name,
    label: fieldLabel(field.name, field.comment, isNumber(type)),
    help: helpOf(field.comment),
    editor,
    readable: isReadable,
    // Only texts have LIKE; other types with a text editor, such as uuid and inet, do not. PostgreSQL has no ILIKE for collations that compare different characters as equal.
    ...(isReadable &&
      isText(type) &&
      field.collation?.equal === undefined &&
      !field.files && { searchable: true as const }),
    ...(isReadable && isOrdered(type) && !field.files && { sortable: true as const }),
    ...(sources.entity.primary_key.includes(field.name) && shapeOf(type)),
    ...(sources.mentioning.has(field.name) && { mentions: true as const }),
    ...(isReadable && configuration !== undefined && { full_text: { configuration } }),
    ...(/^timestamp(\(\d\))? without/.test(type) && { zoneless: true as const }),
    ...filledBy(sources, field),
    insertable: rights.insert.has(field.name),
    updatable: rights.update.has(field.name),
    required: !field.nullable && field.default === null && field.identity === null && field.generated === null,
    nullable: field.nullable,
    ...initialOf(sources, field, editor),
    ...(editor === 'text' && rangeOf(type)),
    values: type.endsWith('[]') ? null : valuesOf(sources, field),
    ...(field.files && { files: field.files }),
    reference: pointsTo,
    rules,
  };
}

/** Returns the form of the values of a key with this type. */
function shapeOf(type: string): Pick<PortalField, 'shape'> {
  if (type === 'uuid') return { shape: 'uuid' };
  return /^(smallint|integer|bigint)$/.test(type) ? { shape: 'integer' } : {};
}

/** The bounds of the range types of PostgreSQL. */
const ranges: Readonly<Record<string, NonNullable<PortalField['range']>>> = {
  daterange: 'date',
  tstzrange: 'date and time',
  tsrange: 'local date and time',
  numrange: 'number',
  int4range: 'whole number',
  int8range: 'whole number',
};

const rangeOf = (type: string): Pick<PortalField, 'range'> =>
  Object.hasOwn(ranges, type) ? { range: ranges[type] as NonNullable<PortalField['range']> } : {};

/** Returns where the value of a new row comes from, if the member does not give it. */
function filledBy({ fixed }: FieldSources, field: Field): Pick<PortalField, 'filled_by' | 'fixed'> {
  const value = fixed.get(field.name);
  if (value?.is === 'caller') return { filled_by: 'caller' };
  if (value?.is === 'constant') return { filled_by: 'policy', fixed: value.value };
  return isTimeOfWrite(field) ? { filled_by: 'database' } : {};
}

/** Returns the default of a field that the caller may write, if it is the caller or a constant that the form can show. */
function initialOf(
  sources: FieldSources,
  field: Field,
  editor: PortalEditor,
): Pick<PortalField, 'initial' | 'initial_is_caller'> {
  if (!sources.rights.insert.has(field.name)) return {};
  if (editor === 'member' && field.default === 'auth.uid()') return { initial_is_caller: true };
  if (field.default === 'true') return { initial: true };
  const [, quoted, plain] =
    /^(?:'((?:[^']|'')*)'(?:::.+)?|\(?(-?\d+(?:\.\d+)?)\)?(?:::.+)?)$/.exec(field.default ?? '') ?? [];
  const value = quoted?.replaceAll("''", "'") ?? plain;
  if (value === undefined || value === '') return {};
  if (editor === 'enum') return valuesOf(sources, field)?.some((one) => one.value === value) ? { initial: value } : {};
  return (editor === 'number' || editor === 'money' || editor === 'text') && value.length <= LINE
    ? { initial: value }
    : {};
}

/**
 * Returns the values of an enum, or the values that a check lists. A value may be the name of a role that the caller
 * lacks, because the caller sees the value in rows anyway.
 */
const valuesOf = ({ texts }: FieldSources, { enum_values, name }: Field): PortalField['values'] =>
  (enum_values ?? texts.get(name)?.values)?.map((value) => ({ value, label: valueLabel(value) })) ?? null;

/** Returns the label of a value. Letters without a vowel are a unit or an abbreviation, such as `ml`. */
const valueLabel = (value: string): string => (/^[^aeiouy\s_\d]{1,3}$/i.test(value) ? value : sentenceCase(value));

function editorOf(
  sources: FieldSources,
  field: Field,
  reference: PortalReference | null,
  rules: readonly PortalRule[],
): PortalEditor {
  const type = field.base_type ?? field.type;
  if (field.files) return 'files';
  if (field.references?.schema === 'auth' && field.references.entity === 'users') return 'member';
  if (reference) return 'reference';
  if (!type.endsWith('[]') && valuesOf(sources, field)) return 'enum';
  const most = sources.texts.get(field.name)?.most ?? null;
  const bound = most === null ? [] : [{ name: '', words: '', schema: { maxLength: most } }];
  const editor = editorOfType(field.name, type, [...rules, ...bound], field.comment);
  return editor === 'long text' && sources.indexed.has(field.name) ? 'text' : editor;
}

/** Returns the editor for values of this type. The name and the comment of the field decide between similar editors. */
export function editorOfType(
  name: string,
  type: string,
  rules: readonly PortalRule[],
  comment: string | null = null,
): PortalEditor {
  if (type.endsWith('[]')) return 'array';
  if (type === 'boolean') return 'boolean';
  if (type === 'json' || type === 'jsonb') return 'json';
  if (type === 'date') return 'date';
  if (/^timestamp/.test(type)) return 'date and time';
  // A browser has no input for a time with a time zone.
  if (/^time(\(\d\))? without/.test(type)) return 'time';
  if (type === 'money' || (/^numeric\(\d+,2\)$/.test(type) && /price|amount|total|cost|fee/i.test(name)))
    return 'money';
  if (isNumber(type)) return 'number';
  if (type === 'interval') return 'duration';
  return isLong(name, type, rules, comment) ? 'long text' : 'text';
}

/** Words of a name that are usual for a text of several lines: `body`, `care_instructions`. */
const LONG_WORDS =
  /^(body|message|content|contents|text|description|notes?|comments?|remarks?|details|bio|biography|summary|instructions?|explanation|abstract|story|feedback|markdown|transcript|md|html|minutes|agenda|statement|terms|conditions|directions|steps|resolution|findings?|observations?)$/;

/** A comment that describes a text of several lines. */
const LONG_COMMENT =
  /\b(several|multiple|many) (lines|sentences|paragraphs)\b|\bparagraphs?\b|\bmarkdown\b|\b(long|free|multi-?line)[- ]text\b/i;

/** Splits a name into words in lower case: `care_notes` and `careNotes` are "care" and "notes". */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^\p{L}]+/u);

/**
 * Returns true for a text that needs several lines: its rules allow more than LINE characters, or its rules set no
 * limit and the last word of its name, or its comment, is usual for long texts.
 */
function isLong(name: string, type: string, rules: readonly PortalRule[], comment: string | null): boolean {
  if (!/^(text|character varying|(\w+\.)?citext)/.test(type)) return false;
  const bounds = rules.flatMap(({ schema }) => (schema?.maxLength === undefined ? [] : [schema.maxLength]));
  if (bounds.length > 0) return Math.min(...bounds) > LINE;
  return LONG_WORDS.test(wordsOf(name).findLast((word) => word !== '') ?? '') || LONG_COMMENT.test(comment ?? '');
}

/** Returns the rules of a field, and for each rule the check that the browser can make. */
function rulesOf({ rules, inputs, hidden, entity, rights }: FieldSources, field: Field): PortalRule[] {
  const known = new Set([...rights.read, ...rights.insert, ...rights.update]);
  const checked = inputs.get(field.name)?.rules ?? [];
  const shown = rules.filter(
    (rule) =>
      rule.fields.includes(field.name) &&
      rule.kind !== 'required' &&
      rule.kind !== 'primary key' &&
      rule.applies_to !== 'no row' &&
      rule.applies_to !== 'uploads' &&
      rule.fields.every((name) => known.has(name)),
  );
  const ofTable = shown.flatMap((rule): PortalRule[] => {
    const found = rule.comment ?? unlessNaming(rule.words, hidden);
    if (found === null) return [];
    const words = rule.comment === null ? wordsForMembers(entity, rule, field) : plainWords(found);
    const schema =
      rule.kind === 'type' ? typeSchema(field) : schemaOf(checked.filter(({ name }) => name === rule.name));
    return [{ name: rule.name, words, schema }];
  });
  const names = new Set(shown.map(({ name }) => name));
  const ofDomains = checked.filter(({ name }) => !names.has(name) && !rules.some((rule) => rule.name === name));
  return [
    ...ofTable,
    ...ofDomains.map((rule) => ({ name: rule.name, words: rule.words, schema: schemaOf([rule]) })),
  ].filter((rule) => entity.kind !== 'view' || rule.schema !== null);
}

/** Returns the words of a rule with the labels of its fields, and without regular expressions. */
function wordsForMembers(entity: Entity, rule: Rule, field: Field): string {
  const labelOf = (name: string) => {
    const found = entity.fields.find((one) => one.name === name);
    return fieldLabel(name, found?.comment ?? null, false).toLowerCase();
  };
  if (rule.kind === 'unique' && rule.fields.length > 1) {
    return `another ${singular(entity.name)} has the same ${rule.fields.map(labelOf).join(' and ')}`;
  }
  const [, pattern] = /^[\w ]+ matches(?:, in upper or lower case,)? '(.*)'$/.exec(rule.words) ?? [];
  if (rule.kind !== 'check' || pattern === undefined) return plainWords(rule.words);
  return /@/.test(pattern)
    ? `${labelOf(field.name)} is an e-mail address`
    : `${labelOf(field.name)} has another form here`;
}

const KEYWORDS = [
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
  ...['pattern', 'enum'],
];

function schemaOf(rules: InputField['rules']): PortalRuleSchema | null {
  const keywords = Object.assign({}, ...rules.map(ruleKeywords)) as Record<string, unknown>;
  const known = Object.fromEntries(KEYWORDS.filter((name) => name in keywords).map((name) => [name, keywords[name]]));
  return Object.keys(known).length === 0 ? null : (known as PortalRuleSchema);
}

function typeSchema({ type, base_type }: Field): PortalRuleSchema | null {
  const rule = valueRule(base_type ?? type);
  if (rule?.kind === 'size') return { maxLength: rule.most };
  if (rule?.kind === 'whole') return { minimum: rule.least, maximum: rule.most };
  return null;
}
