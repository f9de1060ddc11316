import { lengthWords } from './interval-words.ts';
import { enclosed, isKeyword, isOperator, sourceOf, split, type Token } from './tokens.ts';
import { arithmetic, type Expression, type Operand, type Subquery } from './tree.ts';

/**
 * The source text, with functions that read a condition or a query inside a value. Values and conditions can contain
 * each other.
 */
export interface Reading {
  source: string;
  condition(tokens: readonly Token[]): Expression;
  /** Returns null if the query is not a plain `SELECT … FROM …`. */
  query(tokens: readonly Token[]): Subquery | null;
}

/** Reads the elements of `(ARRAY[a, b])`. Returns null for other tokens. */
export function elements(read: Reading, token: Token | undefined): Operand[] | null {
  if (token?.kind !== 'group') return null;
  const inner = withoutCast(token.items);
  const only = inner.length === 1 ? inner[0] : undefined;
  if (only?.kind === 'group' && only.bracket === '(') return elements(read, only);
  const [word, list] = inner;
  if (inner.length !== 2 || !isKeyword(word, 'ARRAY') || list?.kind !== 'group') return null;
  return split(list.items, (item) => isOperator(item, ',')).map((item) => operand(read, item));
}

/** Reads one value. A value that is not understood has the kind `other`. */
export function operand(read: Reading, tokens: readonly Token[]): Operand {
  const only = tokens.length === 1 ? tokens[0] : undefined;
  if (only?.kind === 'group' && only.bracket === '(') {
    const inner = scalarQuery(only.items) ?? only.items;
    if (!isKeyword(inner[0], 'SELECT', 'WITH', 'VALUES')) return operand(read, inner);
  }
  const text = sourceOf(read.source, tokens);
  const claim = claimOf(tokens);
  if (claim) return claim;
  const moment = momentOf(tokens);
  if (moment) return moment;
  const part = partOf(read, tokens) ?? attributeOf(read, tokens);
  if (part) return part;
  const formula = countOfGiven(read, tokens) ?? formulaOf(read, tokens) ?? joinedOf(read, tokens);
  if (formula) return formula;
  const choice = choiceOf(read, tokens) ?? elementOf(read, tokens) ?? queryOf(read, tokens);
  if (choice) return choice;
  const list = elements(read, { kind: 'group', bracket: '(', items: [...tokens], start: 0, end: 0 });
  if (list) return { kind: 'list', values: list };
  const bare = withoutCast(tokens);
  if (bare.length < tokens.length) {
    const inner = operand(read, bare);
    const type = sourceOf(read.source, tokens.slice(bare.length + 1)).toLowerCase();
    // PostgreSQL prints -5 as '-5'::integer, so such a literal is read as a number.
    if (inner.kind === 'literal' && numeric.test(type) && /^-?\d/.test(inner.value)) {
      return { ...inner, quoted: false, plain: false };
    }
    if (inner.kind === 'literal') return { ...inner, plain: inner.quoted && inner.plain && textual.test(type), type };
    // A value from JSON gets the same words with and without a cast, so the cast is left out.
    if (inner.kind === 'claim' || inner.kind === 'part') return inner;
    if (inner.kind === 'null' || (textual.test(type) && inner.kind !== 'call')) return inner;
    if (inner.kind === 'moment' && inner.side === null && type === 'date') return { ...inner, isDay: true };
    return inner.kind === 'other' ? { kind: 'other', text } : { kind: 'cast', of: inner, type, text };
  }
  if (only?.kind === 'string') return { kind: 'literal', value: only.value, quoted: true, plain: true };
  if (only?.kind === 'number') return { kind: 'literal', value: only.value, quoted: false, plain: false };
  if (isKeyword(only, 'TRUE', 'FALSE')) return { kind: 'literal', value: text, quoted: false, plain: false };
  if (isKeyword(only, 'NULL')) return { kind: 'null' };
  if (isKeyword(only, 'CURRENT_USER', 'CURRENT_ROLE', 'USER')) return { kind: 'user-role' };
  const name = dotted(tokens);
  if (name && !isKeyword(tokens[0], ...valueWords)) {
    return { kind: 'field', name: name[name.length - 1] as string, qualifier: name.slice(0, -1).join('.') || null };
  }
  const last = tokens[tokens.length - 1];
  const called = last?.kind === 'group' && last.bracket === '(' ? dotted(tokens.slice(0, -1)) : null;
  if (!called || last?.kind !== 'group') return { kind: 'other', text };
  const known = called.length === 2 && last.items.length === 0 ? callers[called.join('.')] : undefined;
  if (known) return { kind: known };
  const spelled = called.length === 1 ? inOwnWords(called[0] ?? '', last.items) : null;
  const values = spelled?.values ?? split(last.items, (item) => isOperator(item, ',')).filter((one) => one.length > 0);
  const units = (spelled?.unit ?? []).map((value): Operand => ({ kind: 'literal', value, quoted: true, plain: true }));
  const named = spelled?.name ?? called.join('.');
  return { kind: 'call', name: named, arguments: [...units, ...values.map((value) => operand(read, value))], text };
}

