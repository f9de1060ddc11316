/** PostgreSQL types as OpenAPI 2.0 names them (https://swagger.io/specification/v2/#data-types). */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };
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

/** Undefined for JSON, which may be anything. */
export function typeName(type: string): string | undefined {
  if (isJson(type)) return undefined;
  return names[type] ?? (elementType(type) === null ? 'string' : 'array');
}

export function format(type: string): string {
  if (type === 'smallint' || type === 'integer') return 'int32';
  return type === 'bigint' ? 'int64' : type;
}

/** What an array holds. */
export function items(type: string): JsonObject | undefined {
  const element = elementType(type);
  return element === null ? undefined : { type: typeName(element) };
}

/** The default of a column as a value, where its SQL text is as good as one. */
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

/** The first line of a comment and the rest of it. */
export function summaryAndDescription(comment: string | null): { summary?: string; description?: string } {
  if (comment === null) return {};
  const end = comment.indexOf('\n');
  if (end === -1) return { summary: comment };
  const description = comment.slice(end).replace(/^\n+/, '');
  return { summary: comment.slice(0, end), ...(description === '' ? {} : { description }) };
}
