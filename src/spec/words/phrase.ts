import { oneLine } from '../../catalog/expression-text.ts';
import { type Comparison, type Expression, join, type Operand } from './expression.ts';
import { type Caller, outcomes, TRUE } from './outcomes.ts';

/**
 * A condition in words, without the parts that are settled for this caller. What is not understood stays as SQL.
 * "own row (user_id is the member) or is_public".
 */
export function phrase(expression: Expression, caller: Caller): string {
  return words(settle(expression, caller));
}

/** Takes out what can make no difference to whether the whole is true. */
function settle(expression: Expression, caller: Caller): Expression {
  if (expression.kind !== 'and' && expression.kind !== 'or') return expression;
  const items: Expression[] = [];
  for (const item of expression.items) {
    const can = outcomes(item, caller);
    const idle = expression.kind === 'and' ? can === TRUE : (can & TRUE) === 0;
    if (!idle) items.push(settle(item, caller));
  }
  if (items.length === 0) return { kind: 'constant', value: expression.kind === 'and' };
  return absorb(expression.kind, join(expression.kind, items));
}

/** a and a = a; a and (a or b) = a; the same the other way round. */
function absorb(kind: 'and' | 'or', expression: Expression): Expression {
  if (expression.kind !== kind) return expression;
  const other = kind === 'and' ? 'or' : 'and';
  const texts = expression.items.map((item) => words(item));
  const kept = expression.items.filter((item, i) => {
    if (texts.indexOf(texts[i] as string) < i) return false;
    return !(item.kind === other && item.items.some((part) => texts.includes(words(part))));
  });
  return kept.length === 1 && kept[0] ? kept[0] : { kind, items: kept };
}

function words(expression: Expression): string {
  switch (expression.kind) {
    case 'constant':
      return expression.value === true ? 'always' : 'never';
    case 'and':
      return expression.items.map((item) => (item.kind === 'or' ? `(${words(item)})` : words(item))).join(' and ');
    case 'or':
      return eitherOwner(expression.items).join(' or ');
    case 'not':
      return negated(expression.item);
    case 'compare':
      return comparison(expression);
    case 'one-of': {
      const owner = expression.operand.kind === 'user-id' ? 'the member' : named(expression.operand);
      const values = expression.values.map(named);
      return owner && values.every((value) => value !== null)
        ? `${owner} is one of ${values.join(', ')}`
        : oneLine(expression.text);
    }
    case 'null': {
      if (expression.operand.kind === 'user-id') return expression.negated ? 'signed in' : 'not signed in';
      const name = named(expression.operand);
      return name === null ? oneLine(expression.text) : `${name} is ${expression.negated ? 'not empty' : 'empty'}`;
    }
    case 'exists':
      return expression.query.rest === ''
        ? `there is a row in ${inWords(expression.query.source, expression.query.where)}`
        : oneLine(expression.text);
    case 'holds':
      return held(expression.operand) ?? oneLine(expression.text);
    case 'named':
      return oneLine(expression.words);
    case 'in':
    case 'is':
    case 'opaque':
      return oneLine(expression.text);
  }
}

const inWords = (source: string, where: Expression): string => {
  const always = where.kind === 'constant' && where.value === true;
  return always ? source : `${source} where ${words(where)}`;
};

function negated(item: Expression): string {
  if (item.kind === 'holds' && item.operand.kind === 'field') return `not ${words(item)}`;
  if (item.kind === 'exists' && item.query.rest === '')
    return words(item).replace(/^there is a row/, 'there is no row');
  return `not (${words(item)})`;
}

const signs: Readonly<Record<Comparison, string>> = {
  '=': 'is',
  '<>': 'is not',
  '<': 'is less than',
  '>': 'is more than',
  '<=': 'is at most',
  '>=': 'is at least',
  '~': 'matches',
  '!~': 'does not match',
  '~*': 'matches, in upper or lower case,',
  '!~*': 'does not match, in upper or lower case,',
  '~~': 'is like',
  '!~~': 'is not like',
  '~~*': 'is like, in upper or lower case,',
  '!~~*': 'is not like, in upper or lower case,',
};

/** The sign that says the same with both sides changed over; a pattern has its place. */
const mirrored: Partial<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
};

function comparison(expression: Extract<Expression, { kind: 'compare' }>): string {
  const owner = ownerField(expression);
  if (owner) return ownRow([owner]);
  const { left, right, operator } = expression;
  const mirror = right.kind === 'field' && left.kind !== 'field' ? mirrored[operator] : undefined;
  const [subject, object] = mirror ? [right, left] : [left, right];
  const sign = signs[mirror ?? operator];
  const isTrue = object.kind === 'literal' && !object.quoted && object.value === 'true';
  if (isTrue && subject.kind === 'field' && operator === '=') return fieldName(subject);
  const [a, b] = [named(subject), named(object)];
  return a === null || b === null ? oneLine(expression.text) : `${a} ${sign} ${b}`;
}

/** The field that holds the member in `auth.uid() = user_id`, either way round. */
function ownerField(expression: Expression): string | null {
  if (expression.kind !== 'compare' || expression.operator !== '=') return null;
  const { left, right } = expression;
  const field = left.kind === 'user-id' ? right : right.kind === 'user-id' ? left : null;
  return field?.kind === 'field' ? fieldName(field) : null;
}

/** Several owner fields in a disjunction are named together. */
function eitherOwner(items: readonly Expression[]): string[] {
  const names = items.map((item) => ownerField(item)).map((name) => (name?.includes('.') ? null : name));
  const first = names.findIndex((name) => name !== null);
  return items.flatMap((item, i) => {
    if (names[i] === null) return [words(item)];
    return i === first ? [ownRow(names.filter((name) => name !== null))] : [];
  });
}

const ownRow = (fields: readonly string[]): string => {
  const last = fields[fields.length - 1] as string;
  // A field of another relation than the row's own says nothing about whose row it is.
  if (fields.length === 1 && last.includes('.')) return `${last} is the member`;
  return `own row (${fields.join(' or ')} is the member)`;
};

const fieldName = (field: Extract<Operand, { kind: 'field' }>): string =>
  field.qualifier === null ? field.name : `${field.qualifier}.${field.name}`;

function held(operand: Operand): string | null {
  if (operand.kind === 'field') return fieldName(operand);
  if (operand.kind === 'call' && operand.name === 'ninefold.has_role' && operand.arguments.length === 1) {
    const role = operand.arguments[0];
    if (role?.kind === 'literal') return `the member has role ${role.value}`;
  }
  return null;
}

/** A value in words; null where it stays SQL. */
function named(operand: Operand): string | null {
  switch (operand.kind) {
    case 'user-id':
      return 'the member';
    case 'user-role':
      return 'the caller’s role';
    case 'user-email':
      return 'the member’s e-mail address';
    case 'field':
      return fieldName(operand);
    case 'literal':
      return operand.quoted ? `'${operand.value.replaceAll("'", "''")}'` : operand.value;
    case 'call':
      return oneLine(operand.text);
    default:
      return null;
  }
}
