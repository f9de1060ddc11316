import { limits } from '../../../../contract/limits.ts';

/**
 * Parser combinators with the error semantics of Parsec, which PostgREST's grammar uses. The error for a malformed
 * parameter (PGRST100) names the column, the text that was found there and the expected text. These messages depend on
 * how alternatives and backtracking merge their expectations.
 *
 * A parser advances `input.pos` on success. On failure it returns FAIL. A failed parser *consumed* input if it moved
 * `pos`. The next alternative is tried only if `pos` did not move (`attempt` resets the position). `input.error` contains
 * what the failed or stopped parsers would have accepted at this position. It does not affect the result, so every string
 * is first parsed without `input.error`; a malformed string is then parsed again with it.
 */
export const FAIL = Symbol('parse failure');

/** The result of a parser. */
export type Parsed<T> = T | typeof FAIL;
/** A parser of a value. */
export type Parser<T> = (input: Input) => Parsed<T>;

/** The characters or words that the parsers expected at a position. */
export interface Expectation {
  /** Offset in the parsed string, in UTF-16 units. */
  readonly pos: number;
  /** The first character that did not match; '' is the end of the input; null if unknown. */
  readonly found: string | null;
  /** Characters that were explicitly not allowed. The message shows them before `found`. */
  readonly refused: readonly string[];
  readonly expected: readonly string[];
}

/** The parsed string and the state of a parser. */
export class Input {
  readonly text: string;
  /** True to record expectations. This takes time and is needed only for a malformed string. */
  readonly explain: boolean;
  pos = 0;
  /** Number of active `nested` parsers. */
  depth = 0;
  error: Expectation | null = null;

  constructor(text: string, explain: boolean) {
    this.text = text;
    this.explain = explain;
  }
}

/** Quotes a character or string as Haskell prints it, because Parsec's messages contain that form. */
function quoted(text: string, quote: '"' | "'" = '"'): string {
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (char === '\\' || char === quote) out += `\\${char}`;
    else if (char === '\n') out += '\\n';
    else if (char === '\t') out += '\\t';
    else if (char === '\r') out += '\\r';
    else if (code < 32 || code > 126) out += `\\${code}`;
    else out += char;
  }
  return quote + out + quote;
}

const none: readonly string[] = [];

/**
 * Merges the expectations of two errors. Keeps those of the error with the larger offset. If both offsets are equal,
 * keeps all of them.
 */
function merge(a: Expectation | null, b: Expectation | null): Expectation | null {
  if (!a) return b;
  if (!b) return a;
  if (a.pos !== b.pos) return a.pos > b.pos ? a : b;
  return {
    pos: a.pos,
    found: a.found ?? b.found,
    refused: [...a.refused, ...b.refused],
    expected: [...a.expected, ...b.expected],
  };
}

/** Returns the character at the position; '' at the end. */
export function charAt(input: Input): string {
  const char = input.text[input.pos] ?? '';
  if (char < '\ud800' || char > '\udbff') return char;
  return String.fromCodePoint(input.text.codePointAt(input.pos) ?? 0);
}

/** Fails without consuming input. Adds `expected` to the error at this position. */
export function failHere(input: Input, expected: readonly string[]): typeof FAIL {
  if (input.explain) {
    input.error = merge(input.error, { pos: input.pos, found: charAt(input), refused: none, expected });
  }
  return FAIL;
}

/** Parses one fixed character. */
export function char(wanted: string): Parser<string> {
  const expected = [quoted(wanted)];
  return (input) => {
    if (input.text[input.pos] !== wanted) return failHere(input, expected);
    input.pos += 1;
    input.error = null;
    return wanted;
  };
}

/**
 * Parses one character that `test` accepts.
 * @param name Name of the character in messages.
 */
function satisfy(test: (char: string) => boolean, name?: string): Parser<string> {
  const expected = name === undefined ? none : [name];
  return (input) => {
    const found = charAt(input);
    if (found === '' || !test(found)) return failHere(input, expected);
    input.pos += found.length;
    input.error = null;
    return found;
  };
}

