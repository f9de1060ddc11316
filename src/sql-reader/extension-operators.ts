import { isKeyword, isOperator, type Token } from './tokens.ts';

/**
 * `OPERATOR(extensions.~)` as the sign that PostgreSQL itself has for it, where the type of one of its sides says whose operator it is. Of
 * citext, that patterns are compared without upper and lower case becomes a part of the sign; that texts are, has none, so that stays.
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

/** Where extensions are. */
const EXTENSIONS = 'extensions';

/** The types of a schema that values are cast to here. */
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

/** By the type, what its operators are called here (the manual, appendix F). */
const signs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  citext: { ...caseless, ...ordered },
  ltree: { ...ordered, '@>': '@>', '<@': '<@' },
  lquery: { '~': '~' },
  hstore: { '@>': '@>', '<@': '<@' },
};

/** Operators that one extension alone has: hstore, pg_trgm. */
const anywhere: Readonly<Record<string, string>> = { '?': '?', '->': '->', '%': '%' };
