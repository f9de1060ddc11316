import { queryOptions } from '@tanstack/react-query';
import type { Filter } from './filter.ts';
import { rowKeys } from './keys.ts';
import { filterParameter, selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';

/** Counts the rows of a table that match the filters. */
export const rowCount = (table: Table, where: readonly Filter[]) =>
  queryOptions({
    queryKey: rowKeys.count(table.ref, table.entity.id, table.requestRole, where),
    queryFn: async ({ signal }): Promise<number> => {
      const [first] = table.entity.fields;
      const { total } = await restCall(table, {
        parameters: [['select', first ? selectOf([first.name]) : ''], ...where.map(filterParameter), ['limit', '1']],
        prefer: ['count=exact'],
        signal,
      });
      return total ?? 0;
    },
    staleTime: 30_000,
  });
