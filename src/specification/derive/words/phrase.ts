import { type Caller, outcomes, TRUE } from '../../../access/outcomes.ts';
import { join, mirrored } from '../../../sql-reader/condition.ts';
import { mapOperands } from '../../../sql-reader/map-tree.ts';
import { oneLine } from '../../../sql-reader/tokens.ts';
import type { Comparison, Expression, Operand, Relating } from '../../../sql-reader/tree.ts';
import { conditions } from './call-words.ts';
import { isArrayLength } from './counts.ts';
import { emptyOrNone, jsonName, jsonTyped, knownComparison } from './known-comparisons.ts';
import { shownSql } from './shown-sql.ts';
import { existsWords, selectedWords } from './subquery.ts';
import { callWords, fieldName, isOwn, named, resultsWords } from './value.ts';

/**
 * Returns a condition in words, without the parts that are constant for this caller: "own row (by user_id) or
 * is_public". Parts that have no words are shown as SQL.
 */
export function phrase(expression: Expression, caller: Caller): string {
  const own = mapOperands(settle(expression, caller), withoutQualifier, false);
  return words(mapOperands(own, withWords));
}

/**
 * Removes the qualifier that PostgreSQL adds to the row's own fields in a scalar subquery without FROM:
 * `( SELECT f(docs.id) AS f)`.
 */
const withoutQualifier = (operand: Operand): Operand =>
  operand.kind === 'field' && operand.qualifier !== null ? { ...operand, qualifier: null } : operand;

/** Replaces a value that contains conditions, such as a CASE or a subquery, by words. */
function withWords(operand: Operand): Operand {
  const said = operand.kind === 'choice' ? choiceWords(operand) : operand.kind === 'query' ? rowValue(operand) : null;
  return said !== null && 'text' in operand ? { kind: 'said', words: said, text: operand.text } : operand;
}

const rowValue = ({ query }: Extract<Operand, { kind: 'query' }>): string | null =>
  selectedWords(query, 'the row', (item) => words(item));

/** Returns words for a CASE in brackets: "10000 where status is 'completed', else 9999". */
function choiceWords({ branches, otherwise }: Extract<Operand, { kind: 'choice' }>): string | null {
  const said = branches.map(({ when, gives }) => ({ value: named(gives), where: words(when) }));
  const last = otherwise === null || otherwise.kind === 'null' ? 'no value' : named(otherwise);
  if (last === null || said.some(({ value }) => value === null)) return null;
  return `(${said.map(({ value, where }) => `${value} where ${where}`).join(', ')}, else ${last})`;
}

/** Removes the parts of the condition that cannot change whether the complete condition is true for this caller. */
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

/** Removes repeated conditions: `a and a` becomes a, `a and (a or b)` becomes a. Does the same for `or`. */
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

/** @param isLast True if no words follow that a reader could take for a part of this condition. */
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
      const json = jsonTyped(expression.operand);
      if (json !== null && expression.values.every((value) => value.kind === 'literal'))
        return `${json} is ${expression.values.map((value) => (value.kind === 'literal' ? jsonName(value.value) : '')).join(' or ')}`;
      return owner && values.every((value) => value !== null)
        ? `${owner} is one of ${values.join(', ')}${caseless(...expression.values)}`
        : shownSql(expression.text);
    }
    case 'null': {
      if (expression.operand.kind === 'user-id') return expression.negated ? 'signed in' : 'not signed in';
      const own = nullWords(expression.operand, expression.negated);
      if (own !== null) return own;
      const name = named(expression.operand);
      // These tests are shown as SQL. For a row value, IS NOT NULL requires that all parts have a value, and IS NULL
      // requires that no part has one. The word "empty" would say neither.
      if (name === null || /^ROW\(/i.test(name) || isJson(expression)) return shownSql(expression.text);
      return `${name} is ${expression.negated ? 'not empty' : 'empty'}`;
    }
    case 'exists':
      return closed(expression, exists(expression, 'a row'), isLast);
    case 'holds':
      return (
        heldOf(expression.operand)?.[0] ??
        (expression.operand.kind === 'claim' ? named(expression.operand) : null) ??
        shownSql(expression.text)
      );
    case 'named':
      return oneLine(expression.words);
    case 'relates':
      return relation(expression);
    case 'distinct': {
      const [a, b] = [named(expression.left), named(expression.right)];
      const sign = expression.negated ? 'is the same as' : 'is other than';
      return a === null || b === null ? shownSql(expression.text) : `${a} ${sign} ${b}`;
    }
    case 'in':
      return closed(expression, among(expression, 'a row') ?? shownSql(expression.text), isLast);
    case 'returned': {
      const name = named(expression.operand);
      return name === null ? shownSql(expression.text) : `${name} is one of ${resultsWords(expression.call)}`;
    }
    case 'elements': {
      const { each, operator, list, value, text } = expression;
      const [of, asked] = [named(list), named(value)];
      const some = each ? 'each element' : 'an element';
      return of === null || asked === null ? shownSql(text) : `${some} of ${of} ${signs[operator]} ${asked}`;
    }
    case 'alike':
      return alike(expression);
    case 'case':
      return cases(expression);
    case 'is':
      return truth(expression);
    case 'opaque':
      return shownSql(expression.text);
  }
}

