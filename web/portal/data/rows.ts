import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query';
import type { PortalEntity, PortalField, PortalScreen, PortalScreens } from '../../../contract/portal.ts';
import type { Portal } from './client.ts';
import { rowsAfter } from './keyset.ts';
import { keyParams, type ListQuery, listParams, PAGE_ROWS, quoted, selectOf } from './query.ts';
import { callRest, Refusal, type Row, type Rows } from './rest.ts';
import { entityIn } from './screens.ts';
import { queryClient } from './session.ts';

const rowsKey = ['rows'] as const;
const refresh = () => queryClient.invalidateQueries({ queryKey: rowsKey });

/**
 * The start of a page: the condition for the rows after the previous page, or a number of rows to skip if the order
 * allows no such condition.
 */
interface PageBegin {
  readonly after: string | null;
  readonly offset: number;
}

const FIRST_PAGE: PageBegin = { after: null, offset: 0 };

function readPage(
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  columns: readonly string[],
  query: ListQuery,
  { after, offset }: PageBegin,
  rows: number,
): Promise<Rows> {
  const ordered = (query.order ?? '').split(',').map((term) => term.split('.')[0] ?? '');
  const params = listParams(all, entity, [...columns, ...ordered], query);
  params.set('limit', String(rows));
  if (after !== null) params.append('or', after);
  else if (offset > 0) params.set('offset', String(offset));
  // Only the first page requests the count. On a later page, the count would exclude the rows before that page.
  const isFirst = after === null && offset === 0;
  return callRest(portal, entity, { params, ...(isFirst && { prefer: 'count=estimated' }) });
}

function pageAfter(
  entity: PortalEntity,
  { order }: ListQuery,
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

/** Number of rows of a request for a download, and of a complete download. */
const DOWNLOAD_PAGE = 1000;
const DOWNLOAD_ROWS = 50_000;

/** Reads all rows of a list, up to DOWNLOAD_ROWS. */
export async function allRows(
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  columns: readonly string[],
  query: ListQuery,
): Promise<Row[]> {
  const pages: Rows[] = [];
  let begin: PageBegin | undefined = FIRST_PAGE;
  while (begin && begin.offset < DOWNLOAD_ROWS) {
    const page: Rows = await readPage(portal, all, entity, columns, query, begin, DOWNLOAD_PAGE);
    pages.push(page);
    begin = pageAfter(entity, query, page.rows, pages, DOWNLOAD_PAGE);
  }
  return pages.flatMap(({ rows }) => rows);
}

/** Reads a list page by page, with PostgreSQL's estimate of the count. */
export const list = (
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  columns: readonly string[],
  query: ListQuery,
) =>
  infiniteQueryOptions({
    queryKey: [...rowsKey, entity.id, 'list', columns, query],
    initialPageParam: FIRST_PAGE,
    queryFn: ({ pageParam }): Promise<Rows> => readPage(portal, all, entity, columns, query, pageParam, PAGE_ROWS),
    getNextPageParam: ({ rows }, pages) => pageAfter(entity, query, rows, pages, PAGE_ROWS),
    placeholderData: (before) => before,
  });

/** Reads the rows of a board in one state, each with the transitions that the caller may make. */
export const lane = (
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  { columns, filter, order }: Pick<PortalScreen, 'columns' | 'filter' | 'order'>,
  field: string,
  state: string,
) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'lane', field, state, columns, filter, order],
    queryFn: async (): Promise<Rows> => {
      const required = entity.machine?.transitions.flatMap(({ requires }) => requires) ?? [];
      const query = { filter, order, conditions: { [field]: `eq.${state}` }, search: '' };
      const params = listParams(all, entity, [...columns, ...required], query);
      params.set('select', `${params.get('select')},transitions`);
      params.set('limit', String(PAGE_ROWS));
      return callRest(portal, entity, { params, prefer: 'count=estimated' });
    },
  });

