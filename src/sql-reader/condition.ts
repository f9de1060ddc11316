import { memoize } from '../catalog/memoize.ts';
import { withKnownOperators } from './extension-operators.ts';
import { clauses, elements, operand, type Reading, withoutCast } from './operand.ts';
import { sourcesOf } from './sources.ts';
import { enclosed, isKeyword, isOperator, isQuery, joined, sourceOf, split, type Token, tokenise } from './tokens.ts';
import { type Comparison, comparisons, type Expression, type Operand, relating, type Subquery } from './tree.ts';

/** The longest condition that is cached, and the number of cached conditions. */
const REMEMBERED_CHARACTERS = 10_000;
const REMEMBERED_CONDITIONS = 5000;

/**
 * The limits of the caches. They are sufficient for the number of expressions of a large app and for the length of view
 * definitions.
 */
const remembered = { maxText: REMEMBERED_CHARACTERS, maxResults: REMEMBERED_CONDITIONS };

/** Parses an expression as pg_get_expr prints it with an empty search path. */
export const readCondition = memoize((text): Expression => {
  const tokens = tokenise(text);
  return tokens ? reading(text).condition(withKnownOperators(tokens)) : { kind: 'opaque', text };
}, remembered);

/** Parses a value as pg_get_expr prints it. Returns null if the text is malformed. */
export function readValue(text: string): Operand | null {
  const tokens = tokenise(text);
  return tokens && operand(reading(text), tokens);
}

function reading(source: string): Reading {
  const read: Reading = {
    source,
    condition: (tokens) => condition(read, tokens),
    query: (tokens) => subquery(read, tokens),
  };
  return read;
}

function condition(read: Reading, tokens: readonly Token[]): Expression {
  const inner = enclosed(tokens);
  if (inner) return condition(read, inner);
  const parted = joined(tokens);
  if (parted) {
    return join(
      parted.kind,
      parted.parts.map((part) => condition(read, part)),
    );
  }
  const isWhole = tokens.some((token) => isKeyword(token, 'BETWEEN'));
  if (!isWhole && isKeyword(tokens[0], 'NOT')) return { kind: 'not', item: condition(read, tokens.slice(1)) };
  return leaf(read, tokens);
}

/** Joins conditions with AND or OR, and flattens nested conditions of the same kind. */
export function join(kind: 'and' | 'or', items: readonly Expression[]): Expression {
  const flat = items.flatMap((item) => (item.kind === kind ? item.items : [item]));
  return flat.length === 1 && flat[0] ? flat[0] : { kind, items: flat };
}

