import { entityId, sqlName } from '../../../../../contract/entity-names.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { literal } from '../../../queries/sql.ts';
import {
  type Condition,
  type FieldDesign,
  membersTarget,
  newKey,
  type Rows,
  type Sentence,
  type TableDesign,
  type Verb,
} from './table-design.ts';

/** The callers that a sentence can be about, in addition to the roles of members. */
export const everyone = 'anyone';
export const members = 'members';

export const newSentence = (part: Partial<Sentence> = {}): Sentence => ({
  ...{ key: newKey(), who: members, verb: 'select', rows: { kind: 'every' }, when: null },
  ...part,
});

/** A choice of rows for a sentence, with the words that describe the rows. */
export interface RowsChoice {
  rows: Rows;
  words: string;
}

/** Returns the choices of rows that a sentence about a table offers. Pure. */
export function rowsChoices({ fields }: Pick<TableDesign, 'fields'>, entities: readonly Entity[]): RowsChoice[] {
  const own = fields
    .filter(isMember)
    .map(({ key, name }): RowsChoice => ({ rows: { kind: 'own', field: key }, words: `their own rows, by ${name}` }));
  const parents = fields.flatMap(({ key, name, target }) =>
    ownersOf(target?.entity, entities).map(
      (owner): RowsChoice => ({
        rows: { kind: 'parent', field: key, owner },
        words: `the rows of their own ${name}, by its ${owner}`,
      }),
    ),
  );
  return [{ rows: { kind: 'every' }, words: 'every row' }, ...own, ...parents];
}

const isMember = ({ target }: FieldDesign): boolean => target?.entity === membersTarget.entity;

/** Returns the fields of a table that reference members. The table is given by its id. */
const ownersOf = (id: string | undefined, entities: readonly Entity[]): string[] =>
  entities
    .filter((entity) => entity.id === id && entity.schema !== 'auth')
    .flatMap(({ fields }) =>
      fields.flatMap(({ name, references }) =>
        references?.schema === 'auth' && references.entity === 'users' ? [name] : [],
      ),
    );

export const sameRows = (a: Rows, b: Rows): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the SQL statements for a sentence: its grants and its policy. Pure. */
export function sentenceSql(sentence: Sentence, design: TableDesign, name: string): string[] {
  const table = entityId(design.schema, design.name);
  const { who, verb } = sentence;
  const roles = who === everyone ? 'anon, authenticated' : 'authenticated';
  const condition = conditionOf(sentence, design);
  const using = verb === 'insert' ? '' : `\n  using (${condition})`;
  const check = verb === 'insert' ? `\n  with check (${condition})` : '';
  const privileges = verb === 'all' ? 'select, insert, update, delete' : verb;
  return [
    `grant ${privileges} on ${table} to ${roles};`,
    `create policy ${sqlName(name)} on ${table} for ${verb} to ${roles}${using}${check};`,
  ];
}

/** Returns the condition of the policy. Function calls are in subqueries, so that PostgreSQL evaluates them once per statement. */
function conditionOf({ who, rows, when }: Sentence, { schema, name, fields }: TableDesign): string {
  const role = who === everyone || who === members ? null : `(select ninefold.has_role(${literal(who)}))`;
  const table = entityId(schema, name);
  const further = when && whenCondition(when, table, fields);
  return [role, rowsCondition(rows, table, fields), further].filter((part) => part !== null).join(' and ') || 'true';
}

const caller = '(select auth.uid())';

function rowsCondition(rows: Rows, table: string, fields: readonly FieldDesign[]): string | null {
  if (rows.kind === 'every') return null;
  const field = fields.find(({ key }) => key === rows.field);
  if (!field) return 'false';
  if (rows.kind === 'own') return `${caller} = ${sqlName(field.name)}`;
  const { target } = field;
  if (!target) return 'false';
  return `exists (select from ${target.entity} parent
    where parent.${sqlName(target.field)} = ${table}.${sqlName(field.name)} and parent.${sqlName(rows.owner)} = ${caller})`;
}

