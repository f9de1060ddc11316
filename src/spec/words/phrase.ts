import { oneLine } from '../../catalog/expression-text.ts';
import { type Comparison, type Expression, join, type Relating } from './expression.ts';
import type { Operand } from './operand.ts';
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

/** `isLast`: nothing comes after it that could be taken for a part of it. */
function words(expression: Expression, isLast = true): string {
  switch (expression.kind) {
    case 'constant':
      return expression.value === true ? 'always' : 'never';
    case 'and':
      return expression.items
        .map((item, i) => (item.kind === 'or' ? `(${words(item)})` : words(item, isLast && isEnd(expression.items, i))))
        .join(' and ');
    case 'or':
      return eitherOwner(expression.items, isLast).join(' or ');
    case 'not':
      return closed(expression.item, negated(expression.item), isLast);
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
      // Of a row, IS NOT NULL asks that all have a value, and IS NULL that none has: neither is what “empty” says.
      if (name === null || /^ROW\(/i.test(name)) return oneLine(expression.text);
      return `${name} is ${expression.negated ? 'not empty' : 'empty'}`;
    }
    case 'exists':
      return expression.query.rest === ''
        ? closed(expression, `there is a row in ${inWords(expression.query.source, expression.query.where)}`, isLast)
        : oneLine(expression.text);
    case 'holds':
      return held(expression.operand) ?? oneLine(expression.text);
    case 'named':
      return oneLine(expression.words);
    case 'relates':
      return relation(expression);
    case 'distinct': {
      const [a, b] = [named(expression.left), named(expression.right)];
      const sign = expression.negated ? 'is the same as' : 'is other than';
      return a === null || b === null ? oneLine(expression.text) : `${a} ${sign} ${b}`;
    }
    case 'in':
      return closed(expression, among(expression, 'a row') ?? oneLine(expression.text), isLast);
    case 'returned': {
      const name = named(expression.operand);
      return name === null ? oneLine(expression.text) : `${name} is one of ${oneLine(expression.call.text)}`;
    }
    case 'is':
      return truth(expression);
    case 'opaque':
      return oneLine(expression.text);
  }
}

const isEnd = (items: readonly unknown[], place: number): boolean => place === items.length - 1;

/** `a row in members where …` in brackets, where what comes after it would seem to be asked of that row. */
const closed = ({ kind }: Expression, said: string, isLast: boolean): string =>
  !isLast && (kind === 'exists' || kind === 'in') && said.includes(' where ') ? `(${said})` : said;

const inWords = (source: string, where: Expression): string => {
  const always = where.kind === 'constant' && where.value === true;
  return always ? source : `${source} where ${words(where)}`;
};

/** `x IN (SELECT y FROM …)`: null where it stays SQL. */
function among({ operand, query }: Extract<Expression, { kind: 'in' }>, row: string): string | null {
  const [name, value] = [named(operand), query.value?.kind === 'field' ? query.value.name : null];
  if (name === null || value === null || query.rest !== '' || !query.plain) return null;
  return `${name} is the ${value} of ${row} in ${inWords(query.source, query.where)}`;
}

/** `x IS TRUE` passes where x does; what also passes where x has no value says so. */
function truth({ item, value, negated: turned, text }: Extract<Expression, { kind: 'is' }>): string {
  const said = words(item);
  if (item.kind === 'opaque' || value === null) return oneLine(text);
  const either = value === turned ? negated(item) : said;
  return turned ? `(${either} or that is unknown)` : either;
}

const relations: Readonly<Record<Relating, string>> = {
  '@>': 'contains',
  '<@': 'lies within',
  '&&': 'overlaps',
  '?': 'has the key',
};

function relation({ operator, left, right, text }: Extract<Expression, { kind: 'relates' }>): string {
  // Of a field, what it holds comes after it.
  const turned = operator === '<@' && right.kind === 'field' && left.kind !== 'field';
  const [a, b] = turned ? [named(right), named(left)] : [named(left), named(right)];
  return a === null || b === null ? oneLine(text) : `${a} ${relations[turned ? '@>' : operator]} ${b}`;
}

