/**
 * A token of an expression as PostgreSQL prints it (pg_get_expr); brackets are nested groups. `start` and `end` are
 * offsets in the source, so that unrecognised parts can be shown unchanged.
 */
export type Token =
  | { kind: 'word'; value: string; quoted: boolean; start: number; end: number }
  | { kind: 'string' | 'number' | 'operator'; value: string; start: number; end: number }
  | { kind: 'group'; bracket: Bracket; items: Token[]; start: number; end: number };

/** The kinds of groups. `case` is a group from CASE to END; both keywords are among its items. */
type Bracket = '(' | '[' | 'case';

// PostgreSQL prints a string that contains a backslash as E'…' and doubles the backslash.
const pattern =
  /\s+|E'((?:[^'\\]|''|\\[\s\S])*)'|'((?:[^']|'')*)'|"((?:[^"]|"")*)"|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(::|[-+*/<>=~!@#%^&|`?]+)|([.,:;])|([([])|([)\]])/gy;

/** Maximum depth of nested brackets. */
const deepest = 200;

/**
 * Splits an expression into tokens. Returns null if brackets are nested too deep or the text is malformed, which
 * PostgreSQL never prints.
 */
export function tokenise(text: string): Token[] | null {
  const open: { bracket: Bracket; items: Token[]; start: number }[] = [];
  let items: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) return null;
    const end = pattern.lastIndex;
    const [whole, escaped, string, quoted, word, number, operator, mark, opening, closing] = match;
    if (escaped !== undefined) {
      items.push({ kind: 'string', value: unquote(escaped).replaceAll('\\\\', '\\'), start, end });
    } else if (string !== undefined) {
      items.push({ kind: 'string', value: unquote(string), start, end });
    } else if (quoted !== undefined) {
      items.push({ kind: 'word', value: quoted.replaceAll('""', '"'), quoted: true, start, end });
    } else if (word !== undefined) {
      const isCase = /^case$/i.test(word);
      if (isCase) {
        if (open.length === deepest) return null;
        open.push({ bracket: 'case', items, start });
        items = [];
      }
      items.push({ kind: 'word', value: word, quoted: false, start, end });
      if (/^end$/i.test(word) && open.at(-1)?.bracket === 'case') items = closed(open, items, end);
    } else if (number !== undefined) items.push({ kind: 'number', value: number, start, end });
    else if (operator !== undefined || mark !== undefined) items.push({ kind: 'operator', value: whole, start, end });
    else if (opening !== undefined) {
      if (open.length === deepest) return null;
      open.push({ bracket: opening as '(' | '[', items, start });
      items = [];
    } else if (closing !== undefined) {
      if (open.at(-1)?.bracket !== (closing === ')' ? '(' : '[')) return null;
      items = closed(open, items, end);
    }
  }
  return open.length === 0 ? items : null;
}

/** Closes the innermost open group, and returns the tokens around the group, now including the group. */
function closed(open: { bracket: Bracket; items: Token[]; start: number }[], items: Token[], end: number): Token[] {
  const group = open.pop();
  if (!group) return items;
  group.items.push({ kind: 'group', bracket: group.bracket, items, start: group.start, end });
  return group.items;
}

const unquote = (string: string): string => string.replaceAll("''", "'");

/** Returns true for one of the given keywords: unquoted, in any case. */
export const isKeyword = (token: Token | undefined, ...words: string[]): boolean =>
  token?.kind === 'word' && !token.quoted && words.includes(token.value.toUpperCase());

/** Returns true for one of the given operators. */
export const isOperator = (token: Token | undefined, ...values: string[]): boolean =>
  token?.kind === 'operator' && values.includes(token.value);

/** Returns the source of the tokens on one line; each run of white space outside quotes becomes one space. */
export function sourceOf(text: string, tokens: readonly Token[]): string {
  const first = tokens[0];
  const last = tokens[tokens.length - 1];
  return first && last ? oneLine(text.slice(first.start, last.end)) : '';
}

/** A condition split at AND or OR. Each part is a list of tokens. */
export interface Joined {
  kind: 'and' | 'or';
  parts: Token[][];
}

/**
 * Splits a condition at its outermost AND or OR, after removing brackets around the whole condition. Returns null if
 * there is neither. A condition with BETWEEN is not split, because the AND of BETWEEN joins no conditions.
 */
export function joined(tokens: readonly Token[]): Joined | null {
  const inner = enclosed(tokens);
  if (inner) return joined(inner);
  if (tokens.some((token) => isKeyword(token, 'BETWEEN'))) return null;
  for (const kind of ['or', 'and'] as const) {
    const parts = split(tokens, (token) => isKeyword(token, kind.toUpperCase()));
    if (parts.length > 1) return { kind, parts };
  }
  return null;
}

/** Returns the tokens inside the brackets if the tokens are one bracketed condition; otherwise null. */
export function enclosed(tokens: readonly Token[]): readonly Token[] | null {
  const only = tokens.length === 1 ? tokens[0] : undefined;
  const isCondition = only?.kind === 'group' && only.bracket === '(' && !isQuery(only.items);
  return isCondition ? only.items : null;
}

/** Returns true for the tokens of a subquery. */
export const isQuery = (tokens: readonly Token[]): boolean => isKeyword(tokens[0], 'SELECT', 'WITH', 'VALUES');

/** Splits tokens at separators. Returns a single part if there is no separator. */
export function split(tokens: readonly Token[], separates: (token: Token) => boolean): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (separates(token)) parts.push([]);
    else (parts[parts.length - 1] as Token[]).push(token);
  }
  return parts;
}

/** Puts SQL text on one line. White space inside quotes is retained. */
export const oneLine = (sql: string): string =>
  sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\s+/g, (part) => (/^\s/.test(part) ? ' ' : part)).trim();
