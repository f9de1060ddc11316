import { isKeyword, isOperator, type Token } from './tokens.ts';

/**
 * Replaces `OPERATOR(extensions.~)` by the equivalent operator of PostgreSQL if the type of one side shows which
 * extension defines the operator. For citext, the case-insensitive match of patterns becomes part of the operator
 * (`~*`). PostgreSQL has no operator of its own that compares strings case-insensitively, so in such a comparison the
 * cast to citext stays.
 */
export function withKnownOperators(tokens: readonly Token[]): Token[] {
  const inner = tokens.map((token) =>
    token.kind === 'group' ? { ...token, items: withKnownOperators(token.items) } : token,
  );
  const at = inner.findIndex((token, i) => isKeyword(token, 'OPERATOR') && inner[i + 1]?.kind === 'group');
  const name = inner[at + 1];
  if (at < 1 || name?.kind !== 'group') return inner;
  const [schema, point, sign, ...more] = name.items;
  if (schema?.kind !== 'word' || !isOperator(point, '.') || sign?.kind !== 'operator' || more.length > 0) return inner;
  const known = typesNamed(inner, schema.value).flatMap((type) => signs[type]?.[sign.value] ?? [])[0];
  const value = known ?? (schema.value === EXTENSIONS ? anywhere[sign.value] : undefined);
  if (value === undefined) return inner;
  const operator: Token = { kind: 'operator', value, start: inner[at]?.start ?? 0, end: name.end };
  return [...inner.slice(0, at), operator, ...inner.slice(at + 2)];
}

/** The schema of extensions. */
const EXTENSIONS = 'extensions';

/** Returns the types in a schema to which a cast among the tokens converts a value. */
function typesNamed(tokens: readonly Token[], schema: string): string[] {
  return tokens.flatMap((token, i) => {
    if (token.kind === 'group') return typesNamed(token.items, schema);
    const [first, point, type] = tokens.slice(i + 1, i + 4);
    const isOf = isOperator(token, '::') && first?.kind === 'word' && first.value === schema && isOperator(point, '.');
    return isOf && type?.kind === 'word' ? [type.value] : [];
  });
}

const caseless = {
  '~': '~*',
  '!~': '!~*',
  '~~': '~~*',
  '!~~': '!~~*',
  '~*': '~*',
  '!~*': '!~*',
  '~~*': '~~*',
  '!~~*': '!~~*',
};
const ordered = { '=': '=', '<>': '<>' };

/** The equivalent operators by type and operator (PostgreSQL manual, appendix F). */
const signs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  citext: { ...caseless, ...ordered },
  ltree: { ...ordered, '@>': '@>', '<@': '<@' },
  lquery: { '~': '~' },
  hstore: { '@>': '@>', '<@': '<@' },
};

/** Equivalents of operators that only one extension has (hstore, pg_trgm), so the types of the sides are not needed. */
const anywhere: Readonly<Record<string, string>> = { '?': '?', '->': '->', '%': '%' };
