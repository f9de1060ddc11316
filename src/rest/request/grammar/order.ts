import type { FieldRef, OrderTerm } from '../api-request.ts';
import { delimiter, field, fieldName, lexeme } from './names.ts';
import {
  attempt,
  between,
  char,
  choice,
  eof,
  FAIL,
  type Input,
  lookAhead,
  option,
  type Parsed,
  type Parser,
  sepBy1,
  string,
} from './parser.ts';

/** Grammar of the parameter `order` (PostgREST docs, "Ordering", "Top-level Ordering"). */

function afterDot<T>(word: string, value: T): Parser<T> {
  const literal = string(word);
  return attempt((input) => (delimiter(input) === FAIL || literal(input) === FAIL ? FAIL : value));
}

const direction = option(choice<'asc' | 'desc' | null>(afterDot('asc', 'asc'), afterDot('desc', 'desc')), null);

const nulls = option(
  choice<'first' | 'last' | null>(afterDot('nullsfirst', 'first'), afterDot('nullslast', 'last')),
  null,
);

const end = choice<unknown>(attempt(lookAhead(char(','))), attempt(eof));

function rest(input: Input, column: FieldRef, relation: string | null): Parsed<OrderTerm> {
  const way = direction(input);
  if (way === FAIL) return FAIL;
  const nullsGo = nulls(input);
  if (nullsGo === FAIL || end(input) === FAIL) return FAIL;
  return { field: column, relation, direction: way, nulls: nullsGo };
}

const columnTerm: Parser<OrderTerm> = (input) => {
  const column = field(input);
  return column === FAIL ? FAIL : rest(input, column, null);
};

const inParentheses = between(char('('), char(')'), field);

const relationTerm: Parser<OrderTerm> = (input) => {
  const relation = fieldName(input);
  if (relation === FAIL) return FAIL;
  const column = inParentheses(input);
  return column === FAIL ? FAIL : rest(input, column, relation);
};

/** Parses `name.desc.nullsfirst,client(name)`. */
export const orderList: Parser<OrderTerm[]> = sepBy1(lexeme(choice(attempt(relationTerm), columnTerm)), char(','));
