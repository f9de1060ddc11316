/** A token of PL/pgSQL source (PostgreSQL manual, "Lexical Structure"). */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'symbol';
  /**
   * Words are in lower case. Strings and quoted names have no quotes, and their escapes are resolved. A symbol is one
   * character.
   */
  readonly text: string;
  /** Offset of the token in the source. */
  readonly at: number;
}

const SPACE = /\s+/y;
const LINE_COMMENT = /--[^\n]*/y;
const WORD = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NUMBER = /\d[\w.]*/y;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const PLAIN = /'(?:[^']|'')*'/y;
const ESCAPED = /[eE]'(?:[^'\\]|''|\\[\s\S])*'/y;
const QUOTED = /"(?:[^"]|"")*"/y;

/**
 * Returns the tokens of a function's source without comments and white space. An unterminated token ends at the end of
 * the source.
 */
export function tokens(source: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0] ?? null;
  };
  while (at < source.length) {
    const blank = take(SPACE) ?? take(LINE_COMMENT);
    if (blank !== null) {
      at += blank.length;
      continue;
    }
    if (source.startsWith('/*', at)) {
      at = endOfComment(source, at);
      continue;
    }
    const { token, length } = next(source, at, take);
    found.push(token);
    at += length;
  }
  return found;
}

function next(source: string, at: number, take: (pattern: RegExp) => string | null): { token: Token; length: number } {
  const escaped = take(ESCAPED);
  if (escaped !== null)
    return { token: { kind: 'string', text: withoutEscapes(escaped.slice(2, -1)), at }, length: escaped.length };
  const plain = take(PLAIN);
  if (plain !== null) {
    return { token: { kind: 'string', text: plain.slice(1, -1).replaceAll("''", "'"), at }, length: plain.length };
  }
  const tag = take(DOLLAR);
  if (tag !== null) {
    const end = source.indexOf(tag, at + tag.length);
    const until = end < 0 ? source.length : end;
    const text = source.slice(at + tag.length, until);
    return { token: { kind: 'string', text, at }, length: tag.length * (end < 0 ? 1 : 2) + text.length };
  }
  const quoted = take(QUOTED);
  if (quoted !== null) {
    return { token: { kind: 'quoted', text: quoted.slice(1, -1).replaceAll('""', '"'), at }, length: quoted.length };
  }
  const word = take(WORD) ?? take(NUMBER);
  if (word !== null) return { token: { kind: 'word', text: word.toLowerCase(), at }, length: word.length };
  return { token: { kind: 'symbol', text: source[at] as string, at }, length: 1 };
}

/** Returns the offset after a block comment. Block comments can be nested. */
function endOfComment(source: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < source.length) {
    if (source.startsWith('/*', at)) {
      depth++;
      at += 2;
    } else if (source.startsWith('*/', at)) {
      depth--;
      at += 2;
      if (depth === 0) return at;
    } else {
      at++;
    }
  }
  return at;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

const withoutEscapes = (text: string): string =>
  text.replace(
    /''|\\([0-7]{1,3}|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[\s\S])/g,
    (whole, code?: string) => {
      if (code === undefined) return "'";
      if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
      if (/^[xuU]./.test(code)) return fromCodePoint(Number.parseInt(code.slice(1), 16)) ?? whole;
      return escapes[code] ?? code;
    },
  );

const fromCodePoint = (code: number): string | null => (code <= 0x10ffff ? String.fromCodePoint(code) : null);

/** Returns true if the token is one of the given words, without quotes. */
export const isWord = (token: Token | undefined, ...texts: readonly string[]): boolean =>
  token?.kind === 'word' && texts.includes(token.text);

/** Returns true if the token is the given symbol. */
export const isSymbol = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'symbol' && token.text === text;

/** Splits tokens at separators outside of brackets. Without a separator, the result is one part. */
export function splitAt(list: readonly Token[], separates: (token: Token) => boolean): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of list) {
    if (isSymbol(token, '(') || isSymbol(token, '[')) depth++;
    if (isSymbol(token, ')') || isSymbol(token, ']')) depth--;
    if (depth === 0 && separates(token)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}
