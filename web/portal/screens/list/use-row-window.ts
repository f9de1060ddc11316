import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { COUNTED } from '../../../fields/format.ts';
import { usePortal } from '../../queries/client.ts';
import { followed } from '../../queries/live.ts';
import { PAGE_ROWS } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { type ListOf, PageChain, rowPage } from '../../queries/row-pages.ts';
import { count } from '../../queries/rows.ts';
import { useScreens } from '../../queries/screens.ts';

/** The rows of a list that were read so far, and the number of all its rows. */
export interface RowWindow {
  /** Number of all rows of the list, as far as it is known. */
  readonly total: number;
  /** False if `total` is an estimate. */
  readonly isExact: boolean;
  readonly isLoading: boolean;
  readonly error: Error | null;
  /** Returns a row by its position in the list; undefined while the row is being read. */
  readonly rowAt: (index: number) => Row | undefined;
  /** The rows that were read, in the order of the list. */
  readonly rows: readonly Row[];
  /** The rows that were read, by the number of their page. Empty while the rows of the previous query are shown. */
  readonly pages: ReadonlyMap<number, readonly Row[]>;
}

/**
 * Reads the visible pages of a list, and the first page, because only the first page has the count. While the rows of a
 * changed query are being read, the rows of the previous query are shown.
 * @param visible Numbers of the first and the last visible page.
 */
export function useRowWindow(of: ListOf, [from, to]: readonly [number, number]): RowWindow {
  const portal = usePortal();
  const all = useScreens();
  const text = JSON.stringify([of.entity.id, of.columns, of.query]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: The chain contains the pages of one query.
  const chain = useMemo(() => new PageChain(), [text]);
  const page = (number: number) => ({
    ...rowPage(portal, all, of, chain, number),
    ...followed,
  });
  const first = useQuery({ ...page(0), placeholderData: keepPreviousData });
  const numbers = pagesBetween(from, to);
  const others = useQueries({ queries: first.isPlaceholderData ? [] : numbers.map(page) });
  const pages = new Map([
    [0, first.data?.rows],
    ...(first.isPlaceholderData ? [] : numbers.map((number, i) => [number, others[i]?.data?.rows] as const)),
  ]);
  const read = [...pages]
    .flatMap(([number, rows]) => (rows ? [{ number, rows }] : []))
    .sort((a, b) => a.number - b.number);
  // An estimate may be too high. Then the page is beyond the last row, and the rows are counted exactly.
  const isBeyond = read.some(({ number, rows }) => number > 0 && rows.length === 0);
  const exact = useQuery({ ...count(portal, all, of.entity, of.query, 'exact'), enabled: isBeyond });
  const total = totalOf(endOf(read) ?? chain.end ?? exact.data ?? null, first.data?.total ?? 0, read);
  return {
    ...total,
    isLoading: !first.data && !first.error,
    error: first.error ?? others.find(({ error }) => error)?.error ?? exact.error,
    rowAt: (index) => pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS],
    rows: read.flatMap(({ rows }) => rows),
    pages: new Map(first.isPlaceholderData ? [] : read.map(({ number, rows }) => [number, rows])),
  };
}

/** Returns the numbers of the pages from `from` to `to`, without the first page of the list. */
const pagesBetween = (from: number, to: number): number[] => {
  const low = Math.max(1, from);
  return Array.from({ length: Math.max(0, to - low + 1) }, (_, i) => low + i);
};

/** Returns the number of rows of the list if its last page was read. A live list changes rows without a request of the chain. */
function endOf(read: readonly { readonly number: number; readonly rows: readonly Row[] }[]): number | null {
  const last = read.find(({ number, rows }) => rows.length < PAGE_ROWS && (rows.length > 0 || number === 0));
  return last ? last.number * PAGE_ROWS + last.rows.length : null;
}

/** Returns the exact number of rows if it is known, or else the estimate. The result is at least the number of rows that were read. */
function totalOf(
  exact: number | null,
  estimate: number,
  read: readonly { readonly number: number; readonly rows: readonly Row[] }[],
): Pick<RowWindow, 'total' | 'isExact'> {
  if (exact !== null) return { total: exact, isExact: true };
  const known = Math.max(0, ...read.map(({ number, rows }) => number * PAGE_ROWS + rows.length));
  // An estimate may be too low. So the total has room for one more page after the last full page.
  return estimate > COUNTED
    ? { total: Math.max(estimate, known + PAGE_ROWS), isExact: false }
    : { total: Math.max(estimate, known), isExact: true };
}