/** Parses one character that is not in `chars`. */
export const noneOf = (chars: string): Parser<string> => satisfy((c) => !chars.includes(c));
/** Parses one character that is in `chars`. */
export const oneOf = (chars: string): Parser<string> => satisfy((c) => chars.includes(c));
/** Parses any character. */
export const anyChar: Parser<string> = satisfy(() => true);

const digitPattern = /^[0-9]$/;
/** Parses a digit. */
export const digit: Parser<string> = satisfy((c) => digitPattern.test(c), 'digit');

/** Parses a fixed string. Like Parsec's parser, it consumes the matching part before it fails. */
export function string(wanted: string): Parser<string> {
  const expected = [quoted(wanted)];
  return (input) => {
    const { text, pos } = input;
    let matched = 0;
    while (matched < wanted.length && text[pos + matched] === wanted[matched]) matched += 1;
    if (matched === wanted.length) {
      input.pos = pos + matched;
      input.error = null;
      return wanted;
    }
    if (matched === 0) return failHere(input, expected);
    input.pos = pos + matched;
    if (!input.explain) return FAIL;
    const found = charAt(input);
    input.error = { pos, found, refused: none, expected };
    return FAIL;
  };
}

/** Parses `parser`, and consumes nothing if it fails. */
export function attempt<T>(parser: Parser<T>): Parser<T> {
  return (input) => {
    const { pos, error } = input;
    const result = parser(input);
    if (result === FAIL && input.pos !== pos) {
      input.pos = pos;
      input.error = merge(error, input.error);
    }
    return result;
  };
}

/** Parses the first alternative that does not fail without consuming. */
export function choice<T>(...parsers: readonly Parser<T>[]): Parser<T> {
  return (input) => {
    const start = input.pos;
    for (const parser of parsers) {
      const result = parser(input);
      if (result !== FAIL || input.pos !== start) return result;
    }
    return FAIL;
  };
}

/** Parses `parser`, or returns `fallback` if it fails without consuming. */
export function option<T, F>(parser: Parser<T>, fallback: F): Parser<T | F> {
  return (input) => {
    const start = input.pos;
    const result = parser(input);
    return result === FAIL && input.pos === start ? fallback : result;
  };
}

/** Parses `parser` zero or more times. */
export function many<T>(parser: Parser<T>): Parser<T[]> {
  return (input) => {
    const results: T[] = [];
    for (;;) {
      const start = input.pos;
      if (results.length > 0) input.error = null;
      const result = parser(input);
      if (result === FAIL) return input.pos === start ? results : FAIL;
      results.push(result);
      if (input.pos === start) return results;
    }
  };
}

/** Parses `parser` one or more times. */
export const many1 = <T>(parser: Parser<T>): Parser<T[]> => followedBy(parser, many(parser));

/** Parses one or more values with separators between them. */
export const sepBy1 = <T>(parser: Parser<T>, separator: Parser<unknown>): Parser<T[]> =>
  followedBy(
    parser,
    many<T>((input) => (separator(input) === FAIL ? FAIL : parser(input))),
  );

const followedBy =
  <T>(one: Parser<T>, more: Parser<T[]>): Parser<T[]> =>
  (input) => {
    const first = one(input);
    if (first === FAIL) return FAIL;
    const results = more(input);
    if (results === FAIL) return FAIL;
    results.unshift(first);
    return results;
  };

/** Parses zero or more values with separators between them. */
export function sepBy<T>(parser: Parser<T>, separator: Parser<unknown>): Parser<T[]> {
  const some = sepBy1(parser, separator);
  return (input) => {
    const start = input.pos;
    const results = some(input);
    return results === FAIL && input.pos === start ? [] : results;
  };
}

/**
 * Parses a nested value.
 * @throws ParseFailure if values are nested too deep.
 */
export function nested<T>(parser: Parser<T>): Parser<T> {
  const expected = [`at most ${limits.queryDepth.default} levels of nesting`];
  return (input) => {
    if (input.depth >= limits.queryDepth.default) {
      throw new ParseFailure(input.text, { pos: input.pos, found: null, refused: none, expected }, true);
    }
    input.depth += 1;
    const result = parser(input);
    input.depth -= 1;
    return result;
  };
}

