import { infiniteQueryOptions } from '@tanstack/react-query';
import { type Filter, isOperator } from './filter.ts';
import { rowKeys } from './keys.ts';
import { filterParameter, isComplete, orderOf, selectOf } from './query-string.ts';
import { type RestResponse, restCall, type Table } from './rest-call.ts';
import { keyFields, type Sort } from './row.ts';

/** Maximum number of rows that one request returns. */
export const rowsPerPage = 500;

/** If PostgreSQL estimates more rows than this, the console shows the estimate instead of counting the rows. */
const countedRows = 200_000;

/** A page of rows. `exact` is true if `total` was counted, and false if it was estimated. */
export interface RowPage extends RestResponse {
  exact: boolean;
}

/** Reads the rows of a table page by page. The first page also returns the total. */
export const rowPages = (table: Table, where: readonly Filter[], sort: Sort | null) => {
  const { entity } = table;
  const asked = where.filter((filter) => isOperator(filter.operator) && isComplete(filter));
  const key = keyFields(entity);
  const exact = (entity.figures?.rows_estimate ?? 0) <= countedRows;
  return infiniteQueryOptions({
    queryKey: rowKeys.pages(table.ref, entity.id, table.requestRole, asked, sort),
    queryFn: async ({ pageParam, signal }): Promise<RowPage> => {
      const order = orderOf(sort, key);
      const answer = await restCall(table, {
        parameters: [
          ['select', selectOf(entity.fields.map(({ name }) => name))],
          ...asked.map(filterParameter),
          ...(order === '' ? [] : [['order', order] as const]),
          ['limit', String(rowsPerPage)],
          ['offset', String(pageParam)],
        ],
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
