import type { InfiniteData } from '@tanstack/react-query';
import { liveTopic, rowsAfter } from '../../../rows/live-changes.ts';
import { LiveSocket, socketAddress } from '../../../rows/live-socket.ts';
import { restRequest } from '../../../rows/rest-request.ts';
import { segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import type { Filter } from './filter.ts';
import type { Table } from './rest-call.ts';
import { keyFields, keyOf, keyText, type Row, type Sort } from './row.ts';
import { pageParameters, type RowPage, rowPages, rowsPerPage } from './row-pages.ts';

/**
 * Puts the changes of others into the first page of a table. Rows that the builder has just added stay where they are.
 * Returns a function that stops it.
 */
export function followPages(table: Table, where: readonly Filter[], sort: Sort | null): () => void {
  const { ref, entity, requestRole } = table;
  const { url } = restRequest(segment(entity.name), entity.schema, {
    parameters: pageParameters(table, where, sort, 0),
  });
  const topic = liveTopic(url, entity.schema);
  // The socket of a builder reads with the privileges of the service role.
  if (topic === null || requestRole !== 'service' || keyFields(entity).length === 0) return () => undefined;
  const { queryKey } = rowPages(table, where, sort);
  const socket = new LiveSocket({
    url: socketAddress(`/admin/v1/apps/${segment(ref)}`),
    apikey: null,
    token: () => Promise.resolve(null),
    parse: JSON.parse,
  });
  let rows: readonly Row[] | null = null;
  socket.join(topic, {
    onJoined: (isJoined) => {
      if (!isJoined) rows = null;
    },
    onMessage: (event, payload) => {
      rows = rowsAfter(rows, event, payload) as readonly Row[] | null;
      if (rows === null) return;
      const live = rows;
      queryClient.setQueryData<InfiniteData<RowPage>>(queryKey, (data) => {
        const [first, ...rest] = data?.pages ?? [];
        if (!data || !first) return data;
        const merged = mergeRows(first.rows, live, idOf(table), live.length < rowsPerPage);
        const more = merged.length - first.rows.length;
        const total = first.total === null ? null : Math.max(merged.length, first.total + more);
        return { ...data, pages: [{ ...first, rows: merged, total }, ...rest] };
      });
    },
  });
  return () => socket.close();
}

const idOf = ({ entity }: Table): ((row: Row) => string) => {
  const fields = keyFields(entity);
  return (row) => {
    const key = keyOf(row, fields);
    return key === null ? JSON.stringify(row) : keyText(key);
  };
};

/**
 * Returns the shown rows with the values of the live rows. Shown rows keep their places, and a new row follows the row
 * that precedes it in the live rows.
 * @param isComplete True if the live rows are all rows, so that other shown rows were deleted.
 */
export function mergeRows(
  shown: readonly Row[],
  live: readonly Row[],
  idOfRow: (row: Row) => string,
  isComplete: boolean,
): Row[] {
  const byId = new Map(live.map((row) => [idOfRow(row), row]));
  const merged = shown.flatMap((row): Row[] => {
    const found = byId.get(idOfRow(row)) ?? (isComplete ? null : row);
    return found === null ? [] : [found];
  });
  if (!isComplete) return merged;
  const ids = merged.map(idOfRow);
  const known = new Set(ids);
  for (const [index, row] of live.entries()) {
    const id = idOfRow(row);
    if (known.has(id)) continue;
    const before = live[index - 1];
    const at = before === undefined ? 0 : ids.indexOf(idOfRow(before)) + 1;
    merged.splice(at, 0, row);
    ids.splice(at, 0, id);
  }
  return merged;
}
