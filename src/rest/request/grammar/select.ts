import type { AggregateFunction, JoinType, SelectField, SelectItem, SelectRelation } from '../api-request.ts';
import { field, fieldName, identifier, lexeme } from './names.ts';
import {
  attempt,
  between,
  char,
  choice,
  eof,
  FAIL,
  lookAhead,
  map,
  nested,
  notFollowedBy,
  option,
  type Parser,
  sepBy,
  string,
} from './parser.ts';

/**
 * Grammar of the parameter `select` (PostgREST docs, "Vertical Filtering", "Resource Embedding", "Aggregate
 * Functions").
 */

const colon = char(':');
const notColon = notFollowedBy(colon);
const exclamation = char('!');
const castSign = string('::');
const star = string('*');
const dots = string('...');
const countCall = string('count()');
const dot = char('.');
const emptyCall = string('()');

const aliasSeparator: Parser<null> = (input) => (colon(input) === FAIL ? FAIL : notColon(input));

const alias: Parser<string | null> = option(
  attempt<string | null>((input) => {
    const name = fieldName(input);
    return name === FAIL || aliasSeparator(input) === FAIL ? FAIL : name;
  }),
  null,
);

type EmbedParameter = { hint: string } | { join: JoinType };

const embedParameterWord = choice<EmbedParameter>(
  map(attempt(string('left')), () => ({ join: 'left' as const })),
  map(attempt(string('inner')), () => ({ join: 'inner' as const })),
  map(attempt(fieldName), (hint) => ({ hint })),
);

const embedParameter: Parser<EmbedParameter | null> = option<EmbedParameter, null>(
  (input) => (exclamation(input) === FAIL ? FAIL : embedParameterWord(input)),
  null,
);

/** Parses `!hint!inner` in either order. */
const embedParameters: Parser<{ hint: string | null; join: JoinType | null }> = (input) => {
  const first = embedParameter(input);
  if (first === FAIL) return FAIL;
  const second = embedParameter(input);
  if (second === FAIL) return FAIL;
  let hint: string | null = null;
  let join: JoinType | null = null;
  for (const parameter of [first, second]) {
    if (parameter && 'hint' in parameter) hint ??= parameter.hint;
    else if (parameter) join ??= parameter.join;
  }
  return { hint, join };
};

const openParenthesis = attempt(lookAhead(string('(')));

type RelationHead = Omit<SelectRelation, 'items'>;

const relationHead: Parser<RelationHead> = lexeme((input) => {
  const as = alias(input);
  if (as === FAIL) return FAIL;
  const name = fieldName(input);
  // `count()` is always the aggregate and never an embedded relation. So this parser fails for the name `count`.
  if (name === FAIL || name === 'count') return FAIL;
  const parameters = embedParameters(input);
  if (parameters === FAIL || openParenthesis(input) === FAIL) return FAIL;
  return { kind: 'relation', name, alias: as, ...parameters, spread: false };
});

const spreadHead: Parser<RelationHead> = lexeme((input) => {
  if (dots(input) === FAIL) return FAIL;
  const name = fieldName(input);
  if (name === FAIL) return FAIL;
  const parameters = embedParameters(input);
  if (parameters === FAIL || openParenthesis(input) === FAIL) return FAIL;
  return { kind: 'relation', name, alias: null, ...parameters, spread: true };
});

const itemEnd = choice<unknown>(attempt(lookAhead(string(')'))), attempt(lookAhead(string(','))), attempt(eof));

const cast: Parser<string | null> = option<string, null>(
  (input) => (castSign(input) === FAIL ? FAIL : identifier(input)),
  null,
);

const aggregateName = choice<AggregateFunction>(
  map(string('sum'), () => 'sum' as const),
  map(string('avg'), () => 'avg' as const),
  map(string('count'), () => 'count' as const),
  map(attempt(string('max')), () => 'max' as const),
  map(attempt(string('min')), () => 'min' as const),
);

const aggregate: Parser<AggregateFunction | null> = option(
  attempt<AggregateFunction | null>((input) => {
    if (dot(input) === FAIL) return FAIL;
    const name = aggregateName(input);
    return name === FAIL || emptyCall(input) === FAIL ? FAIL : name;
  }),
  null,
);

const starItem: Parser<SelectField> = attempt((input) => {
  if (star(input) === FAIL || itemEnd(input) === FAIL) return FAIL;
  return {
    kind: 'field',
    field: { name: '*', path: [] },
    alias: null,
    cast: null,
    aggregate: null,
    aggregateCast: null,
  };
});

const countItem: Parser<SelectField> = attempt((input) => {
  const as = alias(input);
  if (as === FAIL || countCall(input) === FAIL) return FAIL;
  const aggregateCast = cast(input);
  if (aggregateCast === FAIL || itemEnd(input) === FAIL) return FAIL;
  return { kind: 'field', field: { name: '*', path: [] }, alias: as, cast: null, aggregate: 'count', aggregateCast };
});

const columnItem: Parser<SelectField> = (input) => {
  const as = alias(input);
  if (as === FAIL) return FAIL;
  const column = field(input);
  if (column === FAIL) return FAIL;
  const ownCast = cast(input);
  if (ownCast === FAIL) return FAIL;
  const fn = aggregate(input);
  if (fn === FAIL) return FAIL;
  const aggregateCast = cast(input);
  if (aggregateCast === FAIL || itemEnd(input) === FAIL) return FAIL;
  return { kind: 'field', field: column, alias: as, cast: ownCast, aggregate: fn, aggregateCast };
};

const fieldItem = lexeme(choice(starItem, countItem, columnItem));

const itemList: Parser<SelectItem[]> = (input) => items(input);
const parenthesised = nested(between(char('('), char(')'), itemList));

const relationItem = (head: Parser<RelationHead>): Parser<SelectItem> => {
  const start = attempt(head);
  return (input) => {
    const relation = start(input);
    if (relation === FAIL) return FAIL;
    const inner = parenthesised(input);
    return inner === FAIL ? FAIL : { ...relation, items: inner };
  };
};

const items: Parser<SelectItem[]> = sepBy(
  choice<SelectItem>(relationItem(spreadHead), relationItem(relationHead), fieldItem),
  lexeme(char(',')),
);

/** Parses the value of the parameter `select`. */
export const selectList: Parser<SelectItem[]> = items;
