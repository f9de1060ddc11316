import type { Rule } from '../../../../contract/specification.ts';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import { readCondition } from '../../../sql-reader/condition.ts';
import type { Expression } from '../../../sql-reader/tree.ts';
import { allowedElements, allowedKinds, allowedLengths, allowedValue, inItsCase } from './allowed-values.ts';

/** Max number of dimensions of a vector whose example is complete. */
const SHORT_VECTOR = 16;

/** The properties of a field that determine an example value. */
type Typed = Pick<Field, 'name' | 'type'> & Partial<Pick<Field, 'base_type' | 'enum_values' | 'attributes'>>;

/**
 * Returns example values by the name of the field. They satisfy the rules of a single field as far as these can be
 * analysed.
 * @param rules The rules of the entity.
 */
export const fieldExamples = ({ fields }: Entity, rules: readonly Rule[]): [field: string, example: unknown][] =>
  fields.map((field) => [
    field.name,
    exampleOf(
      field,
      rules.filter((rule) => rule.fields.join() === field.name),
    ),
  ]);

/**
 * Returns example values for arguments by their type. They satisfy the rules of the type. A row has null in all of its
 * fields.
 */
export const typeExamples = (
  types: readonly string[],
  entities: readonly Entity[],
  rules: readonly Rule[],
): [type: string, example: unknown][] =>
  types.map((documented) => {
    // A call passes the elements of a variadic argument one by one, so the example is one element.
    const type = documented.replace(/\[\], any number of them$/, '');
    const row = entities.find(({ id }) => id === type);
    if (row) return [type, withoutValues(row.fields)];
    for (const { id, fields } of entities) {
      const field = fields.find((one) => one.type === type);
      // The example is a value of the type, not a field of a table. So the rules of tables do not apply.
      const asked = rules.filter(
        (rule) => rule.entity === id && rule.fields.join() === field?.name && ofDomain.test(rule.sql),
      );
      if (field) return [type, exampleOf({ ...field, name: '' }, asked)];
    }
    return [type, exampleOf({ name: '', type }, [])];
  });

/** Matches a constraint such as `CHECK ((…))`. In a check of a domain, the name of the domain comes first. */
const aCheck = /^(.*?)\bCHECK (\(.*\))[A-Z ]*$/s;
const ofDomain = /^\S.* CHECK \(/s;

/** Returns a value that a field accepts; for an enum its first value. */
function exampleOf(field: Typed, rules: readonly Rule[]): unknown {
  const whole = field.base_type ?? field.type;
  const type = whole.replace(/\(.*\)/, '');
  if (field.attributes !== undefined && !type.endsWith('[]')) return withoutValues(field.attributes);
  if (field.enum_values?.[0] !== undefined && !type.endsWith('[]')) return field.enum_values[0];
  const checks = rules.flatMap(({ sql }): [Expression, string][] => {
    const [, domain = '', condition] = aCheck.exec(sql) ?? [];
    return condition === undefined ? [] : [[readCondition(condition), domain === '' ? field.name : 'VALUE']];
  });
  if (type.endsWith('[]')) {
    const { count, among } = allowedElements(checks);
    const bare = type.slice(0, -2);
    const usual = field.attributes ? withoutValues(field.attributes) : (examples[bare] ?? 'text');
    return Array(count).fill(among ?? field.enum_values?.[0] ?? usual);
  }
  const kinds = allowedKinds(checks);
  if (kinds.length > 0) return ofKind[kinds.find((kind) => kind !== 'null') ?? 'null'];
  const [, dimensions] = /(?:^|\.)(?:vector|halfvec)\((\d+)\)$/.exec(whole) ?? [];
  if (dimensions !== undefined) return vectorOf(Number(dimensions));
  const bits = /^bit\((\d+)\)$/.exec(whole);
  if (bits) return '1'.padEnd(Number(bits[1]), '0');
  const usual = Object.hasOwn(examples, type) ? examples[type] : /mail/i.test(field.name) ? 'ada@example.org' : 'text';
  const size = Number(/^character(?: varying)?\((\d+)\)$/.exec(whole)?.[1] ?? Number.POSITIVE_INFINITY);
  for (const [check, name] of checks) {
    const allowed = allowedValue(check, name, usual);
    if (allowed !== null)
      return typeof usual === 'number' ? Number(allowed) : inItsCase(checks, allowed.slice(0, size));
  }
  if (Object.hasOwn(examples, type) || typeof usual !== 'string') return usual;
  const bounds = checks.map(([check, name]) => allowedLengths([check], name));
  const min = Math.max(0, ...bounds.map(([one]) => one));
  const made = usual.padEnd(min, '-').slice(0, Math.min(size, ...bounds.map(([, max]) => max)));
  return inItsCase(checks, made);
}

/** Returns the text of a vector with some dimensions. A long one is shortened, so it is not a valid value. */
const vectorOf = (dimensions: number): string =>
  dimensions <= SHORT_VECTOR
    ? `[${Array(dimensions).fill('0.5').join(',')}]`
    : `[0.5,…,0.5] with ${dimensions} numbers`;

const withoutValues = (parts: readonly { name: string }[]): object =>
  Object.fromEntries(parts.map(({ name }) => [name, null]));

/** Example values for each kind of JSON value that jsonb_typeof returns. */
const ofKind: Readonly<Record<string, unknown>> = {
  ...{ object: {}, array: [], string: 'text', number: 1, boolean: true, null: null },
};

const examples: Readonly<Record<string, unknown>> = {
  smallint: 1,
  integer: 1,
  bigint: 1,
  numeric: 1,
  real: 1,
  'double precision': 1,
  money: '1.00',
  boolean: true,
  uuid: '00000000-0000-0000-0000-000000000000',
  json: {},
  jsonb: {},
  date: '2026-01-31',
  'time without time zone': '12:00',
  'time with time zone': '12:00Z',
  'timestamp without time zone': '2026-01-31T12:00:00',
  'timestamp with time zone': '2026-01-31T12:00:00Z',
  interval: '1 day',
  inet: '192.0.2.1',
  cidr: '192.0.2.0/24',
  macaddr: '02:00:00:00:00:01',
  bytea: '\\x00',
  point: '(0,0)',
  int4range: '[1,2)',
  int8range: '[1,2)',
  numrange: '[1,2)',
  daterange: '[2026-01-01,2026-02-01)',
  tstzrange: '[2026-01-01T00:00:00Z,2026-02-01T00:00:00Z)',
  bit: '1',
  'bit varying': '1',
  xml: '<a/>',
  macaddr8: '02:00:00:00:00:00:00:01',
  line: '{1,-1,0}',
  lseg: '[(0,0),(1,1)]',
  box: '(1,1),(0,0)',
  path: '((0,0),(1,1))',
  polygon: '((0,0),(1,0),(1,1))',
  circle: '<(0,0),1>',
  tsrange: '[2026-01-01T00:00:00,2026-02-01T00:00:00)',
  int4multirange: '{[1,2)}',
  int8multirange: '{[1,2)}',
  nummultirange: '{[1,2)}',
  datemultirange: '{[2026-01-01,2026-02-01)}',
  tsmultirange: '{[2026-01-01T00:00:00,2026-02-01T00:00:00)}',
  tstzmultirange: '{[2026-01-01T00:00:00Z,2026-02-01T00:00:00Z)}',
  jsonpath: '$',
  oid: 1,
  pg_lsn: '0/1',
};
