import { sqlName } from '../../../contract/entity-names.ts';
import { isKeyword, tokenise } from '../../catalog/expression-text.ts';
import { type Expression, join, parseExpression } from './expression.ts';
import type { Operand } from './operand.ts';
import { anyone, FALSE, NULL, outcomes } from './outcomes.ts';
import { phrase } from './phrase.ts';

/** Fields by what they hold, where that decides what a condition on them means. */
export interface Holding {
  /** Dates and times. */
  times: ReadonlySet<string>;
  /** Values that consist of others. */
  composites: ReadonlySet<string>;
}

/** A check as PostgreSQL prints it, in words: "title is 3 to 120 characters". What is not understood stays SQL. */
export function ruleWords(check: string, holding: Holding = unknown): string {
  const expression = ofCheck(withTypes(parseExpression(check), holding));
  if (expression.kind !== 'and') return sentence(expression);
  const parts: string[] = [];
  const items = [...expression.items];
  for (let item = items.shift(); item; item = items.shift()) {
    const bound = boundOf(item);
    // Two bounds of the same thing, one from each side, are one range.
    const other = items.findIndex((next) => {
      const second = boundOf(next);
      return bound && second && second.of === bound.of && second.side !== bound.side;
    });
    const [second] = other >= 0 ? items.splice(other, 1) : [];
    const said = second ? range(item, second) : sentence(item);
    parts.push(item.kind === 'or' ? `(${said})` : said);
  }
  return parts.join(' and ');
}

const unknown: Holding = { times: new Set(), composites: new Set() };

/** Notes which comparisons are of times. That all of a composite value is null, or none of it, stays SQL. */
function withTypes(expression: Expression, holding: Holding): Expression {
  const isOf = (fields: ReadonlySet<string>, side: Operand) => side.kind === 'field' && fields.has(side.name);
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { ...expression, items: expression.items.map((item) => withTypes(item, holding)) };
    case 'not':
    case 'is':
      return { ...expression, item: withTypes(expression.item, holding) };
    case 'compare': {
      const ofTimes = [expression.left, expression.right].some((side) => isOf(holding.times, side));
      return ofTimes ? { ...expression, ofTimes } : expression;
    }
    case 'null':
      return isOf(holding.composites, expression.operand) ? { kind: 'opaque', text: expression.text } : expression;
    default:
      return expression;
  }
}

/**
 * A condition as a check has it: a row passes where it is unknown too. So what cannot be false asks nothing, and what is never unknown, as
 * IS TRUE, says what becomes of a field that has no value.
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

/** The check of a domain, about a field: VALUE is the field. */
export function domainRuleWords(check: string, field: string): string {
  return ruleWords(replaceValue(check, sqlName(field)));
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
  /** What is bound, in words. */
  of: string;
  /** What it is counted in; empty for plain values. */
  unit: string;
  side: 'least' | 'most';
  value: string;
}

/** Functions that count, and what they count. */
const counted: Readonly<Record<string, [one: string, many: string]>> = {
  length: ['character', 'characters'],
  char_length: ['character', 'characters'],
  character_length: ['character', 'characters'],
  octet_length: ['byte', 'bytes'],
  cardinality: ['element', 'elements'],
};

/** `length(title) >= 3` or `amount <= 5`, either way round; null for anything else. */
function boundOf(expression: Expression): Bound | null {
  if (expression.kind !== 'compare') return null;
  const turned = expression.left.kind === 'literal';
  const [subject, object] = turned ? [expression.right, expression.left] : [expression.left, expression.right];
  if (object.kind !== 'literal' || object.quoted) return null;
  if (expression.operator !== '>=' && expression.operator !== '<=') return null;
  const side = (expression.operator === '>=') === turned ? 'most' : 'least';
  const count = countOf(subject);
  const name = count ? count.field : subject.kind === 'field' ? subject.name : null;
  return name === null
    ? null
    : { of: `${name} ${count?.unit[1] ?? ''}`, unit: count?.unit[1] ?? '', side, value: object.value };
}

function countOf(operand: Operand): { field: string; unit: [one: string, many: string] } | null {
  if (operand.kind !== 'call') return null;
  const [argument, ...others] = operand.arguments;
  const unit = counted[operand.name];
  if (!unit || others.length > 0 || !argument) return null;
  if (argument.kind === 'field') return { field: argument.name, unit };
  const trimmed = trimmedField(argument);
  return trimmed === null ? null : { field: `${trimmed}, without the blanks around it,`, unit };
}

/** The field in `btrim(title)`, which PostgreSQL prints as TRIM(BOTH FROM title) too. */
export function trimmedField(operand: Operand): string | null {
  if (operand.kind !== 'call' || !/^(b?trim)$/i.test(operand.name) || operand.arguments.length !== 1) return null;
  const [argument] = operand.arguments;
  if (argument?.kind === 'field') return argument.name;
  return (argument?.kind === 'other' && /^BOTH FROM ([a-z_]\w*)$/.exec(argument.text)?.[1]) || null;
}

function range(first: Expression, second: Expression): string {
  const bounds = [boundOf(first), boundOf(second)].filter((bound) => bound !== null);
  const least = bounds.find((bound) => bound.side === 'least');
  const most = bounds.find((bound) => bound.side === 'most');
  const { of = '', unit = '' } = least ?? {};
  const name = unit === '' ? of.trim() : of.slice(0, -unit.length - 1);
  return `${name} ${verbOf(unit)} ${least?.value} to ${most?.value}${unit === '' ? '' : ` ${unit}`}`;
}

/** A text is 3 characters; a list has 3 elements. */
const verbOf = (unit: string): string => (unit === 'elements' ? 'has' : 'is');

const amounts: Readonly<Record<string, string>> = {
  '=': 'exactly',
  '<': 'less than',
  '>': 'more than',
  '<=': 'at most',
  '>=': 'at least',
};

const nulls: Readonly<Record<string, string>> = { num_nonnulls: 'have a value', num_nulls: 'have none' };

function sentence(expression: Expression): string {
  if (expression.kind === 'constant') return expression.value === false ? 'no row is valid' : 'every row is valid';
  if (expression.kind === 'compare' && expression.right.kind === 'literal') {
    const { left, operator, right } = expression;
    const count = countOf(left);
    const amount = amounts[operator];
    if (count && amount && !right.quoted) {
      return `${count.field} ${verbOf(count.unit[1])} ${amount} ${right.value} ${count.unit[right.value === '1' ? 0 : 1]}`;
    }
    const trimmed = trimmedField(left);
    if (trimmed !== null && operator === '<>' && right.quoted && right.value === '')
      return `${trimmed}, without the blanks around it, is not an empty text`;
    const asked = left.kind === 'call' && !right.quoted ? nulls[left.name] : undefined;
    const given = left.kind === 'call' && asked ? left.arguments : [];
    if (amount && given.length > 0 && given.every((one) => one.kind === 'field')) {
      const fields = given.map((one) => (one.kind === 'field' ? one.name : '')).join(', ');
      return `how many of ${fields} ${asked} is ${amount} ${right.value}`;
    }
  }
  return phrase(expression, anyone);
}
