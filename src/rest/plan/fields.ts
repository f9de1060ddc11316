import { type Column, type Relation, representationKey, type SchemaCache } from '../../catalog/schema-cache.ts';
import type { FieldRef, Filter, LogicTree } from '../request/api-request.ts';
import type { Condition, PlannedField, PlannedOrder } from './plan.ts';

/**
 * Describes columns for their use in a statement (PostgREST docs, "JSON Columns", "Domain Representations", "Full-Text
 * Search").
 */

const noPath: PlannedField['path'] = [];

/** Returns a field of which only the name and path are known. */
export const unknownField = (name: string, path: PlannedField['path'] = noPath): PlannedField => ({
  name,
  path,
  toJson: false,
  search: null,
  type: '',
  comparedAs: null,
  transform: null,
  default: null,
  wholeRow: false,
});

/** Returns a field for a column without a path. */
export const columnField = (column: Column): PlannedField => ({
  ...unknownField(column.name),
  type: column.type,
  default: column.default,
});

/**
 * Returns the field with its type if the relation has the column. A column of another type than json or jsonb must be
 * converted before a path can be applied.
 */
export function typedField(table: Relation | undefined, field: FieldRef): PlannedField {
  const column = table?.columns.get(field.name);
  const type = column?.type ?? '';
  return {
    name: field.name,
    path: field.path,
    toJson: type !== 'json' && type !== 'jsonb',
    search: null,
    type,
    comparedAs: null,
    transform: null,
    default: column?.default ?? null,
    wholeRow: false,
  };
}

const transformed = (schemaCache: SchemaCache, field: PlannedField, from: string, to: string): PlannedField => {
  const transform =
    field.type === '' || schemaCache.representations.size === 0
      ? undefined
      : schemaCache.representations.get(representationKey(from, to));
  return transform ? { ...field, type: from, transform } : field;
};

/** Returns the field for output as JSON. */
export const shownField = (schemaCache: SchemaCache, field: PlannedField): PlannedField =>
  transformed(schemaCache, field, field.type, 'json');

/** Returns the field for input from JSON. */
export const filledField = (schemaCache: SchemaCache, field: PlannedField): PlannedField =>
  transformed(schemaCache, field, 'json', field.type);

function comparedField(schemaCache: SchemaCache, table: Relation | undefined, filter: Filter): PlannedField {
  const field = typedField(table, filter.field);
  const { operation } = filter;
  const column = table?.columns.get(filter.field.name);
  // Only a column that is not a tsvector needs to be converted. The type of a computed field is not known; it is
  // assumed to be a tsvector.
  const isText = column !== undefined && column.baseType !== 'tsvector';
  const search = operation.kind === 'search' && isText ? { language: operation.language } : null;
  const comparedAs = field.path.length === 0 ? (column?.comparedAs ?? null) : null;
  return transformed(schemaCache, { ...field, search, comparedAs }, 'text', field.type);
}

/**
 * Resolves the columns of a condition.
 * @param table Undefined if the rows belong to no known relation, as the rows that a function returns may.
 */
export function plannedCondition(schemaCache: SchemaCache, table: Relation | undefined, tree: LogicTree): Condition {
  if (tree.kind === 'filter') {
    return {
      kind: 'filter',
      field: comparedField(schemaCache, table, tree),
      negated: tree.negated,
      operation: tree.operation,
    };
  }
  return {
    kind: tree.kind,
    negated: tree.negated,
    children: tree.children.map((child) => plannedCondition(schemaCache, table, child)),
  };
}

/** Returns an order term for a resolved field. */
export const plannedOrder = (field: PlannedField, like: Omit<PlannedOrder, 'field'>): PlannedOrder => ({
  field,
  relation: like.relation,
  direction: like.direction,
  nulls: like.nulls,
});
