/** A value that a field of this type takes, for snippets; the first value of an enum. */
export function exampleOf(field: { type: string; base_type?: string | null; enum_values?: string[] | null }): unknown {
  const type = (field.base_type ?? field.type).replace(/\(.*\)/, '');
  if (type.endsWith('[]')) return [];
  if (field.enum_values?.[0] !== undefined) return field.enum_values[0];
  return type in examples ? examples[type] : 'text';
}

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
};
