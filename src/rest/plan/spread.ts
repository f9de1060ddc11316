import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AggregateFunction } from '../request/api-request.ts';
import { plannedOrder, unknownField } from './fields.ts';
import type { Placement, PlannedOrder, SpreadColumn } from './plan.ts';
import { calledName, type Draft } from './read-draft.ts';

/**
 * Plans spread relations, whose columns become columns of their parent (PostgREST docs, "Spread embedded resource").
 */

/** Returns true if a relation and its embedded relations show no column. */
export const showsNothing = (draft: Draft): boolean => draft.select.length === 0 && draft.children.every(showsNothing);

/** Sets `spreadColumns` of every spread relation, beginning with the innermost. */
export function planSpreadColumns(draft: Draft): void {
  for (const child of draft.children) planSpreadColumns(child);
  if (!draft.spread) return;
  const plain = (name: string): SpreadColumn => ({ name, aggregate: null, aggregateCast: null, alias: null });
  draft.spreadColumns = draft.select.map((item) => plain(item.alias ?? item.field.name));
  for (const child of draft.children) {
    if (child.spread) draft.spreadColumns.push(...child.spreadColumns);
    else if (!showsNothing(child)) draft.spreadColumns.push(plain(calledName(child)));
  }
}

interface HoistedAggregate {
  readonly joinAlias: string;
  readonly name: string;
  readonly aggregate: AggregateFunction;
  readonly aggregateCast: string | null;
  readonly alias: string | null;
}

/**
 * Moves aggregates of to-one spread relations to the relation where rows are grouped: the nearest relation above that
 * is not spread.
 */
export function hoistAggregates(draft: Draft): HoistedAggregate[] {
  const fromChildren = draft.children.flatMap(hoistAggregates);
  if (draft.depth > 0 && draft.spread === 'one') {
    const own: HoistedAggregate[] = [];
    draft.select = draft.select.map((item) => {
      const { aggregate, aggregateCast, alias, field } = item;
      if (aggregate === null) return item;
      own.push({ joinAlias: draft.joinAlias, name: alias ?? field.name, aggregate, aggregateCast, alias });
      return { ...item, aggregate: null, aggregateCast: null };
    });
    return [...own, ...fromChildren.map((hoisted) => ({ ...hoisted, joinAlias: draft.joinAlias }))];
  }
  for (const child of draft.children) {
    child.spreadColumns = child.spreadColumns.map((column) => {
      const found = fromChildren.find(
        (hoisted) => hoisted.joinAlias === child.joinAlias && hoisted.name === column.name,
      );
      if (!found) return column;
      const { aggregate, aggregateCast, alias } = found;
      return { ...column, aggregate, aggregateCast, alias };
    });
  }
  return [];
}

/**
 * Returns the placement of a to-many spread relation: arrays of its columns, ordered by columns that are selected only
 * for the order.
 * @throws NinefoldError PGRST127 if the relation, or a relation that is spread into it, contains an aggregate.
 */
export function arraysPlacement(draft: Draft, order: readonly PlannedOrder[]): Placement {
  const aggregates =
    draft.select.some((item) => item.aggregate !== null) ||
    draft.children.some((child) => child.spread && child.spreadColumns.some((column) => column.aggregate !== null));
  if (aggregates) {
    throw new NinefoldError('PGRST127', {
      details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
    });
  }
  const aliased = order.map((term, i) => ({ term, alias: `${draft.joinAlias}_${term.field.name}_${i + 1}` }));
  return {
    kind: 'spread-arrays',
    columns: draft.spreadColumns,
    orderSelects: aliased.map(({ term, alias }) => ({
      relation: term.relation,
      select: { field: term.field, alias, cast: null, aggregate: null, aggregateCast: null },
    })),
    order: aliased.map(({ term, alias }) => plannedOrder(unknownField(alias), { ...term, relation: null })),
  };
}
