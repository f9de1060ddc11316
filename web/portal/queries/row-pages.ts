import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { PortalEntity, PortalScreens } from '../../../contract/portal.ts';
import type { Portal } from './client.ts';
import { rowsAfter } from './keyset.ts';
import { type ListQuery, listParams, orderTerms, PAGE_ROWS } from './query.ts';
import { callRest, type Row, type Rows } from './rest.ts';
import { rowsKey } from './rows.ts';

/** Where a page begins: after a certain row, or after a number of rows if the order allows no condition for the rows after a row. */
interface PageBegin {
  readonly after: string | null;
  readonly offset: number;
}

const FIRST_PAGE: PageBegin = { after: null, offset: 0 };

/** A list of rows: its entity, columns and query. */
export interface ListOf {
  readonly entity: PortalEntity;
  readonly columns: readonly string[];
  readonly query: ListQuery;
}

function readPage(
  portal: Portal,
  all: PortalScreens,
  { entity, columns, query }: ListOf,
  { after, offset }: PageBegin,
  rows: number,
): Promise<Rows> {
  const ordered = orderTerms(query.order).map(({ field }) => field);
  const params = listParams(all, entity, [...columns, ...ordered], query);
  params.set('limit', String(rows));
  if (after !== null) params.append('or', after);
  else if (offset > 0) params.set('offset', String(offset));
  // Only the first page asks for the count, because the condition of a later page would make its count too small.
  const isFirst = after === null && offset === 0;
  return callRest(portal, entity, { params, ...(isFirst && { prefer: 'count=estimated' }) });
}

function pageAfter(
  { entity, query: { order } }: ListOf,
  rows: readonly Row[],
  pages: readonly Rows[],
  size: number,
): PageBegin | undefined {
  const last = rows.at(-1);
  if (rows.length < size || !last) return undefined;
  return {
    after: rowsAfter(entity, order, last),
    offset: pages.reduce((sum, page) => sum + page.rows.length, 0),
  };
}

/** Number of rows that one request of a download reads, and maximum number of rows of a download. */
const DOWNLOAD_PAGE = 1000;
const DOWNLOAD_ROWS = 50_000;

/** Reads all rows of a list, at most DOWNLOAD_ROWS. */
export async function allRows(portal: Portal, all: PortalScreens, of: ListOf): Promise<Row[]> {
  const pages: Rows[] = [];
  let begin: PageBegin | undefined = FIRST_PAGE;
  while (begin && begin.offset < DOWNLOAD_ROWS) {
    const page: Rows = await readPage(portal, all, of, begin, DOWNLOAD_PAGE);
    pages.push(page);
    begin = pageAfter(of, page.rows, pages, DOWNLOAD_PAGE);
  }
  return pages.flatMap(({ rows }) => rows);
}

/** Reads a list page by page. The first page has PostgreSQL's estimate of the number of rows. */
export const list = (portal: Portal, all: PortalScreens, of: ListOf) =>
  infiniteQueryOptions({
    queryKey: [...rowsKey, of.entity.id, 'list', of.columns, of.query],
    initialPageParam: FIRST_PAGE,
    queryFn: ({ pageParam }): Promise<Rows> => readPage(portal, all, of, pageParam, PAGE_ROWS),
    getNextPageParam: ({ rows }, pages) => pageAfter(of, rows, pages, PAGE_ROWS),
    placeholderData: (before) => before,
  });

/** The pages of a list by number. If the page before a page was read, the page begins after the last row of that page. */
export class PageChain {
  readonly #pages = new Map<number, Promise<Rows>>();
  #end: number | null = null;

  /** The number of rows of the list; null until the last page was read. */
  get end(): number | null {
    return this.#end;
  }

  /**
   * Reads a page. If the page before it was not read, for example after a jump of the scrollbar, the page begins after
   * a number of rows.
   */
  read(portal: Portal, all: PortalScreens, of: ListOf, page: number): Promise<Rows> {
    const offset = page * PAGE_ROWS;
    const before = this.#pages.get(page - 1)?.then(
      ({ rows }) => (rows.length < PAGE_ROWS ? null : rowsAfter(of.entity, of.query.order, rows.at(-1) ?? {})),
      () => null,
    );
    const read = Promise.resolve(before)
      .then((after = null) => readPage(portal, all, of, { after, offset }, PAGE_ROWS))
      .then((found) => {
        const last = offset + found.rows.length;
        if (found.rows.length < PAGE_ROWS && (found.rows.length > 0 || page === 0)) this.#end = last;
        else if (this.#end !== null && this.#end < last) this.#end = null;
        return found;
      });
    this.#pages.set(page, read);
    return read;
  }
}

/** Reads one page of a list. The first page has PostgreSQL's estimate of the number of rows. */
export const rowPage = (portal: Portal, all: PortalScreens, of: ListOf, chain: PageChain, page: number) =>
  queryOptions({
    queryKey: [...rowsKey, of.entity.id, 'page', of.columns, of.query, page],
    queryFn: (): Promise<Rows> => chain.read(portal, all, of, page),
  });
