import type { Field } from '../../../contract/specification-entities.ts';

/** The kind of value that a type has, as far as the console treats kinds differently. */
export type FieldKind =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'boolean'
  | 'enum'
  | 'uuid'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'json'
  | 'bytes'
  | 'array'
  | 'range'
  | 'search'
  | 'vector'
  | 'other';

const kinds: Readonly<Record<string, FieldKind>> = {
  text: 'text',
  character: 'text',
  'character varying': 'text',
  name: 'text',
  citext: 'text',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  numeric: 'decimal',
  real: 'decimal',
  'double precision': 'decimal',
  boolean: 'boolean',
  uuid: 'uuid',
  date: 'date',
  'timestamp without time zone': 'timestamp',
  'timestamp with time zone': 'timestamptz',
  json: 'json',
  jsonb: 'json',
  bytea: 'bytes',
  int4range: 'range',
  int8range: 'range',
  numrange: 'range',
  daterange: 'range',
  tsrange: 'range',
  tstzrange: 'range',
  tsvector: 'search',
  vector: 'vector',
  halfvec: 'vector',
  sparsevec: 'vector',
};

/**
 * Removes the modifier of a type: "character varying(120)" → "character varying"; "timestamp(3) with time zone" →
 * "timestamp with time zone".
 */
const withoutModifier = (type: string): string => type.replace(/\([^)]*\)/, '').replace(/\s+/g, ' ');

/** Returns the kind of value for a type that is written as PostgreSQL prints it: "numeric(10,2)", "uuid[]", "extensions.citext". */
export function kindOfType(type: string): FieldKind {
  if (type.endsWith('[]')) return 'array';
  const bare = withoutModifier(type);
  const known = Object.hasOwn(kinds, bare) ? bare : bare.slice(bare.lastIndexOf('.') + 1);
  return Object.hasOwn(kinds, known) ? (kinds[known] ?? 'other') : 'other';
}

/**
 * Returns the kind of value in a field. For a domain, this is the kind of its base type. A text for which a rule lists
 * the values is an enum, too.
 */
export function kindOf(field: Pick<Field, 'type' | 'base_type' | 'enum_values'>): FieldKind {
  const kind = kindOfType(field.base_type ?? field.type);
  return field.enum_values && (kind === 'other' || kind === 'text') ? 'enum' : kind;
}

/** Returns true for kinds that are figures. They are right-aligned with tabular digits. */
export const isFigure = (kind: FieldKind): boolean => kind === 'integer' || kind === 'decimal';

const codes: ReadonlySet<FieldKind> = new Set(['uuid', 'json', 'bytes', 'range', 'array', 'search', 'vector', 'other']);

/** Returns true for kinds that are read letter by letter. They are shown in a monospaced font. */
export const isCode = (kind: FieldKind): boolean => codes.has(kind);

const shortNames: Readonly<Record<string, string>> = {
  'character varying': 'varchar',
  character: 'char',
  smallint: 'int2',
  integer: 'int4',
  bigint: 'int8',
  real: 'float4',
  'double precision': 'float8',
  boolean: 'bool',
  'timestamp without time zone': 'timestamp',
  'timestamp with time zone': 'timestamptz',
  'time without time zone': 'time',
  'time with time zone': 'timetz',
};

/** Returns the short name of a type for the head of a column: "timestamp with time zone" → "timestamptz". */
export function shortType(type: string): string {
  const dimensions = type.endsWith('[]') ? '[]' : '';
  const bare = withoutModifier(dimensions ? type.slice(0, -2) : type);
  return `${Object.hasOwn(shortNames, bare) ? shortNames[bare] : bare.slice(bare.lastIndexOf('.') + 1)}${dimensions}`;
}
