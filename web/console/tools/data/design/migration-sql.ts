import { entityId, sqlName } from '../../../../../contract/entity-names.ts';
import type { PolicyEntry } from '../../../../../contract/specification-roles.ts';
import { fileName } from '../../../migrations/file-name.ts';
import { literal } from '../../../queries/sql.ts';
import { policyName, sentenceSql } from './access-sentence.ts';
import type { DefaultDesign, FieldDesign, RuleDesign, Sentence, TableDesign } from './table-design.ts';

/**
 * Returns the migration that changes a table from one design to another, without a final newline; empty if the designs
 * are equal. Pure.
 * @param before Null for a new table.
 * @param after Null to drop the table.
 */
export function migrationSql(before: TableDesign | null, after: TableDesign | null): string {
  if (!after) return before ? `drop table ${tableOf(before)};` : '';
  const statements = before ? alterations(before, after) : creation(after);
  return statements.join('\n');
}

const tableOf = ({ schema, name }: Pick<TableDesign, 'schema' | 'name'>): string => entityId(schema, name);

/** Returns the name of the file of a migration. Like the files of the Supabase CLI, it begins with the time. Pure. */
export function migrationName(before: TableDesign | null, after: TableDesign | null, now: Date): string {
  const name = (after ?? before)?.name ?? '';
  const verb = before ? (after ? 'change' : 'drop') : 'create';
  return fileName(`${verb} ${name}`, now);
}

function creation(design: TableDesign): string[] {
  const table = tableOf(design);
  const columns = design.fields.map((field) => `  ${columnSql(field)}`);
  const keys = design.fields.filter(({ isKey }) => isKey).map(({ name }) => sqlName(name));
  const rules = design.fields.flatMap((field) =>
    field.rules.map((rule) => `  constraint ${sqlName(ruleName(design, field, rule))} ${ruleSql(field, rule)}`),
  );
  const key = keys.length > 0 ? [`  primary key (${keys.join(', ')})`] : [];
  return [
    `create table ${table} (\n${[...columns, ...key, ...rules].join(',\n')}\n);`,
    ...design.fields.flatMap((field) => indexSql(design, field)),
    ...comments(null, design),
    // Default privileges may give callers every right on a new table. Only the sentences of the design do so.
    `revoke all on ${table} from anon, authenticated;`,
    ...access(null, design),
  ];
}

/** Returns the definition of a column, without rules. */
function columnSql(field: FieldDesign): string {
  const { name, type, isRequired, isUnique, isKey, target } = field;
  return [
    `${sqlName(name)} ${type}`,
    isRequired && !isKey && 'not null',
    defaultSql(field.default, field),
    isUnique && !isKey && 'unique',
    target && `references ${referenceSql(field)}`,
  ]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(' ');
}

const referenceSql = ({ target, onDelete }: FieldDesign): string =>
  target
    ? `${target.entity} (${sqlName(target.field)})${onDelete === 'no action' ? '' : ` on delete ${onDelete}`}`
    : '';

/** Returns the SQL clause for the default of a column; an empty string if the field has no default. */
function defaultSql(value: DefaultDesign, field: FieldDesign): string {
  if (value.kind === 'none') return '';
  if (value.kind === 'counts-up') return 'generated always as identity';
  return `default ${defaultExpression(value, field)}`;
}

function defaultExpression(value: DefaultDesign, { kind }: FieldDesign): string {
  switch (value.kind) {
    case 'now':
      return kind === 'date' ? 'current_date' : 'now()';
    case 'caller':
      return 'auth.uid()';
    case 'random':
      return 'gen_random_uuid()';
    case 'sql':
      return value.sql;
    case 'value':
      return /^-?\d+(\.\d+)?$/.test(value.text) && ['whole', 'number', 'money'].includes(kind)
        ? value.text
        : kind === 'yes-no' && /^(true|false)$/.test(value.text)
          ? value.text
          : literal(value.text);
    default:
      return 'null';
  }
}

/** Returns the index on a reference. Without the index, a deletion of the referenced row reads the whole table. */
const indexSql = (design: TableDesign, { name, target, isUnique, isKey }: FieldDesign): string[] =>
  target && !isUnique && !isKey ? [`create index on ${tableOf(design)} (${sqlName(name)});`] : [];

/** Returns the SQL of the constraint that enforces a rule. */
function ruleSql(field: FieldDesign, { kind, min, max, values, sql }: RuleDesign): string {
  if (kind === 'existing') return sql;
  const name = sqlName(field.name);
  if (kind === 'values') return `check (${name} in (${values.map(literal).join(', ')}))`;
  const value = kind === 'length' ? `length(${name})` : name;
  if (min !== '' && max !== '') return `check (${value} between ${min} and ${max})`;
  return min === '' ? `check (${value} <= ${max})` : `check (${value} >= ${min})`;
}

const ruleSuffix = { between: 'range', length: 'length', values: 'values', existing: 'check' } as const;

