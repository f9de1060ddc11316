import type { FieldRef, JsonStep } from '../api-request.ts';
import {
  anyChar,
  attempt,
  char,
  charAt,
  choice,
  digit,
  eof,
  FAIL,
  failHere,
  type Input,
  label,
  lookAhead,
  many,
  many1,
  map,
  noneOf,
  notFollowedBy,
  oneOf,
  option,
  type Parsed,
  type Parser,
  sepBy1,
  string,
} from './parser.ts';

/** Grammar of names, quoted values and JSON paths (PostgREST docs, "URL Grammar"). */

const otherLetter = /^\p{L}$/u;
const identifierExpected = ['letter', 'digit'];

/** Returns true for letters of any alphabet, digits, `_`, space and `$`. */
function isIdentifierChar(char: string): boolean {
  if (char > '\x7f') return otherLetter.test(char);
  return (
    (char >= 'a' && char <= 'z') ||
    (char >= 'A' && char <= 'Z') ||
    (char >= '0' && char <= '9') ||
    char === '_' ||
    char === ' ' ||
    char === '$'
  );
}

/** Parses letters, digits, `_`, `$` and inner spaces; surrounding spaces are removed. */
export const identifier: Parser<string> = (input) => {
  const start = input.pos;
  for (let char = charAt(input); isIdentifierChar(char); char = charAt(input)) {
    input.pos += char.length;
    input.error = null;
  }
  failHere(input, identifierExpected);
  return input.pos === start ? FAIL : input.text.slice(start, input.pos).trim();
};

/** Parses the dot between parts of a name. */
export const delimiter: Parser<string> = label('delimiter (.)', char('.'));

const whitespace = many(oneOf(' \t'));

/** Parses `parser` with spaces and tabs around it. */
export function lexeme<T>(parser: Parser<T>): Parser<T> {
  return (input) => {
    if (whitespace(input) === FAIL) return FAIL;
    const result = parser(input);
    return result === FAIL || whitespace(input) === FAIL ? FAIL : result;
  };
}

const quote = char('"');
const backslash = char('\\');
const minus = char('-');
const greater = char('>');
const escaped: Parser<string> = (input) => (backslash(input) === FAIL ? FAIL : anyChar(input));
const quotedChars = many(choice(noneOf('\\"'), escaped));

/** Parses `"…"`; a backslash escapes the next character. */
export const quotedValue: Parser<string> = (input) => {
  if (quote(input) === FAIL) return FAIL;
  const chars = quotedChars(input);
  return chars === FAIL || quote(input) === FAIL ? FAIL : chars.join('');
};

const notArrowHead = notFollowedBy(greater);

/** Parses a dash that is part of a name and does not begin an arrow. */
const dash: Parser<string> = attempt((input) => {
  if (minus(input) === FAIL) return FAIL;
  return notArrowHead(input) === FAIL ? FAIL : '-';
});

const sepByDash = (part: Parser<string>): Parser<string> =>
  map(sepBy1(part, dash), (parts) => (parts.length === 1 ? (parts[0] as string) : parts.join('-')));

/** Parses the name of a column or relation. */
export const fieldName: Parser<string> = label(
  'field name (* or [a..z0..9_$])',
  choice(quotedValue, sepByDash(identifier)),
);

const jsonKey = label(
  'any non reserved character different from: .,>()',
  choice(quotedValue, sepByDash(map(many1(noneOf('(-:.,>)')), (chars) => chars.join('').trim()))),
);

/**
 * Succeeds before a closing parenthesis, which ends the columns of an embedded relation. PostgREST's grammar lacks this
 * case, so it parses the index before the parenthesis as a key.
 */
const beforeParenthesis: Parser<null> = (input) => (input.text[input.pos] === ')' ? null : FAIL);

const indexEnd = choice<unknown>(
  beforeParenthesis,
  attempt(lookAhead(string('->'))),
  attempt(lookAhead(string('::'))),
  attempt(lookAhead(string('.'))),
  attempt(lookAhead(string(','))),
  attempt(eof),
);

const optionalMinus = option(minus, '');
const manyDigits = many1(digit);

const jsonIndex: Parser<{ kind: 'index'; value: string }> = (input) => {
  const sign = optionalMinus(input);
  if (sign === FAIL) return FAIL;
  const digits = manyDigits(input);
  if (digits === FAIL || indexEnd(input) === FAIL) return FAIL;
  return { kind: 'index', value: sign + digits.join('') };
};

const jsonOperand = choice<{ kind: 'key' | 'index'; value: string }>(
  attempt(jsonIndex),
  attempt(map(jsonKey, (value) => ({ kind: 'key' as const, value }))),
);

const arrow = choice(
  map(attempt(string('->>')), () => true),
  map(attempt(string('->')), () => false),
);

const jsonStep: Parser<JsonStep> = (input) => {
  const asText = arrow(input);
  if (asText === FAIL) return FAIL;
  const operand = jsonOperand(input);
  return operand === FAIL ? FAIL : { ...operand, asText };
};

/** Parses a JSON path: `->key->>1`; empty without an arrow. */
const jsonPath: Parser<JsonStep[]> = many(jsonStep);

/** Parses a column with its JSON path. */
export const field: Parser<FieldRef> = lexeme((input: Input): Parsed<FieldRef> => {
  const name = fieldName(input);
  if (name === FAIL) return FAIL;
  const path = jsonPath(input);
  return path === FAIL ? FAIL : { name, path };
});

/** Parses `a.b.c`. */
export const dottedNames: Parser<string[]> = sepBy1(fieldName, delimiter);

/** Parses `a.b.column->path`: the embedded relations, then the column. */
export const treePath: Parser<{ path: string[]; field: FieldRef }> = (input) => {
  const names = dottedNames(input);
  if (names === FAIL) return FAIL;
  const path = jsonPath(input);
  if (path === FAIL) return FAIL;
  const name = names.pop() ?? '';
  return { path: names, field: { name, path } };
};

/** Parses a list of columns: `a,b,"c d"`. */
export const columnList: Parser<string[]> = sepBy1(fieldName, lexeme(char(',')));
