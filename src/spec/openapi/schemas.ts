import type { JsonSchema } from '../types/json-schema.ts';

export type Named = ReadonlyMap<string, string>;

/** Names of components hold these characters only (OpenAPI 3.1, 4.8.7); any other is written by its number. */
export const componentName = (name: string): string =>
  [...name]
    .map((character) =>
      (/[\w.-]/.test(character) ? character : `~${character.codePointAt(0)?.toString(16)}~`).replaceAll('~', '-'),
    )
    .join('');

export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${componentName(name)}` });

/** The same or null; a schema without keywords is that already. */
export const nullable = (schema: JsonSchema): JsonSchema =>
  Object.keys(schema).length === 0 ? {} : { anyOf: [schema, { type: 'null' }] };