/** Returns the name of the constraint for a rule. If a field has several rules of one kind, the name ends with a number. */
function ruleName(design: TableDesign, field: FieldDesign, rule: RuleDesign): string {
  if (rule.name !== null) return rule.name;
  const alike = field.rules.filter(({ kind, name }) => kind === rule.kind && name === null);
  const place = alike.indexOf(rule);
  return `${design.name}_${field.name}_${ruleSuffix[rule.kind]}${place > 0 ? place + 1 : ''}`;
}

const textOrNull = (text: string): string => (text === '' ? 'null' : literal(text));

/** Returns the statements that set the changed comments of the table, of its fields and of new rules. */
function comments(before: TableDesign | null, after: TableDesign): string[] {
  const table = tableOf(after);
  return [
    ...((before?.comment ?? '') === after.comment
      ? []
      : [`comment on table ${table} is ${textOrNull(after.comment)};`]),
    ...after.fields.flatMap((field) => {
      const known = before?.fields.find(({ key }) => key === field.key);
      const own =
        (known?.comment ?? '') === field.comment
          ? []
          : [`comment on column ${table}.${sqlName(field.name)} is ${textOrNull(field.comment)};`];
      const rules = field.rules.flatMap((rule) => {
        const old = known?.rules.find(({ key }) => key === rule.key);
        return (old?.message ?? '') === rule.message
          ? []
          : [
              `comment on constraint ${sqlName(ruleName(after, field, rule))} on ${table} is ${textOrNull(rule.message)};`,
            ];
      });
      return [...own, ...rules];
    }),
  ];
}

/** Returns each sentence with a name for its policy that no existing policy has. */
function namedSentences({ policies, sentences }: TableDesign): { sentence: Sentence; name: string }[] {
  const taken = new Set(policies.map(({ name }) => name));
  return sentences.map((sentence) => {
    const wanted = policyName(sentence);
    let name = wanted;
    for (let n = 2; taken.has(name); n++) name = `${wanted} ${n}`;
    taken.add(name);
    return { sentence, name };
  });
}

/** Returns the design as it is after its migration: new rules, references and sentences are existing constraints and policies. Pure. */
export const appliedDesign = (design: TableDesign): TableDesign => ({
  ...design,
  keyName: keyName(design),
  fields: design.fields.map((field) => ({
    ...field,
    referenceName: field.target ? (field.referenceName ?? `${design.name}_${field.name}_fkey`) : null,
    unique: field.isUnique
      ? (field.unique ?? (field.isKey ? null : { name: `${design.name}_${field.name}_key`, sql: '' }))
      : null,
    rules: field.rules.map((rule) => ({
      ...rule,
      ...{ name: ruleName(design, field, rule), sql: ruleSql(field, rule), kind: 'existing' as const },
    })),
  })),
  policies: [
    ...design.policies,
    ...namedSentences(design).map(
      ({ sentence, name }): PolicyEntry => ({
        ...{
          entity: tableOf(design),
          name,
          permissive: true,
          command: sentence.verb,
          roles: [],
          using: null,
          check: null,
        },
        ...{ words: '', sql: sentenceSql(sentence, design, name).at(-1) ?? '' },
      }),
    ),
  ],
  sentences: [],
});

/** Returns the statements that change row-level security, grants and policies. */
function access(before: TableDesign | null, after: TableDesign): string[] {
  const table = tableOf(after);
  const wasOn = before?.rowLevelSecurity ?? false;
  const security =
    wasOn === after.rowLevelSecurity
      ? []
      : [`alter table ${table} ${after.rowLevelSecurity ? 'enable' : 'disable'} row level security;`];
  const known = new Set(before?.policies.map(({ name }) => name));
  const returned = after.policies.filter(({ name }) => before !== null && !known.has(name)).map(({ sql }) => sql);
  const sentences = namedSentences(after).flatMap(({ sentence, name }) => sentenceSql(sentence, after, name));
  return [...security, ...returned.map((sql) => (sql.endsWith(';') ? sql : `${sql};`)), ...new Set(sentences)];
}

function alterations(before: TableDesign, after: TableDesign): string[] {
  const table = tableOf(after);
  const pairs = after.fields.map((field) => ({ field, known: before.fields.find(({ key }) => key === field.key) }));
  const removed = before.fields.filter(({ key }) => !after.fields.some((field) => field.key === key));
  const stays = new Set(after.policies.map(({ name }) => name));
  const added = pairs.filter(({ known }) => !known).map(({ field }) => field);
  const keyOf = ({ fields }: TableDesign) => fields.filter(({ isKey }) => isKey);
  const isRekeyed =
    keyOf(before)
      .map(({ key }) => key)
      .join() !==
    keyOf(after)
      .map(({ key }) => key)
      .join();
  return [
    ...before.policies
      .filter(({ name }) => !stays.has(name))
      .map(({ name }) => `drop policy ${sqlName(name)} on ${tableOf(before)};`),
    ...(before.name === after.name ? [] : [`alter table ${tableOf(before)} rename to ${sqlName(after.name)};`]),
    ...(isRekeyed && before.keyName !== null
      ? [`alter table ${table} drop constraint ${sqlName(before.keyName)};`]
      : []),
    ...pairs.flatMap(({ field, known }) => (known ? droppedConstraints(table, known, field) : [])),
    ...removed.map(({ name }) => `alter table ${table} drop column ${sqlName(name)};`),
    ...pairs.flatMap(({ field, known }) => (known ? changedColumn(table, known, field) : [])),
    ...added.map((field) => `alter table ${table} add column ${columnSql(field)};`),
    ...(isRekeyed && keyOf(after).length > 0
      ? [
          `alter table ${table} add constraint ${sqlName(keyName(after))} primary key (${keyOf(after)
            .map(({ name }) => sqlName(name))
            .join(', ')});`,
        ]
      : []),
    ...added.flatMap((field) => indexSql(after, field)),
    ...pairs.flatMap(({ field, known }) => addedConstraints(after, known, field)),
    ...comments(before, after),
    ...access(before, after),
  ];
}

