import type { RestSettings } from '../../../contract/settings.ts';
import { isToOne, type SchemaCache, type SqlName } from '../../catalog/schema-cache.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ApiRequest, FieldRef, LogicTree, OrderTerm } from '../request/api-request.ts';
import { restrict } from '../request/row-range.ts';
import { plannedCondition, plannedOrder, typedField, unknownField } from './fields.ts';
import { linkRelationships } from './link.ts';
import type { Condition, Embedding, Placement, PlannedField, PlannedOrder, PlannedRead, ReadNode } from './plan.ts';
import { calledName, type Draft, draftRead, notEmbedded } from './read-draft.ts';
import { planSelect } from './select.ts';
import { arraysPlacement, hoistAggregates, planSpreadColumns, showsNothing } from './spread.ts';

/**
 * Plans the read of a request: the target and all embedded relations. After a write or a function call, the rows are
 * read from the result of the write or the function.
 * @throws NinefoldError PGRST108, 118, 123, 127, 200 and 201
 */
export function planRead(
  request: ApiRequest,
  target: SqlName,
  schemaCache: SchemaCache,
  settings: RestSettings,
): PlannedRead {
  const { root, legacyNames } = draftRead(request, target, settings.url_use_legacy_target_names);
  if (request.action.kind !== 'read') {
    root.source = 'result';
    root.alias = target.name;
  }
  linkRelationships(schemaCache, target.schema, root);
  planSelect(schemaCache, root);
  checkRelatedOrders(root);
  planSpreadColumns(root);
  if (!settings.db_aggregates_enabled) refuseAggregates(root);
  hoistAggregates(root);
  const maxRows =
    request.action.kind === 'mutate' || settings.db_max_rows === null ? null : BigInt(settings.db_max_rows);
  return { read: finish(schemaCache, root, null, maxRows), legacyNames };
}

function checkRelatedOrders(draft: Draft): void {
  for (const term of draft.order) {
    if (term.relation === null) continue;
    const child = draft.children.find((candidate) => calledName(candidate) === term.relation);
    if (!child) throw notEmbedded(term.relation);
    if (child.relationship && isToOne(child.relationship)) continue;
    const [origin, name] = [draft.source === 'result' ? 'pgrst_source' : draft.relation.name, calledName(child)];
    throw new NinefoldError('PGRST118', {
      message: `A related order on '${name}' is not possible`,
      details: `'${origin}' and '${name}' do not form a many-to-one or one-to-one relationship`,
    });
  }
  draft.children.forEach(checkRelatedOrders);
}

function refuseAggregates(draft: Draft): void {
  if (draft.select.some((item) => item.aggregate !== null)) throw new NinefoldError('PGRST123');
  draft.children.forEach(refuseAggregates);
}

function finish(schemaCache: SchemaCache, draft: Draft, parent: Draft | null, maxRows: bigint | null): ReadNode {
  const order = draft.order.map((term) => finishOrder(draft, term));
  const embedding = parent ? embeddingOf(draft, parent, order) : null;
  const children = draft.children.map((child) => finish(schemaCache, child, draft, maxRows));
  return {
    source: draft.source,
    relation: draft.relation,
    alias: draft.alias,
    select: draft.select,
    orderColumns: draft.orderColumns,
    where: draft.filters.map((tree) => finishCondition(schemaCache, draft, children, tree)),
    order: embedding?.placement.kind === 'spread-arrays' ? [] : order,
    range: maxRows === null || isAtMostOne(draft) ? draft.range : restrict(draft.range, maxRows),
    embedding,
    children,
  };
}

/**
 * Returns true for a relation that has at most one row for each parent row. Such a relation gets no LIMIT, because a
 * LIMIT would only restrict PostgreSQL's choice of a join.
 */
const isAtMostOne = (draft: Draft): boolean => draft.relationship !== null && isToOne(draft.relationship);

function finishOrder(draft: Draft, term: OrderTerm): PlannedOrder {
  if (term.relation === null) return plannedOrder(typedField(draft.table, term.field), term);
  const child = draft.children.find((candidate) => calledName(candidate) === term.relation);
  if (!child) throw notEmbedded(term.relation);
  return plannedOrder(relatedField(child, term), { ...term, relation: child.joinAlias });
}

/**
 * Returns the column of an embedded relation by which its parent is ordered: a column that the relation shows, or an
 * additional column that is selected only for the order.
 */
function relatedField(child: Draft, { field }: OrderTerm): PlannedField {
  if (showsAsItIs(child, field) || isAlias(child, field) || aggregates(child))
    return unknownField(field.name, field.path);
  const alias = `pgrst_order_${child.orderColumns.length + 1}`;
  const column = typedField(child.table, field);
  child.orderColumns.push({ field: column, alias, cast: null, aggregate: null, aggregateCast: null });
  return unknownField(alias);
}

function showsAsItIs(draft: Draft, { name, path }: FieldRef): boolean {
  if (path.length > 0) return false;
  const isColumn = draft.table?.columns.has(name) ?? true;
  if (draft.select.length === 0 && draft.children.length === 0) return isColumn;
  return draft.select.some(({ field, alias, cast, aggregate }) => {
    if (field.path.length > 0 || field.transform || cast !== null || aggregate !== null) return false;
    return field.name === '*' ? isColumn : field.name === name && (alias ?? name) === name;
  });
}

/** Returns true if the relation shows a column under this alias: an order by it means the alias, as in PostgREST. */
const isAlias = (draft: Draft, { name }: FieldRef): boolean => draft.select.some(({ alias }) => alias === name);

const aggregates = (draft: Draft): boolean =>
  draft.select.some((item) => item.aggregate !== null) ||
  draft.children.some((child) => child.spreadColumns.some((column) => column.aggregate !== null));

/** Plans a condition. `relation.is.null` tests whether there is a related row; all other conditions concern columns. */
function finishCondition(
  schemaCache: SchemaCache,
  draft: Draft,
  children: readonly ReadNode[],
  tree: LogicTree,
): Condition {
  if (tree.kind !== 'filter') {
    return {
      kind: tree.kind,
      negated: tree.negated,
      children: tree.children.map((child) => finishCondition(schemaCache, draft, children, child)),
    };
  }
  const { operation, field } = tree;
  if (operation.kind === 'is' && operation.value === 'null' && field.path.length === 0) {
    const child = children[draft.children.findIndex((candidate) => calledName(candidate) === field.name)];
    if (child) return { kind: 'no-related', negated: tree.negated, child };
  }
  return plannedCondition(schemaCache, draft.table, tree);
}

function embeddingOf(draft: Draft, parent: Draft, order: readonly PlannedOrder[]): Embedding {
  const { relationship } = draft;
  if (!relationship) throw new Error('an embedded relation was not linked');
  return {
    relationship,
    join: draft.join,
    alias: draft.joinAlias,
    conditions: draft.conditions,
    placement: placementOf(draft, order),
    argument:
      relationship.kind === 'computed'
        ? { function: relationship, row: parent.alias ?? relationship.table.name }
        : null,
  };
}

function placementOf(draft: Draft, order: readonly PlannedOrder[]): Placement {
  if (draft.spread === 'many') return arraysPlacement(draft, order);
  if (draft.spread === 'one') return { kind: 'spread', columns: draft.spreadColumns };
  if (showsNothing(draft)) return { kind: 'hidden' };
  return { kind: isAtMostOne(draft) ? 'object' : 'array', name: calledName(draft) };
}
