/** Writes the query of a data request (docs.postgrest.org, "Tables and Views"). Pure. */

/** Name and value of a query parameter. */
export type Parameter = readonly [name: string, value: string];

/** Names that are also parameters of a data request. Such a name means a field only if it is quoted. */
const PARAMETERS = new Set([
  'select',
  'order',
  'limit',
  'offset',
  'columns',
  'on_conflict',
  'and',
  'or',
  'not',
  'apikey',
]);

/** Quotes a text for a data request. Escapes each backslash and quote in it. */
export const quotedText = (text: string): string => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;

/** Quotes the name of a field for a data request, unless the name is plain. */
export const quoted = (name: string): string => (/^\w+$/.test(name) && !PARAMETERS.has(name) ? name : quotedText(name));

/** Returns the filter that is met if a field has one of the values. */
export const oneOf = (values: readonly unknown[]): string =>
  `in.(${values.map((value) => quotedText(String(value))).join(',')})`;

/** Returns the condition that a field contains these characters. `%` and `_` are plain characters in it. */
export const containing = (name: string, text: string): string =>
  `${quoted(name)}.ilike.${quotedText(`*${text.replaceAll('*', '').replaceAll(/[\\%_]/g, '\\$&')}*`)}`;

/** Returns an order followed by the key. With the key, the order of the rows is unique, so pages do not overlap. */
export function orderWithKey(
  terms: readonly { readonly text: string; readonly field: string }[],
  key: readonly string[],
): string {
  const known = new Set(terms.map(({ field }) => field));
  return [...terms.map(({ text }) => text), ...key.filter((name) => !known.has(name)).map(quoted)].join(',');
}

/** Returns the parameters that select the row with this key. */
export const keyParameters = (fields: readonly string[], key: readonly unknown[]): Parameter[] =>
  fields.map((field, index) => [quoted(field), `eq.${String(key[index] ?? '')}`]);

/** Returns the parameter that selects all rows with these keys. */
export function keysParameter(fields: readonly string[], keys: readonly (readonly unknown[])[]): Parameter {
  const [only] = fields;
  if (only !== undefined && fields.length === 1) return [quoted(only), oneOf(keys.map(([value]) => value))];
  const same = (key: readonly unknown[]) =>
    `and(${fields.map((field, index) => `${quoted(field)}.eq.${quotedText(String(key[index]))}`).join(',')})`;
  return ['or', `(${keys.map(same).join(',')})`];
}
