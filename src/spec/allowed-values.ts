import { limits } from '../../contract/limits.ts';
import { matches, patternExample } from './pattern-example.ts';
import type { Expression } from './words/expression.ts';

/**
 * A value that a check allows for a field: `status in ('open', 'closed')`, `kind = 'a'`, `url like 'https://%'`, `code ~ '^[A-Z]{2}$'`; of a
 * pattern `usual` where it matches.
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

/** A text of which LIKE says that it is so. */
const likePattern = (pattern: string): string =>
  pattern.replace(/\\(.)|%|_/gs, (sign, plain?: string) => plain ?? (sign === '%' ? 'text' : 'x'));

/** The least and the most characters that checks ask of a text: `length(title) between 3 and 120`. */
export function allowedLengths(checks: readonly Expression[], name: string): [least: number, most: number] {
  let [least, most] = [0, Number.POSITIVE_INFINITY];
  const look = (expression: Expression): void => {
    if (expression.kind === 'and') for (const item of expression.items) look(item);
    if (expression.kind !== 'compare' || expression.right.kind !== 'literal') return;
    const { left, operator } = expression;
    const [of] = left.kind === 'call' && /^(char_|character_)?length$/.test(left.name) ? left.arguments : [];
    const bound = Number(expression.right.value);
    if (of?.kind !== 'field' || of.name !== name || !Number.isInteger(bound)) return;
    if (operator === '>=' || operator === '>') least = Math.max(least, operator === '>' ? bound + 1 : bound);
    if (operator === '<=' || operator === '<') most = Math.min(most, operator === '<' ? bound - 1 : bound);
    if (operator === '=') [least, most] = [bound, bound];
  };
  checks.forEach(look);
  return [Math.min(least, limits.probeTextCharacters.default), most];
}