/**
 * Describes EXISTS. If the query cannot be described in words, the words show the SQL of its relations and its
 * condition.
 */
function exists({ query, text }: Extract<Expression, { kind: 'exists' }>, amount: 'a row' | 'no row'): string {
  const said = existsWords(query, amount, (item) => words(item));
  if (said !== null) return said;
  if (query.rest !== '') return amount === 'a row' ? shownSql(text) : `not (${shownSql(text)})`;
  return `there is ${amount} in ${inWords(shownSql(query.source), query.where)}`;
}

const isEnd = (items: readonly unknown[], place: number): boolean => place === items.length - 1;

/**
 * Puts words such as `a row in members where …` in brackets if the words after them would seem to belong to that row.
 */
const closed = ({ kind }: Expression, said: string, isLast: boolean): string =>
  !isLast && (kind === 'exists' || kind === 'in') && / (where|whose) /.test(said) ? `(${said})` : said;

const inWords = (source: string, where: Expression): string => {
  const always = where.kind === 'constant' && where.value === true;
  return always ? source : `${source} where ${words(where)}`;
};

/** Describes `x IN (SELECT y FROM …)`; returns null if the condition is shown as SQL. */
function among({ operand, query }: Extract<Expression, { kind: 'in' }>, row: 'a row' | 'no row'): string | null {
  const [name, value] = [named(operand), query.value?.kind === 'field' ? query.value.name : null];
  const said = selectedWords(query, row, (item) => words(item));
  if (name !== null && said !== null) return `${name} is ${said}`;
  if (name === null || value === null || query.rest !== '' || !query.plain) return null;
  return `${name} is the ${value} of ${row} in ${inWords(shownSql(query.source), query.where)}`;
}

/**
 * Describes `x IS TRUE`, which passes exactly where x passes. For tests that also pass if x is null, such as IS NOT
 * FALSE, the words say so.
 */
function truth({ item, value, negated: turned, text }: Extract<Expression, { kind: 'is' }>): string {
  const said = words(item);
  if (item.kind === 'opaque' || value === null) return shownSql(text);
  const either = value === turned ? negated(item) : said;
  return turned ? `(${either} or that is unknown)` : either;
}

const relations: Readonly<Record<Relating, [yes: string, no: string]>> = {
  '@>': ['contains', 'does not contain'],
  '<@': ['lies within', 'does not lie within'],
  '&&': ['overlaps', 'does not overlap'],
  // The words also say "element", because in JSON the operator finds a text in a list, too.
  '?': ['has the key or element', 'does not have the key or element'],
  '?&': ['has each of the keys or elements', 'does not have each of the keys or elements'],
  '?|': ['has at least one of the keys or elements', 'has none of the keys or elements'],
  '-|-': ['is adjacent to', 'is not adjacent to'],
  '%': ['is similar to', 'is not similar to'],
};

function relation({ operator, left, right, text }: Extract<Expression, { kind: 'relates' }>, isNot = false): string {
  // If one side is a field, the field comes first in the words.
  const turned = (operator === '<@' || operator === '&&') && right.kind === 'field' && left.kind !== 'field';
  const [a, b] = turned ? [named(right), named(left)] : [named(left), named(right)];
  const sql = isNot ? `not (${shownSql(text)})` : shownSql(text);
  if (a === null || b === null) return sql;
  const list = turned ? left : right;
  if (list.kind === 'list' && operator === '&&') return `${a} contains ${isNot ? 'none' : 'at least one'} of ${b}`;
  if (left.kind === 'list' && right.kind === 'list' && operator === '<@') {
    const each = left.values.length === 1 ? a : `each of ${a}`;
    return isNot ? `not (${each} is one of ${b})` : `${each} is one of ${b}`;
  }
  if (right.kind === 'list' && operator === '@>' && right.values.length > 1)
    return isNot ? `not (${a} contains each of ${b})` : `${a} contains each of ${b}`;
  if (list.kind === 'list' && operator === '<@' && !turned)
    return isNot ? `not each element of ${a} is one of ${b}` : `each element of ${a} is one of ${b}`;
  const [yes, no] = relations[turned && operator === '<@' ? '@>' : operator];
  return `${a} ${isNot ? no : yes} ${b}`;
}

