import type { InfiniteData } from '@tanstack/react-query';
import { entityKeys } from '../entities.ts';
import { queryClient } from '../query-client.ts';
import { rowKeys } from './keys.ts';
import type { Table } from './rest-call.ts';
import { keyFields, keyOf, keyText, type Row } from './row.ts';
import type { RowPage } from './row-pages.ts';

/**
 * Updates the cached rows after a write. `change` gets a cached row and returns the row to cache, or null to remove it.
 * The rows that were cached for other callers are removed, because these callers may see other rows.
 */
export function changeRows(table: Table, change: (row: Row) => Row | null): void {
  const key = rowKeys.table(table.ref, table.entity.id);
  const pages = { queryKey: [...key, 'pages', table.requestRole] };
  queryClient.setQueriesData<InfiniteData<RowPage>>(pages, (data) => {
    if (!data) return data;
    const changed = data.pages.map((page) => ({
      ...page,
      rows: page.rows.map(change).filter((row) => row !== null),
    }));
    const gone = countRows(data.pages) - countRows(changed);
    return { ...data, pages: changed.map((page) => withTotal(page, -gone)) };
  });
  forgetOthers(table);
}

/**
 * Puts a new row before all cached rows, whatever their order, so that the reader sees it. The live rows may already
 * contain it.
 */
export function addRow(table: Table, row: Row): void {
  const key = rowKeys.table(table.ref, table.entity.id);
  queryClient.setQueriesData<InfiniteData<RowPage>>(
    { queryKey: [...key, 'pages', table.requestRole] },
    (data) => data && { ...data, pages: withRow(data.pages, row, keyFields(table.entity)) },
  );
  forgetOthers(table);
}

/** Returns the pages with the row as their first one. */
export function withRow(pages: readonly RowPage[], row: Row, fields: readonly string[]): RowPage[] {
  const key = keyOf(row, fields);
  const text = key && keyText(key);
  const others = pages.map((page) => ({
    ...page,
    rows: page.rows.filter((known) => {
      const own = text === null ? null : keyOf(known, fields);
      return own === null || keyText(own) !== text;
    }),
  }));
  const more = countRows(others) === countRows(pages) ? 1 : 0;
  const [first, ...rest] = others.map((page) => withTotal(page, more));
  return first ? [{ ...first, rows: [row, ...first.rows] }, ...rest] : [];
}

/** Returns a function that is true for the row with this key. */
export function hasKey(table: Table): (row: Row, key: string) => boolean {
  const fields = keyFields(table.entity);
  return (row, key) => {
    const own = keyOf(row, fields);
    return own !== null && keyText(own) === key;
  };
}

const countRows = (pages: readonly RowPage[]): number => pages.reduce((sum, { rows }) => sum + rows.length, 0);

const withTotal = (page: RowPage, more: number): RowPage =>
  page.total === null ? page : { ...page, total: Math.max(0, page.total + more) };

function forgetOthers({ ref, entity, requestRole }: Table): void {
  void queryClient.invalidateQueries({
    queryKey: rowKeys.table(ref, entity.id),
    predicate: ({ queryKey }) => queryKey[3] !== 'pages' || queryKey[4] !== requestRole,
  });
  void queryClient.invalidateQueries({ queryKey: entityKeys.list(ref) });
}
