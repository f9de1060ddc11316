import { quoteIdentifier, quoteLiteral } from '../database/statement.ts';

/**
 * The text that means the id of the caller in the filter of a screen, as in a policy: `customer=eq.auth.uid()`. Clients
 * receive the filter with the id.
 */
export const CALLER_ID = 'auth.uid()';

/** An id with which a condition on the id of the caller is tested. */
const ANY_ID = '00000000-0000-0000-0000-000000000000';

/**
 * One condition of a screen's filter or one term of its order, as the SQL of a data request (PostgREST docs,
 * "Horizontal Filtering").
 */
export interface ScreenCondition {
  /** The condition as the app has defined it. */
  shown: string;
  /** SQL clause after FROM. */
  sql: string;
}

/**
 * The columns of a relation and how a request searches them. `unread`: parsing a value of the column's type could run
 * code of the app, so no condition on the column is tested.
 */
export type ScreenColumns = Readonly<Record<string, 'plain' | 'tsvector' | 'json' | 'unread'>>;

/**
 * Returns the conditions of a filter on columns of the relation itself. Conditions that the API does not support are
 * left out.
 */
export function filterConditions(filter: string, columns: ScreenColumns): ScreenCondition[] {
  return [...new URLSearchParams(filter)].flatMap(([name, value]) => {
    if (/^(not\.)?(and|or)$/.test(name)) return logicConditions(value, columns);
    return conditionOf(`${name}=${value}`, name, value, columns);
  });
}

/**
 * Returns the terms of an order on columns of the relation itself. Terms that the API does not support are left out.
 */
export function orderConditions(order: string, columns: ScreenColumns): ScreenCondition[] {
  return order.split(',').flatMap((term) => {
    const [, name = ''] = /^((?:"[^"]*"|[^".(])+)(?:\.(?:asc|desc|nullsfirst|nullslast))*$/.exec(term.trim()) ?? [];
    const field = fieldText(name, columns);
    return field === null ? [] : [{ shown: term.trim(), sql: `ORDER BY ${field}` }];
  });
}

/** Parses a nested condition such as `(a.eq.1,or(b.gt.2,…))`. */
function logicConditions(text: string, columns: ScreenColumns): ScreenCondition[] {
  const trimmed = text.trim();
  if (!trimmed.startsWith('(') || !trimmed.endsWith(')')) return [];
  return listed(trimmed.slice(1, -1)).flatMap((part) => {
    const [, group] = /^(?:not\.)?(?:and|or)(\(.*\))$/s.exec(part) ?? [];
    if (group !== undefined) return logicConditions(group, columns);
    const [, name, value] = /^((?:"[^"]*"|[^".])+)\.(.*)$/s.exec(part) ?? [];
    return name === undefined || value === undefined ? [] : conditionOf(part, name, withoutQuotes(value), columns);
  });
}

/** Splits a string at commas outside of quotes, brackets and braces. */
function listed(text: string): string[] {
  const parts: string[] = [];
  let [start, depth, isQuoted] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (isQuoted && c === '\\') i++;
    else if (c === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (c === '(' || c === '{') depth++;
    else if (c === ')' || c === '}') depth--;
    else if (c === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}

/** Removes the quotes of a value: `eq."a,b"`. */
const withoutQuotes = (value: string): string =>
  value.replace(
    /^((?:not\.)?\w+(?:\(\w+\))?\.)(".*")$/s,
    (_, operator: string, quoted: string) => operator + bare(quoted),
  );

const bare = (value: string): string =>
  /^".*"$/s.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/gs, '$1') : value;

function conditionOf(shown: string, name: string, value: string, columns: ScreenColumns): ScreenCondition[] {
  const field = fieldText(name, columns);
  const [, operator = '', modifier, operand = ''] =
    /^(?:not\.)?(\w+)(?:\((\w+)\))?\.(.*)$/s.exec(value.replaceAll(CALLER_ID, ANY_ID)) ?? [];
  const isFollowed = name.includes('->');
  if (field === null || (columns[columnOf(name)] === 'unread' && !isFollowed)) return [];
  const isVector = columns[columnOf(name)] === 'tsvector' && !isFollowed;
  const test = testOf(field, isVector, operator, modifier, operand);
  return test === null ? [] : [{ shown, sql: `WHERE ${test}` }];
}

/** Returns the column of `column->path`, without quotes. */
const columnOf = (name: string): string => bare(name.replace(/->.*$/s, '').trim());

/**
 * Returns SQL with a column or a path in it; null if the relation has no such column. A column with a path whose type
 * is not json is converted to jsonb, as in a request.
 */
function fieldText(name: string, columns: ScreenColumns): string | null {
  const column = columnOf(name);
  if (!Object.hasOwn(columns, column)) return null;
  const steps = [...name.matchAll(/(->>?)((?:(?!->).)*)/gs)];
  if (steps.length === 0) return quoteIdentifier(column);
  const path = steps.map(([, arrow, key = '']) => `${arrow}${/^-?\d{1,9}$/.test(key) ? key : quoteLiteral(bare(key))}`);
  const followed = columns[column] === 'json' ? quoteIdentifier(column) : `to_jsonb(${quoteIdentifier(column)})`;
  return `(${followed}${path.join('')})`;
}

const operators: Readonly<Record<string, string>> = {
  ...{
    eq: '=',
    neq: '<>',
    gt: '>',
    gte: '>=',
    lt: '<',
    lte: '<=',
    like: 'LIKE',
    ilike: 'ILIKE',
    match: '~',
    imatch: '~*',
  },
  ...{
    cs: '@>',
    cd: '<@',
    ov: '&&',
    sl: '<<',
    sr: '>>',
    nxr: '&<',
    nxl: '&>',
    adj: '-|-',
    isdistinct: 'IS DISTINCT FROM',
  },
};

const searches: Readonly<Record<string, string>> = {
  fts: 'to_tsquery',
  plfts: 'plainto_tsquery',
  phfts: 'phraseto_tsquery',
  wfts: 'websearch_to_tsquery',
};

const isWord = /^(null|not_null|true|false|unknown)$/i;

/**
 * Returns the test of a request with its values as literals, which PostgreSQL parses when it prepares the statement;
 * null for an unknown operator.
 */
function testOf(
  field: string,
  isVector: boolean,
  operator: string,
  modifier: string | undefined,
  operand: string,
): string | null {
  if (operator === 'is') return isWord.test(operand) ? `${field} IS ${operand.replace('_', ' ')}` : null;
  if (operator === 'in') {
    const list = listed(operand.trim().replace(/^\((.*)\)$/s, '$1')).map(bare);
    return `${field} = ANY(${quoteLiteral(arrayOf(list))})`;
  }
  const search = searches[operator];
  if (search !== undefined) {
    const language = modifier === undefined ? '' : `${quoteLiteral(modifier)}::regconfig, `;
    const searched = isVector ? field : `to_tsvector(${language}${field})`;
    return `${searched} @@ ${search}(${language}${quoteLiteral(operand)})`;
  }
  const symbol = operators[operator];
  if (symbol === undefined) return null;
  const value = quoteLiteral(operand);
  if (modifier === undefined) return `${field} ${symbol} ${value}`;
  return `${field} ${symbol} ${modifier === 'all' ? 'ALL' : 'ANY'}(${value})`;
}

const arrayOf = (values: readonly string[]): string =>
  values.length === 1 && values[0] === ''
    ? '{}'
    : `{${values.map((value) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`;