function negated(item: Expression): string {
  if (item.kind === 'holds') {
    const [, no] = heldOf(item.operand) ?? [];
    if (no !== undefined) return no;
  }
  if (item.kind === 'relates') return relation(item, true);
  if (item.kind === 'distinct') return words({ ...item, negated: !item.negated });
  if (item.kind === 'not') return words(item.item);
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
  if (item.kind === 'exists') return exists(item, 'no row');
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

/** Words for comparisons of times, because a greater time is a later time. */
const times: Partial<Record<Comparison, string>> = {
  '<': 'is before',
  '>': 'is after',
  '<=': 'is not after',
  '>=': 'is not before',
};

/**
 * Returns true for `meta -> 'a'`, which may be a JSON null. SQL treats a JSON null as a value, unless it is read as
 * text.
 */
const isJson = ({ operand, text }: Extract<Expression, { kind: 'null' }>): boolean =>
  (operand.kind === 'part' || operand.kind === 'claim') &&
  !/->>\s*'(?:[^']|'')*'(?:::text)?[)\s]*IS (?:NOT )?NULL$/i.test(text);

/** Words for comparisons of a time with a distance from now. */
const moments: Partial<Record<Comparison, string>> = {
  '<': 'is earlier than',
  '>': 'is later than',
  '<=': 'is at the latest',
  '>=': 'is at the earliest',
};

function comparison(expression: Extract<Expression, { kind: 'compare' }>): string {
  const owner = ownerField(expression);
  if (owner) return isOwnField(owner) ? `own row (by ${owner.name})` : `${fieldName(owner)} is the member`;
  const turned = isTurned(expression) ? mirrored[expression.operator] : undefined;
  const { left, right, operator, ofTimes, text } = turned
    ? { ...expression, left: expression.right, right: expression.left, operator: turned }
    : expression;
  const isTrue = right.kind === 'literal' && !right.quoted && right.value === 'true';
  if (isTrue && left.kind === 'field' && operator === '=') return fieldName(left);
  const isFalse = right.kind === 'literal' && !right.quoted && right.value === 'false';
  if (isFalse && left.kind === 'field' && operator === '=') return `not ${fieldName(left)}`;
  const own = knownComparison(left, operator, right);
  if (own !== null) return own;
  const isMoment = left.kind === 'moment' || right.kind === 'moment';
  const sign = (isMoment ? moments : ofTimes ? times : {})[operator] ?? signs[operator];
  const [a, b] = [named(left), named(right)];
  if (a === null || b === null) return shownSql(text);
  return `${a} ${sign} ${b}${operator === '=' || operator === '<>' ? caseless(left, right) : ''}`;
}

/** Returns true if the compared field is on the right side. The words then name the right side first. */
const isTurned = ({ left, right }: Extract<Expression, { kind: 'compare' }>): boolean =>
  (right.kind === 'field' && left.kind !== 'field') ||
  ((left.kind === 'literal' || left.kind === 'moment') && right.kind !== 'literal' && right.kind !== 'moment');

/** Returns a note if the texts on both sides are compared case-insensitively (citext). */
const caseless = (...sides: readonly Operand[]): string =>
  sides.some(
    (side) =>
      (side.kind === 'cast' || (side.kind === 'literal' && side.value !== '')) && /\.citext$/.test(side.type ?? ''),
  )
    ? ', in upper or lower case'
    : '';

/** Describes a test of several values for null. */
function nullWords(operand: Operand, isGiven: boolean): string | null {
  if (operand.kind !== 'call') return null;
  const [first, second] = operand.arguments;
  const names = operand.arguments.map((one) => (one.kind === 'field' ? fieldName(one) : null));
  if (operand.name === 'coalesce' && names.every((name) => name !== null))
    return `${isGiven ? 'at least 1' : 'none'} of ${names.join(', ')} has a value`;
  const isEmpty = second?.kind === 'literal' && second.quoted && second.value === '';
  if (operand.name === 'nullif' && first && isEmpty) return emptyOrNone(first, isGiven);
  // The words say "elements", because array_length is null for an empty list as well as for null.
  if (isArrayLength(operand) && names[0])
    return isGiven ? `${names[0]} has a value and at least 1 element` : `${names[0]} has no element`;
  if (operand.name === 'array_position' && names[0] && second?.kind === 'null')
    return isGiven ? `an element of ${names[0]} has no value` : `each element of ${names[0]} has a value`;
  return null;
}

