import { limits } from '../../contract/limits.ts';

/** One character of the address, or any number of them. */
interface Token {
  readonly accepts: (character: string) => boolean;
  readonly repeats: boolean;
}

export interface Budget {
  steps: number;
}

/** The scheme and the host of a pattern, and the rest. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/[^/]*)(.*)$/is;

const isNoSeparator = (character: string): boolean => character !== '.' && character !== '/';
const isAny = (): boolean => true;
/** A host ends at any of these. */
const isOfHost = (character: string): boolean => character !== '/' && character !== '?' && character !== '#';

/**
 * Returns true if an address matches a pattern of uri_allow_list (Supabase's documentation of redirect URLs; the glob of GoTrue): `*`
 * stands for any characters but `.` and `/`, `**` for any characters, `?` for one character but those, `[abc]`, `[a-z]` and `[!abc]` for
 * one of a set, `{a,b}` for one of several texts, `\` takes the meaning from the next character. In the host `**` stands for characters of
 * the host only, so that `https://**.example` does not match `https://evil.test/?.example`. A pattern that cannot be read matches nothing.
 *
 * @param budget The steps that this and further patterns may take; with none left nothing matches.
 */
export function matchesUrlPattern(pattern: string, address: string, budget: Budget): boolean {
  const [, head, rest = ''] = PARTS.exec(pattern) ?? [];
  if (head === undefined) return variantsOf(pattern, isAny).some((tokens) => matches(tokens, address, budget));
  const starts = variantsOf(head, isOfHost);
  const ends = variantsOf(rest === '' && head.endsWith('**') ? '**' : rest, isAny);
  if (starts.length * ends.length > limits.patternVariants.default) return false;
  return starts.some((start) => ends.some((end) => matches([...start, ...end], address, budget)));
}

/** Returns the texts that a pattern with `{a,b}` stands for; none if it cannot be read or stands for too many. */
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

/** Reads up to the end, or within braces up to `,` or `}`. */
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

/** Follows every way through the tokens at once: `reached[i]` is true if the first i tokens match the address so far. */
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

/** A token that repeats may stand for nothing. */
function withSkipped(tokens: readonly Token[], reached: boolean[]): boolean[] {
  tokens.forEach((token, i) => {
    if (reached[i] && token.repeats) reached[i + 1] = true;
  });
  return reached;
}
