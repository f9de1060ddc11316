import type { Relation } from '../../../../contract/specification-entities.ts';
import { listWords, text, texts, textsOf, thing } from '../../derive/words/sentence-parts.ts';
import type { Difference } from '../differences.ts';
import { either, type Members, restWords } from '../generic.ts';

const endings: Readonly<Record<string, string>> = {
  cascade: 'they are deleted with it',
  'set null': 'they are emptied when it is deleted',
  'set default': 'they take their default when it is deleted',
  nothing: 'PostgreSQL does not enforce this: if it is deleted, they keep their value',
};

const updates: Readonly<Record<string, string>> = {
  cascade: 'theirs changes with it',
  'set null': 'they are emptied',
  'set default': 'they take their default',
  nothing: 'they keep their value',
};

/** Describes a junction: a table that connects the rows of two entities, many to many. */
export function junctionWords({ before, after }: Difference): string {
  const ends = (one: unknown) => `Rows of ${thing(text(one, 'from'))} and rows of ${thing(text(one, 'to'))}`;
  const through = (one: unknown) => `through ${thing(text(one, 'through'))}`;
  if (before === undefined) return `${ends(after)} are now joined ${through(after)}, many to many.`;
  if (after === undefined) return `${ends(before)} are no longer joined ${through(before)}.`;
  return `${ends(after)} are now joined ${through(after)} (before: ${ends(before)} ${through(before)}).`;
}

/** Describes the rows that calls embed through a view by a key of a base table. */
export function shownKeyWords({ before, after }: Difference): string {
  const key = after ?? before;
  const other = entityWords(memberOf(key, text(key, 'side') === 'from' ? 'to' : 'from'));
  const words = `embed rows of ${other} in rows of ${thing(text(key, 'view'))}`;
  const by = (one: unknown) => `by ${text(one, 'name')} (${fieldsShown(one)})`;
  if (before === undefined) return `Calls now ${words}, ${by(after)}.`;
  if (after === undefined) return `Calls no longer ${words}, ${by(before)}.`;
  return `Calls now ${words}, ${by(after)}; before: ${by(before)}.`;
}

const fieldsShown = (key: unknown): string =>
  typeof key === 'object' && key !== null && 'fields' in key && Array.isArray(key.fields)
    ? key.fields.map((names) => textsOf(names).join(' or ')).join(', ')
    : '';

/** Describes an added, removed or changed foreign key. */
export function relationWords({ before, after }: Difference): string {
  if (before === undefined) return `${pointer(after)}; ${endingOf(after)}.`;
  if (after === undefined) return `${pointer(before).replace(' now refer', ' no longer refer')}.`;
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) return '';
  const differs = (name: string) => text(before, name) !== text(after, name);
  const parts: string[] = [];
  if (differs('on_delete')) parts.push(`${endingOf(after)} (before: ${endingOf(before)})`);
  else if (texts(before, 'on_delete_fields').join() !== texts(after, 'on_delete_fields').join()) {
    const [was, is] = [before, after].map((one) => listWords(texts(one, 'on_delete_fields')) || 'all of them');
    parts.push(`of its fields, ${is} change when that row is deleted (before: ${was})`);
  }
  if (differs('on_update')) {
    const [was, is] = [before, after].map((one) => updates[text(one, 'on_update')] ?? 'such a change is refused');
    parts.push(`when the key there changes, ${is} (before: ${was})`);
  }
  const [was, is] = [memberOf(before, 'to'), memberOf(after, 'to')];
  if (differs('kind')) {
    const isOne = text(after, 'kind') === 'one-to-one';
    parts.push(
      isOne ? 'at most one of them to each (before: any number)' : 'any number of them to each (before: at most one)',
    );
  }
  const described = ['kind', 'on_delete', 'on_delete_fields', 'on_update'];
  if (entityWords(was) !== entityWords(is)) {
    parts.push(`before: to one of ${entityWords(was)}`);
    described.push('to');
  }
  return `${pointer(after)}: ${[...parts, ...restWords({ ...before }, { ...after }, described, members)].join('; ')}.`;
}

const members: Members<Relation> = {
  name: 'the name of the key',
  from: (before) => `before: from rows of ${entityWords(before)} (${listWords(texts(before, 'fields'))})`,
  to: (before, after) =>
    `by its ${listWords(texts(after, 'fields'))} (before: by its ${listWords(texts(before, 'fields'))})`,
  kind: 'the number of rows',
  period: either(
    'the rows there must now cover the whole period',
    'the rows there need no longer cover the whole period',
  ),
  on_delete: 'the action on a deletion',
  on_delete_fields: 'the fields that a deletion changes',
  on_update: 'the action on a changed key',
};

function endingOf(relation: unknown): string {
  const fields = texts(relation, 'on_delete_fields');
  const ending = endings[text(relation, 'on_delete')] ?? 'it cannot be deleted while they refer to it';
  return fields.length === 0 ? ending : `${ending}, of their fields ${listWords(fields)} only`;
}

function pointer(relation: unknown): string {
  const [from, to] = [memberOf(relation, 'from'), memberOf(relation, 'to')];
  const fields = listWords(texts(from, 'fields'));
  return `Rows of ${entityWords(from)} now refer to a row of ${entityWords(to)} (${fields})`;
}

/** Returns one end of a relation. */
export const memberOf = (value: unknown, name: 'from' | 'to'): unknown =>
  typeof value === 'object' && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined;

/** Returns an entity by its schema and name. */
export const entityWords = (one: unknown): string => thing(`${text(one, 'schema')}.${text(one, 'entity')}`);
