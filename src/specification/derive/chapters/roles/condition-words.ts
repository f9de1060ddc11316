import type { Decision, PolicyConditions } from '../../../../access/decision.ts';
import { anyone } from '../../../../access/outcomes.ts';
import { join, readCondition } from '../../../../sql-reader/condition.ts';
import type { Comparison, Expression } from '../../../../sql-reader/tree.ts';
import { countOf, isArrayLength } from '../../words/counts.ts';
import { phrase } from '../../words/phrase.ts';

/** Returns the conditions and errors of a decision in words; an empty string if it has none. */
export const decisionWords = ({ conditions, errors }: Decision): string =>
  [
    ...conditions.map((condition) => (typeof condition === 'string' ? condition : conditionWords(condition))),
    ...errors.map(({ words }) => words),
  ].join(', ');

/** Returns the conditions of policies in words, without repetition. */
export function conditionWords({ using, check, seen, caller }: PolicyConditions): string {
  const asked = (part: Expression): string => phrase(asPolicy(seen ? join('and', [part, seen]) : part), caller);
  if (using === null) return check === null ? '' : phrase(asPolicy(check), caller);
  const before = asked(using);
  if (check === null) return before;
  const after = asked(check);
  if (after === before || after === 'always') return before;
  return before === 'always' ? `new row: ${after}` : `${before}; new row: ${after}`;
}

/** Returns a part of a policy's expression in words, for any caller; SQL where it has no words. */
export const conditionText = (sql: string): string => phrase(asPolicy(readCondition(sql)), anyone);

/**
 * Interprets a condition as a policy does. A row passes a policy only if the condition is true, so a condition that is
 * null for an empty list requires at least one element.
 */
export function asPolicy(expression: Expression): Expression {
  if (expression.kind === 'and' || expression.kind === 'or')
    return { ...expression, items: expression.items.map(asPolicy) };
  if (expression.kind !== 'compare') return expression;
  const { left, operator, right } = expression;
  const count = isArrayLength(left) && right.kind === 'literal' && !right.quoted ? countOf(left) : null;
  const words = count === null || right.kind !== 'literal' ? null : atLeastOne(operator, Number(right.value));
  return words === null ? expression : { kind: 'named', item: expression, words: `${count?.of} has ${words}` };
}

/**
 * Returns words for a comparison of the number of elements that also requires at least one element. Returns null if the
 * comparison already excludes an empty list.
 */
function atLeastOne(operator: Comparison, number: number): string | null {
  if (operator === '<>' && number > 0) return `at least 1 element, and not exactly ${number}`;
  const min = operator === '>=' ? number : operator === '>' ? number + 1 : null;
  if (min !== null) return min < 1 ? 'at least 1 element' : null;
  const max = operator === '<=' ? number : operator === '<' ? number - 1 : null;
  if (max === null || max < 1) return null;
  return max === 1 ? 'exactly 1 element' : `1 to ${max} elements`;
}
