import { sqlName } from '../../../../contract/entity-names.ts';
import { anyone, FALSE, NULL, outcomes } from '../../../access/outcomes.ts';
import { join, readCondition, readValue } from '../../../sql-reader/condition.ts';
import { type FieldTypes, fieldTypesOf, typed, unknown, withTypes } from '../../../sql-reader/field-types.ts';
import { isKeyword, tokenise } from '../../../sql-reader/tokens.ts';
import type { Expression, Operand } from '../../../sql-reader/tree.ts';
import { countOf, isArrayLength, verbOf } from './counts.ts';
import { phrase } from './phrase.ts';
import { shownSql } from './shown-sql.ts';
import { named } from './value.ts';

/**
 * Returns a check, as PostgreSQL prints it, in words: "title is 3 to 120 characters". Parts that have no words are
 * shown as SQL.
 */
export function ruleWords(check: string, fieldTypes: FieldTypes = unknown): string {
  return alone(withRanges(ofCheck(withTypes(readCondition(check), fieldTypes))));
}

/** Joins a lower and an upper limit of one value into a range: "title is 3 to 120 characters". */
function withRanges(expression: Expression): Expression {
  if (expression.kind === 'or') return { ...expression, items: expression.items.map(withRanges) };
  if (expression.kind !== 'and') return expression;
  const items = expression.items.map(withRanges);
  const joined: Expression[] = [];
  for (let item = items.shift(); item; item = items.shift()) {
    const bound = boundOf(item);
    const other = items.findIndex((next) => {
      const second = boundOf(next);
      return bound && second && second.of === bound.of && second.unit === bound.unit && second.side !== bound.side;
    });
    const [second] = other >= 0 ? items.splice(other, 1) : [];
    const words = second ? range(item, second) : isArrayMinimum(item) ? alone(item) : null;
    joined.push(words === null ? item : { kind: 'named', item: second ? join('and', [item, second]) : item, words });
  }
  return join('and', joined);
}

/**
 * Interprets a condition as a check does. A row passes a check if the condition is null, so a condition that cannot be
 * false has no effect. For a condition that is never null, such as IS TRUE, the words say whether a row with a null
 * field passes.
 */
function ofCheck(expression: Expression): Expression {
  if ((outcomes(expression, anyone) & FALSE) === 0) return { kind: 'constant', value: true };
  switch (expression.kind) {
    case 'and': {
      const items = expression.items.map(ofCheck);
      return join(
        'and',
        items.filter((item) => item.kind !== 'constant' || item.value !== true),
      );
    }
    case 'or':
      return join('or', expression.items.map(ofCheck));
    case 'not': {
      const { item } = expression;
      return item.kind === 'distinct' ? ofCheck({ ...item, negated: !item.negated }) : expression;
    }
    case 'compare':
      return ofLength(expression);
    case 'case': {
      const { otherwise } = expression;
      const isUnknown = otherwise.kind === 'constant' && otherwise.value === null;
      return isUnknown ? { ...expression, otherwise: { kind: 'constant', value: true } } : expression;
    }
    case 'is': {
      const { item, value, negated } = expression;
      if (negated || value === null || item.kind === 'opaque' || (outcomes(item, anyone) & NULL) === 0)
        return expression;
      const said = sentence(value ? item : { kind: 'not', item });
      return { kind: 'named', item: expression, words: `(${said} and that is known)` };
    }
    case 'distinct': {
      const isOfLiteral = [expression.left, expression.right].some(({ kind }) => kind === 'literal');
      if (isOfLiteral && !expression.negated) return expression;
      return { kind: 'named', item: expression, words: `(${sentence(expression)}; no value counts as a value)` };
    }
    default:
      return expression;
  }
}

/**
 * Interprets a comparison such as `array_length(tags, 1) > 2`. It is null for an empty list, so an empty list passes
 * the check.
 */
