import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AggregateFunction } from '../request/api-request.ts';
import { plannedOrder, unknownField } from './fields.ts';
import type { Placement, PlannedOrder, SpreadColumn } from './plan.ts';
import { calledName, type Draft } from './read-draft.ts';

/** Spread relations, whose columns appear among their parent's (PostgREST docs, "Spread embedded resource"). */

/** Whether the relation and all below it show nothing. */
export const showsNothing = (draft: Draft): boolean => draft.select.length === 0 && draft.children.every(showsNothing);

/** Fills `spreadColumns` of every spread relation, from the innermost out. */
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
 * Moves the aggregates of to-one spread relations up to where the rows are grouped: the nearest relation above that
 * is not itself spread.
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
 * How a to-many spread relation appears: its columns as arrays, ordered by columns that are selected for that alone.
 * Throws PGRST127 when it, or one spread into it, aggregates.
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
