import { mutationOptions } from '@tanstack/react-query';
import { selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import type { Row } from './row.ts';
import { rowBody } from './row-body.ts';
import { addRow } from './write-cache.ts';

/**
 * Inserts a row with the given fields; the other fields get their defaults. Returns the row as the database stores it;
 * null if the caller may not read the row.
 */
export const insertRow = (table: Table) =>
  mutationOptions({
    mutationFn: async (values: Row): Promise<Row | null> => {
      const { entity } = table;
      const { rows } = await restCall(table, {
        method: 'POST',
        parameters: [['select', selectOf(entity.fields.map(({ name }) => name))]],
        body: rowBody(values, entity.fields),
        prefer: ['return=representation'],
      });
      return rows[0] ?? null;
    },
    onSuccess: (row) => {
      if (row) addRow(table, row);
    },
  });