/** Describes `(a IS NULL) <> (b IS NULL)`. */
function alike({ left, right, negated: isOther }: Extract<Expression, { kind: 'alike' }>): string {
  const fields = [left, right].map((side) =>
    side.kind === 'null' && side.operand.kind === 'field' ? fieldName(side.operand) : null,
  );
  if (left.kind === 'null' && right.kind === 'null' && fields.every((name) => name !== null)) {
    const isOne = (left.negated === right.negated) === isOther;
    const list = fields.join(', ');
    return isOne ? `exactly 1 of ${list} has a value` : `either each of ${list} has a value or none has`;
  }
  const [a, b] = [left, right].map((side) =>
    side.kind === 'and' || side.kind === 'or' ? `(${words(side)})` : words(side),
  );
  return isOther ? `either ${a} or ${b}, and not both` : `${a} exactly where ${b}`;
}

function cases({ branches, otherwise }: Extract<Expression, { kind: 'case' }>): string {
  const said = branches.map(
    ({ when, gives }, i) => `${i === 0 ? 'where' : 'else where'} ${words(when)}: ${words(gives)}`,
  );
  return `(${[...said, `else: ${words(otherwise)}`].join('; ')})`;
}

/** Returns the member field in `auth.uid() = user_id`, on either side. */
function ownerField(expression: Expression): Field | null {
  if (expression.kind !== 'compare' || expression.operator !== '=') return null;
  const { left, right } = expression;
  const field = left.kind === 'user-id' ? right : right.kind === 'user-id' ? left : null;
  return field?.kind === 'field' ? field : null;
}

/** Returns true for a field of the row itself. A field of another relation does not show the owner of the row. */
const isOwnField = ({ qualifier, row }: Field): boolean => qualifier === null && row === undefined;

/** Returns the role in `ninefold.has_role('agent')`; null for other conditions. */
function memberRole(expression: Expression): string | null {
  if (expression.kind !== 'holds' || expression.operand.kind !== 'call') return null;
  const { name, arguments: args } = expression.operand;
  const [role] = args;
  return name === 'ninefold.has_role' && args.length === 1 && role?.kind === 'literal' ? role.value : null;
}

const eitherOf = (names: readonly string[]): string =>
  names.length === 1 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** Joins several owner fields of a disjunction in one phrase, and several roles of the member in another. */
function eitherOwner(items: readonly Expression[], isLast: boolean): string[] {
  const names = items.map(ownerField).map((field) => (field && isOwnField(field) ? field.name : null));
  const first = names.findIndex((name) => name !== null);
  const roles = items.map(memberRole);
  const firstRole = roles.findIndex((role) => role !== null);
  return items.flatMap((item, i) => {
    if (roles[i] !== null)
      return i === firstRole ? [`the member has role ${eitherOf(roles.filter((role) => role !== null))}`] : [];
    if (names[i] === null) return [item.kind === 'and' ? `(${words(item)})` : words(item, isLast && isEnd(items, i))];
    return i === first ? [`own row (by ${names.filter((name) => name !== null).join(' or ')})`] : [];
  });
}

type Field = Extract<Operand, { kind: 'field' }>;

const isAnonymous = (operand: Operand): boolean => operand.kind === 'claim' && operand.path.join() === 'is_anonymous';

/** Returns words for a boolean value that is true and for one that is false; null if the value is shown as SQL. */
function heldOf(operand: Operand): [yes: string, no: string] | null {
  if (isAnonymous(operand)) return ['the member is anonymous', 'the member is not anonymous'];
  if (operand.kind === 'field') return [fieldName(operand), `not ${fieldName(operand)}`];
  if (operand.kind === 'said') return [`${operand.words} is true`, `${operand.words} is not true`];
  if (operand.kind !== 'call') return null;
  const args = operand.arguments.map(named);
  const [first] = operand.arguments;
  if (operand.name === 'ninefold.has_role' && args.length === 1 && first?.kind === 'literal')
    return [`the member has role ${first.value}`, `the member does not have role ${first.value}`];
  const say = Object.hasOwn(conditions, operand.name) ? conditions[operand.name] : undefined;
  if (say) return args.every((value) => value !== null) ? say(args) : null;
  const call = isOwn(operand) ? callWords(operand) : null;
  return call === null ? null : [call, `not ${call}`];
}
