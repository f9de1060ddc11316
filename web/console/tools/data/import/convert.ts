import type { Field } from '../../../../../contract/specification-entities.ts';
import { readTime } from '../../../../fields/read-time.ts';
import { timeValue } from '../../../../fields/time-notation.ts';
import { kindOf } from '../../../values/field-kind.ts';
import { timeKind } from '../editor/editor-kind.ts';

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the field that each column of a file fills. Names are compared without case and without characters that are
 * neither letters nor digits. Null for a column without a matching field. Pure.
 */
export function guessFields(header: readonly string[], fields: readonly Field[]): (string | null)[] {
  const taken = new Set<string>();
  return header.map((column) => {
    const found = fields.find(({ name }) => plain(name) === plain(column) && !taken.has(name));
    if (found) taken.add(found.name);
    return found?.name ?? null;
  });
}

const yes = new Set(['true', 't', 'yes', 'y', '1', 'on']);
const no = new Set(['false', 'f', 'no', 'n', '0', 'off']);

/**
 * Converts a value of the file to a value that PostgreSQL reads. Dates are read as day/month/year, enum values in any
 * letter case. A value that cannot be converted stays unchanged, so that PostgreSQL refuses it in the check. Pure.
 */
export function convert(field: Field, text: string | null, now: Date): string | null {
  if (text === null) return null;
  const typed = text.trim();
  const kind = kindOf(field);
  if (kind === 'boolean') return yes.has(typed.toLowerCase()) ? 'true' : no.has(typed.toLowerCase()) ? 'false' : text;
  if (kind === 'enum') {
    return field.enum_values?.find((value) => value.toLowerCase() === typed.toLowerCase()) ?? text;
  }
  const time = timeKind(field);
  if (time !== null && readTime(typed, now)) return timeValue(typed, time, now);
  if (kind === 'integer' || kind === 'decimal') return /^-?\d+,\d+$/.test(typed) ? typed.replace(',', '.') : typed;
  return text;
}

/** Describes how the import converts the values of a column, for the list of fields. */
export function conversionWords(field: Field): string {
  const kind = kindOf(field);
  if (timeKind(field) !== null) return 'day/month/year, or ISO';
  if (kind === 'boolean') return 'yes and no';
  if (kind === 'enum') return 'any letter case';
  return 'none';
}