function leaf(read: Reading, tokens: readonly Token[]): Expression {
  const text = sourceOf(read.source, tokens);
  const [first, second] = tokens;
  if (tokens.length === 1 && first?.kind === 'group' && first.bracket === 'case') return cases(read, first.items, text);
  if (tokens.length === 2 && isKeyword(first, 'EXISTS') && second?.kind === 'group') {
    const found = united(second.items)?.map((items) => subquery(read, items)) ?? [];
    const all = found.flatMap((query): Expression[] => (query ? [{ kind: 'exists', query, text }] : []));
    return all.length > 0 && all.length === found.length ? join('or', all) : { kind: 'opaque', text };
  }
  const is = tokens.findIndex((token) => isKeyword(token, 'IS'));
  if (is > 0) {
    const rest = tokens.slice(is + 1).map((token) => (token.kind === 'word' ? token.value.toUpperCase() : '?'));
    const left = operand(read, tokens.slice(0, is));
    const ending = rest.join(' ');
    if (ending === 'NULL' || ending === 'NOT NULL') {
      return { kind: 'null', operand: left, negated: ending === 'NOT NULL', text };
    }
    const distinct = /^(NOT )?DISTINCT FROM /.exec(ending);
    if (distinct) {
      const right = operand(read, tokens.slice(is + (distinct[1] === undefined ? 3 : 4)));
      return { kind: 'distinct', left, right, negated: distinct[1] !== undefined, text };
    }
    const json = /^(NOT )?JSON( OBJECT| ARRAY| SCALAR)?$/.exec(ending);
    if (json) {
      const call: Operand = { kind: 'call', name: `is_json${json[2] ?? ''}`.toLowerCase(), arguments: [left], text };
      const holds: Expression = { kind: 'holds', operand: call, text };
      return json[1] === undefined ? holds : { kind: 'not', item: holds };
    }
    const truth = /^(NOT )?(TRUE|FALSE|UNKNOWN)$/.exec(ending);
    if (!truth) return { kind: 'opaque', text };
    const value = truth[2] === 'UNKNOWN' ? null : truth[2] === 'TRUE';
    return { kind: 'is', item: condition(read, tokens.slice(0, is)), value, negated: truth[1] !== undefined, text };
  }
  const into = tokens.findIndex((token) => isKeyword(token, 'IN'));
  const last = tokens[tokens.length - 1];
  if (into > 0 && into === tokens.length - 2 && last?.kind === 'group') {
    const left = operand(read, tokens.slice(0, into));
    const found = united(last.items)?.map((items) => subquery(read, items)) ?? [];
    const all = found.flatMap((query): Expression[] => (query ? [{ kind: 'in', operand: left, query, text }] : []));
    if (all.length > 0 && all.length === found.length) return join('or', all);
    const value = operand(read, [last]);
    return value.kind === 'call' ? { kind: 'returned', operand: left, call: value, text } : { kind: 'opaque', text };
  }
  const begins = tokens.findIndex((token) => isOperator(token, '^@'));
  if (begins > 0 && !tokens.some((token) => isOperator(token, ...comparisons, ...relating))) {
    const sides = [tokens.slice(0, begins), tokens.slice(begins + 1)].map((side) => operand(read, side));
    return { kind: 'holds', operand: { kind: 'call', name: 'starts_with', arguments: sides, text }, text };
  }
  const places = tokens.flatMap((token, i) => (isOperator(token, ...comparisons, ...relating) ? [i] : []));
  const at = places[0];
  if (places.length === 1 && at !== undefined && at > 0) {
    const left = operand(read, tokens.slice(0, at));
    const right = tokens.slice(at + 1);
    const sign = tokens[at] as { value: string };
    const relation = relating.find((one) => one === sign.value);
    if (relation) return { kind: 'relates', operator: relation, left, right: operand(read, right), text };
    if (isKeyword(right[0], 'ANY') && sign.value === '=') {
      const values = right.length === 2 ? elements(read, right[1]) : null;
      if (values) return { kind: 'one-of', operand: left, values, text };
      const list = operand(read, right.slice(1));
      return list.kind === 'field'
        ? { kind: 'relates', operator: '<@', left: { kind: 'list', values: [left] }, right: list, text }
        : { kind: 'opaque', text };
    }
    if (isKeyword(right[0], 'ALL') && sign.value === '<>') {
      const values = right.length === 2 ? elements(read, right[1]) : null;
      // `text` is the SQL of the negated condition, because the result is an item inside `not`.
      const among = `${sourceOf(read.source, tokens.slice(0, at))} = ANY ${sourceOf(read.source, right.slice(1))}`;
      if (values) return { kind: 'not', item: { kind: 'one-of', operand: left, values, text: among } };
    }
    if (isKeyword(right[0], 'ALL', 'ANY')) return ofElements(read, left, sign.value as Comparison, right, text);
    const alike = sign.value === '=' || sign.value === '<>' ? alikeOf(read, tokens.slice(0, at), right) : null;
    if (alike) return { kind: 'alike', ...alike, negated: sign.value === '<>', text };
    const ofTimes = aTime.test(sourceOf(read.source, tokens.slice(0, at))) || aTime.test(sourceOf(read.source, right));
    const operator = sign.value as Comparison;
    return { kind: 'compare', operator, left, right: operand(read, right), text, ...(ofTimes && { ofTimes }) };
  }
  return single(read, tokens, text);
}

/** Reads a comparison with each element of a list: `0 < ALL (counts)`, `'x' <> ALL (tags)`. */
function ofElements(
  read: Reading,
  value: Operand,
  operator: Comparison,
  right: readonly Token[],
  text: string,
): Expression {
  const each = isKeyword(right[0], 'ALL');
  const list = operand(read, right.slice(1));
  const turned = mirrored[operator];
  if (list.kind !== 'field' || turned === undefined) return { kind: 'opaque', text };
  if (each && operator === '<>') {
    const one: Operand = { kind: 'list', values: [value] };
    return { kind: 'not', item: { kind: 'relates', operator: '<@', left: one, right: list, text } };
  }
  return { kind: 'elements', each, operator: turned, list, value, text };
}

