import {
  type Column,
  type KeyRelationship,
  nameKey,
  type Relation,
  type SchemaCache,
  type SqlName,
} from '../../../catalog/schema-cache.ts';
import { defaultValue, format, items, type JsonObject, summaryAndDescription, typeName } from './types.ts';

/** Describes tables and views in the OpenAPI document. */

const reference = (name: string): JsonObject => ({ $ref: `#/parameters/${name}` });
const filterName = (relation: Relation, column: string): string => `rowFilter.${relation.name}.${column}`;

/** Returns true if the document shows a column of a relation. */
type IsShown = (relation: SqlName, column: string) => boolean;

/** Returns the schema of a relation's rows. */
export function definition(relation: Relation, schemaCache: SchemaCache, isShown: IsShown): JsonObject {
  const columns = [...relation.columns.values()];
  const required = columns.filter((column) => !column.nullable).map((column) => column.name);
  return {
    type: 'object',
    description: relation.comment ?? undefined,
    required: required.length ? required : undefined,
    properties: Object.fromEntries(
      columns.map((column) => [column.name, property(relation, column, schemaCache, isShown)]),
    ),
  };
}

function property(relation: Relation, column: Column, schemaCache: SchemaCache, isShown: IsShown): JsonObject {
  const { baseType, enumValues } = column;
  return {
    type: typeName(baseType),
    format: format(baseType),
    default: defaultValue(baseType, column.default),
    description: describeColumn(relation, column, schemaCache, isShown),
    enum: enumValues.length ? enumValues : undefined,
    maxLength: column.maxLength ?? undefined,
    items: items(baseType),
  };
}

/** Returns the description of a column. Clients that draw relationships parse the tags in it. */
function describeColumn(
  relation: Relation,
  column: Column,
  schemaCache: SchemaCache,
  isShown: IsShown,
): string | undefined {
  const notes: string[] = [];
  if (relation.primaryKey.includes(column.name)) notes.push('This is a Primary Key.<pk/>');
  const key = foreignKeyOf(relation, column.name, schemaCache);
  const target = key?.columns[0]?.[1] ?? '';
  if (key && isShown(key.foreignTable, target)) {
    const table = key.foreignTable.name;
    notes.push(`This is a Foreign Key to \`${table}.${target}\`.<fk table='${table}' column='${target}'/>`);
  }
  if (notes.length === 0) return column.comment ?? undefined;
  return `${column.comment === null ? '' : `${column.comment}\n\n`}${['Note:', ...notes].join('\n')}`;
}

function foreignKeyOf(relation: Relation, column: string, schemaCache: SchemaCache): KeyRelationship | undefined {
  const keys = (schemaCache.relationships.get(nameKey(relation)) ?? []).filter(
    (relationship): relationship is KeyRelationship =>
      (relationship.kind === 'many-to-one' || (relationship.kind === 'one-to-one' && !relationship.isParent)) &&
      relationship.columns.length === 1 &&
      relationship.columns[0]?.[0] === column,
  );
  return keys.find((key) => !key.foreignTableIsView) ?? keys[0];
}

/** Returns the parameters that only this relation has. */
export function parameters(relation: Relation): [string, JsonObject][] {
  const { name } = relation;
  const body: [string, JsonObject] = [
    `body.${name}`,
    { name, description: name, required: false, in: 'body', schema: { $ref: `#/definitions/${name}` } },
  ];
  const filters = [...relation.columns.values()].map((column): [string, JsonObject] => [
    filterName(relation, column.name),
    { name: column.name, description: column.comment ?? undefined, required: false, in: 'query', type: 'string' },
  ]);
  return [body, ...filters];
}

/** Returns the operations of a relation. */
export function path(relation: Relation): JsonObject {
  const filters = [...relation.columns.keys()].map((column) => reference(filterName(relation, column)));
  const body = reference(`body.${relation.name}`);
  const common = { tags: [relation.name], ...summaryAndDescription(relation.comment) };
  const named = (...names: string[]): JsonObject[] => names.map(reference);
  const get = {
    ...common,
    parameters: [...filters, ...named('select', 'order', 'range', 'rangeUnit', 'offset', 'limit', 'preferCount')],
    responses: {
      200: { description: 'OK', schema: { type: 'array', items: { $ref: `#/definitions/${relation.name}` } } },
      206: { description: 'Partial Content' },
    },
  };
  if (!relation.insertable && !relation.updatable && !relation.deletable) return { get };
  const noContent = { 204: { description: 'No Content' } };
  return {
    get,
    post: {
      ...common,
      parameters: [body, ...named('select', 'preferPost')],
      responses: { 201: { description: 'Created' } },
    },
    patch: { ...common, parameters: [...filters, body, ...named('preferReturn')], responses: noContent },
    delete: { ...common, parameters: [...filters, ...named('preferReturn')], responses: noContent },
  };
}
