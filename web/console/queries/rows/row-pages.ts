import { infiniteQueryOptions } from '@tanstack/react-query';
import { type Filter, isOperator } from './filter.ts';
import { rowKeys } from './keys.ts';
import { anywhereParameter, filterParameter, isComplete, orderOf, selectOf } from './query-string.ts';
import { type RestCall, type RestResponse, restCall, type Table } from './rest-call.ts';
import { keyFields, type Row, type Sort } from './row.ts';

/** Maximum number of rows that one request returns. */
export const rowsPerPage = 500;

/** If PostgreSQL estimates more rows than this, the console shows the estimate instead of counting the rows. */
const countedRows = 200_000;

/** A page of rows. `exact` is true if `total` was counted, and false if it was estimated. */
export interface RowPage extends RestResponse {
  exact: boolean;
}

/** Maximum number of rows that are read for a file. */
export const MAX_EXPORTED = 100_000;

/** Reads all rows that match the filters, in the same order as the pages, up to MAX_EXPORTED. */
export async function allRows(table: Table, where: readonly Filter[], sort: Sort | null): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await restCall(table, { parameters: pageParameters(table, where, sort, rows.length) });
    rows.push(...page.rows);
    if (page.rows.length < rowsPerPage || rows.length >= MAX_EXPORTED) return rows;
  }
}

/** Returns the parameters of the request for a page. */
export function pageParameters(
  { entity }: Table,
  where: readonly Filter[],
  sort: Sort | null,
  offset: number,
): RestCall['parameters'] {
  const order = orderOf(sort, keyFields(entity));
  return [
    ['select', selectOf(entity.fields.map(({ name }) => name))],
    ...askedOf(where).map((filter) =>
      filter.operator === 'anywhere' ? anywhereParameter(entity.fields, filter.value) : filterParameter(filter),
    ),
    ...(order === '' ? [] : [['order', order] as const]),
    ['limit', String(rowsPerPage)],
    ['offset', String(offset)],
  ];
}

/** Returns the filters that are complete, so that the server can apply them. */
const askedOf = (where: readonly Filter[]): Filter[] =>
  where.filter((filter) => isOperator(filter.operator) && isComplete(filter));

/** Reads the rows of a table page by page. The first page also returns the total. */
export const rowPages = (table: Table, where: readonly Filter[], sort: Sort | null) => {
  const { entity } = table;
  const exact = (entity.figures?.rows_estimate ?? 0) <= countedRows;
  return infiniteQueryOptions({
    queryKey: rowKeys.pages(table.ref, entity.id, table.requestRole, askedOf(where), sort),
    queryFn: async ({ pageParam, signal }): Promise<RowPage> => {
      const answer = await restCall(table, {
        parameters: pageParameters(table, where, sort, pageParam),
        prefer: pageParam === 0 ? [`count=${exact ? 'exact' : 'estimated'}`] : [],
        signal,
      });
      return { ...answer, exact };
    },
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.rows.length < rowsPerPage ? null : pages.reduce((sum, { rows }) => sum + rows.length, 0),
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  });
};
