import {
  enclosed,
  isKeyword,
  isOperator,
  joined,
  sourceOf,
  split,
  type Token,
  tokenise,
} from '../../catalog/expression-text.ts';
import { memoize } from '../../catalog/memoize.ts';

/**
 * A condition as far as it is understood. What is not is `opaque`: it may be true, false or null, and is shown as it
 * stands. So reading too little is never wrong, only less wordy.
 */
export type Expression =
  | { kind: 'constant'; value: boolean | null }
  | { kind: 'and' | 'or'; items: Expression[] }
  | { kind: 'not'; item: Expression }
  | { kind: 'compare'; operator: Comparison; left: Operand; right: Operand; text: string }
  | { kind: 'one-of'; operand: Operand; values: Operand[]; text: string }
  | { kind: 'null'; operand: Operand; negated: boolean; text: string }
  /** What lists, ranges and JSON are to one another. */
  | { kind: 'relates'; operator: Relating; left: Operand; right: Operand; text: string }
  /** `x IS DISTINCT FROM y`, negated or not: never null. */
  | { kind: 'distinct'; left: Operand; right: Operand; negated: boolean; text: string }
  /** `x IS NOT TRUE` and the like: never null. */
  | { kind: 'is'; item: Expression; value: boolean | null; negated: boolean; text: string }
  | { kind: 'exists'; query: Subquery; text: string }
  | { kind: 'in'; operand: Operand; query: Subquery; text: string }
  | { kind: 'holds'; operand: Operand; text: string }
  /** A condition with words of its own, by the comment on its policy. */
  | { kind: 'named'; item: Expression; words: string }
  | { kind: 'opaque'; text: string };

export type Comparison = (typeof comparisons)[number];

export type Relating = (typeof relating)[number];

const relating = ['@>', '<@', '&&', '?'] as const;

const comparisons = ['=', '<>', '<', '>', '<=', '>=', '~', '!~', '~*', '!~*', '~~', '!~~', '~~*', '!~~*'] as const;

/** A value in a condition. `user-id`, `user-role` and `user-email` are the caller's, from auth.uid() and the like. */
export type Operand =
  | { kind: 'user-id' | 'user-role' | 'user-email' }
  | { kind: 'field'; name: string; qualifier: string | null }
  /** `plain`: a text that is equal to another exactly when both are spelled alike. */
  | { kind: 'literal'; value: string; quoted: boolean; plain: boolean }
  | { kind: 'call'; name: string; arguments: Operand[]; text: string }
  | { kind: 'null' }
  /** What the caller's token says beside who it is: `auth.jwt() -> 'app_metadata' ->> 'team'`. */
  | { kind: 'claim'; path: string[] }
  /** A part of a JSON field: `meta ->> 'size'`. */
  | { kind: 'part'; path: string[]; of: Operand }
  | { kind: 'list'; values: Operand[] }
  /** The time of the call, or one so long before or after it: `now() - '1 day'::interval`. */
  | { kind: 'moment'; away: string; side: 'before' | 'after' | null }
  | { kind: 'other'; text: string };

export interface Subquery {
  /** Qualified names of the relations that it reads directly: [schema, name]. */
  from: [string, string][];
  /** All relations are joined by inner joins, and a false `where` leaves no row. */
  plain: boolean;
  /** FROM with what follows up to WHERE, as it stands. */
  source: string;
  where: Expression;
  /** The one value that it selects; null where it selects several, or none. */
  value: Operand | null;
  /** What follows the condition, as it stands. */
  rest: string;
}

/** As many as a large app has, and texts as long as views are. */
const remembered = { maxText: 10_000, maxResults: 5000 };

/** Reads an expression as pg_get_expr prints it with an empty search path. */
export const parseExpression = memoize((text): Expression => {
  const tokens = tokenise(text);
  return tokens ? condition(text, tokens) : { kind: 'opaque', text };
}, remembered);

/** Reads a query of a view as PostgreSQL prints it; null where it is no plain `SELECT … FROM … [WHERE …]`. */
export const parseQuery = memoize((text): Subquery | null => {
  const tokens = tokenise(text);
  return (
    tokens &&
    subquery(
      text,
      tokens.filter((token) => !isOperator(token, ';')),
    )
  );
}, remembered);

