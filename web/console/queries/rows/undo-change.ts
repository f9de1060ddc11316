import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { isWritable } from '../../../../contract/call-detail.ts';
import { entityId, sqlName } from '../../../../contract/entity-names.ts';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import { keysParameter } from '../../../rows/query.ts';
import { ApiFailure } from '../api-failure.ts';
import { queryClient } from '../query-client.ts';
import { literal, runSql } from '../sql.ts';
import { deleteRows } from './delete-rows.ts';
import { insertRow } from './insert-row.ts';
import { rowKeys } from './keys.ts';
import { portions, selectOf } from './query-string.ts';
import { restCall, type Table } from './rest-call.ts';
import { keyFields, keyOf, keyText, type Row } from './row.ts';
import { type ChangedRow, dropChange, type SessionChange } from './session-changes.ts';
import { updateRow } from './update-row.ts';
import { updateRows } from './update-rows.ts';

/**
 * Returns the reason why the change of a row cannot be undone; null if it can.
 * @param now The row as it is stored now; null if it does not exist.
 */
function rowOff(
  { kind, table }: Pick<SessionChange, 'kind' | 'table'>,
  { before, after }: ChangedRow,
  now: Row | null,
): string | null {
  if (kind === 'delete') {
    if (now !== null) return 'a row with this key was inserted since';
    return deletionIsLasting(table);
  }
  if (now === null) return 'the row was deleted since';
  const changed = Object.keys(after ?? {}).find((name) => (after?.[name] ?? null) !== (now[name] ?? null));
  if (changed !== undefined) return `${changed} was changed since`;
  return kind === 'insert' || before !== null ? null : 'the value before is unknown';
}

/** The rows of a change that an undo restores, and why it does not restore others. */
interface Undoable {
  readonly rows: readonly ChangedRow[];
  /** The reason why no row can be restored; null if one can. */
  readonly off: string | null;
  /** Number of rows that stay as they are, because they were changed since. */
  readonly kept: number;
}

/**
 * Returns the rows of a change that can be restored. Pure.
 * @param stored The rows as they are stored now, by their keys.
 */
export function undoable(change: SessionChange, stored: ReadonlyMap<string, Row>): Undoable {
  const reasons = change.rows.map((row) => rowOff(change, row, stored.get(keyText(row.key)) ?? null));
  const rows = change.rows.filter((_, place) => reasons[place] === null);
  return { rows, kept: change.rows.length - rows.length, off: rows.length === 0 ? (reasons[0] ?? 'no row') : null };
}

/** Returns the reason why a deleted row cannot be inserted again with its key; null if it can. */
export function deletionIsLasting({ entity, requestRole }: Table): string | null {
  const keys = keyFields(entity);
  const generated = entity.fields.find((field) => keys.includes(field.name) && !isWritable(field));
  if (!generated || (isNumbered(generated) && requestRole === 'service' && entity.kind === 'table')) return null;
  return `the database sets ${generated.name}, so the row would get another key`;
}

/** Returns true for GENERATED ALWAYS AS IDENTITY. Only OVERRIDING SYSTEM VALUE can write such a field. */
const isNumbered = ({ identity }: Field): boolean => identity === 'always';

/** Returns the statement that inserts deleted rows again, with the numbers that the database gave them. Pure. */
export function reinsertSql(entity: Entity, rows: readonly ChangedRow[]): string {
  const fields = entity.fields.filter((field) => isWritable(field) || isNumbered(field));
  const tuples = rows.map(({ before }) => {
    const values = fields.map(({ name }) => before?.[name] ?? null);
    return `(${values.map((value) => (value === null ? 'null' : literal(value))).join(', ')})`;
  });
  const names = fields.map(({ name }) => sqlName(name)).join(', ');
  return `insert into ${entityId(entity.schema, entity.name)} (${names}) overriding system value values\n${tuples.join(',\n')};`;
}

