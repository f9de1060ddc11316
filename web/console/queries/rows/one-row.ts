import { queryOptions } from '@tanstack/react-query';
import { keyParameters } from '../../../rows/query.ts';
import { rowKeys } from './keys.ts';
import { selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import { keyFields, keyText, type Row } from './row.ts';

/** Reads the row with this key; null if the row does not exist or the caller may not read it. */
export const oneRow = (table: Table, key: readonly string[]) =>
  queryOptions({
    queryKey: rowKeys.one(table.ref, table.entity.id, table.requestRole, keyText(key)),
    queryFn: async ({ signal }): Promise<Row | null> => {
      const { rows } = await restCall(table, {
        parameters: [
          ['select', selectOf(table.entity.fields.map(({ name }) => name))],
          ...keyParameters(keyFields(table.entity), key),
        ],
        signal,
      });
      return rows[0] ?? null;
    },
  });
