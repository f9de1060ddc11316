import type { RelationRights } from '../../access/role-access.ts';
import type { Relation } from '../../catalog/schema-cache.ts';
import type { MutatePlan, ReadPlan, TableRef } from '../plan/plan.ts';
import { conditionText } from '../sql/condition.ts';
import { countText, SOURCE } from '../sql/read.ts';
import { columnText, identifier, type Params, qualified, tableText } from '../sql/text.ts';
import { payloadText, writeText } from '../sql/write.ts';

/**
 * SQL that returns the rows of a request. Each row is one string in PostgreSQL's format for the table's row type.
 * PostgreSQL can parse this string back into a row.
 */

/**
 * Returns SQL with the rows that match the filters. The column `existing` is the row as it is stored. For an UPDATE,
 * the column `new` is the row after the change. The SQL must run as a role that can read all rows.
 */
export function existingRowsText(
  plan: ReadPlan | MutatePlan,
  target: Relation,
  relation: RelationRights,
  rows: number,
  params: Params,
): string {
  if (plan.kind === 'read') {
    const { alias, relation: name } = plan.read;
    const table = alias === null ? name : { alias };
    const text = countText(plan.read, params, `${rowText(table)} AS existing`);
    return `${text}${orderText(table, target.primaryKey)} LIMIT ${params.bind(String(rows))}`;
  }
  const order = orderText(target, target.primaryKey);
  const limit = ` LIMIT ${params.bind(String(rows))}`;
  if (plan.mutation === 'delete') {
    return `SELECT ${rowText(target)} AS existing FROM ${qualified(target)}${whereText(plan, params)}${order}${limit}`;
  }
  const given = new Set(plan.columns.map(({ name }) => name));
  const columns = relation.columns
    .filter((column) => !column.generated)
    .map(({ name }) => `${columnText(given.has(name) ? body : target, name)} AS ${identifier(name)}`);
  const changes = `${qualified(target)}, ${payloadText(plan, params)}${whereText(plan, params)}${order}${limit}`;
  const inner = `SELECT ${rowText(target)} AS pgrst_existing, ${columns.join(', ')} FROM ${changes}`;
  return `SELECT pgrst_existing AS existing, ${newRowText(relation)} AS new FROM (${inner}) AS ${identifier(target.name)}`;
}

/**
 * Returns SQL with the rows that an INSERT would create: column `new`. Values of sequences are NULL, and triggers do
 * not run. It must run as the caller, because defaults may depend on the role.
 */
export function insertedRowsText(plan: MutatePlan, relation: RelationRights, rows: number, params: Params): string {
  const given = new Set(plan.columns.map(({ name }) => name));
  const columns = relation.columns
    .filter((column) => !column.generated)
    .map(({ name, default: byDefault, identity }) => {
      const isNumbered = identity || byDefault === null || byDefault.startsWith('nextval(');
      const value = given.has(name) ? columnText(body, name) : isNumbered ? 'NULL' : `(${byDefault})`;
      return `${value} AS ${identifier(name)}`;
    });
  const inner = `SELECT ${columns.join(', ')} FROM ${payloadText(plan, params)} LIMIT ${params.bind(String(rows))}`;
  return `SELECT ${newRowText(relation)} AS new FROM (${inner}) AS ${identifier(relation.name)}`;
}

/**
 * Returns SQL with the rows after BEFORE triggers have run, as the columns `existing` and `new`. The SQL writes, so it
 * must be rolled back, and it must run as a role that may write all rows. Returns null if old and new rows cannot be
 * matched.
 */
export function triggeredRowsText(
  plan: MutatePlan,
  relation: RelationRights,
  rows: number,
  params: Params,
): string | null {
  const { target, mutation } = plan;
  const written = `WITH ${SOURCE} AS (${writeText({ ...plan, onConflict: null, returning: ['*'] }, params)})`;
  const columns = relation.columns.map(({ name }) => columnText({ alias: SOURCE }, name));
  const row = `CAST(CAST(ROW(${columns.join(', ')}) AS ${qualified(target)}) AS text) AS new`;
  const limit = ` LIMIT ${params.bind(String(rows))}`;
  if (mutation !== 'update') return `${written} SELECT NULL AS existing, ${row} FROM ${SOURCE}${limit}`;
  const keys = target.primaryKey;
  if (keys.length === 0 || plan.columns.some(({ name }) => keys.includes(name))) return null;
  // A statement does not see the rows that it writes itself. So a read of the table returns the rows as they were
  // before.
  const there = { alias: 'pgrst_there' };
  const pairs = keys.map((name) => `${columnText(there, name)} = ${columnText({ alias: SOURCE }, name)}`);
  const from = `${SOURCE} JOIN ${qualified(target)} AS pgrst_there ON ${pairs.join(' AND ')}`;
  return `${written} SELECT ${rowText(there)} AS existing, ${row} FROM ${from}${orderText(there, keys)}${limit}`;
}

/**
 * Returns SQL with the existing rows in conflict: columns `place` (index from 1) and `existing`.
 * @param rows Array of the table's row type.
 */
export function conflictsText(plan: MutatePlan, rows: string, params: Params): string {
  const { target, onConflict } = plan;
  const there = { alias: 'pgrst_there' };
  const wanted = { alias: 'pgrst_wanted' };
  const pairs = (onConflict?.columns ?? []).map((name) => `${columnText(there, name)} = ${columnText(wanted, name)}`);
  const numbered = `SELECT row_number() OVER () AS pgrst_place, pgrst_new.* FROM unnest(${params.bind(rows)}::${qualified(target)}[]) AS pgrst_new`;
  return (
    `SELECT ${columnText(wanted, 'pgrst_place')} AS place, ${rowText(there)} AS existing ` +
    `FROM (${numbered}) AS pgrst_wanted JOIN ${qualified(target)} AS pgrst_there ON ${pairs.join(' AND ')}`
  );
}

const body = { alias: 'pgrst_body' };

const rowText = (table: TableRef): string => `CAST(${tableText(table)}.* AS text)`;

/**
 * Returns SQL that builds a row of the table's type from the columns in FROM. Generated columns are computed from the
 * other columns.
 */
function newRowText(relation: RelationRights): string {
  const values = relation.columns.map(({ name, generated, default: expression }) =>
    generated && expression !== null ? `(${expression})` : columnText({ alias: relation.name }, name),
  );
  return `CAST(CAST(ROW(${values.join(', ')}) AS ${qualified(relation)}) AS text)`;
}

const whereText = (plan: MutatePlan, params: Params): string => {
  const conditions = plan.where.map((condition) => conditionText(plan.target, condition, params, null));
  return conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
};

const orderText = (table: TableRef, columns: readonly string[]): string =>
  columns.length > 0 ? ` ORDER BY ${columns.map((name) => columnText(table, name)).join(', ')}` : '';