interface Spelled {
  name: string;
  unit?: string[];
  values: readonly Token[][];
}

/**
 * Reads calls with SQL keywords as the equivalent function: `POSITION(a IN b)`, `EXTRACT(dow FROM at)`,
 * `TRIM(BOTH FROM a)`.
 */
function inOwnWords(name: string, items: readonly Token[]): Spelled | null {
  const parts = split(items, (token) => isKeyword(token, 'IN', 'FROM', 'FOR'));
  const [first = [], second = []] = parts;
  const [word] = first;
  switch (name.toUpperCase()) {
    case 'POSITION':
      return parts.length === 2 ? { name: 'strpos', values: [second, first] } : null;
    case 'SUBSTRING':
      return parts.length > 1 ? { name: 'substring', values: parts } : null;
    case 'EXTRACT':
      return parts.length === 2 && word?.kind === 'word'
        ? { name: 'date_part', unit: [word.value], values: [second] }
        : null;
    case 'TRIM':
      return parts.length === 2 && first.length === 1 && isKeyword(word, 'BOTH')
        ? { name: 'btrim', values: [second] }
        : null;
    case 'COALESCE':
    case 'NULLIF':
    case 'LEAST':
    case 'GREATEST':
      return { name: name.toLowerCase(), values: split(items, (token) => isOperator(token, ',')) };
    default:
      return null;
  }
}

/** Reads `(address).country`, at any depth. */
function attributeOf(read: Reading, tokens: readonly Token[]): Operand | null {
  const [first, point, name, ...more] = tokens;
  const isOne = more.length === 0 && first?.kind === 'group' && first.bracket === '(' && isOperator(point, '.');
  if (!isOne || name?.kind !== 'word') return null;
  const of = operand(read, first.items);
  return of.kind === 'field' || of.kind === 'attribute' ? { kind: 'attribute', name: name.value, of } : null;
}

/** Reads one sum, difference, product, quotient or remainder. PostgreSQL prints its parts in brackets. */
function formulaOf(read: Reading, tokens: readonly Token[]): Operand | null {
  const isSign = (token: Token) => token.kind === 'operator' && !isOperator(token, '.', '::');
  const at = tokens.findIndex(isSign);
  const known = arithmetic.find((sign) => isOperator(tokens[at], sign));
  if (!known || tokens.filter(isSign).length > 1 || at === 0 || at === tokens.length - 1) return null;
  const [left, right] = [operand(read, tokens.slice(0, at)), operand(read, tokens.slice(at + 1))];
  return { kind: 'formula', sign: known, left, right, text: sourceOf(read.source, tokens) };
}