/** Maximum number of rows of a calendar's month and of a page of figures. */
export const SHOWN_ROWS = 500;

/** Reads the rows of a calendar that overlap a time, in the order of their start. */
export const rowsBetween = (
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  { columns, filter }: Pick<PortalScreen, 'columns' | 'filter'>,
  { start, end }: NonNullable<PortalScreen['span']>,
  [from, to]: readonly [string, string],
) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'between', columns, filter, from, to],
    queryFn: (): Promise<Rows> => {
      const query = {
        filter,
        order: quoted(start),
        conditions: { [start]: `lt.${to}`, [end]: `gte.${from}` },
        search: '',
      };
      const params = listParams(all, entity, [...columns, start, end], query);
      params.set('limit', String(SHOWN_ROWS));
      return callRest(portal, entity, { params });
    },
    placeholderData: (before) => before,
  });

/** Reads the rows of a page of figures. */
export const figureRows = (
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  { columns, filter, order }: Pick<PortalScreen, 'columns' | 'filter' | 'order'>,
) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'figures', columns, filter, order],
    queryFn: (): Promise<Rows> => {
      const params = listParams(all, entity, columns, { filter, order, conditions: {}, search: '' });
      params.set('limit', String(SHOWN_ROWS));
      return callRest(portal, entity, { params });
    },
  });

/** Estimates the number of rows of a list. */
export const count = (portal: Portal, all: PortalScreens, entity: PortalEntity, query: ListQuery) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'count', query],
    queryFn: async () => {
      const params = listParams(all, entity, entity.key, query);
      params.set('limit', '0');
      return (await callRest(portal, entity, { params, prefer: 'count=estimated' })).total;
    },
  });

/**
 * Reads one row with every field that the caller may read; null if the row does not exist or the caller may not read
 * it.
 */
export const row = (portal: Portal, all: PortalScreens, entity: PortalEntity, key: Readonly<Record<string, unknown>>) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'row', key],
    queryFn: () => readRow(portal, all, entity, key),
  });

/** Reads the current values of a row. */
export async function readRow(
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  key: Readonly<Record<string, unknown>>,
): Promise<Row | null> {
  const params = keyParams(key);
  const fields = entity.fields.filter(({ readable }) => readable).map(({ name }) => name);
  const states = entity.machine ? ',transitions,state_changes' : '';
  params.set('select', `${selectOf(all, entity, fields)}${states}`);
  params.set('limit', '1');
  return (await callRest(portal, entity, { params })).rows[0] ?? null;
}

/** Maximum number of rows in the list of a reference. */
const CHOICES = 20;

/** Searches the rows that a field can reference, by their labels. */
export const choices = (portal: Portal, all: PortalScreens, entityId: string, search: string) =>
  queryOptions({
    queryKey: [...rowsKey, entityId, 'choices', search],
    queryFn: async (): Promise<Rows> => {
      const entity = entityIn(all, entityId);
      if (!entity) return { rows: [], total: 0 };
      const title = entity.title_field;
      const condition = search === '' || title === null ? {} : { [title]: `ilike.*${search.replaceAll('*', '')}*` };
      const query = { filter: null, order: title, conditions: condition, search: '' };
      const params = listParams(
        all,
        entity,
        entity.fields.slice(0, 4).map(({ name }) => name),
        query,
      );
      params.set('limit', String(CHOICES));
      return callRest(portal, entity, { params, prefer: 'count=estimated' });
    },
    placeholderData: (before) => before,
  });

/** Adds a row. Returns the row if the caller may read it. */
export const addRow = (portal: Portal, entity: PortalEntity) =>
  mutationOptions({
    mutationFn: async (body: Row): Promise<Row | null> => {
      const isReadable = entity.access.select.open && entity.key.length > 0;
      const params = new URLSearchParams(isReadable ? { select: entity.key.map(quoted).join(',') } : {});
      const prefer = isReadable ? 'return=representation' : 'return=minimal';
      return (await callRest(portal, entity, { method: 'POST', params, body, prefer })).rows[0] ?? null;
    },
    onSuccess: refresh,
  });

