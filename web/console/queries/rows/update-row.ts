import { mutationOptions } from '@tanstack/react-query';
import { keyParameters } from '../../../rows/query.ts';
import { ApiFailure } from '../api-failure.ts';
import { selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import { keyFields, keyText, type Row } from './row.ts';
import { rowBody } from './row-body.ts';
import { changeRows, hasKey } from './write-cache.ts';

/** Changes some fields of the row with this key, and returns the row as the database stores it. */
export const updateRow = (table: Table) =>
  mutationOptions({
    mutationFn: async ({ key, values }: { key: readonly string[]; values: Row }): Promise<Row> => {
      const { entity } = table;
      const { rows } = await restCall(table, {
        method: 'PATCH',
        parameters: [
          ['select', selectOf(entity.fields.map(({ name }) => name))],
          ...keyParameters(keyFields(entity), key),
        ],
        body: rowBody(values, entity.fields),
        prefer: ['return=representation'],
      });
      const [row] = rows;
      if (!row) throw unchanged(table);
      return row;
    },
    onSuccess: (row, { key }) => {
      const same = hasKey(table);
      changeRows(table, (before) => (same(before, keyText(key)) ? row : before));
    },
  });

const unchanged = ({ requestRole }: Table): ApiFailure =>
  new ApiFailure('No row was changed.', {
    code: 'no_row',
    status: 200,
    hint:
      requestRole === 'service'
        ? 'The row no longer exists, or its key has changed. Refresh the rows.'
        : 'The row no longer exists, or the policies do not allow this caller to change it. See chapter 6.',
  });
