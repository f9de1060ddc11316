import type { Operand } from '../../../sql-reader/tree.ts';

/** Returns the words for a call from the words of its arguments; null if the call is shown as SQL. */
type Say = (words: readonly string[], args: readonly Operand[]) => string | null;

const of =
  (what: string): Say =>
  ([first, ...more]) =>
    first !== undefined && more.length === 0 ? `${what} of ${first}` : null;

/** The words for the units of `date_part` and EXTRACT. */
const parts: Readonly<Record<string, [what: string, remark?: string]>> = {
  ...{ year: ['the year'], quarter: ['the quarter'], month: ['the month'], week: ['the calendar week'] },
  ...{ day: ['the day of the month'], hour: ['the hour'], minute: ['the minute'] },
  dow: ['the day of the week', ', counted from 0 for Sunday,'],
  isodow: ['the day of the week', ', counted from 1 for Monday,'],
};

const spans = /^(minute|hour|day|week|month|quarter|year)$/;

const unitOf = (operand: Operand | undefined): string =>
  operand?.kind === 'literal' ? operand.value.toLowerCase() : '';

/**
 * Words for functions of PostgreSQL by name. Names with a space stand for calls whose meaning depends on the types,
 * such as `lower(a)` of a range or of a text.
 */
export const calls: Readonly<Record<string, Say>> = {
  least: (words) => `the least of ${words.join(', ')}`,
  greatest: (words) => `the greatest of ${words.join(', ')}`,
  abs: ([a, ...more]) => (more.length === 0 ? `${a} without its sign` : null),
  round: ([a, digits]) =>
    digits === undefined ? `${a} rounded to a whole number` : `${a} rounded to ${digits} digits after the point`,
  coalesce: ([a, b, ...more], [, second]) =>
    more.length === 0 && second?.kind === 'literal'
      ? `${a} (${b} where it is empty)`
      : `the first of ${[a, b, ...more].join(', ')} that is not empty`,
  array_length: ([a], [, dimension]) =>
    dimension?.kind === 'literal' && dimension.value === '1' ? `the number of elements of ${a}` : null,
  cardinality: of('the number of elements'),
  jsonb_array_length: of('the number of elements'),
  json_array_length: of('the number of elements'),
  'the number of lexemes': of('the number of lexemes'),
  length: of('the number of characters'),
  char_length: of('the number of characters'),
  btrim: ([a, ...more]) => (more.length === 0 ? `${a} without the spaces around it` : null),
  strpos: ([a, b]) => `the place of ${b} in ${a}`,
  left: ([a, count], [, second]) => (isCount(second) ? `the first ${characters(count)} of ${a}` : null),
  right: ([a, count], [, second]) => (isCount(second) ? `the last ${characters(count)} of ${a}` : null),
  date_part: ([, a], [unit, time]) => {
    if (a === undefined || time === undefined) return null;
    if (isLength(time)) return isAge(time) && unitOf(unit) === 'year' ? a.replace(/^the time/, 'the full years') : null;
    const [what, remark = ''] = parts[unitOf(unit)] ?? [];
    return what === undefined ? null : `${what} of ${a}${remark}`;
  },
  date_trunc: ([, a, ...more], [unit]) =>
    spans.test(unitOf(unit)) && more.length === 0 ? `the start of the ${unitOf(unit)} of ${a}` : null,
  age: ([a, b]) => (b === undefined ? `the time from ${a} to the start of today` : `the time from ${b} to ${a}`),
  nullif: ([a, b]) => `${a} (no value where it is ${b})`,
  split_part: ([a, separator, n, ...more], [, , count]) => {
    if (!isCount(count) || more.length > 0) return null;
    return n === '1' ? `${a} up to the first ${separator}` : `part ${n} of ${a}, split at ${separator}`;
  },
  replace: ([a, from, to], [, , into]) =>
    into?.kind === 'literal' && into.value === '' ? `${a} without ${from}` : `${a} with ${to} in place of ${from}`,
  translate: ([a, from, ...more], [, , to]) =>
    to?.kind === 'literal' && to.value === '' && more.length === 1
      ? `${a} without the characters ${from?.replaceAll(' followed by ', ', ')}`
      : null,
  chr: ([code], [number]) => (isCount(number) ? (controls[code ?? ''] ?? `character ${code}`) : null),
  current_setting: ([, ...more], [name]) =>
    name?.kind === 'literal' && more.length < 2 ? `the setting ${name.value}` : null,
  to_jsonb: ([a, ...more]) => (more.length === 0 ? `${a} in JSON` : null),
  'realtime.topic': (words) => (words.length === 0 ? 'the topic' : null),
  'storage.filename': of('the file name'),
  'storage.extension': of('the extension'),
  'storage.operation': (words) => (words.length === 0 ? 'the call' : null),
  'the start': of('the start'),
  'the end': of('the end'),
  'the lower bound': of('the lower bound'),
  'the upper bound': of('the upper bound'),
  'lower case': ([a]) => `${a} in lower case`,
  'upper case': ([a]) => `${a} in upper case`,
};

/** Words for control characters, by their character code. */
const controls: Readonly<Record<string, string>> = { 9: 'tab', 10: 'line feed', 13: 'carriage return' };

/** Returns true for intervals such as `ends - starts` and `age(born)`, whose days are not days of a month. */
const isLength = (operand: Operand): boolean =>
  (operand.kind === 'formula' &&
    operand.sign === '-' &&
    !(operand.right.kind === 'literal' && operand.right.type === 'interval')) ||
  isAge(operand);

const isAge = (operand: Operand): boolean => operand.kind === 'call' && operand.name === 'age';

const characters = (count: string | undefined): string => (count === '1' ? 'character' : `${count} characters`);

const isCount = (operand: Operand | undefined): boolean =>
  operand?.kind === 'literal' && !operand.quoted && /^[1-9]\d*$/.test(operand.value);

/** Words for functions that return a boolean: for the result true, and for the result false. */
export const conditions: Readonly<Record<string, (words: readonly string[]) => [yes: string, no: string]>> = {
  isempty: ([a]) => [`${a} is an empty range`, `${a} is not an empty range`],
  // An empty range has no bounds, so it is not unbounded and includes no bound.
  lower_inf: ([a]) => [`${a} is unbounded at its start`, `${a} is not unbounded at its start`],
  upper_inf: ([a]) => [`${a} is unbounded at its end`, `${a} is not unbounded at its end`],
  lower_inc: ([a]) => [`${a} includes its lower bound`, `${a} does not include its lower bound`],
  upper_inc: ([a]) => [`${a} includes its upper bound`, `${a} does not include its upper bound`],
  isfinite: ([a]) => [`${a} is not infinite`, `${a} is infinite`],
  starts_with: ([a, b]) => [`${a} starts with ${b}`, `${a} does not start with ${b}`],
  'storage.allow_any_operation': ([a]) => [`the call is one of ${a}`, `the call is none of ${a}`],
  'storage.allow_only_operation': ([a]) => [`the call is ${a}`, `the call is not ${a}`],
  is_json: ([a]) => [`${a} is JSON`, `${a} is not JSON`],
  'is_json object': ([a]) => [`${a} is a JSON object`, `${a} is no JSON object`],
  'is_json array': ([a]) => [`${a} is a JSON array`, `${a} is no JSON array`],
  'is_json scalar': ([a]) => [`${a} is one JSON value`, `${a} is not one JSON value`],
};
