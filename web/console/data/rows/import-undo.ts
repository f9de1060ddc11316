import { entityId, sqlName } from '../../../../contract/entity-names.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { queryClient } from '../query-client.ts';
import { literal, runSql } from '../sql.ts';
import type { ImportPlan } from './import-rows.ts';
import { rowKeys } from './keys.ts';
import type { Table } from './rest-call.ts';
import { keyFields } from './row.ts';

/** Time after an import during which it can be undone, in milliseconds. */
const LIFETIME = 24 * 60 * 60 * 1000;
/** Maximum number of rows of an import that can be undone, because the browser stores their keys. */
export const MAX_UNDO_ROWS = 5000;
/** Maximum number of imports of an app that the browser stores. */
const MAX_IMPORTS = 5;

/** An import that can be undone. */
export interface StoredImport {
  id: string;
  entity: string;
  /** Name of the file. */
  file: string;
  /** Time of the import, in milliseconds. */
  at: number;
  keyFields: readonly string[];
  keys: readonly (readonly string[])[];
  /** Id of the transaction that inserted the rows (`xmin`). A row that was changed after the import has the id of a later transaction. */
  transaction: string;
}

/** Returns the reason why an import of these rows cannot be undone later, in words; null if it can. Pure. */
export function importUndoOff(table: Table, { conflict }: Pick<ImportPlan, 'conflict'>, rows: number): string | null {
  if (conflict?.resolution === 'merge') return 'it updates rows that exist';
  if (table.requestRole !== 'service') return 'it inserts as a member, who may not be allowed to read the rows';
  if (table.entity.kind !== 'table') return `${table.entity.name} is a ${table.entity.kind}`;
  if (keyFields(table.entity).length === 0) return 'the table has no key';
  return rows > MAX_UNDO_ROWS ? `it has more than ${MAX_UNDO_ROWS.toLocaleString('en')} rows` : null;
}

/** Returns the SQL condition that is true for the rows with these keys. Pure. */
function keysSql(fields: readonly string[], keys: readonly (readonly string[])[]): string {
  const one = fields.length === 1;
  const value = (key: readonly string[]) => (one ? literal(key[0] ?? '') : `(${key.map(literal).join(', ')})`);
  return `${one ? sqlName(fields[0] ?? '') : `(${fields.map(sqlName).join(', ')})`} in (${keys.map(value).join(', ')})`;
}

type Inserted = Pick<StoredImport, 'keyFields' | 'keys' | 'transaction'>;
const unchangedSql = (entity: Entity, { keyFields: fields, keys, transaction }: Inserted): string =>
  `from ${entityId(entity.schema, entity.name)} where ${keysSql(fields, keys)} and xmin = ${literal(transaction)}`;

/** Returns the SQL query that counts the rows with these keys by the transaction that wrote them last. Pure. */
export const transactionsSql = (entity: Entity, fields: readonly string[], keys: Inserted['keys']): string =>
  `select xmin::text, count(*)::text from ${entityId(entity.schema, entity.name)} where ${keysSql(fields, keys)} group by 1;`;

/** Returns the SQL query that counts the rows which an undo would delete. Pure. */
export const countSql = (entity: Entity, inserted: Inserted): string =>
  `select count(*)::text ${unchangedSql(entity, inserted)};`;

/** Returns the SQL statement that deletes the rows of an import which were not changed since, and returns their number. Pure. */
export const undoSql = (entity: Entity, inserted: Inserted): string =>
  `with deleted as (delete ${unchangedSql(entity, inserted)} returning 1) select count(*)::text from deleted;`;

const storageKey = (ref: string) => `ninefold-imports ${ref}`;

/** Returns the imports into a table that this browser can undo, newest first. */
export const storedImports = ({ ref, entity }: Table): StoredImport[] =>
  readImports(ref).filter((one) => one.entity === entity.id);

function readImports(ref: string): StoredImport[] {
  try {
    const all: unknown = JSON.parse(localStorage.getItem(storageKey(ref)) ?? '[]');
    return Array.isArray(all) ? (all as StoredImport[]).filter(({ at }) => at > Date.now() - LIFETIME) : [];
  } catch {
    return [];
  }
}

const writeImports = (ref: string, all: readonly StoredImport[]): void =>
  localStorage.setItem(storageKey(ref), JSON.stringify(all.slice(0, MAX_IMPORTS)));

/**
 * Stores an import in this browser, so that it can be undone. Returns false if a trigger or another caller has already
 * changed the rows, or if the browser has no space left.
 */
export async function storeImport(table: Table, file: string, keys: Inserted['keys']): Promise<boolean> {
  const fields = keyFields(table.entity);
  if (keys.length === 0) return false;
  const { results } = await runSql(
    table.ref,
    transactionsSql(table.entity, fields, keys),
    new AbortController().signal,
  );
  const rows = results[0]?.rows ?? [];
  const [transaction, count] = rows[0] ?? [];
  if (rows.length !== 1 || !transaction || Number(count) !== keys.length) return false;
  const at = Date.now();
  const stored = { id: `${at}`, entity: table.entity.id, file, at, keyFields: fields, keys, transaction };
  try {
    writeImports(table.ref, [stored, ...readImports(table.ref)]);
    return true;
  } catch {
    return false;
  }
}

/** Returns the number of rows of an import that were not changed since the import. */
export async function unchangedRows(table: Table, stored: StoredImport, signal: AbortSignal): Promise<number> {
  const { results } = await runSql(table.ref, countSql(table.entity, stored), signal);
  return Number(results[0]?.rows[0]?.[0] ?? 0);
}

/** Deletes the rows of an import that were not changed since the import, in one statement, and returns their number. */
export async function undoImport(table: Table, stored: StoredImport): Promise<number> {
  const { results } = await runSql(table.ref, undoSql(table.entity, stored), new AbortController().signal);
  writeImports(
    table.ref,
    readImports(table.ref).filter(({ id }) => id !== stored.id),
  );
  void queryClient.invalidateQueries({ queryKey: rowKeys.app(table.ref) });
  return Number(results[0]?.rows[0]?.[0] ?? 0);
}
