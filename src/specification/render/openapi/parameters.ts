import type { CallEntry, RowCall } from '../../../../contract/specification-calls.ts';
import { idOf, queryName } from '../../../catalog/names.ts';
import type { RoutineFact } from '../../../catalog/routines.ts';
import type { JsonSchema } from '../types/json-schema.ts';

/**
 * Returns the parameters of calls with the same method and path, without duplicates: of the path, of the query, of
 * headers.
 */
export function parametersOf(
  calls: readonly CallEntry[],
  rows: readonly RowCall[],
  fieldsOf: (call: CallEntry) => readonly string[],
): JsonSchema[] {
  const found = new Map<string, JsonSchema>();
  const add = (where: string, name: string, rest: JsonSchema) => {
    const key = `${where} ${name}`;
    if (!found.has(key)) found.set(key, { name, in: where, ...rest });
  };
  for (const call of calls) {
    for (const [, name] of call.path.matchAll(/\{(\w+)\}/g))
      add('path', name ?? '', { required: true, schema: { type: 'string' } });
    for (const parameter of call.parameters ?? rows.find(({ method }) => method === call.method)?.parameters ?? []) {
      if (parameter.in === 'body') continue;
      if (parameter.name === '<field>') {
        for (const field of fieldsOf(call)) {
          add('query', queryName(field), {
            description: 'A filter: operator.value, such as eq.1',
            schema: { type: 'string' },
          });
        }
        continue;
      }
      const required = parameter.required && calls.length === 1;
      const fixed = fixedValues(calls, parameter.name);
      add(parameter.in, parameter.name, {
        ...(parameter.meaning !== '' && { description: parameter.meaning }),
        ...((required || fixed.length === calls.length) && { required: true }),
        schema: { type: 'string', ...(fixed.length > 0 && { enum: fixed }) },
      });
    }
  }
  return [...found.values()];
}

/** Returns the values of a query parameter that the paths of the calls set: `?grant_type=password`. */
function fixedValues(calls: readonly CallEntry[], name: string): string[] {
  const values = calls.flatMap(({ path }) => new URLSearchParams(path.split('?')[1] ?? '').getAll(name));
  return [...new Set(values)];
}

/** Returns the schema of the body of a call of /auth/v1 or of a function; null if the call has no body. */
export function bodyOf(
  call: CallEntry,
  schemaOf: (type: string) => JsonSchema,
  routines: readonly RoutineFact[],
): JsonSchema | null {
  const members = (call.parameters ?? []).filter((parameter) => parameter.in === 'body');
  if (members.length === 0) return null;
  const routine = routines.find((one) => idOf(one) === call.entity);
  const [only] = routine?.inputs.length === 1 ? (routine?.inputs ?? []) : [];
  if (only?.name === '') return schemaOf(only.type);
  const properties = members.map(({ name, type, meaning }): [string, JsonSchema] => {
    const input = routine?.inputs.find((one) => one.name === name);
    const schema = input ? withNull(schemaOf(input.type)) : (authTypes[type] ?? {});
    return [name, meaning === '' ? schema : { description: meaning, ...schema }];
  });
  const required = members.filter((member) => member.required).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) };
}

const withNull = (schema: JsonSchema): JsonSchema =>
  Object.keys(schema).length === 0 ? {} : { anyOf: [schema, { type: 'null' }] };

/** Schemas for the type names of the calls of /auth/v1. */
const authTypes: Readonly<Record<string, JsonSchema>> = {
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  object: { type: 'object' },
};
