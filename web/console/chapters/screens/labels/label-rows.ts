import type { LabelTexts } from '../../../../../contract/description.ts';
import type { Chapters } from '../../../../../contract/specification.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { callSql, identifier, literal } from '../../../queries/sql.ts';

/** Longest label in characters, which the table `ninefold.labels` checks. */
const LABEL_CHARACTERS = 200;

/** Something of the app that can have a label in each language. */
export interface LabelRow {
  /** The key of the label in chapter 2. */
  readonly key: string;
  readonly kind: 'entity' | 'field' | 'value' | 'transition' | 'screen' | 'role' | 'action';
  /** The name without a label. */
  readonly name: string;
  /** The arguments of ninefold.label that name it, as SQL. */
  readonly subject: Readonly<Record<string, string>>;
}

/** The texts in the form by key. A key is absent as long as its label is not changed. */
export type LabelDrafts = Readonly<Record<string, Pick<LabelTexts, 'label' | 'one'>>>;

const relation = ({ schema, name }: Pick<Entity, 'schema' | 'name'>): string =>
  literal(`${identifier(schema)}.${identifier(name)}`);

/**
 * Returns all parts of an app that members see and that can have a label: screens, pages, entities with their parts,
 * roles, actions. Leaves out screens that follow from an entity, because they have its label. Pure.
 */
export function labelRows({ screens, entities, states, roles }: Chapters): LabelRow[] {
  const defined = screens?.screens.filter(({ origin }) => origin !== 'derived') ?? [];
  const actions = new Set(screens?.screens.flatMap((screen) => screen.actions ?? []));
  return [
    ...[...defined, ...(screens?.pages ?? [])].map(
      ({ route, title }): LabelRow => ({
        key: route,
        kind: 'screen',
        name: title,
        subject: { screen: literal(route) },
      }),
    ),
    ...(entities?.entities ?? []).filter(({ exposed }) => exposed).flatMap((entity) => entityRows(entity, states)),
    ...(roles?.roles ?? []).flatMap(({ member_role: role }): LabelRow[] =>
      role === null ? [] : [{ key: `role ${role}`, kind: 'role', name: role, subject: { role: literal(role) } }],
    ),
    ...[...actions].map(
      (name): LabelRow => ({ key: `action ${name}`, kind: 'action', name, subject: { action: literal(name) } }),
    ),
  ];
}

function entityRows(entity: Entity, states: Chapters['states']): LabelRow[] {
  const ofEntity = { entity: relation(entity) };
  const fields = entity.fields.flatMap((field): LabelRow[] => {
    const key = `${entity.id}.${field.name}`;
    const subject = { ...ofEntity, field: literal(field.name) };
    const machine = states?.machines.find((one) => one.entity === entity.id && one.field === field.name);
    const values = machine?.states.map(({ name }) => name) ?? field.enum_values ?? [];
    const transitions = new Set(machine?.transitions.map(({ name }) => name));
    return [
      { key, kind: 'field', name: `${entity.name}.${field.name}`, subject },
      ...values.map(
        (value): LabelRow => ({
          key: `${key} = ${value}`,
          ...{ kind: 'value', name: `${entity.name}.${field.name} = ${value}` },
          subject: { ...subject, value: literal(value) },
        }),
      ),
      ...[...transitions].map(
        (name): LabelRow => ({
          key: `${key} > ${name}`,
          ...{ kind: 'transition', name: `${entity.name}.${field.name}: ${name}` },
          subject: { ...subject, transition: literal(name) },
        }),
      ),
    ];
  });
  return [{ key: entity.id, kind: 'entity', name: entity.name, subject: ofEntity }, ...fields];
}

/** Returns the rows that have no label first, in the order of the chapters. Pure. */
export const missingFirst = (rows: readonly LabelRow[], stored: Readonly<Record<string, LabelTexts>>): LabelRow[] => [
  ...rows.filter(({ key }) => !stored[key]),
  ...rows.filter(({ key }) => stored[key]),
];

/** Returns the keys whose label differs from the stored one. Pure. */
export const changedKeys = (drafts: LabelDrafts, stored: Readonly<Record<string, LabelTexts>>): string[] =>
  Object.entries(drafts)
    .filter(([key, { label, one = '' }]) => {
      const before = stored[key];
      return label.trim() !== (before?.label ?? '') || one.trim() !== (before?.one ?? '');
    })
    .map(([key]) => key);

/** Returns the migration that sets the changed labels of a language, and the one that takes it back. Pure. */
export function labelSql(
  language: string,
  rows: readonly LabelRow[],
  drafts: LabelDrafts,
  stored: Readonly<Record<string, LabelTexts>>,
): { sql: string; undo: string } {
  const changed = new Set(changedKeys(drafts, stored));
  const of = rows.filter(({ key }) => changed.has(key));
  const call = ({ subject }: LabelRow, texts: LabelTexts | null) =>
    callSql('ninefold.label', {
      language: literal(language),
      label: texts === null ? 'null' : literal(texts.label),
      ...subject,
      one: texts?.one ? literal(texts.one) : null,
      help: texts?.help ? literal(texts.help) : null,
    });
  const wanted = ({ key }: LabelRow): LabelTexts | null => {
    const [draft, before] = [drafts[key], stored[key]];
    const [label, one] = [draft?.label.trim() ?? '', draft?.one?.trim() ?? ''];
    if (label === '') return null;
    return { label, ...(one !== '' && { one }), ...(before?.help !== undefined && { help: before.help }) };
  };
  return {
    sql: of.map((row) => call(row, wanted(row))).join('\n'),
    undo: of.map((row) => call(row, stored[row.key] ?? null)).join('\n'),
  };
}

const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$/;

/** Returns true for a tag of a language (BCP 47) that a label can have. */
export const isLanguage = (text: string): boolean => LANGUAGE.test(text);

/** Returns the reasons why the labels cannot be stored. Pure. */
export const labelProblems = (drafts: LabelDrafts): string[] =>
  Object.entries(drafts).flatMap(([key, { label, one = '' }]) =>
    Math.max([...label.trim()].length, [...one.trim()].length) > LABEL_CHARACTERS
      ? [`The label of ${key} is longer than ${LABEL_CHARACTERS} characters.`]
      : label.trim() === '' && one.trim() !== ''
        ? [`${key} needs a label before it has one for a single row.`]
        : [],
  );