function negated(item: Expression): string {
  if (item.kind === 'holds' && isAnonymous(item.operand)) return 'the member is not anonymous';
  if (item.kind === 'in') {
    const said = among(item, 'no row');
    if (said !== null) return said;
  }
  if (item.kind === 'one-of' || item.kind === 'returned') {
    const said = words(item);
    if (said.includes(' is one of ')) return said.replace(' is one of ', ' is none of ');
  }
  if (item.kind === 'compare' && item.operator === '=' && !ownerField(item) && item.right.kind === 'literal')
    return words({ ...item, operator: '<>' });
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

/** Of times, more is later. */
const times: Partial<Record<Comparison, string>> = {
  '<': 'is before',
  '>': 'is after',
  '<=': 'is not after',
  '>=': 'is not before',
};

/** How far from now. */
const moments: Partial<Record<Comparison, string>> = {
  ...times,
  '<=': 'is at the latest',
  '>=': 'is at the earliest',
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
  const isMoment = subject.kind === 'moment' || object.kind === 'moment';
  const ofTimes = isMoment ? moments : expression.ofTimes ? times : {};
  const sign = ofTimes[mirror ?? operator] ?? signs[mirror ?? operator];
  const isTrue = object.kind === 'literal' && !object.quoted && object.value === 'true';
  if (isTrue && subject.kind === 'field' && operator === '=') return fieldName(subject);
  const [a, b] = [named(subject), named(object)];
  if (a === null || b === null) return oneLine(expression.text);
  const json = jsonKind(subject, object);
  if (json !== null && (operator === '=' || operator === '<>')) return `${json.of} ${sign} a JSON ${json.kind}`;
  return `${a} ${sign} ${operator === '=' ? (caseOf(subject, object) ?? b) : b}`;
}

/** `title = lower(title)`: only a text can be equal to that. */
function caseOf(subject: Operand, object: Operand): string | null {
  const [of, ...others] = object.kind === 'call' && /^(lower|upper)$/.test(object.name) ? object.arguments : [];
  const isSame = subject.kind === 'field' && of?.kind === 'field' && others.length === 0 && of.name === subject.name;
  return isSame && object.kind === 'call' ? `in ${object.name} case` : null;
}

/** `jsonb_typeof(tags) = 'array'`. */
function jsonKind(subject: Operand, object: Operand): { of: string; kind: string } | null {
  const [of, ...others] = subject.kind === 'call' && /^jsonb?_typeof$/.test(subject.name) ? subject.arguments : [];
  return of?.kind === 'field' && others.length === 0 && object.kind === 'literal'
    ? { of: fieldName(of), kind: object.value }
    : null;
}

/** The field that holds the member in `auth.uid() = user_id`, either way round. */
function ownerField(expression: Expression): string | null {
  if (expression.kind !== 'compare' || expression.operator !== '=') return null;
  const { left, right } = expression;
  const field = left.kind === 'user-id' ? right : right.kind === 'user-id' ? left : null;
  return field?.kind === 'field' ? fieldName(field) : null;
}

/** Several owner fields in a disjunction are named together. */
function eitherOwner(items: readonly Expression[], isLast: boolean): string[] {
  const names = items.map((item) => ownerField(item)).map((name) => (name?.includes('.') ? null : name));
  const first = names.findIndex((name) => name !== null);
  return items.flatMap((item, i) => {
    if (names[i] === null) return [words(item, isLast && isEnd(items, i))];
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

const isAnonymous = (operand: Operand): boolean => operand.kind === 'claim' && operand.path.join() === 'is_anonymous';

function held(operand: Operand): string | null {
  if (isAnonymous(operand)) return 'the member is anonymous';
  if (operand.kind === 'claim') return named(operand);
  if (operand.kind === 'field') return fieldName(operand);
  if (operand.kind === 'call' && operand.name === 'ninefold.has_role' && operand.arguments.length === 1) {
    const role = operand.arguments[0];
    if (role?.kind === 'literal') return `the member has role ${role.value}`;
  }
  return null;
}

/** PostgreSQL shortens months. */
const lengthOf = (interval: string): string => interval.replace(/\bmon(s?)\b/, 'month$1');

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
      if (operand.quoted && operand.value === '') return 'an empty text';
      return operand.quoted ? `'${operand.value.replaceAll("'", "''")}'` : operand.value;
    case 'claim':
      return `${operand.path.join('.')} of the member’s token`;
    case 'part': {
      const of = named(operand.of);
      return of === null ? null : `${operand.path.join('.')} of ${of}`;
    }
    case 'list': {
      const values = operand.values.map(named);
      return values.every((value) => value !== null) ? values.join(', ') : null;
    }
    case 'moment':
      if (operand.side === null) return 'now';
      return operand.side === 'before' ? `${lengthOf(operand.away)} ago` : `${lengthOf(operand.away)} from now`;
    case 'call':
      return oneLine(operand.text);
    default:
      return null;
  }
}
