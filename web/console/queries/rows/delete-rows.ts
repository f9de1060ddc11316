import { mutationOptions } from '@tanstack/react-query';
import { keysParameter } from '../../../rows/query.ts';
import { portions, selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import { keyFields, keyOf, keyText, type Row } from './row.ts';
import { changeRows } from './write-cache.ts';

/**
 * Deletes the rows with these keys, and returns all fields of the deleted rows. Many keys need several requests. If a
 * request fails, the rows of the previous requests stay deleted, and the sheet shows this.
 */
export const deleteRows = (table: Table) =>
  mutationOptions({
    mutationFn: async (keys: readonly (readonly string[])[]): Promise<Row[]> => {
      const fields = keyFields(table.entity);
      const deleted: Row[] = [];
      for (const portion of portions(fields, keys)) {
        const { rows } = await restCall(table, {
          method: 'DELETE',
          parameters: [
            ['select', selectOf(table.entity.fields.map(({ name }) => name))],
            keysParameter(fields, portion),
          ],
          prefer: ['return=representation'],
        });
        const gone = new Set(rows.map((row) => keyText(keyOf(row, fields) ?? [])));
        changeRows(table, (row) => (gone.has(keyText(keyOf(row, fields) ?? [])) ? null : row));
        deleted.push(...rows);
      }
      return deleted;
    },
  });
