import { mutationOptions } from '@tanstack/react-query';
import { isWritable } from '../../../../contract/call-detail.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { ApiFailure } from '../api-failure.ts';
import { queryClient } from '../query-client.ts';
import { deleteRows } from './delete-rows.ts';
import { insertRow } from './insert-row.ts';
import { rowKeys } from './keys.ts';
import { oneRow } from './one-row.ts';
import { keyFields, keyText, type Row } from './row.ts';
import { dropChange, type SessionChange } from './session-changes.ts';
import { updateRow } from './update-row.ts';

/**
 * Returns the reason why a change cannot be undone; null if it can.
 * @param now The row as it is stored now; null if it does not exist.
 */
export function undoOff({ kind, table: { entity }, before, after }: SessionChange, now: Row | null): string | null {
  if (kind === 'delete') {
    if (now !== null) return 'a row with this key was inserted since';
    return deletionIsLasting(entity);
  }
  if (now === null) return 'the row was deleted since';
  const changed = Object.keys(after ?? {}).find((name) => (after?.[name] ?? null) !== (now[name] ?? null));
  if (changed !== undefined) return `${changed} was changed since`;
  return kind === 'insert' || before !== null ? null : 'the value before is unknown';
}

/** Returns the reason why a deleted row of an entity cannot be inserted again with its key; null if it can. */
export function deletionIsLasting(entity: Entity): string | null {
  const keys = keyFields(entity);
  const generated = entity.fields.find((field) => keys.includes(field.name) && !isWritable(field));
  return generated ? `the database sets ${generated.name}, so the row would get another key` : null;
}

/** Reads the row of a change as it is stored now. Reads it as the caller who made the change. */
export const changedRow = ({ table, key }: SessionChange) => ({ ...oneRow(table, key), staleTime: 0 });

/**
 * Undoes a change by a second change, which the same rules, policies and triggers check.
 * @throws {ApiFailure} `changed_since` if the row was changed later
 */
export const undoChange = () =>
  mutationOptions({
    mutationFn: async (change: SessionChange): Promise<void> => {
      const { table, kind, key, before } = change;
      const off = undoOff(change, await queryClient.fetchQuery(changedRow(change)));
      if (off !== null) throw new ApiFailure(`It cannot be undone: ${off}.`, { code: 'changed_since', status: null });
      if (kind === 'insert') await run(deleteRows(table), [key]);
      else if (kind === 'delete') await run(insertRow(table), writableValues(change));
      else await run(updateRow(table), { key, values: before ?? {} });
    },
    onSuccess: (_, change) => {
      dropChange(change);
      const { ref, entity } = change.table;
      void queryClient.invalidateQueries({ queryKey: rowKeys.table(ref, entity.id) });
    },
  });

/** Returns the values of a deleted row that a caller may write, so that the row can be inserted again. */
function writableValues({ table: { entity }, before }: SessionChange): Row {
  const writable = new Set(entity.fields.filter(isWritable).map(({ name }) => name));
  return Object.fromEntries(Object.entries(before ?? {}).filter(([name]) => writable.has(name)));
}

/** Runs a mutation together with what it does to the cache. */
const run = <Result, Variables>(
  options: Parameters<typeof mutationOptions<Result, Error, Variables>>[0],
  variables: Variables,
): Promise<Result> => queryClient.getMutationCache().build(queryClient, options).execute(variables);

/** Writes a key for use in a sentence, for example "12" or "7, en". */
export const keyWords = (key: readonly string[]): string => key.join(', ') || keyText(key);
