import type { Entity, Field } from './specification-entities.ts';

/**
 * Names of fields whose value identifies a row to a reader, the best name first. Like the names below, they match
 * spellings with other capitals or without underscores.
 */
const TITLES = ['name', 'title', 'subject', 'label', 'headline', 'full_name', 'display_name', 'username'];

/** Names of fields with the parts of a person's name. */
const GIVEN = ['first_name', 'given_name', 'forename'];
const FAMILY = ['last_name', 'family_name', 'surname'];

/** Names of fields that contain the text of a row without a title, such as a comment. */
const TEXTS = ['body', 'message', 'content', 'text'];

/** Names of fields that say little about a row by themselves. */
const WEAK =
  /(^|_)(id|uuid|code|phone|mobile|fax|zip|url|uri|link|image|avatar|picture|logo|color|colour|locale|currency)$|postal|password|token/;

/**
 * Returns true for types whose values are plain text.
 * @param type The type as PostgreSQL prints it; of a domain, its base type.
 */
export const isText = (type: string): boolean => /^(text|character( varying)?|(\w+\.)?citext)(\(\d+\))?$/.test(type);

/** The parts of an entity that its labels depend on. */
type Labelled = Pick<Entity, 'name' | 'fields' | 'primary_key'>;

/** Tells of a field whether the reader may read it, or whether it is a text of several lines. */
type Test = (field: string) => boolean;

/**
 * Returns the names of the fields by which a person recognizes a row: one field such as `name` or `title`, or the first
 * and the last name of a person. Empty if the entity has no text that a person can read.
 * @param mayRead Tells whether the reader may read a field.
 * @param isLong Tells whether a text usually has several lines. Such a text is used only if there is no other.
 */
export function labelFields(
  entity: Labelled,
  mayRead: Test = () => true,
  isLong: Test = () => false,
): readonly string[] {
  const naming = namingFields(entity, mayRead, isLong);
  if (naming.length > 0) return naming;
  const texts = textsOf(entity, mayRead);
  const plain = texts.filter((field) => isPlain(field, entity.primary_key));
  const [best] = [
    ...plain.filter(({ name }) => !isLong(name)),
    ...plain,
    ...texts.filter(({ name }) => !isLong(name)),
    ...texts,
  ];
  return best === undefined ? [] : [best.name];
}

/**
 * Returns the fields that name a row by their own names, such as `name` or `subject`, or that contain its text. Empty if
 * the entity has none, so that a text of `labelFields` says little about a row.
 */
export function namingFields(
  entity: Labelled,
  mayRead: Test = () => true,
  isLong: Test = () => false,
): readonly string[] {
  const texts = textsOf(entity, mayRead);
  const called = (names: readonly string[]): string[] =>
    names.flatMap((name) => texts.find((field) => bare(field.name) === bare(name))?.name ?? []);
  const person = [...called(GIVEN).slice(0, 1), ...called(FAMILY).slice(0, 1)];
  const short = texts.filter((field) => isPlain(field, entity.primary_key) && !isLong(field.name));
  // In a table of persons, `title` is a job or a form of address.
  if (person.length > 0 && called(['name']).length === 0) return person;
  const [best] = [
    ...called(TITLES),
    ...called(entityNames(entity.name).flatMap((word) => [`${word}_name`, `${word}_title`, word])),
    ...called(TEXTS),
    ...short.filter(({ name }) => /(^|_)(name|title)$/i.test(name)).map(({ name }) => name),
  ];
  return best === undefined ? [] : [best];
}

const textsOf = ({ fields }: Labelled, mayRead: Test): Field[] =>
  fields.filter((field) => isText(field.base_type ?? field.type) && field.files === undefined && mayRead(field.name));

/** Returns true for a text that is neither a key, nor a reference, nor a code. */
const isPlain = ({ name, references }: Field, key: readonly string[]): boolean =>
  references === null && !key.includes(name) && !WEAK.test(name.toLowerCase());

/** Returns a name without capitals and underscores, so that `firstName` equals `first_name`. */
const bare = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** Returns the name of an entity, and what may be its singular: `categories` and `category`. */
const entityNames = (name: string): string[] => [
  name,
  ...(name.endsWith('ies') ? [`${name.slice(0, -3)}y`] : []),
  ...(name.endsWith('es') ? [name.slice(0, -2)] : []),
  ...(name.endsWith('s') ? [name.slice(0, -1)] : []),
];
