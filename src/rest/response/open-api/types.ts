/** Maps PostgreSQL types to types of OpenAPI 2.0 (https://swagger.io/specification/v2/#data-types). */

/** A JSON value. Undefined members are omitted when it is serialized. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json | undefined };

const names: Readonly<Record<string, string | undefined>> = {
  boolean: 'boolean',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  numeric: 'number',
  real: 'number',
  'double precision': 'number',
};

const isJson = (type: string): boolean => type === 'json' || type === 'jsonb';
const elementType = (type: string): string | null => (type.endsWith('[]') ? type.slice(0, -2) : null);

/** Returns the OpenAPI type. Undefined for JSON, which can be any type. */
export function typeName(type: string): string | undefined {
  if (isJson(type)) return undefined;
  return names[type] ?? (elementType(type) === null ? 'string' : 'array');
}

/** Returns the OpenAPI format of a type. */
export function format(type: string): string {
  if (type === 'smallint' || type === 'integer') return 'int32';
  return type === 'bigint' ? 'int64' : type;
}

/** Returns the schema of an array's elements; undefined for other types. */
export function items(type: string): JsonObject | undefined {
  const element = elementType(type);
  return element === null ? undefined : { type: typeName(element) };
}

/**
 * Returns the default of a column as a JSON value if its SQL is a constant. Returns the SQL itself or undefined for
 * other defaults.
 */
export function defaultValue(type: string, text: string | null): Json | undefined {
  if (text === null) return undefined;
  if (typeName(type) === 'string') {
    const suffix = `::${type}`;
    return text.endsWith(suffix) ? text.slice(0, -suffix.length).replace(/^'+|'+$/g, '') : text;
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Splits a comment into its first line and the rest. */
export function summaryAndDescription(comment: string | null): { summary?: string; description?: string } {
  if (comment === null) return {};
  const end = comment.indexOf('\n');
  if (end === -1) return { summary: comment };
  const description = comment.slice(end).replace(/^\n+/, '');
  return { summary: comment.slice(0, end), ...(description === '' ? {} : { description }) };
}
