import { queryOptions } from '@tanstack/react-query';
import {
  type FigurePeriod,
  isComputedPart,
  type PortalEntity,
  type PortalFigures,
  type PortalPage,
  type PortalPart,
  type PortalScreens,
} from '../../../contract/portal.ts';
import { keysParameter } from '../../rows/query.ts';
import type { Portal } from './client.ts';
import { reach } from './connection.ts';
import { timeZoneHere } from './language.ts';
import { listParams, selectOf } from './query.ts';
import { callerHeaders, callRest, parseExactly, Refusal, type Rows } from './rest.ts';
import { figuresKey, rowsKey } from './rows.ts';

/** Reads the numbers, bars and lines of a page. Changes of rows that the page shows, and its own changes, make them old. */
export const figures = (portal: Portal, { route, parts }: PortalPage, days: FigurePeriod) =>
  queryOptions({
    queryKey: [...figuresKey, route, days, parts.filter(isComputedPart)],
    queryFn: async (): Promise<PortalFigures> => {
      const asked = new URLSearchParams({ route, days: String(days), zone: timeZoneHere() });
      const response = await reach(`/portal/v1/figures?${asked}`, { headers: await callerHeaders(portal) });
      const text = await response.text();
      if (response.ok) return parseExactly(text) as PortalFigures;
      throw new Refusal(response.status, parseExactly(text) as ConstructorParameters<typeof Refusal>[1]);
    },
    placeholderData: (before) => before,
  });

/** Reads the first rows of a list in a page. */
export const partRows = (
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  { columns, filter, order, rows }: Extract<PortalPart, { kind: 'list' }>,
) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'part', columns, filter, order, rows],
    queryFn: (): Promise<Rows> => {
      const params = listParams(all, entity, columns, { filter, order, conditions: {}, search: '' });
      params.set('limit', String(rows));
      return callRest(portal, entity, { params });
    },
  });

/** Reads the rows with these values of a field, each with its label. */
export const namedRows = (
  portal: Portal,
  all: PortalScreens,
  entity: PortalEntity,
  field: string,
  values: readonly unknown[],
) =>
  queryOptions({
    queryKey: [...rowsKey, entity.id, 'named', field, values],
    queryFn: (): Promise<Rows> => {
      const params = new URLSearchParams([
        [
          ...keysParameter(
            [field],
            values.map((value) => [value]),
          ),
        ],
      ]);
      params.set('select', selectOf(all, entity, [field]));
      return callRest(portal, entity, { params });
    },
    placeholderData: (before) => before,
  });
