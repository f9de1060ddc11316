import { limits } from '../../../contract/limits.ts';

/** A part of a pattern. It matches one character of the address, or any number of characters. */
interface Token {
  readonly accepts: (character: string) => boolean;
  readonly repeats: boolean;
}

export interface Budget {
  steps: number;
}

/** Splits a pattern into the scheme with the host, and the rest. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/[^/]*)(.*)$/is;

const isNoSeparator = (character: string): boolean => character !== '.' && character !== '/';
const isAny = (): boolean => true;
/** Returns true for a character that can be in a host. Each of the other characters ends the host. */
const isOfHost = (character: string): boolean => character !== '/' && character !== '?' && character !== '#';

/**
 * Returns true if an address matches a pattern of uri_allow_list (Supabase's documentation of redirect URLs; the glob
 * of GoTrue):
 * - `*` matches any characters except `.` and `/`, `**` any characters, `?` one character except `.` and `/`;
 * - `[abc]`, `[a-z]` and `[!abc]` match one of a set, `{a,b}` one of several texts; `\` escapes the next character.
 * In the host `**` matches only characters of a host, so that `https://**.example` does not match
 * `https://evil.test/?.example`. An invalid pattern matches nothing.
 *
 * @param budget The remaining steps for this and further patterns. At 0 nothing matches.
 */
export function matchesUrlPattern(pattern: string, address: string, budget: Budget): boolean {
  const [, head, rest = ''] = PARTS.exec(pattern) ?? [];
  if (head === undefined) return variantsOf(pattern, isAny).some((tokens) => matches(tokens, address, budget));
  const starts = variantsOf(head, isOfHost);
  const ends = variantsOf(rest === '' && head.endsWith('**') ? '**' : rest, isAny);
  if (starts.length * ends.length > limits.patternVariants.default) return false;
  return starts.some((start) => ends.some((end) => matches([...start, ...end], address, budget)));
}

/** Expands `{a,b}` in a pattern. Returns no variants if the pattern is invalid or has too many. */
function variantsOf(pattern: string, any: Token['accepts']): Token[][] {
  const reader = { pattern, at: 0, any };
  const variants = readVariants(reader, false);
  return variants !== null && reader.at === pattern.length ? variants : [];
}

interface Reader {
  readonly pattern: string;
  at: number;
  readonly any: Token['accepts'];
}

/** Reads the variants up to the end of the pattern. Within braces, reads up to `,` or `}`. */
function readVariants(reader: Reader, isInBraces: boolean): Token[][] | null {
  let variants: Token[][] = [[]];
  while (reader.at < reader.pattern.length) {
    const character = reader.pattern[reader.at] as string;
    if (isInBraces && (character === ',' || character === '}')) break;
    const next = character === '{' ? readBraces(reader) : readToken(reader, character);
    if (next === null || variants.length * next.length > limits.patternVariants.default) return null;
    variants = variants.flatMap((variant) => next.map((tokens) => [...variant, ...tokens]));
  }
  return variants;
}

function readBraces(reader: Reader): Token[][] | null {
  const all: Token[][] = [];
  do {
    reader.at++;
    const variants = readVariants(reader, true);
    if (variants === null || all.length + variants.length > limits.patternVariants.default) return null;
    all.push(...variants);
  } while (reader.pattern[reader.at] === ',');
  if (reader.pattern[reader.at] !== '}') return null;
  reader.at++;
  return all;
}

function readToken(reader: Reader, character: string): Token[][] | null {
  const { pattern } = reader;
  reader.at++;
  if (character === '*') {
    const isDouble = pattern[reader.at] === '*';
    while (pattern[reader.at] === '*') reader.at++;
    return [[{ accepts: isDouble ? reader.any : isNoSeparator, repeats: true }]];
  }
  if (character === '?') return [[{ accepts: isNoSeparator, repeats: false }]];
  if (character === '[') return readSet(reader);
  if (character === '\\') {
    const literal = pattern[reader.at++];
    return literal === undefined ? null : [[exactly(literal)]];
  }
  return [[exactly(character)]];
}

const exactly = (expected: string): Token => ({ accepts: (character) => character === expected, repeats: false });

function readSet(reader: Reader): Token[][] | null {
  const end = reader.pattern.indexOf(']', reader.at);
  if (end === -1) return null;
  const text = reader.pattern.slice(reader.at, end);
  reader.at = end + 1;
  const isNegated = text.startsWith('!');
  const members = isNegated ? text.slice(1) : text;
  if (members === '') return null;
  const range = /^(.)-(.)$/su.exec(members);
  const includes = (character: string): boolean =>
    range ? (range[1] as string) <= character && character <= (range[2] as string) : members.includes(character);
  return [[{ accepts: (character) => includes(character) !== isNegated, repeats: false }]];
}

/**
 * Matches the tokens against the address along all possible paths at once. `reached[i]` is true if the first i tokens
 * match the address so far.
 */
function matches(tokens: readonly Token[], address: string, budget: Budget): boolean {
  let reached = withSkipped(tokens, [true]);
  for (const character of address) {
    budget.steps -= tokens.length;
    if (budget.steps < 0) return false;
    const next: boolean[] = [];
    tokens.forEach((token, i) => {
      if (!reached[i] || !token.accepts(character)) return;
      next[token.repeats ? i : i + 1] = true;
    });
    if (next.length === 0) return false;
    reached = withSkipped(tokens, next);
  }
  return reached[tokens.length] === true;
}

/** Adds the positions after tokens that repeat, because such a token may match no character. */
function withSkipped(tokens: readonly Token[], reached: boolean[]): boolean[] {
  tokens.forEach((token, i) => {
    if (reached[i] && token.repeats) reached[i + 1] = true;
  });
  return reached;
}