/** Reads the rows of a change as they are stored now, by their keys. Reads them as the caller who made the change. */
export const changedRows = ({ id, table, rows }: SessionChange) =>
  queryOptions({
    queryKey: [...rowKeys.table(table.ref, table.entity.id), 'changed', id],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, Row>> => {
      const fields = keyFields(table.entity);
      const stored = new Map<string, Row>();
      for (const portion of portions(
        fields,
        rows.map(({ key }) => key),
      )) {
        const answer = await restCall(table, {
          parameters: [
            ['select', selectOf(table.entity.fields.map(({ name }) => name))],
            keysParameter(fields, portion),
          ],
          signal,
        });
        for (const row of answer.rows) stored.set(keyText(keyOf(row, fields) ?? []), row);
      }
      return stored;
    },
    staleTime: 0,
  });

/**
 * Undoes a change by a second change, which the same rules, policies and triggers check. Rows that were changed since
 * stay as they are. Returns their number.
 * @throws {ApiFailure} `changed_since` if no row can be restored
 */
export const undoChange = () =>
  mutationOptions({
    mutationFn: async (change: SessionChange): Promise<number> => {
      const { table, kind } = change;
      const { rows, off, kept } = undoable(change, await queryClient.fetchQuery(changedRows(change)));
      if (off !== null) throw new ApiFailure(`It cannot be undone: ${off}.`, { code: 'changed_since', status: null });
      const keys = rows.map(({ key }) => key);
      if (kind === 'insert') await run(deleteRows(table), keys);
      else if (kind === 'delete') await reinsert(table, rows);
      else await restore(change, rows);
      return kept;
    },
    onSuccess: (_, change) => {
      dropChange(change);
      const { ref, entity } = change.table;
      void queryClient.invalidateQueries({ queryKey: rowKeys.table(ref, entity.id) });
    },
  });

/** Writes the values before a change. Rows that had the same values are written by one request. */
async function restore({ table }: SessionChange, rows: readonly ChangedRow[]): Promise<void> {
  const [only] = rows;
  if (only && rows.length === 1) {
    await run(updateRow(table), { key: only.key, values: only.before ?? {} });
    return;
  }
  const alike = new Map<string, ChangedRow[]>();
  for (const row of rows) {
    const values = JSON.stringify(row.before);
    alike.set(values, [...(alike.get(values) ?? []), row]);
  }
  let changed = 0;
  for (const group of alike.values()) {
    const values = group[0]?.before ?? {};
    changed += (await run(updateRows(table), { keys: group.map(({ key }) => key), values })).length;
  }
  if (changed < rows.length) {
    throw new ApiFailure(`${rows.length - changed} of ${rows.length} rows were not changed.`, {
      code: 'no_row',
      status: 200,
    });
  }
}

/** Inserts deleted rows again. Data requests cannot write the number of an identity, so SQL does, as the owner of the app. */
async function reinsert(table: Table, rows: readonly ChangedRow[]): Promise<void> {
  const { entity } = table;
  if (entity.fields.some(isNumbered) && table.requestRole === 'service') {
    await runSql(table.ref, reinsertSql(entity, rows), new AbortController().signal);
    return;
  }
  const writable = new Set(entity.fields.filter(isWritable).map(({ name }) => name));
  for (const { before } of rows) {
    const values = Object.entries(before ?? {}).filter(([name]) => writable.has(name));
    await run(insertRow(table), Object.fromEntries(values));
  }
}

/** Runs a mutation together with what it does to the cache. */
const run = <Result, Variables>(
  options: Parameters<typeof mutationOptions<Result, Error, Variables>>[0],
  variables: Variables,
): Promise<Result> => queryClient.getMutationCache().build(queryClient, options).execute(variables);

/** Writes a key for use in a sentence, for example "12" or "7, en". */
export const keyWords = (key: readonly string[]): string => key.join(', ') || keyText(key);
