import type { Expression, Operand, Source, Subquery } from './tree.ts';

/**
 * The types of fields, as far as they determine the meaning of a condition. Fields of a relation in a subquery have the
 * name `alias.name`.
 */
export interface FieldTypes {
  /** Names of the fields with dates and times. */
  times: ReadonlySet<string>;
  /** Names of the fields with composite values. */
  composites: ReadonlySet<string>;
  /** The type of each field as PostgreSQL prints it, without its modifier. For a domain, its base type. */
  types: ReadonlyMap<string, string>;
  /** Returns the fields of another relation that a subquery reads. */
  relation?: (schema: string, name: string) => FieldTypes | undefined;
}

export const unknown: FieldTypes = { times: new Set(), composites: new Set(), types: new Map() };

/**
 * Builds the field types from the names and types of fields.
 * @param composites Names of the fields with composite values.
 */
export function fieldTypesOf(
  fields: readonly [name: string, type: string][],
  composites: readonly string[] = [],
): FieldTypes {
  const types = new Map(fields.map(([name, type]) => [name, type.replace(/\(\d+(,-?\d+)?\)/, '')]));
  const times = [...types].filter(([, type]) => aTime.test(type)).map(([name]) => name);
  return { times: new Set(times), composites: new Set(composites), types };
}

const aTime = /^(date|time|timestamp)\b(?!.*\[\])/;

/**
 * Adds the meaning that depends on types: comparisons of times, casts that do not change a value, and functions of
 * ranges. Tests whether a composite value is null are left as SQL.
 */
export function withTypes(expression: Expression, fieldTypes: FieldTypes): Expression {
  const inner = (item: Expression) => withTypes(item, fieldTypes);
  const value = (operand: Operand) => typed(operand, fieldTypes);
  switch (expression.kind) {
    case 'and':
    case 'or':
      return { ...expression, items: expression.items.map(inner) };
    case 'not':
    case 'is':
      return { ...expression, item: inner(expression.item) };
    case 'alike':
      return { ...expression, left: inner(expression.left), right: inner(expression.right) };
    case 'case': {
      const branches = expression.branches.map(({ when, gives }) => ({ when: inner(when), gives: inner(gives) }));
      return { ...expression, branches, otherwise: inner(expression.otherwise) };
    }
    case 'compare': {
      const [left, right] = [value(expression.left), value(expression.right)];
      const { operator, text } = expression;
      if ((operator === '=' || operator === '<>') && isFlag(left, fieldTypes) && isFlag(right, fieldTypes)) {
        const [one, other] = [left, right].map((operand): Expression => ({ kind: 'holds', operand, text }));
        if (one && other) return { kind: 'alike', left: one, right: other, negated: operator === '<>', text };
      }
      const ofTimes = [left, right].some((side) => isTime(side, fieldTypes));
      return { ...expression, left, right, ...(ofTimes && { ofTimes }) };
    }
    case 'distinct':
    case 'relates':
      return { ...expression, left: value(expression.left), right: value(expression.right) };
    case 'one-of':
    case 'holds':
      return { ...expression, operand: value(expression.operand) };
    case 'exists':
      return { ...expression, query: inQuery(expression.query, fieldTypes) };
    case 'in':
      return { ...expression, operand: value(expression.operand), query: inQuery(expression.query, fieldTypes) };
    case 'null':
      return isComposite(expression.operand, fieldTypes)
        ? { kind: 'opaque', text: expression.text }
        : { ...expression, operand: value(expression.operand) };
    default:
      return expression;
  }
}

/** Adds the types to the conditions of a subquery: to the fields of its own relations, and to fields of outer rows. */
function inQuery(query: Subquery, fieldTypes: FieldTypes): Subquery {
  const within = query.sources ? withSources(query.sources, fieldTypes) : fieldTypes;
  const inner = (item: Expression) => withTypes(item, within);
  return {
    ...query,
    where: inner(query.where),
    on: query.on.map(inner),
    value: query.value && typed(query.value, within),
  };
}

function withSources(sources: readonly Source[], fieldTypes: FieldTypes): FieldTypes {
  return sources.reduce((within, source) => {
    const read = source.kind === 'relation' ? fieldTypes.relation?.(source.schema, source.name) : undefined;
    return read ? withAlias(within, source.alias, read) : within;
  }, fieldTypes);
}

/** Adds the fields of a relation under the names that they have in the conditions of a subquery: `alias.name`. */
export function withAlias(fieldTypes: FieldTypes, alias: string, read: FieldTypes): FieldTypes {
  const named = (name: string): string => `${alias}.${name}`;
  return {
    ...fieldTypes,
    times: new Set([...fieldTypes.times, ...[...read.times].map(named)]),
    composites: new Set([...fieldTypes.composites, ...[...read.composites].map(named)]),
    types: new Map([...fieldTypes.types, ...[...read.types].map(([name, type]) => [named(name), type] as const)]),
  };
}

/** Returns the type of a field. */
const typeOf = (operand: Operand, { types }: FieldTypes): string | undefined =>
  operand.kind === 'field' ? types.get(keyOf(operand)) : undefined;

const keyOf = ({ name, qualifier }: { name: string; qualifier: string | null }): string =>
  qualifier === null ? name : `${qualifier}.${name}`;

