import { limits } from '../../../contract/limits.ts';
import type { RowImport, RowImportRequest } from '../../../contract/row-imports.ts';
import type { Executor } from '../../database/database.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { runAsServerRole } from '../run-as-server-role.ts';

const DATABASE = '(select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())';

const OLDEST = 'pg_catalog.now() - pg_catalog.make_interval(hours => $1::integer)';

const hours = String(limits.importUndoHours.default);

/** Returns the imports into an app's tables that can be undone, newest first. */
export async function readRowImports(database: Executor): Promise<RowImport[]> {
  const [result] = await runAsServerRole(database, [
    {
      text: `select pg_catalog.json_agg(pg_catalog.json_build_object('id', id::text, 'at', at, 'entity', entity, 'file', file, 'rows', rows,
          'transaction', transaction, 'imported_by', imported_by) order by id desc)
        from ninefold.row_imports where database = ${DATABASE} and at > ${OLDEST}`,
      params: [hours],
    },
  ]);
  return (result && firstJson<RowImport[]>(result)) ?? [];
}

/** Stores an import, so that every builder of the app can undo it. Deletes the imports that are too old. */
export async function storeRowImport(
  database: Executor,
  { entity, file, rows, transaction }: RowImportRequest,
  importedBy: string,
): Promise<void> {
  await runAsServerRole(database, [
    {
      text: `delete from ninefold.row_imports where at <= ${OLDEST} or database <> ${DATABASE}`,
      params: [hours],
    },
    {
      text: `insert into ninefold.row_imports (database, entity, file, rows, transaction, imported_by)
        values (${DATABASE}, $1, $2, $3::bigint, $4, $5)`,
      params: [entity, file, String(rows), transaction, importedBy],
    },
  ]);
}

/**
 * Deletes an import that was undone.
 * @throws NinefoldError not_found if the app has no such import
 */
export async function deleteRowImport(database: Executor, id: string): Promise<void> {
  const [result] = await runAsServerRole(database, [
    { text: 'delete from ninefold.row_imports where id = $1::bigint returning id', params: [id] },
  ]);
  if (!result?.rows.length) throw new NinefoldError('not_found', { message: 'The app has no import with this id.' });
}
