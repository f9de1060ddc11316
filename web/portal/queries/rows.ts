import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type {
  PortalEntity,
  PortalField,
  PortalFreeTimes,
  PortalRights,
  PortalScreen,
  PortalScreens,
} from '../../../contract/portal.ts';
import { timeOf } from '../../fields/format.ts';
import { quoted } from '../../rows/query.ts';
import type { Portal } from './client.ts';
import { reach } from './connection.ts';
import {
  addSearch,
  arrayText,
  keyParams,
  type ListQuery,
  listParams,
  PAGE_ROWS,
  searchedReferences,
  selectOf,
} from './query.ts';
import { callerHeaders, callFunction, callRest, Refusal, type Row, type Rows } from './rest.ts';
import { entityIn } from './screens.ts';
import { queryClient } from './session.ts';

/** Beginning of the keys of all queries that read rows. */
export const rowsKey = ['rows'] as const;
/** Beginning of the keys of the queries that read the figures of a page. */
export const figuresKey = [...rowsKey, 'figures'] as const;
const refresh = () => queryClient.invalidateQueries({ queryKey: rowsKey });

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
      const required =
        entity.machine?.transitions.flatMap(({ requires, presumes = [] }) => [...requires, ...presumes]) ?? [];
      const query = { filter, order, conditions: { [field]: `eq.${state}` }, search: '' };
      const params = listParams(all, entity, [...columns, ...required], query);
      if (entity.machine?.undecided === null) params.set('select', `${params.get('select')},transitions`);
      params.set('limit', String(PAGE_ROWS));
      return callRest(portal, entity, { params, prefer: 'count=estimated' });
    },
  });

/** Formats a time as a value of a field, depending on the type of the field: a day, a time without a time zone, or an instant. */
export function instantOf({ fields }: PortalEntity, name: string, time: Date): string {
  const { editor, zoneless } = fields.find((field) => field.name === name) ?? {};
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString();
  return editor === 'date' ? local.slice(0, 10) : zoneless ? local.slice(0, 19) : time.toISOString();
}

/** Maximum number of rows that are read for the days of a calendar, and for a page of figures. */
export const SHOWN_ROWS = 500;

/**
 * Reads the rows of a calendar that overlap a period, in the order of their start.
 * @param conditions Further conditions by field, such as the room of a booking.
 */
export const rowsBetween = (
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  { columns, filter }: Pick<PortalScreen, 'columns' | 'filter'>,
  { start, end }: NonNullable<PortalScreen['span']>,
  [from, to]: readonly [Date, Date],
  conditions: Readonly<Record<string, string>> = {},
) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'between', columns, filter, from.toISOString(), to.toISOString(), conditions],
    queryFn: (): Promise<Rows> => {
      const query = {
        filter,
        order: quoted(start),
        conditions: { ...conditions, [start]: `lt.${instantOf(entity, start, to)}` },
        search: '',
      };
      const params = listParams(all, entity, [...columns, ...Object.keys(conditions), start, end], query);
      const [begun, ended] = [start, end].map((name) => `${quoted(name)}.gte."${instantOf(entity, name, from)}"`);
      // A row without an end belongs to the day of its start only.
      params.append('or', `(${ended},and(${quoted(end)}.is.null,${begun}))`);
      params.set('limit', String(SHOWN_ROWS));
      return callRest(portal, entity, { params });
    },
    placeholderData: (before) => before,
  });

/** A free time of a calendar. */
interface FreeTime {
  readonly start: Date;
  readonly end: Date;
}

/**
 * Reads the free times of a calendar between two times.
 * @param of Key of the row by which the calendar is divided; undefined for a calendar that is not divided.
 */
