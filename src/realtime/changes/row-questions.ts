import type { DatabaseError } from '../../database/database-error.ts';
import { quoteIdentifier } from '../../database/statement.ts';
import type { ReadChange } from './change-view.ts';
import type { PublishedTable } from './published-tables.ts';
import { tableName } from './sight.ts';

/**
 * Errors of a condition that cannot be evaluated on an image: it reads a system column, or names an object of a schema that the caller may
 * not use. PostgreSQL evaluates such a policy on the row.
 */
export const isOfTheImage = (error: DatabaseError): boolean => /^(42|3F|0A)/.test(error.sqlstate);

/**
 * Returns true if a condition can have another value for the image of a row than for the row. A computed column is null in an image, and a
 * JSON null cannot be told from NULL.
 */
export function mustAskRow(table: PublishedTable, condition: string, { change, old, new: row }: ReadChange): boolean {
  if (change.isTooLarge) return true;
  return table.columns.some(({ name, type, isComputed }) => {
    if (isComputed) return condition.includes(name);
    if (type !== 'json' && type !== 'jsonb') return false;
    return (old?.get(name) === 'null' || row?.get(name) === 'null') && usesWholeJson(condition, name);
  });
}

/** Returns true if a condition can depend on a column for which `mustAskRow` is true for some rows. */
export const isAskedOfRows = ({ columns }: PublishedTable, condition: string): boolean =>
  columns.some(
    ({ name, type, isComputed }) => (isComputed || type === 'json' || type === 'jsonb') && condition.includes(name),
  );

/** Returns true unless a condition only reads parts of a JSON column. */
function usesWholeJson(condition: string, name: string): boolean {
  return condition
    .split(name)
    .slice(1)
    .some((rest) => !/^"?\)*\s*(->|#>)/.test(rest));
}

/**
 * Returns a query that selects the rows of the images as the caller. It is true for a row that the caller sees, and whose columns have
 * the values of the image: a later state of the row must not decide about an earlier one. Null for a table without a key.
 * @param columns The columns that the caller may select. Only the key is compared for rows that are too large.
 */
export function rowQuery(table: PublishedTable, columns: readonly string[], isKeyOnly: boolean): string | null {
  const keys = table.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
  if (keys.length === 0) return null;
  const compared = table.columns
    .filter(({ name, isComputed }) => columns.includes(name) && !isComputed)
    .map(({ name }) => name);
  const of = (alias: string) =>
    `row(${compared.map((name) => `${alias}.${quoteIdentifier(name)}`).join(', ')})::pg_catalog.text`;
  const same = keys.map((name) => `r.${quoteIdentifier(name)} = i.${quoteIdentifier(name)}`);
  if (!isKeyOnly) same.push(`${of('r')} = ${of('i')}`);
  return `select exists (select from ${tableName(table)} r where ${same.join(' and ')})
    from pg_catalog.json_populate_recordset(null::${tableName(table)}, $1::pg_catalog.json) i`;
}
