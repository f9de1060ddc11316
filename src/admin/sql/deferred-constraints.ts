import type { Transaction } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { plain } from '../../database/statement.ts';
import { StatementReader } from './replacement.ts';
import type { PreparedScript } from './script.ts';
import { splitStatements } from './statements.ts';

/**
 * Checks the deferred constraints, as COMMIT does, and defers them again. SET CONSTRAINTS ALL would also change the
 * mode of constraints that a later file creates.
 */
const check = `do $$
declare
  checked text;
  postponed text;
begin
  select pg_catalog.string_agg(pg_catalog.format('%I.%I', n.nspname, c.conname), ', '),
      pg_catalog.string_agg(pg_catalog.format('%I.%I', n.nspname, c.conname), ', ') filter (where c.condeferred)
    into checked, postponed
    from pg_catalog.pg_constraint c join pg_catalog.pg_namespace n on n.oid = c.connamespace where c.condeferrable;
  if checked is not null then
    execute 'set constraints ' || checked || ' immediate';
  end if;
  if postponed is not null then
    execute 'set constraints ' || postponed || ' deferred';
  end if;
end $$`;

/**
 * Checks the deferred constraints after a script, so that the error can name a statement of the script. If COMMIT
 * checked them, the error would name none.
 * @throws DatabaseError with the index of the last statement that names the table of the error, else of the last
 * statement
 */
export async function checkDeferredConstraints(tx: Transaction, script: PreparedScript): Promise<void> {
  try {
    await tx.run([plain(check)]);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const statements = script.statements?.map(({ source }) => source) ?? splitStatements(script.original);
    const [, table = error.fields.table ?? ''] = /\btable "([^"]+)"/.exec(error.message) ?? [];
    const run = script.sources.length > 0 ? script.sources : [...statements.keys()];
    const index =
      table === ''
        ? -1
        : run.findLastIndex((i) => new StatementReader(statements[i]?.text ?? '').names.includes(table));
    const { position: _, ...fields } = error.fields;
    const where = 'the end of the transaction, where PostgreSQL checks deferred constraints';
    throw new DatabaseError({ ...fields, where }, index < 0 ? run.length - 1 : index);
  }
}