/** Reads `'a' || b || 'c'`, which PostgreSQL prints as `('a' || b) || 'c'`. */
function joinedOf(read: Reading, tokens: readonly Token[]): Operand | null {
  const isSign = (token: Token) => token.kind === 'operator' && !isOperator(token, '.', '::');
  const signs = tokens.filter(isSign);
  if (signs.length !== 1 || !isOperator(signs[0], '||')) return null;
  const sides = split(tokens, (token) => isOperator(token, '||'));
  if (sides.length !== 2 || sides.some((side) => side.length === 0)) return null;
  const parts = sides
    .map((side) => operand(read, side))
    .flatMap((side) => (side.kind === 'joined' ? side.parts : [side]));
  return { kind: 'joined', parts, text: sourceOf(read.source, tokens) };
}

/** Reads `CASE WHEN a THEN 1 ELSE 2 END` and `CASE a WHEN 'x' THEN 1 END`. */
function choiceOf(read: Reading, tokens: readonly Token[]): Operand | null {
  const [only, ...others] = tokens;
  if (only?.kind !== 'group' || only.bracket !== 'case' || others.length > 0) return null;
  const [all = [], otherwise, ...more] = split(only.items.slice(1, -1), (token) => isKeyword(token, 'ELSE'));
  const [subject = [], ...parts] = split(all, (token) => isKeyword(token, 'WHEN'));
  const pairs = parts.map((part) => split(part, (token) => isKeyword(token, 'THEN')));
  if (more.length > 0 || pairs.length === 0 || pairs.some((pair) => pair.length !== 2)) return null;
  const branches = pairs.map(([when = [], then = []]) => ({
    when: whenOf(read, subject, when),
    gives: operand(read, then),
  }));
  return {
    kind: 'choice',
    branches,
    otherwise: otherwise ? operand(read, otherwise) : null,
    text: sourceOf(read.source, tokens),
  };
}

/** Reads the condition of a branch of CASE. In `CASE a WHEN b`, the condition is that a equals b. */
function whenOf(read: Reading, subject: readonly Token[], when: readonly Token[]): Expression {
  if (subject.length === 0) return read.condition(when);
  const text = `${sourceOf(read.source, subject)} = ${sourceOf(read.source, when)}`;
  return { kind: 'compare', operator: '=', left: operand(read, subject), right: operand(read, when), text };
}

/** Reads `tags[1]` and `(storage.foldername(name))[1]`. */
function elementOf(read: Reading, tokens: readonly Token[]): Operand | null {
  const index = tokens.at(-1);
  if (tokens.length < 2 || index?.kind !== 'group' || index.bracket !== '[' || isKeyword(tokens.at(-2), 'ARRAY'))
    return null;
  const [at, ...more] = index.items;
  if (at?.kind !== 'number' || more.length > 0 || !/^[1-9]\d*$/.test(at.value)) return null;
  const of = operand(read, tokens.slice(0, -1));
  return of.kind === 'field' || of.kind === 'call' ? { kind: 'element', at: Number(at.value), of } : null;
}

/** Reads a subquery in brackets. */
function queryOf(read: Reading, tokens: readonly Token[]): Operand | null {
  const [only, ...more] = tokens;
  const query = only?.kind === 'group' && only.bracket === '(' && more.length === 0 ? read.query(only.items) : null;
  return query?.value ? { kind: 'query', query, text: sourceOf(read.source, tokens) } : null;
}

/** Reads `(a IS NOT NULL)::integer + (b IS NOT NULL)::integer` as the number of non-null fields. */
function countOfGiven(read: Reading, tokens: readonly Token[]): Operand | null {
  const fields: Operand[] = [];
  const look = (items: readonly Token[]): boolean => {
    const [only] = items;
    if (items.length === 1 && only?.kind === 'group' && only.bracket === '(') return look(only.items);
    const parts = split(items, (token) => isOperator(token, '+'));
    if (parts.length > 1) return parts.every(look);
    const [group, cast, type, ...more] = items;
    if (group?.kind !== 'group' || !isOperator(cast, '::') || !isKeyword(type, 'INTEGER') || more.length > 0)
      return false;
    const asked = enclosed([group]) ?? [];
    const condition = enclosed(asked) ?? asked;
    const is = condition.length - 3;
    const [first, second, third] = condition.slice(-3);
    if (is < 1 || !isKeyword(first, 'IS') || !isKeyword(second, 'NOT') || !isKeyword(third, 'NULL')) return false;
    const field = operand(read, condition.slice(0, is));
    fields.push(field);
    return field.kind === 'field';
  };
  if (!tokens.some((token) => isOperator(token, '+')) || !look(tokens)) return null;
  return { kind: 'call', name: 'num_nonnulls', arguments: fields, text: sourceOf(read.source, tokens) };
}

