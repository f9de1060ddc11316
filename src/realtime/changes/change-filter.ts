import { NinefoldError } from '../../errors/ninefold-error.ts';

/** Operators of filters and their SQL (https://supabase.com/docs/guides/realtime/postgres-changes#available-filters). */
const operators = {
  eq: '=',
  neq: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  in: 'in',
  like: '~~',
  ilike: '~~*',
  is: 'is',
  match: '~',
  imatch: '~*',
  isdistinct: 'is distinct from',
} as const;

export type FilterOperator = keyof typeof operators;

/** One condition of a filter: `status=not.in.(draft,archived)`. */
export interface FilterCondition {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly isNegated: boolean;
  /** The value, or the values of `in`. */
  readonly values: readonly string[];
}

/** Returns the SQL of an operator. */
export const operatorSql = (operator: FilterOperator): string => operators[operator];

const isValues = ['null', 'true', 'false', 'unknown'];

/**
 * Parses a filter of postgres_changes. Commas join conditions that must all hold.
 * @throws NinefoldError RealtimeDisabledForConfiguration
 */
export function readFilter(text: string): FilterCondition[] {
  return text.trim() === '' ? [] : splitAtCommas(text).map((part) => readCondition(part.trim()));
}

function readCondition(text: string): FilterCondition {
  const equals = text.indexOf('=');
  const column = text.slice(0, equals).trim();
  const isNegated = text.startsWith('not.', equals + 1);
  const rest = text.slice(equals + (isNegated ? 5 : 1));
  const dot = rest.indexOf('.');
  const operator = rest.slice(0, dot);
  if (equals < 1 || column === '' || dot < 1 || !Object.hasOwn(operators, operator)) throw unreadable(text);
  const known = operator as FilterOperator;
  const values = readValues(known, rest.slice(dot + 1), text);
  if ((known === 'match' || known === 'imatch') && values.some(hasBackReference)) throw unreadable(text);
  return { column, operator: known, isNegated, values };
}

/**
 * Returns true if a pattern may refer back to one of its groups. Only such patterns can take exponential time (PostgreSQL,
 * src/backend/regex/README).
 */
const hasBackReference = (pattern: string): boolean => /\\[1-9]/.test(pattern);

function readValues(operator: FilterOperator, value: string, text: string): string[] {
  if (operator === 'is') {
    const lower = value.toLowerCase();
    if (!isValues.includes(lower)) throw unreadable(text);
    return [lower];
  }
  if (operator !== 'in') return [unquote(value)];
  if (!value.startsWith('(') || !value.endsWith(')')) throw unreadable(text);
  return splitAtCommas(value.slice(1, -1)).map((each) => unquote(each.trim()));
}

/** Splits at the commas outside of quotes and brackets. */
function splitAtCommas(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === '\\') at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === '(') depth++;
    else if (!isQuoted && character === ')') depth--;
    else if (!isQuoted && depth === 0 && character === ',') {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

const unquote = (value: string): string =>
  value.length > 1 && value.startsWith('"') && value.endsWith('"')
    ? value.slice(1, -1).replace(/\\(.)/gs, '$1')
    : value;

const unreadable = (text: string) =>
  new NinefoldError('RealtimeDisabledForConfiguration', {
    message: `Error parsing \`filter\` params: ${JSON.stringify(text)}`,
  });
