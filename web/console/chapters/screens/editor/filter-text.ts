import type { Field } from '../../../../../contract/specification-entities.ts';
import { quoted } from '../../../../rows/query.ts';
import { type Filter, type Operator, operatorsFor, operatorTakes, operatorWord } from '../../../queries/rows/filter.ts';
import { filterParameter, isComplete, listOf } from '../../../queries/rows/query-string.ts';
import { kindOf } from '../../../values/field-kind.ts';

/** The text that means the id of the member in the filter of a screen. */
export const THE_MEMBER = 'auth.uid()';

/** A condition of a screen's filter. Without `filter`, the editor cannot express it and shows its text. */
export interface Condition {
  /** The condition as the definition has it: `status=neq.closed`. */
  readonly text: string;
  readonly filter: Filter | null;
}

/** Parses the filter of a screen. Joining the texts with `&` returns the same filter. Pure. */
export const parseFilter = (filter: string, fields: readonly Field[]): Condition[] =>
  filter === '' ? [] : filter.split('&').map((text) => ({ text, filter: filterIn(text, fields) }));

export const writeFilter = (conditions: readonly Condition[]): string =>
  conditions
    .map(({ text }) => text)
    .filter((text) => text.trim() !== '')
    .join('&');

function filterIn(text: string, fields: readonly Field[]): Filter | null {
  const [pair, ...more] = [...new URLSearchParams(text)];
  const field = fields.find(({ name }) => pair && [name, quoted(name)].includes(pair[0]));
  if (!pair || more.length > 0 || !field) return null;
  const [, value] = pair;
  for (const operator of operatorsFor(kindOf(field), field.nullable)) {
    const [, pattern] = filterParameter({ field: field.name, operator, value: '' });
    if (operatorTakes(operator) === 'nothing' && pattern === value) return { field: field.name, operator, value: '' };
    if (isList(operator)) {
      const inner = (operator === 'in' ? /^in\.\(([^()]*)\)$/s : /^not\.in\.\(([^()]*)\)$/s).exec(value)?.[1];
      if (inner !== undefined) return { field: field.name, operator, value: listOf(inner).map(listed).join(', ') };
    } else if (operatorTakes(operator) === 'one' && value.startsWith(pattern) && /^\w+\.$/.test(pattern)) {
      return { field: field.name, operator, value: value.slice(pattern.length) };
    }
  }
  return null;
}

const isList = (operator: Operator): boolean => operator === 'in' || operator === 'not-in';

const listed = (value: string): string => (/[",]/.test(value) ? JSON.stringify(value) : value);

/** Returns the condition of a filter. Pure. */
export function conditionOf(filter: Filter): Condition {
  const [name, value] = filterParameter(filter);
  // Values of one word need no quotes, and read better without.
  const plain = isList(filter.operator) ? value.replaceAll(/"([\w-]+)"/g, '$1') : value;
  return { text: `${encoded(name)}=${encoded(plain)}`, filter };
}

/** Encodes the characters that have a meaning in a query string. */
const encoded = (text: string): string => text.replaceAll(/[%&+#]/g, encodeURIComponent);

/** Describes a condition: "status is not closed". Pure. */
export function conditionWords({ text, filter }: Condition): string {
  if (!filter) return text;
  const value = filter.value === THE_MEMBER ? 'the member' : filter.value;
  const words = `${filter.field} ${operatorWord(filter.operator)}`;
  return operatorTakes(filter.operator) === 'nothing' ? words : `${words} ${value || '…'}`;
}

/** Returns true if every condition has the value that its operator needs. */
export const isFilterComplete = (filter: string, fields: readonly Field[]): boolean =>
  parseFilter(filter, fields).every(({ filter: one, text }) => (one ? isComplete(one) : text.includes('=')));