export const freeTimes = (
  portal: Portal,
  free: PortalFreeTimes,
  { start, end }: NonNullable<PortalScreen['span']>,
  of: unknown,
  [from, to]: readonly [Date, Date],
) =>
  queryOptions({
    queryKey: [...rowsKey, 'free', free, of, from.toISOString(), to.toISOString()],
    queryFn: async (): Promise<readonly FreeTime[]> => {
      const args = {
        [free.from]: from.toISOString(),
        [free.to]: to.toISOString(),
        ...(free.of !== null && { [free.of]: of }),
      };
      const rows = (await callFunction(portal, free, args)) as readonly Row[] | null;
      return (rows ?? []).flatMap((row) => {
        const [begun, ended] = [timeOf(row[start] ?? ''), timeOf(row[end] ?? '')];
        return begun && ended && begun < ended ? [{ start: begun, end: ended }] : [];
      });
    },
    placeholderData: (before) => before,
  });

/** Reads the rows that a page of figures shows. */
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

/** Counts the rows of a list. PostgreSQL estimates a large number, unless the exact number is asked for. */
export const count = (
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  query: ListQuery,
  kind: 'estimated' | 'exact' = 'estimated',
) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'count', query, kind],
    queryFn: async () => {
      const params = listParams(all, entity, entity.key, query);
      params.set('limit', '0');
      return (await callRest(portal, entity, { params, prefer: `count=${kind}` })).total;
    },
  });

/**
 * Reads one row with every field that the caller may read; null if the row does not exist or the caller may not read
 * it.
 */
export const row = (portal: Portal, all: PortalScreens, entity: PortalEntity, key: Readonly<Record<string, unknown>>) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'row', key],
    queryFn: () => readRows(portal, all, entity, key),
    select: ({ rows }: Rows): Row | null => rows[0] ?? null,
  });

/** Reads the current values of a row. */
export async function readRow(
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  key: Readonly<Record<string, unknown>>,
): Promise<Row | null> {
  return (await readRows(portal, all, entity, key)).rows[0] ?? null;
}

async function readRows(
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  key: Readonly<Record<string, unknown>>,
): Promise<Rows> {
  const params = keyParams(key);
  const fields = entity.fields.filter(({ readable }) => readable).map(({ name }) => name);
  const states = entity.machine?.undecided === null ? ',transitions,state_changes' : '';
  params.set('select', `${selectOf(all, entity, fields)}${states}`);
  params.set('limit', '1');
  return callRest(portal, entity, { params });
}

/** Reads whether the member may change and delete a row. Where the server cannot find this out, the member may try. */
export const rowRights = (portal: Portal, entity: PortalEntity, key: Readonly<Record<string, unknown>>) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'rights', key],
    queryFn: async (): Promise<{ canUpdate: boolean; canDelete: boolean }> => {
      const asked = { entity: entity.name, key: JSON.stringify(key), ...(entity.schema && { schema: entity.schema }) };
      const response = await reach(`/portal/v1/rights?${new URLSearchParams(asked)}`, {
        headers: await callerHeaders(portal),
      });
      const rights: PortalRights = response.ok ? await response.json() : { update: null, delete: null };
      return { canUpdate: rights.update !== false, canDelete: rights.delete !== false };
    },
  });

/** Maximum number of rows in the list from which a referenced row is chosen. */
const CHOICES = 20;

/** Returns the field with the row to which each row of an entity belongs, if the labels of its rows do not contain that one; undefined if there is none. */
export const ownerField = (entity: PortalEntity): PortalField | undefined =>
  entity.fields.find(
    ({ name, editor, readable, nullable }) =>
      readable && !nullable && editor === 'reference' && !entity.title_fields.includes(name),
  );

