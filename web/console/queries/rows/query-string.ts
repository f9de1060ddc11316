import type { Field } from '../../../../contract/specification-entities.ts';
import { containing, oneOf, orderWithKey, type Parameter, quoted, quotedText } from '../../../rows/query.ts';
import { kindOf } from '../../values/field-kind.ts';
import { type Filter, type Operator, operatorTakes } from './filter.ts';
import type { Sort } from './row.ts';

/**
 * Writes rows, filters and orders as a PostgREST query (docs.postgrest.org, "Tables and Views"). Pure.
 */

/** Returns the `select` that reads every field as text, as PostgreSQL prints it. */
export const selectOf = (fields: readonly string[]): string => fields.map((name) => `${quoted(name)}::text`).join(',');

/** Returns the chosen order followed by the key. */
export function orderOf(sort: Sort | null, key: readonly string[]): string {
  const chosen = sort && { text: `${quoted(sort.field)}.${sort.descending ? 'desc' : 'asc'}`, field: sort.field };
  return orderWithKey(chosen ? [chosen] : [], key);
}

/** Returns the query parameter that selects the rows in which one of the fields contains the text; null if there are no fields. */
export const searchParameter = (fields: readonly string[], text: string): Parameter | null =>
  fields.length === 0 ? null : ['or', `(${fields.map((name) => containing(name, text.trim())).join(',')})`];

/** The number of digits that fit into each type of whole numbers. A longer number would be an error. */
const digits: Readonly<Record<string, number>> = { smallint: 4, integer: 9, bigint: 18 };
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the query parameter that selects the rows in which any field contains the text, or is the number or the id. */
export function anywhereParameter(fields: readonly Field[], text: string): Parameter {
  const value = text.trim();
  const conditions = fields.flatMap((field): string[] => {
    const name = quoted(field.name);
    switch (kindOf(field)) {
      case 'text':
        return [containing(field.name, value)];
      case 'enum': {
        const found = field.enum_values?.filter((each) => each.toLowerCase().includes(value.toLowerCase())) ?? [];
        return found.length === 0 ? [] : [`${name}.${oneOf(found)}`];
      }
      case 'integer':
        return /^-?\d+$/.test(value) && value.replace('-', '').length <= (digits[field.type] ?? 0)
          ? [`${name}.eq.${value}`]
          : [];
      case 'decimal':
        return /^-?\d+(\.\d+)?$/.test(value) ? [`${name}.eq.${value}`] : [];
      case 'uuid':
        return UUID.test(value) ? [`${name}.eq.${value}`] : [];
      default:
        return [];
    }
  });
  // The empty list selects no row.
  return conditions.length === 0 ? [quoted(fields[0]?.name ?? ''), oneOf([])] : ['or', `(${conditions.join(',')})`];
}

const plain: Partial<Record<Operator, string>> = {
  eq: 'eq',
  neq: 'neq',
  gt: 'gt',
  gte: 'gte',
  lt: 'lt',
  lte: 'lte',
  after: 'gt',
  from: 'gte',
  before: 'lt',
  until: 'lte',
  like: 'like',
  ilike: 'ilike',
  contains: 'cs',
  matches: 'wfts',
};

const fixed: Partial<Record<Operator, string>> = {
  true: 'is.true',
  false: 'is.false',
  null: 'is.null',
  'not-null': 'not.is.null',
};

/** Returns a filter as name and value of a query parameter. */
export function filterParameter({ field, operator, value }: Filter): Parameter {
  const name = quoted(field);
  const whole = fixed[operator];
  if (whole !== undefined) return [name, whole];
  if (operator === 'in') return [name, oneOf(listOf(value))];
  if (operator === 'not-in') return [name, `not.${oneOf(listOf(value))}`];
  if (operator === 'holds') return [name, `cs.${arrayOf(value)}`];
  if (operator === 'overlaps') return [name, `ov.${arrayOf(value)}`];
  return [name, `${plain[operator] ?? 'eq'}.${value}`];
}

/** Splits a list of values at commas: "open, on hold" → open, on hold. A value in quotes may contain commas. */
export function listOf(text: string): string[] {
  const parts = text.match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? [];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) =>
      part.length > 1 && part.startsWith('"') && part.endsWith('"') ? part.slice(1, -1).replace(/\\(.)/g, '$1') : part,
    );
}

const arrayOf = (text: string): string =>
  text.trim().startsWith('{') ? text.trim() : `{${listOf(text).map(quotedText).join(',')}}`;

/** Returns true if a filter has the value that its operator needs, so that it can be sent. */
export const isComplete = ({ operator, value }: Filter): boolean =>
  operatorTakes(operator) === 'nothing' ||
  (operatorTakes(operator) === 'list' ? listOf(value).length > 0 : value !== '');

/**
 * Divides keys into portions whose query parameters fit into an address. The length includes the characters that
 * `keysParameter` adds to each value.
 */
export function portions(
  fields: readonly string[],
  keys: readonly (readonly string[])[],
  characters = 8000,
): (readonly string[])[][] {
  const around =
    fields.length === 1 ? 12 : fields.reduce((sum, field) => sum + encodeURIComponent(field).length + 32, 16);
  const all: (readonly string[])[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    const length = encodeURIComponent(key.join()).length + around;
    if (size + length > characters) {
      all.push([]);
      size = 0;
    }
    size += length;
    all.at(-1)?.push(key);
  }
  return all;
}