function condition(text: string, tokens: readonly Token[]): Expression {
  const inner = enclosed(tokens);
  if (inner) return condition(text, inner);
  const parted = joined(tokens);
  if (parted) {
    return join(
      parted.kind,
      parted.parts.map((part) => condition(text, part)),
    );
  }
  const isWhole = tokens.some((token) => isKeyword(token, 'CASE', 'BETWEEN'));
  if (!isWhole && isKeyword(tokens[0], 'NOT')) return { kind: 'not', item: condition(text, tokens.slice(1)) };
  return leaf(text, tokens);
}

/** Joins conditions; nested ones of the same kind become one. */
export function join(kind: 'and' | 'or', items: readonly Expression[]): Expression {
  const flat = items.flatMap((item) => (item.kind === kind ? item.items : [item]));
  return flat.length === 1 && flat[0] ? flat[0] : { kind, items: flat };
}

function leaf(source: string, tokens: readonly Token[]): Expression {
  const text = sourceOf(source, tokens);
  const [first, second] = tokens;
  if (tokens.length === 2 && isKeyword(first, 'EXISTS') && second?.kind === 'group') {
    const query = subquery(source, second.items);
    return query ? { kind: 'exists', query, text } : { kind: 'opaque', text };
  }
  const is = tokens.findIndex((token) => isKeyword(token, 'IS'));
  if (is > 0) {
    const rest = tokens.slice(is + 1).map((token) => (token.kind === 'word' ? token.value.toUpperCase() : '?'));
    const left = operand(source, tokens.slice(0, is));
    const ending = rest.join(' ');
    if (ending === 'NULL' || ending === 'NOT NULL') {
      return { kind: 'null', operand: left, negated: ending === 'NOT NULL', text };
    }
    const distinct = /^(NOT )?DISTINCT FROM /.exec(ending);
    if (distinct) {
      const right = operand(source, tokens.slice(is + (distinct[1] === undefined ? 3 : 4)));
      return { kind: 'distinct', left, right, negated: distinct[1] !== undefined, text };
    }
    const truth = /^(NOT )?(TRUE|FALSE|UNKNOWN)$/.exec(ending);
    if (!truth) return { kind: 'opaque', text };
    const value = truth[2] === 'UNKNOWN' ? null : truth[2] === 'TRUE';
    return { kind: 'is', item: condition(source, tokens.slice(0, is)), value, negated: truth[1] !== undefined, text };
  }
  const into = tokens.findIndex((token) => isKeyword(token, 'IN'));
  const last = tokens[tokens.length - 1];
  if (into > 0 && into === tokens.length - 2 && last?.kind === 'group') {
    const query = subquery(source, last.items);
    return query
      ? { kind: 'in', operand: operand(source, tokens.slice(0, into)), query, text }
      : { kind: 'opaque', text };
  }
  const places = tokens.flatMap((token, i) => (isOperator(token, ...comparisons, ...relating) ? [i] : []));
  const at = places[0];
  if (places.length === 1 && at !== undefined && at > 0) {
    const left = operand(source, tokens.slice(0, at));
    const right = tokens.slice(at + 1);
    const sign = tokens[at] as { value: string };
    const relation = relating.find((one) => one === sign.value);
    if (relation) return { kind: 'relates', operator: relation, left, right: operand(source, right), text };
    if (isKeyword(right[0], 'ANY') && sign.value === '=') {
      const values = right.length === 2 ? elements(source, right[1]) : null;
      if (values) return { kind: 'one-of', operand: left, values, text };
      const list = operand(source, right.slice(1));
      return list.kind === 'field'
        ? { kind: 'relates', operator: '<@', left: { kind: 'list', values: [left] }, right: list, text }
        : { kind: 'opaque', text };
    }
    if (isKeyword(right[0], 'ALL') && sign.value === '<>') {
      const values = right.length === 2 ? elements(source, right[1]) : null;
      // The text is of what is negated.
      const among = `${sourceOf(source, tokens.slice(0, at))} = ANY ${sourceOf(source, right.slice(1))}`;
      if (values) return { kind: 'not', item: { kind: 'one-of', operand: left, values, text: among } };
    }
    if (isKeyword(right[0], 'ALL', 'ANY', 'SOME')) return { kind: 'opaque', text };
    return { kind: 'compare', operator: sign.value as Comparison, left, right: operand(source, right), text };
  }
  return single(source, tokens, text);
}

/** A condition without an operator of its own: a constant, a boolean field, a call. */
function single(source: string, tokens: readonly Token[], text: string): Expression {
  const bare = withoutCast(tokens);
  if (bare.length === 1 && isKeyword(bare[0], 'TRUE', 'FALSE', 'NULL')) {
    const word = text.slice(0, 1).toLowerCase();
    return { kind: 'constant', value: word === 'n' ? null : word === 't' };
  }
  const value = operand(source, tokens);
  if (value.kind === 'null') return { kind: 'constant', value: null };
  return value.kind === 'field' || value.kind === 'call' || value.kind === 'claim'
    ? { kind: 'holds', operand: value, text }
    : { kind: 'opaque', text };
}

