import type { JsonObject } from '../../changes/differences.ts';
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
} from '../../changes/values.ts';
import { entityWords } from './relation-changes.ts';

/** Describes an added field: its name, its type, and whether it is required. */
export function fieldWords(field: unknown): string {
  const filled = isSet(field, 'default') || isSet(field, 'identity');
  if (isSet(field, 'generated'))
    return `${text(field, 'name')} (${text(field, 'type')}, computed as ${valueWords(text(field, 'default'))})`;
  const need = flag(field, 'nullable') ? 'optional' : filled ? 'filled in where it is not given' : 'required';
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
      if (after === null)
        return `${name} is no longer filled in where it is not given (before: ${valueWords(before)}).`;
      return before === null
        ? `${name} is now ${valueWords(after)} where it is not given.`
        : `${name} is now ${valueWords(after)} where it is not given (before: ${valueWords(before)}).`;
    case 'comment':
      return after === null
        ? `${name} is not described any more.`
        : `${name} is now described as ${quoted(String(after))}.`;
    case 'enum_values':
      return valuesChange(name, before, after);
    case 'identity':
      if (after === null) return `${name} is no longer numbered by itself.`;
      return after === 'always'
        ? `${name} is now numbered by itself, and nobody may give it.`
        : `${name} is now numbered by itself where it is not given.`;
    case 'generated':
      return after === null
        ? `${name} is no longer generated: it is given like any other field.`
        : `${name} is now generated (${valueWords(after)}): nobody may give it.`;
    case 'computed':
      return after === undefined
        ? `${name} is no longer computed by the view: it may be given.`
        : `${name} is now computed by the view: nobody may give it.`;
    case 'numbering':
      if (withoutStart(before) === withoutStart(after))
        return `Where it is restarted, the numbering of ${name} begins at ${startOf(after)} (before: at ${startOf(before)}).`;
      return after === undefined
        ? `${name} now counts from 1 upwards, for as long as its type lasts (before: ${valueWords(before)}).`
        : `${name} now counts ${valueWords(after)}${before === undefined ? '' : ` (before: ${valueWords(before)})`}.`;
    case 'collation':
      return collationChange(name, before, after);
    case 'type_comments':
      return typeCommentsChange(name, textsOf(before), textsOf(after));
    case 'base_type':
      return `The type beneath ${name} ${fromTo(before, after)}.`;
    case 'attributes':
      return `What ${name} consists of ${fromTo(partsWords(before), partsWords(after))}.`;
    case 'references':
      if (after === null) return `${name} points to nothing any more.`;
      return before === null
        ? `${name} now points to ${targetWords(after)}.`
        : `${name} now points to ${targetWords(after)} (before: to ${targetWords(before)}).`;
    default:
      return null;
  }
}

/** Returns the start of a sequence, which takes effect only when the sequence is restarted. */
const startOf = (numbering: unknown): string => /^from (-?\d+)/.exec(String(numbering ?? ''))?.[1] ?? '1';
const withoutStart = (numbering: unknown): string => String(numbering ?? 'from 1').replace(/^from -?\d+/, '');

function collationChange(name: string, before: unknown, after: unknown): string {
  const [was, is] = [before, after].map((one) => text(one, 'name') || 'the database’s own collation');
  const equal = text(after, 'equal');
  const words = equal === '' ? '' : `: texts ${equal} count as the same`;
  return `${name} is now sorted and compared by ${is} (before: by ${was})${words}.`;
}

function typeCommentsChange(name: string, before: readonly string[], after: readonly string[]): string {
  const words = (lines: readonly string[]) => listWords(lines.map(quoted));
  if (after.length === 0) return `The type of ${name} is not described any more (before: ${words(before)}).`;
  return `The type of ${name} is now described as ${words(after)}${before.length === 0 ? '' : ` (before: ${words(before)})`}.`;
}

const targetWords = (target: unknown): string => `${text(target, 'field')} of ${entityWords(target)}`;

const partsWords = (attributes: unknown): string =>
  items({ attributes }, 'attributes')
    .map((one) => {
      const comment = text(one, 'comment');
      const parts = partsWords(one.attributes);
      return `${text(one, 'name')} ${text(one, 'type')}${comment === '' ? '' : ` (${quoted(comment)})`}${parts === '' ? '' : ` of (${parts})`}`;
    })
    .join(', ');

function valuesChange(name: string, before: unknown, after: unknown): string | null {
  const [old, fresh] = [textsOf(before), textsOf(after)];
  const more = fresh.filter((value) => !old.includes(value));
  const fewer = old.filter((value) => !fresh.includes(value));
  if (more.length + fewer.length === 0) return null;
  const parts = [
    ...(more.length > 0 ? [`may now also be ${fewWords(more)}`] : []),
    ...(fewer.length > 0 ? [`may no longer be ${fewWords(fewer)}`] : []),
  ];
  return `${name} ${listWords(parts)}.`;
}
