import { limits } from '../../../../contract/limits.ts';
import type { Expression, Operand } from '../../../sql-reader/tree.ts';

import { matches, patternExample } from './pattern-example.ts';

/**
 * Returns a value that a check allows for a field: `status in ('open', 'closed')`, `kind = 'a'`,
 * `url like 'https://%'`, `code ~ '^[A-Z]{2}$'`. Returns null if it finds none.
 * @param usual A value to prefer if a pattern matches it.
 */
export function allowedValue(expression: Expression, name: string, usual: unknown = null): string | null {
  switch (expression.kind) {
    case 'one-of': {
      const [first] = expression.values;
      const isField = expression.operand.kind === 'field' && expression.operand.name === name;
      return isField && first?.kind === 'literal' ? first.value : null;
    }
    case 'compare': {
      const { left, right, operator } = expression;
      const isField = left.kind === 'field' && left.name === name && right.kind === 'literal';
      if (!isField) return null;
      if (operator === '=' || operator === '>=' || operator === '<=') return right.value;
      if (operator === '~~' || operator === '~~*') return likePattern(right.value);
      if (operator === '~' || operator === '~*')
        return typeof usual === 'string' && matches(right.value, usual) ? usual : patternExample(right.value);
      const number = Number(right.value);
      return operator === '>' && Number.isFinite(number)
        ? String(number + 1)
        : operator === '<' && Number.isFinite(number)
          ? String(number - 1)
          : null;
    }
    case 'and':
    case 'or':
      for (const item of expression.items) {
        const value = allowedValue(item, name, usual);
        if (value !== null) return value;
      }
      return null;
    default:
      return null;
  }
}

/** Returns a text that matches a LIKE pattern. */
const likePattern = (pattern: string): string =>
  pattern.replace(/\\(.)|%|_/gs, (sign, plain?: string) => plain ?? (sign === '%' ? 'text' : 'x'));

/** Returns the min and max number of characters that checks allow for a text: `length(title) between 3 and 120`. */
export function allowedLengths(checks: readonly Expression[], name: string): [least: number, most: number] {
  let [min, max] = [0, Number.POSITIVE_INFINITY];
  const look = (expression: Expression): void => {
    if (expression.kind === 'and') for (const item of expression.items) look(item);
    if (expression.kind !== 'compare' || expression.right.kind !== 'literal') return;
    const { left, operator } = expression;
    const [of] = left.kind === 'call' && /^(char_|character_)?length$/.test(left.name) ? left.arguments : [];
    const bound = Number(expression.right.value);
    if (of?.kind !== 'field' || of.name !== name || !Number.isInteger(bound)) return;
    if (operator === '>=' || operator === '>') min = Math.max(min, operator === '>' ? bound + 1 : bound);
    if (operator === '<=' || operator === '<') max = Math.min(max, operator === '<' ? bound - 1 : bound);
    if (operator === '=') [min, max] = [bound, bound];
  };
  checks.forEach(look);
  return [Math.min(min, limits.probeTextCharacters.default), max];
}

type Checks = readonly (readonly [check: Expression, name: string])[];

/** Splits conditions joined by AND, and returns all single conditions. */
const asked = (checks: Checks): [Expression, string][] =>
  checks.flatMap(([check, name]): [Expression, string][] =>
    check.kind === 'and' ? asked(check.items.map((item) => [item, name])) : [[check, name]],
  );

const isField = (operand: Operand | undefined, name: string): boolean =>
  operand?.kind === 'field' && operand.name === name;

/**
 * Returns the min number of elements that checks require of a list, and an element that they allow:
 * `cardinality(tags) > 0 and tags <@ array['a', 'b']`.
 */
export function allowedElements(checks: Checks): { count: number; among: string | null } {
  let [count, among]: [number, string | null] = [0, null];
  for (const [check, name] of asked(checks)) {
    if (check.kind === 'relates' && /^(<@|@>|&&)$/.test(check.operator) && isField(check.left, name)) {
      const [first] = check.right.kind === 'list' ? check.right.values : [];
      if (first?.kind === 'literal') among = first.value;
      if (check.operator !== '<@') count = Math.max(count, 1);
    }
    if (check.kind !== 'compare' || check.left.kind !== 'call' || check.right.kind !== 'literal') continue;
    const { left, operator } = check;
    const bound = Number(check.right.value);
    const isCount = /^(cardinality|array_length)$/.test(left.name) && isField(left.arguments[0], name);
    if (!isCount || !Number.isInteger(bound) || !/^(=|>=|>)$/.test(operator)) continue;
    count = Math.max(count, operator === '>' ? bound + 1 : bound);
  }
  return { count: Math.min(count, limits.probeTextCharacters.default), among };
}

/**
 * Returns the kinds of JSON value that checks allow: `jsonb_typeof(tags) = 'array'`. Returns an empty list if the
 * checks do not limit the kind.
 */
export function allowedKinds(checks: Checks): string[] {
  return asked(checks).flatMap(([check, name]) => {
    const [subject, values] =
      check.kind === 'one-of'
        ? [check.operand, check.values]
        : check.kind === 'compare' && check.operator === '='
          ? [check.left, [check.right]]
          : [null, []];
    const isKind =
      subject?.kind === 'call' && /^jsonb?_typeof$/.test(subject.name) && isField(subject.arguments[0], name);
    return isKind ? values.flatMap((value) => (value.kind === 'literal' ? [value.value] : [])) : [];
  });
}

/** Returns the text in upper or lower case if a check requires this: `code = upper(code)` or `code = lower(code)`. */
export function inItsCase(checks: Checks, text: string): string {
  for (const [check, name] of asked(checks)) {
    if (check.kind !== 'compare' || check.operator !== '=') continue;
    const { left, right } = check;
    for (const [one, other] of [
      [left, right],
      [right, left],
    ] as const) {
      if (!isField(one, name) || other.kind !== 'call' || !isField(other.arguments[0], name)) continue;
      if (other.name === 'upper') return text.toUpperCase();
      if (other.name === 'lower') return text.toLowerCase();
    }
  }
  return text;
}
