import { filesWords } from '../../derive/words/files.ts';
import type { JsonObject } from '../../derive/words/sentence-parts.ts';
import {
  fewWords,
  flag,
  fromTo,
  isSet,
  items,
  listWords,
  quoted,
  text,
  textsOf,
  valueWords,
} from '../../derive/words/sentence-parts.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { entityWords } from './relation-changes.ts';

/** Describes an added field: its name, its type, and whether it is required. */
export function fieldWords(field: unknown): string {
  const filled = isSet(field, 'default') || isSet(field, 'identity');
  if (isSet(field, 'generated'))
    return `${text(field, 'name')} (${text(field, 'type')}, computed as ${valueWords(text(field, 'default'))})`;
  const need = flag(field, 'nullable') ? 'optional' : filled ? 'with a default' : 'required';
  return `${text(field, 'name')} (${text(field, 'type')}, ${need})`;
}

/** Returns true if the SQL in the default of a field is the expression of a generated column. */
export function isGenerated(chapters: JsonObject, id: string, name: string): boolean {
  const entity = items(chapters.entities, 'entities').find((one) => text(one, 'id') === id);
  return isSet(
    items(entity, 'fields').find((field) => text(field, 'name') === name),
    'generated',
  );
}

/** Describes a changed generation expression. */
export function generatedChange(name: string, before: unknown, after: unknown): string {
  if (after === null) return `${name} is no longer computed as ${valueWords(before)}.`;
  return `${name} is now computed as ${valueWords(after)}${before === null ? '' : ` (before: ${valueWords(before)})`}.`;
}

/** Describes a changed member of a field. Returns null if no sentence exists for this member. */
export function fieldChange(name: string, member: string, before: unknown, after: unknown): string | null {
  switch (member) {
    case 'type':
      return `${name} is now ${valueWords(after)} (before: ${valueWords(before)}).`;
    case 'nullable':
      return after === true ? `${name} may now be empty.` : `${name} must now have a value.`;
    case 'default':
      if (after === null) return `${name} no longer has a default (before: ${shownDefault(before)}).`;
      return `The default of ${name} is now ${shownDefault(after)}${before === null ? '' : ` (before: ${shownDefault(before)})`}.`;
    case 'comment':
      return after === null
        ? `${name} no longer has a comment (before: ${quoted(String(before))}).`
        : `The comment of ${name} is now ${quoted(String(after))}${before === null ? '' : ` (before: ${quoted(String(before))})`}.`;
    case 'enum_values':
      return valuesChange(name, before, after);
    case 'identity':
      if (after === null) return `${name} is no longer numbered automatically.`;
      return after === 'always'
        ? `${name} is now numbered automatically, and no call can set it.`
        : `${name} is now numbered automatically if it is left out.`;
    case 'generated':
      return after === null
        ? `${name} is no longer generated: calls can set it.`
        : `${name} is now generated (${valueWords(after)}): no call can set it.`;
    case 'computed':
      return after === undefined
        ? `${name} is no longer computed by the view: calls can set it.`
        : `${name} is now computed by the view: no call can set it.`;
    case 'numbering':
      if (withoutStart(before) === withoutStart(after))
        return `After a restart, the numbering of ${name} begins at ${startOf(after)} (before: at ${startOf(before)}).`;
      return after === undefined
        ? `${name} now counts upwards from 1 to the maximum of its type (before: ${valueWords(before)}).`
        : `${name} now counts ${valueWords(after)}${before === undefined ? '' : ` (before: ${valueWords(before)})`}.`;
    case 'files':
      if (after === undefined) return `${name} no longer holds files (before: ${filesWords(before)}).`;
      return `${name} now holds ${filesWords(after)}${before === undefined ? '' : ` (before: ${filesWords(before)})`}.`;
    case 'collation':
      return collationChange(name, before, after);
    case 'type_comments':
      return typeCommentsChange(name, textsOf(before), textsOf(after));
    case 'base_type':
      return `The base type of ${name} ${fromTo(before, after)}.`;
    case 'attributes':
      return `The parts of ${name} have changed: ${fromTo(partsWords(before), partsWords(after))}.`;
    case 'references':
      if (after === null) return `${name} no longer refers to another row (before: to ${targetWords(before)}).`;
      return before === null
        ? `${name} now refers to ${targetWords(after)}.`
        : `${name} now refers to ${targetWords(after)} (before: to ${targetWords(before)}).`;
    default:
      return null;
  }
}

/** Returns the start of a sequence, which takes effect only when the sequence is restarted. */
const startOf = (numbering: unknown): string => /^from (-?\d+)/.exec(String(numbering ?? ''))?.[1] ?? '1';
const withoutStart = (numbering: unknown): string => String(numbering ?? 'from 1').replace(/^from -?\d+/, '');

function collationChange(name: string, before: unknown, after: unknown): string {
  const [was, is] = [before, after].map((one) => text(one, 'name') || 'the default collation of the database');
  const equal = text(after, 'equal');
  const words = equal === '' ? '' : `: texts ${equal} count as the same`;
  return `${name} is now sorted and compared by ${is} (before: by ${was})${words}.`;
}

function typeCommentsChange(name: string, before: readonly string[], after: readonly string[]): string {
  const words = (lines: readonly string[]) => listWords(lines.map(quoted));
  if (after.length === 0) return `The type of ${name} no longer has a comment (before: ${words(before)}).`;
  return `The comment on the type of ${name} is now ${words(after)}${before.length === 0 ? '' : ` (before: ${words(before)})`}.`;
}

/** Returns the SQL of a default for a sentence. */
const shownDefault = (sql: unknown): string => valueWords(typeof sql === 'string' ? shownSql(sql) : sql);

const targetWords = (target: unknown): string => `${text(target, 'field')} of ${entityWords(target)}`;

const partsWords = (attributes: unknown): string =>
  items({ attributes }, 'attributes')
    .map((one) => {
      const comment = text(one, 'comment');
      const parts = partsWords(one.attributes);
      return `${text(one, 'name')} ${text(one, 'type')}${comment === '' ? '' : ` (${quoted(comment)})`}${parts === '' ? '' : ` of (${parts})`}`;
    })
    .join(', ');

function valuesChange(name: string, before: unknown, after: unknown): string {
  const [old, fresh] = [textsOf(before), textsOf(after)];
  const more = fresh.filter((value) => !old.includes(value));
  const fewer = old.filter((value) => !fresh.includes(value));
  if (more.length + fewer.length === 0) return `The values of ${name} are in another order: ${fewWords(fresh)}.`;
  const parts = [
    ...(more.length > 0 ? [`may now also be ${fewWords(more)}`] : []),
    ...(fewer.length > 0 ? [`may no longer be ${fewWords(fewer)}`] : []),
  ];
  return `${name} ${listWords(parts)}.`;
}
