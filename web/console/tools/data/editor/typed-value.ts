import type { Field } from '../../../../../contract/specification-entities.ts';
import { readJsonText } from '../../../../fields/read-json.ts';
import { readTime } from '../../../../fields/read-time.ts';
import { timeText, timeValue } from '../../../../fields/time-notation.ts';
import type { Row } from '../../../queries/rows/row.ts';
import { checkValue } from '../../../values/check-value.ts';
import { isFigure, kindOf } from '../../../values/field-kind.ts';
import { readArray, readNumber } from '../../../values/typed-text.ts';
import { timeKind } from './editor-kind.ts';

/** Returns the text that an editor shows at first. Times are in the format of the calendar; JSON is indented. Pure. */
export function shownText(field: Field, value: string | null, now: Date): string | null {
  const kind = timeKind(field);
  if (value !== null && kindOf(field) === 'json') {
    const read = readJsonText(value);
    return read.isValid ? read.indented : value;
  }
  const time = kind === null || value === null ? null : readTime(value, now)?.time;
  return kind !== null && time ? timeText(time, kind) : value;
}

/**
 * Returns the value that a typed text stands for. `wrong` is the reason why the text is invalid before PostgreSQL
 * checks it; null if no reason is known. Pure.
 */
export function readTyped(field: Field, text: string, now: Date): { value: string; wrong: string | null } {
  const kind = timeKind(field);
  if (isFigure(kindOf(field)) && !field.references) {
    const value = readNumber(text, null);
    return value === null ? { value: text, wrong: 'This is no number.' } : { value, wrong: null };
  }
  // The text "[0:1]={a,b}" is an array, too, so PostgreSQL decides about a text that is no list.
  if (kindOf(field) === 'array') return { value: readArray(text) ?? text, wrong: null };
  if (kind === null) return { value: text, wrong: checkValue(text, kindOf(field)) };
  const value = timeValue(text, kind, now);
  return value === null ? { value: text, wrong: 'This is no date and time.' } : { value, wrong: null };
}

/** Reads the typed texts of a form as values. Pure. */
export const readValues = (fields: readonly Field[], texts: Row, now: Date): Row =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const field = fields.find((one) => one.name === name);
      return [name, field && text !== null ? readTyped(field, text, now).value : text];
    }),
  );
