import type { Parameter, Routine } from '../../../catalog/schema-cache.ts';
import { format, items, type JsonObject, summaryAndDescription, typeName } from './types.ts';

/** Describes functions in the OpenAPI document. */

const produces = [
  'application/json',
  'application/vnd.pgrst.object+json;nulls=stripped',
  'application/vnd.pgrst.object+json',
];

/** Returns the operations of a function. */
export function path(routine: Routine): JsonObject {
  const common = {
    tags: [`(rpc) ${routine.name}`],
    ...summaryAndDescription(routine.comment),
    produces,
    responses: { 200: { description: 'OK' } },
  };
  const post = {
    ...common,
    parameters: [
      { name: 'args', required: true, in: 'body', schema: argumentsSchema(routine) },
      { $ref: '#/parameters/preferParams' },
    ],
  };
  if (routine.volatility === 'volatile') return { post };
  return { get: { ...common, parameters: routine.parameters.map(queryParameter) }, post };
}

function argumentsSchema(routine: Routine): JsonObject {
  const required = routine.parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  return {
    type: 'object',
    description: routine.comment ?? undefined,
    required: required.length ? required : undefined,
    properties: Object.fromEntries(
      routine.parameters.map(({ name, type }) => [
        name,
        { type: typeName(type), format: format(type), items: items(type) },
      ]),
    ),
  };
}

function queryParameter({ name, type, required, variadic }: Parameter): JsonObject {
  const common = { name, required, in: 'query' };
  if (variadic) {
    const element = type.replace(/\[\]$/, '');
    const elements = { ...items(type), format: format(element) };
    return { ...common, type: typeName(type), items: elements, collectionFormat: 'multi' };
  }
  // Any other array is described as a string, because a query string contains it in PostgreSQL's text format.
  const own = typeName(type);
  return { ...common, type: own === undefined || own === 'array' ? 'string' : own, format: format(type) };
}
