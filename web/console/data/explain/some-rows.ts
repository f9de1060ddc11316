import { queryOptions } from '@tanstack/react-query';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { labelField } from '../rows/labels.ts';
import { orderOf, selectOf } from '../rows/query-string.ts';
import { restCall } from '../rows/rest-call.ts';
import { keyFields, type Row } from '../rows/row.ts';
import { touchedField } from './question.ts';

/** Number of rows to choose from. */
const offered = 50;

/** Reads the first rows of an entity by its key, with their labels. */
export const someRows = (ref: string, entity: Entity) =>
  queryOptions({
    queryKey: ['some-rows', ref, entity.id],
    queryFn: async ({ signal }): Promise<Row[]> => {
      const key = keyFields(entity);
      const fields = [...new Set([...key, labelField(entity), touchedField(entity)].filter((name) => name !== null))];
      const order = orderOf(null, key);
      const { rows } = await restCall(
        { ref, entity, requestRole: 'service' },
        {
          parameters: [
            ['select', selectOf(fields)],
            ...(order === '' ? [] : [['order', order] as const]),
            ['limit', String(offered)],
          ],
          signal,
        },
      );
      return rows;
    },
    staleTime: 30_000,
    retry: false,
  });
