import type { Comparison, Operand } from '../../../sql-reader/tree.ts';

import { named } from './value.ts';

type Unit = readonly [one: string, many: string];

/** Functions that count, with the unit of their result. */
const counted: Readonly<Record<string, Unit>> = {
  length: ['character', 'characters'],
  char_length: ['character', 'characters'],
  character_length: ['character', 'characters'],
  octet_length: ['byte', 'bytes'],
  cardinality: ['element', 'elements'],
  array_length: ['element', 'elements'],
  jsonb_array_length: ['element', 'elements'],
  json_array_length: ['element', 'elements'],
};

/** The words for the result of a counting call: `length(title)` counts the characters of title. */
export interface Count {
  of: string;
  unit: Unit;
}

/** Returns the words for the result of a counting call; null for other values. */
export function countOf(operand: Operand): Count | null {
  if (operand.kind !== 'call') return null;
  const [argument, ...others] = operand.arguments;
  const unit = Object.hasOwn(counted, operand.name) ? counted[operand.name] : undefined;
  if (!unit || !argument || argument.kind === 'literal') return null;
  if (operand.name === 'array_length' ? !isFirst(others) : others.length > 0) return null;
  const trimmed = trimmedOf(argument);
  const of = named(trimmed ?? argument);
  return of === null ? null : { of: trimmed === null ? of : `${of}, without the spaces around it,`, unit };
}

const isFirst = ([dimension, ...more]: readonly Operand[]): boolean =>
  dimension?.kind === 'literal' && dimension.value === '1' && more.length === 0;

/** Returns true for `array_length(tags, 1)`, which is null for an empty list. */
export const isArrayLength = (operand: Operand): boolean =>
  operand.kind === 'call' && operand.name === 'array_length' && countOf(operand) !== null;

/**
 * Returns the value that `btrim(title)` trims; null for other values. PostgreSQL also prints this call as TRIM(BOTH
 * FROM title).
 */
export function trimmedOf(operand: Operand): Operand | null {
  if (operand.kind !== 'call' || operand.name !== 'btrim' || operand.arguments.length !== 1) return null;
  return operand.arguments[0] ?? null;
}

/** Returns the name of the field in `btrim(title)`; null for other values. */
export function trimmedField(operand: Operand): string | null {
  const of = trimmedOf(operand);
  return of?.kind === 'field' ? of.name : null;
}

/** Returns the verb for a unit: a text "is" 3 characters, a list "has" 3 elements. */
export const verbOf = (unit: string): string => (unit === 'elements' ? 'has' : 'is');

const amounts: Partial<Record<Comparison, string>> = {
  ...{ '=': 'exactly', '<>': 'other than' },
  ...{ '<': 'less than', '>': 'more than', '<=': 'at most', '>=': 'at least' },
};

/** Returns a comparison of a count in words: "title is at least 3 characters", "exactly 1 of a, b has a value". */
export function countWords(subject: Operand, operator: Comparison, object: Operand): string | null {
  const amount = amounts[operator];
  if (amount === undefined || object.kind !== 'literal' || object.quoted) return null;
  const count = countOf(subject);
  if (count === null) return givenWords(subject, operator, Number(object.value));
  const [one, many] = count.unit;
  return `${count.of} ${verbOf(many)} ${amount} ${object.value} ${object.value === '1' ? one : many}`;
}

/** Returns words for a comparison of the number of given values that are not null (num_nonnulls, num_nulls). */
function givenWords(subject: Operand, operator: Comparison, number: number): string | null {
  if (subject.kind !== 'call' || !/^num_(non)?nulls$/.test(subject.name) || !Number.isInteger(number)) return null;
  const names = subject.arguments.map((one) => (one.kind === 'field' ? named(one) : null));
  if (names.length === 0 || names.some((name) => name === null)) return null;
  // If the condition counts null values, converts the number into the number of values that are not null.
  const isOfNulls = subject.name === 'num_nulls';
  const sign = isOfNulls ? (turned[operator] ?? operator) : operator;
  const asked = isOfNulls ? names.length - number : number;
  const [min, max] = bounds(sign, asked, names.length);
  const list = names.join(', ');
  if (sign === '<>') return `not exactly ${asked} of ${list} ${asked === 1 ? 'has' : 'have'} a value`;
  if (min > max) return null;
  if (max === 0) return `none of ${list} has a value`;
  if (min === names.length) return `each of ${list} has a value`;
  if (min === 0 && max === names.length) return null;
  const said = min === max ? `exactly ${min}` : min === 0 ? `at most ${max}` : `at least ${min}`;
  return `${said} of ${list} ${(min === 0 ? max : min) === 1 ? 'has' : 'have'} a value`;
}

const turned: Partial<Record<Comparison, Comparison>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

function bounds(sign: Comparison, number: number, all: number): [least: number, most: number] {
  switch (sign) {
    case '=':
      return [number, number];
    case '<':
    case '<=':
      return [0, Math.min(all, sign === '<' ? number - 1 : number)];
    default:
      return [Math.max(0, sign === '>' ? number + 1 : number), all];
  }
}