/** Searches the rows that a field can reference, by their labels. */
export const choices = (portal: Portal, all: PortalScreens, entityId: string, search: string, limit = CHOICES) =>
  queryOptions({
    queryKey: [...rowsKey, entityId, 'choices', limit, search],
    queryFn: async (): Promise<Rows> => {
      const entity = entityIn(all, entityId);
      if (!entity) return { rows: [], total: 0 };
      const titles = entity.fields.filter(({ name }) => entity.title_fields.includes(name));
      // A reader also knows a row by its key, if the key is a text.
      const searched = entity.fields.filter(
        ({ name, searchable, shape }) =>
          searchable && (entity.title_fields.includes(name) || (entity.key.includes(name) && shape === undefined)),
      );
      const isNumber = ({ editor }: PortalField) => editor === 'number' && /^-?\d+$/.test(search);
      const [exact] = searched.length > 0 || searchedReferences(all, entity).length > 0 ? [] : titles.filter(isNumber);
      const conditions: ListQuery['conditions'] = exact ? { [exact.name]: `eq.${search}` } : {};
      const query = {
        filter: null,
        order: titles.map(({ name }) => quoted(name)).join(',') || null,
        conditions,
        search: '',
      };
      const owner = ownerField(entity)?.name;
      const shown = entity.fields.slice(0, 4).map(({ name }) => name);
      const params = listParams(all, entity, owner === undefined ? shown : [...new Set([...shown, owner])], query);
      addSearch(all, entity, params, exact ? '' : search, searched);
      params.set('limit', String(limit));
      return callRest(portal, entity, { params, prefer: 'count=estimated' });
    },
    placeholderData: (before) => before,
  });

/**
 * Adds a row. Returns the row if the caller may read it.
 * @param callerId The id of the caller's account, for the fields that must contain it.
 */
export const addRow = (portal: Portal, entity: PortalEntity, callerId: string | null) =>
  mutationOptions({
    mutationFn: async (values: Row): Promise<Row | null> => {
      const own =
        callerId === null ? [] : entity.fields.filter((field) => field.filled_by === 'caller' && field.insertable);
      const fixed = entity.fields.filter((field) => field.fixed !== undefined && field.insertable);
      const body = {
        ...Object.fromEntries(own.map(({ name }) => [name, callerId])),
        ...Object.fromEntries(fixed.map((field) => [field.name, field.fixed])),
        ...values,
      };
      const isReadable = entity.access.select.open && entity.key.length > 0;
      const params = new URLSearchParams(isReadable ? { select: entity.key.map(quoted).join(',') } : {});
      const prefer = isReadable ? 'return=representation' : 'return=minimal';
      return (await callRest(portal, entity, { method: 'POST', params, body, prefer })).rows[0] ?? null;
    },
    onSuccess: refresh,
  });

/** A change of a row: the values that the member had read, and the changed values. */
export interface RowChange {
  readonly key: Readonly<Record<string, unknown>>;
  readonly before: Row;
  readonly changes: Row;
}

/**
 * The result of a change. `saved`: the row was changed. `refused`: the row is missing, or the caller may not change it.
 * Otherwise the stored values of those changed fields that another caller has changed in the meantime.
 */
export type ChangeResult = 'saved' | 'refused' | Row;

/** Maximum length of the compared values in the address of a request, after percent-encoding. */
const VERSION_CHARACTERS = 12_000;

/**
 * Returns filters by field. A filter matches only if the field still has the value that the member had read. Omits
 * fields whose values no filter can contain. Once the filters together are longer than VERSION_CHARACTERS, omits the
 * remaining fields.
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
 * Changes a row if each changed field still has the value that the member had read. The request contains these values
 * as filters, and the statement that writes the row compares them.
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

/** Returns a filter that matches if a field still has this value. Returns null for a value that no filter can contain. */
function asRead({ editor }: PortalField, value: unknown): string | null {
  if (value === null) return 'is.null';
  if (typeof value === 'boolean') return `is.${value}`;
  if ((editor === 'array' || editor === 'files') && Array.isArray(value))
    return value.some(isNested) ? null : `eq.${arrayText(value)}`;
  return typeof value === 'number' || typeof value === 'string' ? `eq.${value}` : null;
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Deletes a row. Returns false if the server deleted no row. */
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

/** Deletes a row, and then reads all shown rows again. */
export const deleteRow = (portal: Portal, entity: PortalEntity) =>
  mutationOptions({
    mutationFn: (key: Readonly<Record<string, unknown>>) => removeRow(portal, entity, key),
    onSuccess: refresh,
  });
