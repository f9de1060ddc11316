import { queryOptions } from '@tanstack/react-query';
import { entityId, sqlName } from '../../../../contract/entity-names.ts';
import type { RowImport, RowImportRequest } from '../../../../contract/row-imports.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { api, segment } from '../api.ts';
import { queryClient } from '../query-client.ts';
import { literal, runSql } from '../sql.ts';
import type { ImportPlan } from './import-rows.ts';
import { rowKeys } from './keys.ts';
import type { Table } from './rest-call.ts';
import { keyFields } from './row.ts';

/** Returns the reason why an import cannot be undone afterwards, in words; null if it can. Pure. */
export function importUndoOff(table: Table, { conflict }: Pick<ImportPlan, 'conflict'>): string | null {
  if (conflict?.resolution === 'merge') return 'it updates rows that exist';
  if (table.requestRole !== 'service') return 'it inserts as a member, who may not be allowed to read the rows';
  if (table.entity.kind !== 'table') return `${table.entity.name} is a ${table.entity.kind}`;
  return keyFields(table.entity).length === 0 ? 'the table has no key' : null;
}

const tableOf = ({ schema, name }: Entity): string => entityId(schema, name);

/** Returns the query for the transaction that wrote the row with a key, and for the number of rows that it wrote. Pure. */
export function transactionSql(entity: Entity, key: readonly string[]): string {
  const condition = keyFields(entity).map((field, place) => `w.${sqlName(field)} = ${literal(key[place] ?? '')}`);
  const table = tableOf(entity);
  return `select w.xmin::text, (select count(*)::text from ${table} r where r.xmin = w.xmin) from ${table} w where ${condition.join(' and ')};`;
}

/** Returns the query for the number of rows that an undo deletes. Pure. */
export const countSql = (entity: Entity, transaction: string): string =>
  `select count(*)::text from ${tableOf(entity)} where xmin = ${literal(transaction)};`;

/** Returns the statement that deletes the rows of an import that were not changed since, and returns their number. Pure. */
export const undoSql = (entity: Entity, transaction: string): string =>
  `with deleted as (delete from ${tableOf(entity)} where xmin = ${literal(transaction)} returning 1) select count(*)::text from deleted;`;

const path = (ref: string) => `/apps/${segment(ref)}/row-imports`;
const queryKey = (ref: string) => ['row-imports', ref] as const;

/** Reads the imports into the tables of an app that its builders can undo, newest first. */
export const rowImports = (ref: string) =>
  queryOptions({ queryKey: queryKey(ref), queryFn: ({ signal }) => api<RowImport[]>(path(ref), { signal }) });

/**
 * Stores an import, so that it can be undone. Does not store an import whose rows were changed at once, by a trigger or
 * by another caller.
 *
 * @param key The key of one of the rows.
 */
export async function storeImport(
  { ref, entity }: Table,
  { file, rows, key }: { file: string; rows: number; key: readonly string[] },
): Promise<void> {
  const { results } = await runSql(ref, transactionSql(entity, key), new AbortController().signal);
  const [transaction, count] = results[0]?.rows[0] ?? [];
  if (!transaction || Number(count) !== rows) return;
  const body: RowImportRequest = { entity: entity.id, file, rows, transaction };
  await api<null>(path(ref), { method: 'POST', body });
  void queryClient.invalidateQueries({ queryKey: queryKey(ref) });
}

/** Returns the number of rows of an import that were not changed since. */
export async function unchangedRows(table: Table, { transaction }: RowImport, signal: AbortSignal): Promise<number> {
  const { results } = await runSql(table.ref, countSql(table.entity, transaction), signal);
  return Number(results[0]?.rows[0]?.[0] ?? 0);
}

/** Deletes the rows of an import that were not changed since, in one statement, and returns their number. */
export async function undoImport({ ref, entity }: Table, { id, transaction }: RowImport): Promise<number> {
  const { results } = await runSql(ref, undoSql(entity, transaction), new AbortController().signal);
  await api<null>(`${path(ref)}/${segment(id)}`, { method: 'DELETE' });
  void queryClient.invalidateQueries({ queryKey: queryKey(ref) });
  void queryClient.invalidateQueries({ queryKey: rowKeys.app(ref) });
  return Number(results[0]?.rows[0]?.[0] ?? 0);
}