/** A change of a row: the values that the member has read, and the changed fields. */
export interface RowChange {
  readonly key: Readonly<Record<string, unknown>>;
  readonly before: Row;
  readonly changes: Row;
}

/**
 * The result of a change: `saved`; `refused` if the row is missing or the caller may not change it; or the changed
 * fields that another caller has changed, with their stored values.
 */
export type ChangeResult = 'saved' | 'refused' | Row;

/** Maximum length of the read values in the address of a request, percent-encoded. */
const VERSION_CHARACTERS = 12_000;

/**
 * Returns, by field, the filters that match only if a changed field still has the value that the member has read. Omits
 * fields whose values no filter can contain. If the filters are longer than VERSION_CHARACTERS together, omits the
 * fields beyond that length.
 */
export function comparedInAddress({ fields }: PortalEntity, changes: Row, before: Row): Map<string, string> {
  const found = new Map<string, string>();
  let characters = 0;
  for (const name of Object.keys(changes)) {
    const field = fields.find((one) => one.name === name);
    const condition = field?.readable ? asRead(field, before[name]) : null;
    if (condition === null) continue;
    characters += encodeURIComponent(condition).length;
    if (characters <= VERSION_CHARACTERS) found.set(name, condition);
  }
  return found;
}

/**
 * Changes a row if each changed field still has the value that the member has read. The request contains these values
 * as filters, and the server compares them in the statement that writes.
 */
export async function changeRow(
  portal: Portal,
  entity: PortalEntity,
  { key, before, changes }: RowChange,
): Promise<ChangeResult> {
  const params = keyParams(key);
  for (const [name, condition] of comparedInAddress(entity, changes, before)) params.append(quoted(name), condition);
  params.set('select', entity.key.map(quoted).join(','));
  const prefer = 'return=representation, conflict=report';
  try {
    const { rows } = await callRest(portal, entity, { method: 'PATCH', params, body: changes, prefer });
    return rows.length > 0 ? 'saved' : 'refused';
  } catch (error) {
    if (error instanceof Refusal && error.code === 'row_changed') return error.details as Row;
    throw error;
  } finally {
    await refresh();
  }
}

/**
 * Returns a filter that matches if the field still has the value. Returns null for values that no filter can contain.
 */
function asRead({ editor }: PortalField, value: unknown): string | null {
  if (value === null) return 'is.null';
  if (typeof value === 'boolean') return `is.${value}`;
  if (editor === 'array' && Array.isArray(value)) return arrayFilter(value);
  return typeof value === 'number' || typeof value === 'string' ? `eq.${value}` : null;
}

/** Returns a filter with an array of PostgreSQL (manual, "Array Input and Output"); null for nested values. */
function arrayFilter(values: readonly unknown[]): string | null {
  if (values.some((value) => typeof value === 'object' && value !== null)) return null;
  const elements = values.map((value) => (value === null ? 'NULL' : `"${String(value).replaceAll(/[\\"]/g, '\\$&')}"`));
  return `eq.{${elements.join(',')}}`;
}

/** Deletes a row. Returns false if no row was deleted. */
export async function removeRow(
  portal: Portal,
  entity: PortalEntity,
  key: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const params = keyParams(key);
  params.set('select', entity.key.map(quoted).join(','));
  const { rows } = await callRest(portal, entity, { method: 'DELETE', params, prefer: 'return=representation' });
  return rows.length > 0;
}

/** Deletes a row, then reads the rows again. */
export const deleteRow = (portal: Portal, entity: PortalEntity) =>
  mutationOptions({
    mutationFn: (key: Readonly<Record<string, unknown>>) => removeRow(portal, entity, key),
    onSuccess: refresh,
  });
