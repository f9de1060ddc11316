import type {
  Filter,
  IsValue,
  LogicTree,
  Operation,
  QuantifiedOperator,
  SearchOperator,
  SimpleOperator,
} from '../api-request.ts';
import { delimiter, dottedNames, field, identifier, lexeme, quotedValue } from './names.ts';
import {
  attempt,
  between,
  char,
  choice,
  FAIL,
  label,
  many,
  map,
  nested,
  noneOf,
  notFollowedBy,
  option,
  type Parser,
  sepBy1,
  string,
} from './parser.ts';

/** Grammar of operators and logic trees (PostgREST docs, "Horizontal Filtering"). */

const joined = (parser: Parser<string>): Parser<string> => map(many(parser), (chars) => chars.join(''));

/** Parses the value of a filter parameter, which is all text up to the end. */
const plainValue: Parser<string> = (input) => {
  const value = input.text.slice(input.pos);
  input.pos = input.text.length;
  return value;
};

const words = <const W extends string>(...names: readonly W[]): Parser<W> =>
  choice(...names.map((name) => map(attempt(string(name)), () => name)));

const simpleOperator: Parser<SimpleOperator> = label(
  'unknown single value operator',
  words('neq', 'cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj'),
);

const quantifiedOperator: Parser<QuantifiedOperator> = label(
  'unknown single value operator',
  words('eq', 'gte', 'gt', 'lte', 'lt', 'like', 'ilike', 'match', 'imatch'),
);

const quantifier = option(
  attempt<'any' | 'all' | null>(
    between(
      char('('),
      char(')'),
      choice<'any' | 'all'>(
        map(attempt(string('any')), () => 'any' as const),
        map(string('all'), () => 'all' as const),
      ),
    ),
  ),
  null,
);

const searchOperator: Parser<SearchOperator> = words('fts', 'plfts', 'phfts', 'wfts');

const language = option(attempt<string | null>(between(char('('), char(')'), identifier)), null);

/** Parses a word, each letter in lower or upper case. */
function anyCase(word: string): Parser<string> {
  const letters = [...word].map((c) => choice(char(c), char(c.toUpperCase())));
  return (input) => {
    for (const letter of letters) {
      if (letter(input) === FAIL) return FAIL;
    }
    return word;
  };
}

const isValue: Parser<IsValue> = label(
  'isVal: (null, not_null, true, false, unknown)',
  choice<IsValue>(
    ...(['null', 'not_null', 'true', 'false', 'unknown'] as const).map((word) =>
      map(attempt(anyCase(word)), () => word),
    ),
  ),
);

const bareValue = joined(noneOf(',)'));
const notMore = notFollowedBy(noneOf(',)'));

/** Parses a quoted value with nothing after it. */
const wholeQuotedValue: Parser<string> = attempt((input) => {
  const value = quotedValue(input);
  return value === FAIL || notMore(input) === FAIL ? FAIL : value;
});

const listElement: Parser<string> = choice(wholeQuotedValue, bareValue);

const list: Parser<string[]> = between(lexeme(char('(')), lexeme(char(')')), sepBy1(listElement, char(',')));

function prefix(word: string): Parser<string> {
  const literal = string(word);
  return attempt((input) => (literal(input) === FAIL ? FAIL : delimiter(input)));
}

/**
 * Creates a parser of an operator and its value: `not.eq.5`.
 * @param value Parses the value.
 */
