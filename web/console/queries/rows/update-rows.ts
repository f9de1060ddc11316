import { mutationOptions } from '@tanstack/react-query';
import { keysParameter } from '../../../rows/query.ts';
import { portions, selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import { keyFields, keyOf, keyText, type Row } from './row.ts';
import { rowBody } from './row-body.ts';
import { changeRows } from './write-cache.ts';

/**
 * Changes some fields of the rows with these keys, and returns all fields of the changed rows. Many keys need several
 * requests. If a request fails, the rows of the previous requests stay changed, and the sheet shows this.
 */
export const updateRows = (table: Table) =>
  mutationOptions({
    mutationFn: async ({ keys, values }: { keys: readonly (readonly string[])[]; values: Row }): Promise<Row[]> => {
      const { entity } = table;
      const fields = keyFields(entity);
      const changed: Row[] = [];
      for (const portion of portions(fields, keys)) {
        const { rows } = await restCall(table, {
          method: 'PATCH',
          parameters: [['select', selectOf(entity.fields.map(({ name }) => name))], keysParameter(fields, portion)],
          body: rowBody(values, entity.fields),
          prefer: ['return=representation'],
        });
        const fresh = new Map(rows.map((row) => [keyText(keyOf(row, fields) ?? []), row]));
        changeRows(table, (row) => fresh.get(keyText(keyOf(row, fields) ?? [])) ?? row);
        changed.push(...rows);
      }
      return changed;
    },
  });