/** Returns the name of the primary key. An existing key keeps its name even if its fields change. */
const keyName = ({ keyName: known, name }: TableDesign): string => known ?? `${name}_pkey`;

const sameTarget = (a: FieldDesign, b: FieldDesign): boolean =>
  a.target?.entity === b.target?.entity && a.target?.field === b.target?.field && a.onDelete === b.onDelete;

function droppedConstraints(table: string, known: FieldDesign, field: FieldDesign): string[] {
  const drop = (name: string) => `alter table ${table} drop constraint ${sqlName(name)};`;
  const rules = known.rules.filter(({ key }) => !field.rules.some((rule) => rule.key === key));
  const uniqueDrop =
    known.unique && !field.isUnique
      ? /^create unique index/i.test(known.unique.sql)
        ? [`drop index ${table.replace(/[^.]*$/, '')}${sqlName(known.unique.name)};`]
        : [drop(known.unique.name)]
      : [];
  return [
    ...rules.flatMap(({ name }) => (name === null ? [] : [drop(name)])),
    ...(known.referenceName !== null && !sameTarget(known, field) ? [drop(known.referenceName)] : []),
    ...uniqueDrop,
  ];
}

function changedColumn(table: string, known: FieldDesign, field: FieldDesign): string[] {
  const name = sqlName(field.name);
  const column = `alter table ${table} alter column ${name}`;
  const isSameDefault = JSON.stringify(known.default) === JSON.stringify(field.default);
  const isRetyped = known.type !== field.type;
  const wasCounted = known.default.kind === 'counts-up';
  const hadDefault = known.default.kind !== 'none' && !wasCounted;
  const mustDropDefault = hadDefault && (isRetyped || (!isSameDefault && defaultSql(field.default, field) === ''));
  const setsDefault = !['none', 'counts-up'].includes(field.default.kind) && (!isSameDefault || isRetyped);
  return [
    ...(known.name === field.name ? [] : [`alter table ${table} rename column ${sqlName(known.name)} to ${name};`]),
    ...(wasCounted && field.default.kind !== 'counts-up' ? [`${column} drop identity;`] : []),
    ...(mustDropDefault || (hadDefault && field.default.kind === 'counts-up') ? [`${column} drop default;`] : []),
    ...(isRetyped ? [`${column} type ${field.type} using ${name}::${field.type};`] : []),
    ...(known.isRequired === field.isRequired || field.isKey
      ? []
      : [`${column} ${field.isRequired ? 'set' : 'drop'} not null;`]),
    ...(setsDefault ? [`${column} set default ${defaultExpression(field.default, field)};`] : []),
    ...(field.default.kind === 'counts-up' && !wasCounted ? [`${column} add generated always as identity;`] : []),
  ];
}

/**
 * Returns the statements that add constraints to a field. A new field gets its key and its reference in its definition,
 * so they are not repeated.
 */
function addedConstraints(design: TableDesign, known: FieldDesign | undefined, field: FieldDesign): string[] {
  const table = tableOf(design);
  const add = (name: string, sql: string) => `alter table ${table} add constraint ${sqlName(name)} ${sql};`;
  const rules = field.rules.filter(({ key }) => !known?.rules.some((rule) => rule.key === key));
  // A field of the key needs no unique constraint. A field that is removed from the key needs one if it stays unique.
  const wasUnique = known?.isKey ? known.unique !== null : known?.isUnique;
  const isReferred = known !== undefined && field.target !== null && !sameTarget(known, field);
  return [
    ...(known && field.isUnique && !field.isKey && !wasUnique
      ? [add(`${design.name}_${field.name}_key`, `unique (${sqlName(field.name)})`)]
      : []),
    ...(isReferred
      ? [
          add(
            `${design.name}_${field.name}_fkey`,
            `foreign key (${sqlName(field.name)}) references ${referenceSql(field)}`,
          ),
          ...(known?.target ? [] : indexSql(design, field)),
        ]
      : []),
    ...rules.map((rule) => add(ruleName(design, field, rule), ruleSql(field, rule))),
  ];
}