const callers: Readonly<Record<string, 'user-id' | 'user-role' | 'user-email'>> = {
  'auth.uid': 'user-id',
  'auth.role': 'user-role',
  'auth.email': 'user-email',
};

const claims: Readonly<Record<string, 'user-id' | 'user-role' | 'user-email'>> = {
  sub: 'user-id',
  role: 'user-role',
  email: 'user-email',
};

/** Returns the JSON keys of `… -> 'a' ->> 'b'` and the tokens before them. Returns null for other tokens. */
function keysOf(tokens: readonly Token[]): { path: string[]; of: readonly Token[] } | null {
  const at = tokens.findLastIndex((token) => isOperator(token, '->', '->>'));
  if (at < 1) return null;
  const [key, ...cast] = tokens.slice(at + 1);
  if (key?.kind !== 'string' || (cast.length > 0 && !isOperator(cast[0], '::'))) return null;
  let of: readonly Token[] = tokens.slice(0, at);
  for (let only = of[0]; of.length === 1 && only?.kind === 'group' && only.bracket === '('; only = of[0]) {
    of = scalarQuery(only.items) ?? only.items;
  }
  const inner = keysOf(of);
  return inner ? { path: [...inner.path, key.value], of: inner.of } : { path: [key.value], of };
}

/**
 * Reads a claim of the caller's token. It may be `auth.jwt() ->> 'sub'`, with or without a subquery around the call, or
 * come from the setting request.jwt.claims.
 */
function claimOf(tokens: readonly Token[]): Operand | null {
  const bare = withoutBooleanCast(tokens);
  const keys = keysOf(bare);
  if (!keys) return null;
  const call = withoutCast(keys.of);
  const last = call[call.length - 1];
  if (last?.kind !== 'group') return null;
  const only = call.length === 1 ? last.items : call;
  const given = only[only.length - 1];
  if (given?.kind !== 'group') return null;
  const name = dotted(only.slice(0, -1))?.join('.');
  const [setting] = given.items;
  const isClaims =
    (name === 'auth.jwt' && given.items.length === 0) ||
    (name === 'current_setting' && setting?.kind === 'string' && setting.value === 'request.jwt.claims');
  if (!isClaims) return null;
  const [first = '', ...further] = keys.path;
  const known = further.length === 0 && Object.hasOwn(claims, first) ? claims[first] : undefined;
  if (!known) return { kind: 'claim', path: keys.path };
  return bare === tokens ? { kind: known } : null;
}

/** Returns `(auth.jwt() ->> 'is_anonymous')::boolean` without its cast. */
function withoutBooleanCast(tokens: readonly Token[]): readonly Token[] {
  const [first, sign, type] = tokens;
  const isCast = tokens.length === 3 && isOperator(sign, '::') && isKeyword(type, 'BOOLEAN');
  return isCast && first?.kind === 'group' ? first.items : tokens;
}

/** Reads `meta ->> 'size'` of a field. */
function partOf(read: Reading, tokens: readonly Token[]): Operand | null {
  const keys = keysOf(tokens);
  const of = keys && operand(read, keys.of);
  return of?.kind === 'field' ? { kind: 'part', path: keys?.path ?? [], of } : null;
}

