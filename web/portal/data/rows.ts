import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query';
import type { PortalEntity, PortalScreen, PortalScreens } from '../../../contract/portal.ts';
import type { Portal } from './client.ts';
import { keyParams, type ListQuery, listParams, PAGE_ROWS, quoted, selectOf } from './query.ts';
import { callRest, type Row, type Rows } from './rest.ts';
import { entityIn } from './screens.ts';
import { queryClient } from './session.ts';

const rowsKey = ['rows'] as const;
const refresh = () => queryClient.invalidateQueries({ queryKey: rowsKey });

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
    initialPageParam: 0,
    queryFn: async ({ pageParam }): Promise<Rows> => {
      const params = listParams(all, entity, columns, query);
      params.set('limit', String(PAGE_ROWS));
      if (pageParam > 0) params.set('offset', String(pageParam));
      return callRest(portal, entity, { params, prefer: 'count=estimated' });
    },
    getNextPageParam: ({ rows }, pages) =>
      rows.length < PAGE_ROWS ? undefined : pages.reduce((count, page) => count + page.rows.length, 0),
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
  const states = entity.machine ? ',transitions,passages' : '';
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

/** A change of a row: its previous values and the changed fields. */
export interface RowChange {
  readonly key: Readonly<Record<string, unknown>>;
  readonly before: Row;
  readonly changes: Row;
}

/** Longer texts are not part of the request's address. */
const FILTERED_CHARACTERS = 200;

/**
 * Changes a row if its changed fields still have their previous values. Returns false if they differ, if the row is
 * deleted, or if the caller may not change it.
 */
export const changeRow = (portal: Portal, entity: PortalEntity) =>
  mutationOptions({
    mutationFn: async ({ key, before, changes }: RowChange): Promise<boolean> => {
      const params = keyParams(key);
      for (const name of Object.keys(changes)) {
        const condition = asRead(before[name]);
        if (condition !== null && entity.fields.some((field) => field.name === name && field.readable)) {
          params.append(quoted(name), condition);
        }
      }
      params.set('select', entity.key.map(quoted).join(','));
      const call = { method: 'PATCH', params, body: changes, prefer: 'return=representation' } as const;
      return (await callRest(portal, entity, call)).rows.length > 0;
    },
    onSuccess: refresh,
  });

/** Returns the filter that a field still has the value; null for values that no filter can contain. */
function asRead(value: unknown): string | null {
  if (value === null) return 'is.null';
  if (typeof value === 'boolean') return `is.${value}`;
  const isShort = typeof value === 'number' || (typeof value === 'string' && value.length <= FILTERED_CHARACTERS);
  return isShort ? `eq.${value}` : null;
}

/** Deletes a row. Returns false if no row was deleted. */
export const deleteRow = (portal: Portal, entity: PortalEntity) =>
  mutationOptions({
    mutationFn: async (key: Readonly<Record<string, unknown>>): Promise<boolean> => {
      const params = keyParams(key);
      params.set('select', entity.key.map(quoted).join(','));
      return (
        (await callRest(portal, entity, { method: 'DELETE', params, prefer: 'return=representation' })).rows.length > 0
      );
    },
    onSuccess: refresh,
  });
