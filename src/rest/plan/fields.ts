import { type Catalog, type Column, type Relation, representationKey } from '../../catalog/catalog.ts';
import type { FieldRef, Filter, LogicTree } from '../request/api-request.ts';
import type { Condition, PlannedField, PlannedOrder } from './plan.ts';

/** Columns in their uses (PostgREST docs, "JSON Columns", "Domain Representations", "Full-Text Search"). */

const noPath: PlannedField['path'] = [];

/** A name of which nothing is known. */
export const unknownField = (name: string, path: PlannedField['path'] = noPath): PlannedField => ({
  name,
  path,
  toJson: false,
  search: null,
  type: '',
  transform: null,
  default: null,
  wholeRow: false,
});

export const columnField = (column: Column): PlannedField => ({
  ...unknownField(column.name),
  type: column.type,
  default: column.default,
});

/** The column with its type, when the relation has it. Only json and jsonb can be followed into without conversion. */
export function typedField(table: Relation | undefined, field: FieldRef): PlannedField {
  const column = table?.columns.get(field.name);
  const type = column?.type ?? '';
  return {
    name: field.name,
    path: field.path,
    toJson: type !== 'json' && type !== 'jsonb',
    search: null,
    type,
    transform: null,
    default: column?.default ?? null,
    wholeRow: false,
  };
}

const transformed = (catalog: Catalog, field: PlannedField, from: string, to: string): PlannedField => {
  const transform =
    field.type === '' || catalog.representations.size === 0
      ? undefined
      : catalog.representations.get(representationKey(from, to));
  return transform ? { ...field, type: from, transform } : field;
};

/** The column as it is shown in JSON. */
export const shownField = (catalog: Catalog, field: PlannedField): PlannedField =>
  transformed(catalog, field, field.type, 'json');

/** The column as it is filled from JSON. */
export const filledField = (catalog: Catalog, field: PlannedField): PlannedField =>
  transformed(catalog, field, 'json', field.type);

function comparedField(catalog: Catalog, table: Relation | undefined, filter: Filter): PlannedField {
  const field = typedField(table, filter.field);
  const { operation } = filter;
  const column = table?.columns.get(filter.field.name);
  // of a computed field the type is not known: it is taken to be a tsvector already
  const isText = column !== undefined && column.baseType !== 'tsvector';
  const search = operation.kind === 'search' && isText ? { language: operation.language } : null;
  return transformed(catalog, { ...field, search }, 'text', field.type);
}

/** `table` is undefined where the rows are of no known relation, as a function may give. */
export function plannedCondition(catalog: Catalog, table: Relation | undefined, tree: LogicTree): Condition {
  if (tree.kind === 'filter') {
    return {
      kind: 'filter',
      field: comparedField(catalog, table, tree),
      negated: tree.negated,
      operation: tree.operation,
    };
  }
  return {
    kind: tree.kind,
    negated: tree.negated,
    children: tree.children.map((child) => plannedCondition(catalog, table, child)),
  };
}

export const plannedOrder = (field: PlannedField, like: Omit<PlannedOrder, 'field'>): PlannedOrder => ({
  field,
  relation: like.relation,
  direction: like.direction,
  nulls: like.nulls,
});