function ofLength(expression: Extract<Expression, { kind: 'compare' }>): Expression {
  const { left, operator, right } = expression;
  const min = right.kind === 'literal' ? Number(right.value) + (operator === '>' ? 1 : 0) : 0;
  if (!isArrayLength(left) || !/^(=|>|>=)$/.test(operator) || min < 1) return expression;
  if (min === 1 && operator !== '=') return { kind: 'constant', value: true };
  // A minimum stays unchanged here, because the words of its range already include the empty list.
  return operator === '>='
    ? expression
    : { kind: 'named', item: expression, words: `${sentence(expression)}${OR_NONE}` };
}

/**
 * Returns a value, as PostgreSQL prints it, in words: "email in lower case". Parts that have no words are shown as SQL.
 */
export function valueWords(text: string, fieldTypes: FieldTypes): string {
  const value = readValue(text);
  return (value && named(typed(value, fieldTypes))) ?? shownSql(text);
}

/** Returns in words the check of a domain over `type`, as a check of a field. The field replaces VALUE. */
export function domainRuleWords(check: string, field: string, type: string | null = null): string {
  return ruleWords(replaceValue(check, sqlName(field)), type === null ? unknown : fieldTypesOf([[field, type]]));
}

function replaceValue(check: string, name: string): string {
  const places: number[] = [];
  const collect = (tokens: ReturnType<typeof tokenise>) => {
    for (const token of tokens ?? []) {
      if (token.kind === 'group') collect(token.items);
      else if (isKeyword(token, 'VALUE')) places.push(token.start);
    }
  };
  collect(tokenise(check));
  let text = check;
  for (const at of places.sort((a, b) => b - a)) text = text.slice(0, at) + name + text.slice(at + 'VALUE'.length);
  return text;
}

interface Bound {
  /** The limited value in words. */
  of: string;
  /** The unit of the limit; empty for plain values. */
  unit: string;
  side: 'least' | 'most';
  value: string;
  /** True if an empty list passes too. */
  orNone: boolean;
}

/** Reads `length(title) >= 3` or `amount <= 5` with the sides in any order. Returns null for other conditions. */
function boundOf(expression: Expression): Bound | null {
  if (expression.kind !== 'compare') return null;
  const turned = expression.left.kind === 'literal';
  const [subject, object] = turned ? [expression.right, expression.left] : [expression.left, expression.right];
  if (object.kind !== 'literal' || object.quoted) return null;
  if (expression.operator !== '>=' && expression.operator !== '<=') return null;
  const side = (expression.operator === '>=') === turned ? 'most' : 'least';
  const count = countOf(subject);
  const name = count?.of ?? (bound.includes(subject.kind) ? named(subject) : null);
  const unit = count?.unit[1] ?? '';
  return name === null ? null : { of: name, unit, side, value: object.value, orNone: isArrayLength(subject) };
}

const bound: readonly Operand['kind'][] = ['field', 'part', 'attribute', 'formula', 'call', 'cast'];

function range(first: Expression, second: Expression): string {
  const bounds = [boundOf(first), boundOf(second)].filter((bound) => bound !== null);
  const min = bounds.find((bound) => bound.side === 'least');
  const max = bounds.find((bound) => bound.side === 'most');
  const { of = '', unit = '', orNone = false } = min ?? {};
  return `${of} ${verbOf(unit)} ${min?.value} to ${max?.value}${unit === '' ? '' : ` ${unit}`}${orNone ? OR_NONE : ''}`;
}

/** Words that follow a minimum number of elements if an empty list passes the check too. */
const OR_NONE = ', or none';

/** Returns the words for a limit of the number of elements, if the condition has no second limit of this number. */
const alone = (item: Expression): string => (isArrayMinimum(item) ? `${sentence(item)}${OR_NONE}` : sentence(item));

const isArrayMinimum = (item: Expression): boolean =>
  item.kind === 'compare' && item.operator === '>=' && isArrayLength(item.left);

function sentence(expression: Expression): string {
  if (expression.kind === 'constant') return expression.value === false ? 'no row is valid' : 'every row is valid';
  return phrase(expression, anyone);
}
