import { identifier } from './text.ts';

/**
 * Types whose usual spelling is SQL grammar rather than a name in pg_type, so that they do not work in quotes
 * (PostgreSQL manual, table "Data Types").
 */
const grammarTypes: Readonly<Record<string, string>> = {
  bigint: 'int8',
  bit: 'bit',
  'bit varying': 'varbit',
  boolean: 'bool',
  char: 'character',
  character: 'character',
  'character varying': 'varchar',
  dec: 'numeric',
  decimal: 'numeric',
  'double precision': 'float8',
  float: 'float8',
  int: 'int4',
  integer: 'int4',
  nchar: 'character',
  'national character': 'character',
  'national character varying': 'varchar',
  real: 'float4',
  smallint: 'int2',
  'time with time zone': 'timetz',
  'time without time zone': 'time',
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
};

/** Returns the type of `::name` in `select` as SQL text: a fixed word, or the name in lower case and quoted. */
export function castType(name: string): string {
  const folded = name.toLowerCase().replace(/ +/g, ' ').trim();
  return Object.hasOwn(grammarTypes, folded) ? (grammarTypes[folded] as string) : identifier(folded);
}