/**
 * The operator with the same meaning after both sides are swapped. Pattern operators such as LIKE are missing, because
 * their sides cannot be swapped.
 */
export const mirrored: Partial<Record<Comparison, Comparison>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
};

/**
 * Reads a comparison of two conditions, or of a boolean field and a condition. Returns null if both sides are values
 * and not conditions.
 */
function alikeOf(read: Reading, left: readonly Token[], right: readonly Token[]) {
  const [a, b] = [left, right].map(([side, ...more]) => (more.length === 0 ? conditionIn(side) : null));
  const flag = (side: readonly Token[]): Expression | null => {
    const value = operand(read, side);
    return value.kind === 'field' ? { kind: 'holds', operand: value, text: sourceOf(read.source, side) } : null;
  };
  const one = a ? condition(read, a) : b ? flag(left) : null;
  const other = b ? condition(read, b) : a ? flag(right) : null;
  return one && other && { left: one, right: other };
}

/** Returns the tokens in brackets if they are a condition and not a value. */
function conditionIn(token: Token | undefined): readonly Token[] | null {
  if (token?.kind !== 'group' || token.bracket !== '(' || isQuery(token.items)) return null;
  const isSign = (item: Token) => isKeyword(item, 'IS', 'AND', 'OR', 'NOT') || isOperator(item, ...comparisons);
  return token.items.some(isSign) ? token.items : null;
}

/** Reads a condition of the form `CASE WHEN a THEN b … ELSE c END`. */
function cases(read: Reading, tokens: readonly Token[], text: string): Expression {
  const opaque: Expression = { kind: 'opaque', text };
  const isOne = isKeyword(tokens[1], 'WHEN');
  const inner = tokens.slice(2, -1);
  if (!isOne) return opaque;
  const [all = [], otherwise, ...more] = split(inner, (token) => isKeyword(token, 'ELSE'));
  const branches = split(all, (token) => isKeyword(token, 'WHEN')).map((branch) =>
    split(branch, (token) => isKeyword(token, 'THEN')),
  );
  if (more.length > 0 || branches.some((parts) => parts.length !== 2)) return opaque;
  return {
    kind: 'case',
    branches: branches.map(([when = [], then = []]) => ({
      when: condition(read, when),
      gives: condition(read, then),
    })),
    otherwise: otherwise ? condition(read, otherwise) : { kind: 'constant', value: null },
    text,
  };
}

/** Matches a literal of a date or time: `'2024-01-31'::date`. */
const aTime = /^'[^']*'::(?:date|time|timestamp)\b[\w ()]*$/;

/** Reads a condition without an operator: a constant, a boolean field, a call. */
function single(read: Reading, tokens: readonly Token[], text: string): Expression {
  const bare = withoutCast(tokens);
  if (bare.length === 1 && isKeyword(bare[0], 'TRUE', 'FALSE', 'NULL')) {
    const word = text.slice(0, 1).toLowerCase();
    return { kind: 'constant', value: word === 'n' ? null : word === 't' };
  }
  const value = operand(read, tokens);
  if (value.kind === 'null') return { kind: 'constant', value: null };
  return ['field', 'call', 'claim', 'query', 'element', 'choice'].includes(value.kind)
    ? { kind: 'holds', operand: value, text }
    : { kind: 'opaque', text };
}

