import { queryOptions } from '@tanstack/react-query';
import { rowKeys } from './keys.ts';
import { labelField } from './labels.ts';
import { orderOf, searchParameter, selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';

/** Number of labels that are read at once. */
const atOnce = 1000;
/** Number of texts that a larger table is searched for, and the first letters that a label has in common with a text. */
const searched = 20;
const letters = 3;

/**
 * Reads the keys of rows by label: those of the whole table, or in a large table of rows with the first letters of a
 * text in the label. Of several rows with one label, none is returned.
 */
export const knownLabels = (table: Table, key: string, texts: readonly string[]) =>
  queryOptions({
    queryKey: rowKeys.labels(table.ref, table.entity.id, table.requestRole, `known ${key}`, texts),
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, string>> => {
      const label = labelField(table.entity);
      if (label === null) return new Map();
      const read = (search: string) => {
        const condition = search === '' ? null : searchParameter([label], search);
        return restCall(table, {
          parameters: [
            ['select', selectOf([key, label])],
            ...(condition ? [condition] : []),
            ['order', orderOf(null, [label])],
            ['limit', String(atOnce)],
          ],
          signal,
        });
      };
      const { rows } = await read('');
      const beginnings = new Set(texts.slice(0, searched).map((text) => text.trim().slice(0, letters)));
      const others = rows.length < atOnce ? [] : await Promise.all([...beginnings].map(read));
      const found = new Map<string, string | null>();
      for (const row of [rows, ...others.map((other) => other.rows)].flat()) {
        const [name, value] = [row[label], row[key] ?? null];
        if (typeof name === 'string') found.set(name, found.has(name) && found.get(name) !== value ? null : value);
      }
      return new Map([...found].filter((pair): pair is [string, string] => pair[1] !== null));
    },
    staleTime: 60_000,
    retry: false,
  });
