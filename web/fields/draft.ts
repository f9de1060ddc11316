import type { PortalField } from '../../contract/portal.ts';
import { t } from '../language/messages.ts';
import { timeOf } from './format.ts';
import { rangeDraft, rangeTimeKind, readRange } from './range.ts';
import { localNumber, plainNumber } from './read-number.ts';
import { brokenRule } from './rules.ts';
import { type TimeKind, timeValue } from './time-notation.ts';
import { members } from './time-words.ts';

/** A row as a data request returns it. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The typed values of a form by field. A value is the string of an editor, or true or false. An empty string means that
 * the field has no value.
 */
export type Draft = Readonly<Record<string, string | boolean>>;

/**
 * Returns the typed value of a field; undefined if the member has typed none. The name of a field may also be the name
 * of a member of every object, such as `constructor`, so only own properties count.
 */
export const typedIn = (draft: Draft, { name }: Pick<PortalField, 'name'>): string | boolean | undefined =>
  Object.hasOwn(draft, name) ? draft[name] : undefined;

/** Converts the value of a field to the value that its editor shows. */
export function toDraft({ editor, zoneless, range }: PortalField, value: unknown): string | boolean {
  if (editor === 'boolean') return value === true;
  if (value === null || value === undefined) return '';
  if (range) return rangeDraft(range, String(value));
  if (editor === 'json') return JSON.stringify(value, null, 2);
  if (editor === 'files') return pathsText(Array.isArray(value) ? value.map(String) : [String(value)]);
  if (editor === 'array') return Array.isArray(value) ? value.map(String).join('\n') : '';
  if (editor === 'number' || editor === 'money') return localNumber(String(value));
  const kind = timeKind({ editor, zoneless });
  if (kind !== null) {
    const time = kind === 'date' ? timeOf(`${String(value)}T00:00:00`) : timeOf(value);
    return time ? members.show(time, kind) : String(value);
  }
  return String(value);
}

/** Returns the paths of files in a typed value, and the typed value of paths. A path contains no line break. */
export const pathsIn = (typed: string): string[] => typed.split('\n').filter((path) => path !== '');
export const pathsText = (paths: readonly string[]): string => paths.join('\n');

/** Returns the kind of time that a field contains; null for a field without a time. */
export const timeKind = ({
  editor,
  zoneless,
}: {
  editor: PortalField['editor'];
  zoneless?: true | undefined;
}): TimeKind | null =>
  editor === 'date' ? 'date' : editor !== 'date and time' ? null : zoneless ? 'timestamp' : 'timestamptz';

/** The value that was read from a form, or the reason why the typed value is invalid. */
export type Read = { readonly value: unknown } | { readonly wrong: string };

/** Reads a typed value. A number that JavaScript cannot represent stays a string, which PostgreSQL parses. */
export function readDraft(field: PortalField, typed: string | boolean): Read {
  if (typeof typed === 'boolean') return { value: typed };
  if (field.files?.many) return { value: typed === '' && field.nullable ? null : pathsIn(typed) };
  if (typed === '') return { value: null };
  if (field.range) {
    const value = readRange(field.range, typed);
    return value === null ? { wrong: t(rangeTimeKind(field.range) === null ? 'noNumber' : 'noDate') } : { value };
  }
  switch (field.editor) {
    case 'number':
    case 'money':
      return readNumber(typed);
    case 'reference':
      return { value: /^-?\d{1,15}$/.test(typed) ? Number(typed) : typed };
    case 'date':
    case 'date and time': {
      const value = timeValue(typed, timeKind(field) ?? 'date', new Date(), members);
      return value === null ? { wrong: t(field.editor === 'date' ? 'noDate' : 'noDateAndTime') } : { value };
    }
    case 'array':
      return { value: typed.split('\n').filter((line) => line !== '') };
    case 'json':
      return readJson(typed);
    default:
      return { value: typed };
  }
}

function readNumber(typed: string): Read {
  const plain = plainNumber(typed);
  if (plain === null) return { wrong: t('noNumber') };
  const value = Number(plain);
  return { value: Number.isSafeInteger(value) || plain.length <= 15 ? value : plain };
}

function readJson(typed: string): Read {
  try {
    return { value: JSON.parse(typed) };
  } catch {
    return { wrong: t('noJson') };
  }
}

/** Returns the description of the rule that a typed value breaks; null if the value can be saved. */
export function wrongIn(field: PortalField, typed: string | boolean, isNew: boolean): string | null {
  const read = readDraft(field, typed);
  if ('wrong' in read) return read.wrong;
  if (field.editor === 'files' && typed === '' && isNew && field.required) return t('missing', { label: field.label });
  if (read.value === null && (isNew ? field.required : !field.nullable)) return t('missing', { label: field.label });
  return brokenRule(field, read.value);
}

/** Returns the values to send. For a new row, these are the typed values; for an existing row, only the changed values. */
export function valuesOf(fields: readonly PortalField[], draft: Draft, before: Row | null): Row {
  const changed = fields.flatMap((field): [string, unknown][] => {
    const typed = typedIn(draft, field);
    if (typed === undefined) return [];
    // An empty field of a new row keeps the default, unless the form showed the default and the member removed it.
    const isRemoved = field.nullable && (field.initial !== undefined || field.initial_is_caller === true);
    if (before === null ? typed === '' && !isRemoved : typed === toDraft(field, before[field.name])) return [];
    const read = readDraft(field, typed);
    return 'wrong' in read ? [] : [[field.name, read.value]];
  });
  return Object.fromEntries(changed);
}