/** Returns the SQL condition that a field of the row, or of a row that it references, has a value. */
function whenCondition(
  { field: key, parent, value }: Condition,
  table: string,
  fields: readonly FieldDesign[],
): string {
  const field = fields.find((one) => one.key === key);
  if (!field) return 'false';
  if (parent === null) return `${sqlName(field.name)} = ${literal(value)}`;
  const { target } = field;
  if (!target) return 'false';
  return `exists (select from ${target.entity} parent
    where parent.${sqlName(target.field)} = ${table}.${sqlName(field.name)} and parent.${sqlName(parent)} = ${literal(value)})`;
}

/** A field that a condition can be about, with the words for it and the values that it can have. */
export interface ConditionChoice {
  field: string;
  parent: string | null;
  words: string;
  /** The values to choose from. If it is empty, the builder can type any text. */
  values: readonly string[];
}

/** Returns the fields that a condition can be about: fields of the table itself, then fields of the rows that it references. Pure. */
export function conditionChoices(
  { fields }: Pick<TableDesign, 'fields'>,
  entities: readonly Entity[],
): ConditionChoice[] {
  const own = fields
    .filter(({ target, kind }) => !target && kind !== 'json')
    .map(({ key, name, kind, enumValues, rules }): ConditionChoice => {
      const listed = rules.find((rule) => rule.kind === 'values')?.values ?? [];
      const values = kind === 'yes-no' ? ['true', 'false'] : enumValues.length > 0 ? enumValues : listed;
      return { field: key, parent: null, words: `when ${name} is`, values };
    });
  const parents = fields.flatMap(({ key, name, target }) =>
    (entities.find(({ id, schema }) => id === target?.entity && schema !== 'auth')?.fields ?? [])
      .filter(({ references, type }) => !references && !/^json/.test(type))
      .map(
        (field): ConditionChoice => ({
          ...{ field: key, parent: field.name, words: `when the ${field.name} of its ${name} is` },
          values: field.type === 'boolean' ? ['true', 'false'] : (field.enum_values ?? []),
        }),
      ),
  );
  return [...own, ...parents];
}

/** Returns the name of the policy for a sentence, for example "members see their own rows". Pure. */
export function policyName({ who, verb, rows, when }: Sentence): string {
  const does =
    who === members
      ? { select: 'see', insert: 'insert', update: 'change', delete: 'delete', all: 'use' }[verb]
      : { select: 'sees', insert: 'inserts', update: 'changes', delete: 'deletes', all: 'uses' }[verb];
  const what = { every: 'every row', own: 'their own rows', parent: 'rows of what is theirs' }[rows.kind];
  return `${who} ${does} ${what}${when ? ` when ${when.value}` : ''}`.slice(0, 60);
}

/** A set of sentences that one button adds. */
export interface AccessTemplate {
  name: string;
  /** The reason why the template cannot be used for this table; null if it can. */
  offBecause: string | null;
  sentences: () => Sentence[];
}

/** Returns the templates of sentences about the access to a table. Pure. */
export function accessTemplates(design: TableDesign, roles: readonly string[]): AccessTemplate[] {
  const owner = design.fields.find(isMember);
  const own = (verb: Verb) => newSentence({ verb, rows: { kind: 'own', field: owner?.key ?? '' } });
  const offBecause = owner ? null : 'Add a field that is a reference to members first.';
  return [
    { name: 'Everyone reads', offBecause: null, sentences: () => [newSentence({ who: everyone })] },
    { name: 'Members read', offBecause: null, sentences: () => [newSentence()] },
    { name: 'Members see their own rows', offBecause, sentences: () => [own('select')] },
    { name: 'The owner writes', offBecause, sentences: () => [own('all')] },
    ...roles.map((who) => ({
      ...{ name: `${who}: everything`, offBecause: null },
      sentences: () => [newSentence({ who, verb: 'all' })],
    })),
  ];
}