function operatorExpression(value: Parser<string>): Parser<{ negated: boolean; operation: Operation }> {
  const inPrefix = prefix('in');
  const isPrefix = prefix('is');
  const distinctPrefix = prefix('isdistinct');
  const notPrefix = option(
    map(prefix('not'), () => true),
    false,
  );

  const inOperation: Parser<Operation> = (input) => {
    if (inPrefix(input) === FAIL) return FAIL;
    const values = list(input);
    return values === FAIL ? FAIL : { kind: 'in', values };
  };
  const isOperation: Parser<Operation> = (input) => {
    if (isPrefix(input) === FAIL) return FAIL;
    const word = isValue(input);
    return word === FAIL ? FAIL : { kind: 'is', value: word };
  };
  const distinctOperation: Parser<Operation> = (input) => {
    if (distinctPrefix(input) === FAIL) return FAIL;
    const text = value(input);
    return text === FAIL ? FAIL : { kind: 'isdistinct', value: text };
  };
  const searchOperation: Parser<Operation> = (input) => {
    const operator = searchOperator(input);
    if (operator === FAIL) return FAIL;
    const configuration = language(input);
    if (configuration === FAIL || delimiter(input) === FAIL) return FAIL;
    const text = value(input);
    return text === FAIL ? FAIL : { kind: 'search', operator, language: configuration, value: text };
  };
  const simpleOperation: Parser<Operation> = (input) => {
    const operator = simpleOperator(input);
    if (operator === FAIL || delimiter(input) === FAIL) return FAIL;
    const text = value(input);
    return text === FAIL ? FAIL : { kind: 'simple', operator, value: text };
  };
  const quantifiedOperation: Parser<Operation> = (input) => {
    const operator = quantifiedOperator(input);
    if (operator === FAIL) return FAIL;
    const modifier = quantifier(input);
    if (modifier === FAIL || delimiter(input) === FAIL) return FAIL;
    const text = value(input);
    return text === FAIL ? FAIL : { kind: 'quantified', operator, quantifier: modifier, value: text };
  };

  const operation = label(
    'operator (eq, gt, ...)',
    choice(
      inOperation,
      isOperation,
      distinctOperation,
      attempt(searchOperation),
      attempt(simpleOperation),
      attempt(quantifiedOperation),
    ),
  );

  return (input) => {
    const negated = notPrefix(input);
    if (negated === FAIL) return FAIL;
    const result = operation(input);
    return result === FAIL ? FAIL : { negated, operation: result };
  };
}

/** Parses the value of a filter parameter: `eq.5`. */
export const filterValue = operatorExpression(plainValue);

const openBrace = string('{');
const closeBrace = string('}');
const bareInBraces = joined(noneOf('{}'));

const bracedValue: Parser<string> = attempt((input) => {
  if (openBrace(input) === FAIL) return FAIL;
  const inner = bareInBraces(input);
  return inner === FAIL || closeBrace(input) === FAIL ? FAIL : `{${inner}}`;
});

/** Parses a value inside a logic tree: quoted, an array literal, or text up to the next comma or parenthesis. */
const logicValue: Parser<string> = choice(wholeQuotedValue, bracedValue, bareValue);

const logicExpression = operatorExpression(logicValue);

const logicFilter: Parser<Filter> = attempt((input) => {
  const column = field(input);
  if (column === FAIL || delimiter(input) === FAIL) return FAIL;
  const expression = logicExpression(input);
  return expression === FAIL ? FAIL : { kind: 'filter', field: column, ...expression };
});

const negation = label(
  'negation operator (not)',
  option(
    map(prefix('not'), () => true),
    false,
  ),
);

const logicOperator: Parser<'and' | 'or'> = label(
  'logic operator (and, or)',
  choice<'and' | 'or'>(
    map(attempt(string('and')), () => 'and' as const),
    map(string('or'), () => 'or' as const),
  ),
);

const children: Parser<LogicTree[]> = nested(
  between(
    lexeme(char('(')),
    lexeme(char(')')),
    sepBy1<LogicTree>((input) => logicTree(input), lexeme(char(','))),
  ),
);

const logicGroup: Parser<LogicTree> = (input) => {
  const negated = negation(input);
  if (negated === FAIL) return FAIL;
  const kind = logicOperator(input);
  if (kind === FAIL) return FAIL;
  const trees = children(input);
  return trees === FAIL ? FAIL : { kind, negated, children: trees };
};

/** Parses a logic tree: `and(a.eq.1,or(b.gt.2,not.and(…)))`. */
export const logicTree: Parser<LogicTree> = choice<LogicTree>(logicFilter, logicGroup);

/** Parses the name of a logic parameter, `a.b.not.or`: the embedded relations, then the operator. */
export const logicPath: Parser<{ path: string[]; operator: string }> = (input) => {
  const names = dottedNames(input);
  if (names === FAIL) return FAIL;
  const operator = names[names.length - 1] ?? '';
  return {
    path: names.slice(0, -1).filter((name) => name !== 'not'),
    operator: names.includes('not') ? `not.${operator}` : operator,
  };
};