/** Reads `SELECT … FROM … [WHERE (…)] …`. Returns null for another form. */
function subquery(read: Reading, tokens: readonly Token[]): Subquery | null {
  const clause = (word: string) => tokens.findIndex((token) => isKeyword(token, word));
  const from = clause('FROM');
  if (!isKeyword(tokens[0], 'SELECT') || from < 0) return null;
  const where = clause('WHERE');
  const next = (after: number) => {
    const at = tokens.findIndex((token, i) => i > after && isKeyword(token, ...clauses));
    return at < 0 ? tokens.length : at;
  };
  const items = tokens.slice(from + 1, next(from));
  // Without GROUP BY, an aggregate returns a row even if there are no rows. With GROUPING SETS, ROLLUP and CUBE, it may
  // do so too.
  const grouped =
    clause('GROUP') >= 0 && !mentions(tokens, (token) => isEmpty(token) || isKeyword(token, 'ROLLUP', 'CUBE', 'SETS'));
  const counts = tokens.slice(1, from).some((token) => token.kind === 'group') && !grouped;
  const combined = tokens.filter((token) => isKeyword(token, 'FROM', 'WHERE')).length > (where < 0 ? 1 : 2);
  const richer = tokens.some((token) => isKeyword(token, 'HAVING', 'UNION', 'INTERSECT', 'EXCEPT'));
  const outer = mentions(items, (token) => isKeyword(token, 'LEFT', 'RIGHT', 'FULL', 'SELECT'));
  const sources = sourcesOf(read, items);
  return {
    from: relationsIn(tokens),
    sources: sources?.sources ?? null,
    on: sources?.on ?? [],
    plain: !counts && !combined && !richer && !outer,
    source: sourceOf(read.source, items),
    value: selected(read, tokens.slice(1, from)),
    where: where < 0 ? { kind: 'constant', value: true } : condition(read, tokens.slice(where + 1, next(where))),
    rest: sourceOf(read.source, tokens.slice(where < 0 ? next(from) : next(where))),
  };
}

/**
 * Returns the queries that UNION joins, or the query alone without UNION. Returns null if the query has other set
 * operations or clauses.
 */
function united(tokens: readonly Token[]): Token[][] | null {
  const isJoined = tokens.some((token) => isKeyword(token, 'UNION'));
  const isPlain = !tokens.some((token) => isKeyword(token, 'INTERSECT', 'EXCEPT', 'WITH', 'ORDER', 'LIMIT', 'OFFSET'));
  if (!isJoined) return [[...tokens]];
  if (!isPlain) return null;
  return split(tokens, (token) => isKeyword(token, 'UNION')).map((part) =>
    isKeyword(part[0], 'ALL') ? part.slice(1) : part,
  );
}

/** Returns the single value that a query selects, without its alias. */
function selected(read: Reading, tokens: readonly Token[]): Operand | null {
  const list = isKeyword(tokens[0], 'DISTINCT') ? tokens.slice(1) : tokens;
  const as = list.findIndex((token) => isKeyword(token, 'AS'));
  const value = as < 0 ? list : list.slice(0, as);
  return value.length === 0 || value.some((token) => isOperator(token, ',')) ? null : operand(read, value);
}

const isEmpty = (token: Token): boolean => token.kind === 'group' && token.items.length === 0;

const mentions = (tokens: readonly Token[], test: (token: Token) => boolean): boolean =>
  tokens.some((token) => test(token) || (token.kind === 'group' && mentions(token.items, test)));

/**
 * Returns every relation that an expression reads, at any depth: names after FROM, JOIN or a comma, as [schema, name].
 */
export function relationsRead(text: string): [string, string][] {
  const tokens = tokenise(text);
  return tokens ? relationsIn(tokens) : [];
}

function relationsIn(tokens: readonly Token[], startsInFrom = false): [string, string][] {
  const found: [string, string][] = [];
  let inFrom = startsInFrom;
  // True if the next item of a FROM clause may start here.
  let begins = startsInFrom;
  for (const [i, token] of tokens.entries()) {
    if (token.kind === 'group') {
      found.push(...relationsIn(token.items, begins && !isKeyword(token.items[0], 'SELECT', 'WITH', 'VALUES')));
    } else if (begins && token.kind === 'word' && isOperator(tokens[i + 1], '.')) {
      const [name, next] = tokens.slice(i + 2, i + 4);
      if (name?.kind === 'word' && next?.kind !== 'group') found.push([token.value, name.value]);
    }
    if (isKeyword(token, 'FROM')) inFrom = opensFrom(tokens, i);
    else if (isKeyword(token, ...clauses)) inFrom = false;
    begins = inFrom && (isKeyword(token, 'FROM', 'JOIN', 'ONLY', 'LATERAL') || isOperator(token, ','));
  }
  return found;
}

/** Returns false for the FROM in `a IS DISTINCT FROM b`, `EXTRACT(year FROM at)` and similar forms. */
const opensFrom = (tokens: readonly Token[], at: number): boolean =>
  at === 0 ||
  (!isKeyword(tokens[at - 1], 'DISTINCT') && tokens.slice(0, at).some((token) => isKeyword(token, 'SELECT', 'DELETE')));