/** Reads `now()`, `CURRENT_TIMESTAMP`, `now() - '1 day'::interval` and `CURRENT_DATE - 7`. */
function momentOf(tokens: readonly Token[]): Operand | null {
  const [first, second] = tokens;
  const isCall = isKeyword(first, ...clocks) && second?.kind === 'group' && second.items.length === 0;
  const isDay = isKeyword(first, 'CURRENT_DATE');
  const length = isCall ? 2 : isDay || isKeyword(first, 'CURRENT_TIMESTAMP', 'LOCALTIMESTAMP') ? 1 : 0;
  if (length === 0) return null;
  const [sign, away, cast, type, ...more] = tokens.slice(length);
  if (sign === undefined) return { kind: 'moment', away: '', side: null, isDay };
  const isInterval = away?.kind === 'string' && isOperator(cast, '::') && isKeyword(type, 'INTERVAL');
  const isDays = isDay && away?.kind === 'number' && /^\d+$/.test(away.value) && cast === undefined;
  // Words exist only for an interval in plain units. Another interval may have a negative part, so it is unknown
  // whether the time is before or after now.
  const said = isInterval ? lengthWords(away.value) : isDays ? lengthWords(`${away.value} days`) : null;
  if (said === null || more.length > 0) return null;
  if (isOperator(sign, '-')) return { kind: 'moment', away: said, side: 'before', isDay };
  return isOperator(sign, '+') ? { kind: 'moment', away: said, side: 'after', isDay } : null;
}

const clocks = ['NOW', 'TRANSACTION_TIMESTAMP', 'STATEMENT_TIMESTAMP', 'CLOCK_TIMESTAMP'];

const numeric = /^(smallint|integer|bigint|numeric|real|double precision)$/;
/** Types to which a cast does not change the text of an identifier or of an address. */
const textual = /^(text|uuid|character varying|name)$/;

const valueWords = [
  'TRUE',
  'FALSE',
  'NULL',
  'CURRENT_DATE',
  'CURRENT_TIMESTAMP',
  'CURRENT_TIME',
  'LOCALTIME',
  'LOCALTIMESTAMP',
  'SESSION_USER',
];

/**
 * Returns the tokens of the single value of `SELECT auth.uid() AS uid`, without the alias. Returns null for other
 * queries.
 */
function scalarQuery(tokens: readonly Token[]): readonly Token[] | null {
  if (!isKeyword(tokens[0], 'SELECT')) return null;
  const as = tokens.findIndex((token) => isKeyword(token, 'AS'));
  const value = tokens.slice(1, as < 0 ? undefined : as);
  const tail = as < 0 ? [] : tokens.slice(as + 1);
  const simple = value.every(
    (token) => token.kind !== 'word' || token.quoted || !clauses.includes(token.value.toUpperCase()),
  );
  return value.length > 0 && simple && tail.length <= 1 && !value.some((token) => isOperator(token, ','))
    ? value
    : null;
}

/** Keywords that start a clause of a query. */
export const clauses = [
  'FROM',
  'WHERE',
  'GROUP',
  'HAVING',
  'WINDOW',
  'UNION',
  'INTERSECT',
  'EXCEPT',
  'ORDER',
  'LIMIT',
  'OFFSET',
  'FETCH',
  'FOR',
];

/** Returns the tokens before a trailing `::type`. */
export function withoutCast(tokens: readonly Token[]): readonly Token[] {
  const at = tokens.findLastIndex((token) => isOperator(token, '::'));
  const others = tokens.some(
    (token, i) => i > at && token.kind === 'operator' && token.value !== '.' && token.value !== '::',
  );
  const simple = at > 0 && !others && (at === 1 || dotted(tokens.slice(0, at)) || isCall(tokens.slice(0, at)));
  return simple ? tokens.slice(0, at) : tokens;
}

const isCall = (tokens: readonly Token[]): boolean =>
  tokens[tokens.length - 1]?.kind === 'group' &&
  (tokens.length === 1 || dotted(tokens.slice(0, -1)) !== null || isKeyword(tokens[0], 'ARRAY'));

/** Returns the parts of `a.b.c`; null for other tokens. */
function dotted(tokens: readonly Token[]): string[] | null {
  const parts: string[] = [];
  for (const [i, token] of tokens.entries()) {
    if (i % 2 === 1) {
      if (!isOperator(token, '.')) return null;
    } else if (token.kind === 'word') parts.push(token.value);
    else return null;
  }
  return tokens.length % 2 === 1 ? parts : null;
}