/** Parses a value between an opening and a closing delimiter. */
export function between<T>(open: Parser<unknown>, close: Parser<unknown>, parser: Parser<T>): Parser<T> {
  return (input) => {
    if (open(input) === FAIL) return FAIL;
    const result = parser(input);
    return result === FAIL || close(input) === FAIL ? FAIL : result;
  };
}

/** Parses a value and converts it. */
export function map<A, B>(parser: Parser<A>, change: (value: A) => B): Parser<B> {
  return (input) => {
    const result = parser(input);
    return result === FAIL ? FAIL : change(result);
  };
}

/** Parses `parser`, and replaces its expectations at its start by `name` in messages. */
export function label<T>(name: string, parser: Parser<T>): Parser<T> {
  const expected = [name];
  return (input) => {
    if (!input.explain) return parser(input);
    const { pos, error } = input;
    input.error = null;
    const result = parser(input);
    if (input.pos !== pos) return result;
    const own = input.error as Expectation | null;
    const renamed = own ? { ...own, expected } : result === FAIL ? { pos, found: null, refused: none, expected } : null;
    input.error = merge(error, renamed);
    return result;
  };
}

/** Succeeds if `parser` succeeds, and consumes nothing. */
export function lookAhead<T>(parser: Parser<T>): Parser<T> {
  return (input) => {
    const { pos, error } = input;
    const result = parser(input);
    if (result !== FAIL) {
      input.pos = pos;
      input.error = error;
    }
    return result;
  };
}

/** Succeeds without consuming if `parser` (of one character) fails. */
export function notFollowedBy(parser: Parser<string>): Parser<null> {
  return (input) => {
    const { pos, error } = input;
    const result = parser(input);
    if (result === FAIL) {
      if (input.pos !== pos) {
        input.pos = pos;
        input.error = merge(error, input.error);
      }
      return null;
    }
    if (input.explain) {
      input.error = merge(error, { pos: input.pos, found: null, refused: [result], expected: none });
    }
    input.pos = pos;
    return FAIL;
  };
}

/** Accepts the end of the string. */
export const eof: Parser<null> = (input) => {
  const found = charAt(input);
  if (found === '') return null;
  if (input.explain) {
    const error = { pos: input.pos, found: null, refused: [found], expected: ['end of input'] };
    input.error = merge(input.error, error);
  }
  return FAIL;
};

/** Error of a malformed string. `position` is `(line 1, column 5)`; columns are counted from 1 in characters. */
export class ParseFailure extends Error {
  override readonly name = 'ParseFailure';
  readonly position: string;
  readonly details: string;

  /** True if the limit queryDepth was exceeded. */
  readonly tooDeep: boolean;

  constructor(text: string, error: Expectation | null, tooDeep = false) {
    super('parse failure');
    this.tooDeep = tooDeep;
    this.position = positionIn(text, error?.pos ?? 0);
    this.details = describe(error);
  }
}

/**
 * Parses a string. Ignores the characters after the part that the parser consumes.
 * @throws ParseFailure
 */
export function parse<T>(parser: Parser<T>, text: string): T {
  const result = parser(new Input(text, false));
  if (result !== FAIL) return result;
  const explained = new Input(text, true);
  parser(explained);
  throw new ParseFailure(text, explained.error);
}

function positionIn(text: string, pos: number): string {
  let line = 1;
  let column = 1;
  for (const char of text.slice(0, pos)) {
    if (char === '\n') {
      line += 1;
      column = 1;
    } else if (char === '\t') {
      column += 8 - ((column - 1) % 8);
    } else {
      column += 1;
    }
  }
  return `(line ${line}, column ${column})`;
}

function describe(error: Expectation | null): string {
  if (!error || (error.found === null && !error.refused.length && !error.expected.length)) return 'unknown parse error';
  const parts: string[] = [];
  if (error.refused.length) parts.push(`unexpected ${either(error.refused.map((char) => quoted(char, "'")))}`);
  else if (error.found !== null) parts.push(`unexpected ${error.found === '' ? 'end of input' : quoted(error.found)}`);
  if (error.expected.length) parts.push(`expecting ${either(error.expected)}`);
  return parts.join(' ');
}

function either(words: readonly string[]): string {
  const unique = [...new Set(words)];
  const last = unique.pop() ?? '';
  return unique.length ? `${unique.join(', ')} or ${last}` : last;
}
