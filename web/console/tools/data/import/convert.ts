import type { Field } from '../../../../../contract/specification-entities.ts';
import { timeValue } from '../../../../fields/time-notation.ts';
import { kindOf } from '../../../values/field-kind.ts';
import { type DecimalSign, decimalSign, readArray, readNumber } from '../../../values/typed-text.ts';
import { timeKind } from '../editor/editor-kind.ts';

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the field that each column of a file fills. Names are compared without case and without characters that are
 * neither letters nor digits. A column without an equal name fills the only field whose name begins like its own. Null
 * for a column without a matching field. Pure.
 */
export function guessFields(header: readonly string[], fields: readonly Field[]): (string | null)[] {
  const taken = new Set<string>();
  const take = (column: string, fits: (name: string, column: string) => boolean) => {
    const [found, other] = fields.filter(({ name }) => !taken.has(name) && fits(plain(name), plain(column)));
    if (!found || other) return null;
    taken.add(found.name);
    return found.name;
  };
  const same = header.map((column) => take(column, (name, text) => name === text));
  return header.map((column, place) => same[place] ?? take(column, isShortened));
}

/** Returns true if one name is the beginning of the other and has at least three characters, as "prio" of "priority". */
const isShortened = (a: string, b: string): boolean =>
  Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));

const yes = new Set(['true', 't', 'yes', 'y', '1', 'on']);
const no = new Set(['false', 'f', 'no', 'n', '0', 'off']);

/** How the numbers and days of a column are written. A single value such as "1,234" or "03/04/2026" does not say. */
export interface Notation {
  /** The decimal sign; null if no value shows it. */
  readonly decimal: DecimalSign | null;
  /** True if the month comes before the day. */
  readonly isMonthFirst: boolean;
}

const numericDay = /^(\d{1,2})([/-])(\d{1,2})(?=\2\d{4})/;
/** Returns how the numbers and days of a column are written, from its values. Without a sign, the day comes first. Pure. */
export function notationOf(texts: readonly (string | null)[]): Notation {
  const days = texts.flatMap((text) => {
    const [, first, , second] = numericDay.exec(text?.trim() ?? '') ?? [];
    return first === undefined ? [] : [[Number(first), Number(second)] as const];
  });
  return {
    decimal: decimalSign(texts.filter((text) => text !== null)),
    isMonthFirst: days.every(([first]) => first <= 12) && days.some(([, second]) => second > 12),
  };
}

/**
 * Converts a value of the file to a value that PostgreSQL reads. Dates are read as day/month/year, unless the column
 * has the month first; enum values in any letter case; numbers with a decimal comma and with separators of thousands. A
 * value that cannot be converted stays unchanged, so that PostgreSQL refuses it in the check. Pure.
 */
export function convert(field: Field, text: string | null, now: Date, notation: Notation): string | null {
  if (text === null) return null;
  const typed = text.trim();
  const kind = kindOf(field);
  if (kind === 'boolean') return yes.has(typed.toLowerCase()) ? 'true' : no.has(typed.toLowerCase()) ? 'false' : text;
  if (kind === 'enum') {
    return field.enum_values?.find((value) => value.toLowerCase() === typed.toLowerCase()) ?? text;
  }
  const time = timeKind(field);
  if (time !== null) {
    const swapped = notation.isMonthFirst ? typed.replace(numericDay, '$3/$1') : typed;
    return timeValue(swapped, time, now) ?? timeValue(typed, time, now) ?? text;
  }
  if (kind === 'integer' || kind === 'decimal') return readNumber(typed, notation.decimal) ?? typed;
  if (kind === 'array') return readArray(typed) ?? text;
  return text;
}

/** Describes how the import converts the values of a column, for the list of fields. */
export function conversionWords(field: Field, { decimal, isMonthFirst }: Notation): string {
  const kind = kindOf(field);
  if (timeKind(field) !== null) {
    const zone = timeKind(field) === 'timestamptz' ? `, in ${Intl.DateTimeFormat().resolvedOptions().timeZone}` : '';
    return `${isMonthFirst ? 'month/day/year' : 'day/month/year'}, or ISO${zone}`;
  }
  if (kind === 'boolean') return 'yes and no';
  if (kind === 'enum') return 'any letter case';
  if (kind === 'array') return 'values between commas';
  if (kind === 'decimal' && decimal === ',') return 'decimal comma';
  return 'none';
}