/** The elements of `(ARRAY[a, b])`. */
function elements(source: string, token: Token | undefined): Operand[] | null {
  if (token?.kind !== 'group') return null;
  const inner = withoutCast(token.items);
  const only = inner.length === 1 ? inner[0] : undefined;
  if (only?.kind === 'group' && only.bracket === '(') return elements(source, only);
  const [word, list] = inner;
  if (inner.length !== 2 || !isKeyword(word, 'ARRAY') || list?.kind !== 'group') return null;
  return split(list.items, (item) => isOperator(item, ',')).map((item) => operand(source, item));
}

/** Reads one value. */
function operand(source: string, tokens: readonly Token[]): Operand {
  const only = tokens.length === 1 ? tokens[0] : undefined;
  if (only?.kind === 'group' && only.bracket === '(') {
    const inner = scalarQuery(only.items) ?? only.items;
    if (!isKeyword(inner[0], 'SELECT', 'WITH', 'VALUES')) return operand(source, inner);
  }
  const text = sourceOf(source, tokens);
  const claim = claimOf(tokens);
  if (claim) return claim;
  const moment = momentOf(tokens);
  if (moment) return moment;
  const part = partOf(source, tokens);
  if (part) return part;
  const list = elements(source, { kind: 'group', bracket: '(', items: [...tokens], start: 0, end: 0 });
  if (list) return { kind: 'list', values: list };
  const bare = withoutCast(tokens);
  if (bare.length < tokens.length) {
    const inner = operand(source, bare);
    const type = sourceOf(source, tokens.slice(bare.length + 1)).toLowerCase();
    if (inner.kind === 'literal') return { ...inner, plain: inner.quoted && inner.plain && textual.test(type) };
    // What JSON holds is told alike, whatever it is taken as.
    if (inner.kind === 'claim' || inner.kind === 'part') return inner;
    return inner.kind === 'null' || (textual.test(type) && inner.kind !== 'call') ? inner : { kind: 'other', text };
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
  const values = last.items.length === 0 ? [] : split(last.items, (item) => isOperator(item, ','));
  return { kind: 'call', name: called.join('.'), arguments: values.map((value) => operand(source, value)), text };
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

/** Keys into JSON, as in `… -> 'a' ->> 'b'`, and what they lead into; null where the tokens are anything else. */
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

/** `auth.jwt() ->> 'sub'`, with or without a subquery around the call, or read from the setting that holds the claims. */
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

/** `(auth.jwt() ->> 'is_anonymous')::boolean` without its cast. */
function withoutBooleanCast(tokens: readonly Token[]): readonly Token[] {
  const [first, sign, type] = tokens;
  const isCast = tokens.length === 3 && isOperator(sign, '::') && isKeyword(type, 'BOOLEAN');
  return isCast && first?.kind === 'group' ? first.items : tokens;
}

/** `meta ->> 'size'` of a field. */
function partOf(source: string, tokens: readonly Token[]): Operand | null {
  const keys = keysOf(tokens);
  const of = keys && operand(source, keys.of);
  return of?.kind === 'field' ? { kind: 'part', path: keys?.path ?? [], of } : null;
}

/** `now()`, `CURRENT_TIMESTAMP`, `now() - '1 day'::interval`. */
function momentOf(tokens: readonly Token[]): Operand | null {
  const [first, second] = tokens;
  const isCall = isKeyword(first, 'NOW') && second?.kind === 'group' && second.items.length === 0;
  const length = isCall ? 2 : isKeyword(first, 'CURRENT_TIMESTAMP') ? 1 : 0;
  if (length === 0) return null;
  const [sign, away, cast, type, ...more] = tokens.slice(length);
  if (sign === undefined) return { kind: 'moment', away: '', side: null };
  const isInterval = away?.kind === 'string' && isOperator(cast, '::') && isKeyword(type, 'INTERVAL');
  // Of more than digits and units PostgreSQL's own way of writing it may mean either direction.
  if (!isInterval || more.length > 0 || !/^\d[\d\w ]*$/.test(away.value)) return null;
  if (isOperator(sign, '-')) return { kind: 'moment', away: away.value, side: 'before' };
  return isOperator(sign, '+') ? { kind: 'moment', away: away.value, side: 'after' } : null;
}

/** Casts to these keep what an identifier or an address says. */
const textual = /^(text|uuid|character varying|name)$/;

const valueWords = ['TRUE', 'FALSE', 'NULL', 'CURRENT_DATE', 'CURRENT_TIMESTAMP', 'LOCALTIMESTAMP', 'SESSION_USER'];

/** `SELECT auth.uid() AS uid`: the tokens of its one value, without the alias; null when it is more than that. */
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

const clauses = [
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

/** Reads `SELECT … FROM … [WHERE (…)] …`; null when it is of another form. */
function subquery(source: string, tokens: readonly Token[]): Subquery | null {
  const clause = (word: string) => tokens.findIndex((token) => isKeyword(token, word));
  const from = clause('FROM');
  if (!isKeyword(tokens[0], 'SELECT') || from < 0) return null;
  const where = clause('WHERE');
  const next = (after: number) => {
    const at = tokens.findIndex((token, i) => i > after && isKeyword(token, ...clauses));
    return at < 0 ? tokens.length : at;
  };
  const items = tokens.slice(from + 1, next(from));
  // Without GROUP BY, an aggregate makes a row out of no rows; so do its richer forms.
  const grouped =
    clause('GROUP') >= 0 && !mentions(tokens, (token) => isEmpty(token) || isKeyword(token, 'ROLLUP', 'CUBE', 'SETS'));
  const counts = tokens.slice(1, from).some((token) => token.kind === 'group') && !grouped;
  const combined = tokens.filter((token) => isKeyword(token, 'FROM', 'WHERE')).length > (where < 0 ? 1 : 2);
  const richer = tokens.some((token) => isKeyword(token, 'HAVING', 'UNION', 'INTERSECT', 'EXCEPT'));
  const outer = mentions(items, (token) => isKeyword(token, 'LEFT', 'RIGHT', 'FULL', 'SELECT'));
  return {
    from: relationsIn(tokens),
    plain: !counts && !combined && !richer && !outer,
    source: sourceOf(source, items),
    value: selected(source, tokens.slice(1, from)),
    where: where < 0 ? { kind: 'constant', value: true } : condition(source, tokens.slice(where + 1, next(where))),
    rest: sourceOf(source, tokens.slice(where < 0 ? next(from) : next(where))),
  };
}

/** The one value that a query selects, without its alias. */
function selected(source: string, tokens: readonly Token[]): Operand | null {
  const list = isKeyword(tokens[0], 'DISTINCT') ? tokens.slice(1) : tokens;
  const as = list.findIndex((token) => isKeyword(token, 'AS'));
  const value = as < 0 ? list : list.slice(0, as);
  return value.length === 0 || value.some((token) => isOperator(token, ',')) ? null : operand(source, value);
}

const isEmpty = (token: Token): boolean => token.kind === 'group' && token.items.length === 0;

const mentions = (tokens: readonly Token[], test: (token: Token) => boolean): boolean =>
  tokens.some((token) => test(token) || (token.kind === 'group' && mentions(token.items, test)));

/** Every relation that an expression reads, at any depth: names after FROM, JOIN or a comma, as [schema, name]. */
export function relationsRead(text: string): [string, string][] {
  const tokens = tokenise(text);
  return tokens ? relationsIn(tokens) : [];
}

function relationsIn(tokens: readonly Token[], startsInFrom = false): [string, string][] {
  const found: [string, string][] = [];
  let inFrom = startsInFrom;
  // Where the next item of a FROM clause may begin.
  let begins = startsInFrom;
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'group') {
      found.push(...relationsIn(token.items, begins && !isKeyword(token.items[0], 'SELECT', 'WITH', 'VALUES')));
    } else if (begins && token.kind === 'word' && isOperator(tokens[i + 1], '.')) {
      const [name, next] = tokens.slice(i + 2, i + 4);
      if (name?.kind === 'word' && next?.kind !== 'group') found.push([token.value, name.value]);
    }
    if (isKeyword(token, 'FROM')) inFrom = true;
    else if (isKeyword(token, ...clauses)) inFrom = false;
    begins = inFrom && (isKeyword(token, 'FROM', 'JOIN', 'ONLY', 'LATERAL') || isOperator(token, ','));
  }
  return found;
}

/** The tokens before a trailing `::type`. */
function withoutCast(tokens: readonly Token[]): readonly Token[] {
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

/** `a.b.c` as its parts; null when the tokens are anything else. */
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