const isFlag = (operand: Operand, fieldTypes: FieldTypes): boolean => typeOf(operand, fieldTypes) === 'boolean';

/**
 * Returns true for a composite value. An attribute of an attribute counts as composite, because its type is not known.
 */
function isComposite(operand: Operand, { composites }: FieldTypes): boolean {
  if (operand.kind === 'field') return composites.has(keyOf(operand));
  if (operand.kind !== 'attribute') return false;
  return operand.of.kind !== 'field' || composites.has(`${keyOf(operand.of)}.${operand.name}`);
}

/** Returns the operand with calls and casts interpreted by the types of fields. */
export function typed(operand: Operand, fieldTypes: FieldTypes): Operand {
  const inner = (one: Operand) => typed(one, fieldTypes);
  switch (operand.kind) {
    case 'cast': {
      const type = typeOf(operand.of, fieldTypes);
      const isSame = type !== undefined && (type === operand.type || (whole.test(type) && whole.test(operand.type)));
      return isSame ? operand.of : { ...operand, of: inner(operand.of) };
    }
    case 'formula': {
      const [left, right] = [inner(operand.left), inner(operand.right)];
      const isExact = hasFractions(left, fieldTypes) || hasFractions(right, fieldTypes);
      const isWhole = isInteger(left, fieldTypes) && isInteger(right, fieldTypes);
      return { ...operand, left, right, ...(isExact && { isExact }), ...(isWhole && { isWhole }) };
    }
    case 'list':
      return { ...operand, values: operand.values.map(inner) };
    case 'call': {
      const [first, ...more] = operand.arguments;
      const type = first && more.length === 0 ? typeOf(first, fieldTypes) : undefined;
      const name = (type === undefined ? undefined : namesOf(type)?.[operand.name]) ?? operand.name;
      // The function gets another name if its argument is an interval: date_part('day', …) of an interval is a number
      // of days, and not a day of a month.
      const isLength = name === 'date_part' && more.some((one) => isOf(one, /^interval/, fieldTypes));
      if (isLength) return { ...operand, name: 'date_part of an interval' };
      return { ...operand, name, arguments: operand.arguments.map(inner) };
    }
    case 'joined':
      return { ...operand, parts: operand.parts.map(inner) };
    case 'choice': {
      const branches = operand.branches.map(({ when, gives }) => ({
        when: withTypes(when, fieldTypes),
        gives: inner(gives),
      }));
      return { ...operand, branches, otherwise: operand.otherwise && inner(operand.otherwise) };
    }
    case 'query':
      return { ...operand, query: inQuery(operand.query, fieldTypes) };
    default:
      return operand;
  }
}

/** Matches integer types. A cast between them does not change the number. */
const whole = /^(smallint|integer|bigint)$/;

const isOf = (operand: Operand, type: RegExp, fieldTypes: FieldTypes): boolean =>
  type.test(typeOf(operand, fieldTypes) ?? '');

/**
 * Returns true for a value that is an integer. A formula of integers is an integer too, because PostgreSQL computes it
 * so.
 */
function isInteger(operand: Operand, fieldTypes: FieldTypes): boolean {
  if (operand.kind === 'formula') return operand.isWhole ?? false;
  if (operand.kind === 'literal') return !operand.quoted && /^-?\d+$/.test(operand.value) && operand.type === undefined;
  return operand.kind === 'cast' ? whole.test(operand.type) : isOf(operand, whole, fieldTypes);
}

/** Returns true if a number may have a fraction. */
function hasFractions(operand: Operand, fieldTypes: FieldTypes): boolean {
  if (operand.kind === 'formula') return operand.isExact ?? false;
  if (operand.kind === 'literal') return /^-?\d*\.\d+$/.test(operand.value);
  return operand.kind === 'cast' ? fractions.test(operand.type) : isOf(operand, fractions, fieldTypes);
}

const fractions = /^(numeric|real|double precision)\b(?!.*\[\])/;

/**
 * Returns names for the functions `lower`, `upper` and `length` that fit a value of this type; null for other types.
 */
function namesOf(type: string): Readonly<Record<string, string>> | null {
  if (type === 'bytea') return { length: 'octet_length' };
  if (type === 'tsvector') return { length: 'the number of lexemes' };
  if (/^(date|ts|tstz)(multi)?range$/.test(type)) return { lower: 'the start', upper: 'the end' };
  if (/(multi)?range$/.test(type)) return { lower: 'the lower bound', upper: 'the upper bound' };
  return /^(text|character varying|character)$/.test(type) ? { lower: 'lower case', upper: 'upper case' } : null;
}

function isTime(operand: Operand, fieldTypes: FieldTypes): boolean {
  switch (operand.kind) {
    case 'field':
      return fieldTypes.times.has(keyOf(operand));
    case 'moment':
      return true;
    case 'cast':
      return aTime.test(operand.type);
    case 'formula':
      // Only a time plus or minus an interval is a time. The difference of two times is an interval.
      return operand.right.kind === 'literal' && operand.right.type === 'interval' && isTime(operand.left, fieldTypes);
    case 'call': {
      const [, second] = operand.arguments;
      if (operand.name === 'the start' || operand.name === 'the end') return true;
      return operand.name === 'date_trunc' && second !== undefined && isTime(second, fieldTypes);
    }
    default:
      return false;
  }
}
