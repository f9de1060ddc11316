import type { MutatePlan, PlannedField } from '../plan/plan.ts';
import { conditionText } from './condition.ts';
import { columnText, identifier, type Params, qualified } from './text.ts';

/**
 * Builds INSERT, UPDATE and DELETE statements. The rows to write are one JSON parameter, named `pgrst_body` in the SQL.
 */

/** Name of the setting, local to the transaction, in which an upsert counts the inserted rows. */
export const INSERTED = 'ninefold.inserted';

const body = { alias: 'pgrst_body' };

/** Returns the statement of a write. */
export function writeText(plan: MutatePlan, params: Params): string {
  switch (plan.mutation) {
    case 'insert':
    case 'upsert-one':
      return insertText(plan, params);
    case 'update':
      return updateText(plan, params);
    case 'delete':
      return `DELETE FROM ${qualified(plan.target)}${whereText(plan, params)}${returningText(plan)}`;
  }
}

const whereText = (plan: MutatePlan, params: Params): string => {
  const conditions = plan.where.map((condition) => conditionText(plan.target, condition, params, null));
  return conditions.length ? ` WHERE ${conditions.join(' AND ')}` : '';
};

/**
 * Returns the RETURNING clause. If no columns are needed, it returns 1 for each written row, so that the rows can be
 * counted.
 */
const returningText = ({ returning, target }: MutatePlan): string =>
  ` RETURNING ${returning.length === 0 ? '1' : returning.map((column) => columnText(target, column)).join(', ')}`;

/** Returns an expression that is always true and counts rows as a side effect. */
const countInserted = (by: 1 | -1): string =>
  `set_config('${INSERTED}', (coalesce(nullif(current_setting('${INSERTED}', true), '')::int8, 0) + ${by})::text, true) <> ''`;

function insertText(plan: MutatePlan, params: Params): string {
  const { columns, target, onConflict } = plan;
  const names = columns.map((column) => identifier(column.name));
  const into = `INSERT INTO ${qualified(target)}${names.length ? `(${names.join(', ')})` : ''}`;
  const values = `SELECT ${columns.map((column) => columnText(body, column.name)).join(', ')}`;
  const rows = payloadText(plan, params);
  const merges = onConflict?.resolution === 'merge-duplicates';
  const conditions: string[] = [];
  if (merges) conditions.push(countInserted(1));
  for (const condition of plan.where) conditions.push(conditionText(body, condition, params, null));
  const where = conditions.length ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `${into} ${values} FROM ${rows}${where}${conflictText(plan)}${returningText(plan)}`;
}

function conflictText({ onConflict, columns }: MutatePlan): string {
  if (!onConflict || onConflict.columns.length === 0) return '';
  const target = ` ON CONFLICT (${onConflict.columns.map(identifier).join(', ')})`;
  if (onConflict.resolution === 'ignore-duplicates' || columns.length === 0) return `${target} DO NOTHING`;
  const assignments = columns.map(({ name }) => `${identifier(name)} = EXCLUDED.${identifier(name)}`);
  return `${target} DO UPDATE SET ${assignments.join(', ')} WHERE ${countInserted(-1)}`;
}

function updateText(plan: MutatePlan, params: Params): string {
  const { columns, target, returning } = plan;
  if (columns.length === 0) {
    // There are no columns to set, so nothing is updated. This query returns no row, but it has the columns that the
    // response selects.
    const shown = returning.length ? returning.map((column) => columnText(target, column)).join(', ') : '1';
    return `SELECT ${shown} FROM ${qualified(target)} WHERE false`;
  }
  const assignments = columns.map(({ name }) => `${identifier(name)} = ${columnText(body, name)}`);
  const rows = payloadText(plan, params);
  const where = whereText(plan, params);
  return `UPDATE ${qualified(target)} SET ${assignments.join(', ')} FROM ${rows}${where}${returningText(plan)}`;
}

/** Returns the rows of the payload with typed columns, as a FROM item with the alias `pgrst_body`. */
export function payloadText(plan: MutatePlan, params: Params): string {
  const { payload, columns } = plan;
  if (payload?.kind !== 'json' && payload?.kind !== 'json-unread') throw new Error('a write without JSON rows');
  return jsonRowsText(columns, payload, { defaults: plan.applyDefaults, one: false }, params);
}

/**
 * Returns JSON as rows with the alias `pgrst_body`. Without columns, an object or each element of an array is a row
 * without columns.
 * @param options.defaults True if missing keys get the default of the column.
 * @param options.one True to return only the first row.
 */
export function jsonRowsText(
  columns: readonly Pick<PlannedField, 'name' | 'type' | 'transform' | 'default'>[],
  json: { readonly body: string | Uint8Array; readonly isObject: boolean },
  options: { readonly defaults: boolean; readonly one: boolean },
  params: Params,
): string {
  const limit = options.one ? ' LIMIT 1' : '';
  if (columns.length === 0) {
    const rows = json.isObject ? '(VALUES (1))' : `json_array_elements(${params.bind(json.body, 'body')}::json)`;
    return `(SELECT FROM ${rows} AS _${limit}) AS pgrst_body`;
  }
  const shown = columns.map(({ name, transform }) =>
    transform ? `${qualified(transform)}(${identifier(name)}) AS ${identifier(name)}` : identifier(name),
  );
  const types = columns.map(({ name, type }) => `${identifier(name)} ${type}`);
  const source = options.defaults ? withDefaults(columns, json, params) : plainSource(json, params);
  return `(SELECT ${shown.join(', ')} FROM ${source} AS _(${types.join(', ')})${limit}) AS pgrst_body`;
}

const plainSource = (json: { body: string | Uint8Array; isObject: boolean }, params: Params): string =>
  `${json.isObject ? 'json_to_record' : 'json_to_recordset'}(${params.bind(json.body, 'body')}::json)`;

function withDefaults(
  columns: readonly Pick<PlannedField, 'name' | 'default'>[],
  json: { body: string | Uint8Array; isObject: boolean },
  params: Params,
): string {
  const value = `${params.bind(json.body, 'body')}::jsonb`;
  const pairs = columns
    .filter((column) => column.default !== null)
    .map((column) => `${params.bind(column.name)}::text, ${column.default}`);
  const defaults = `jsonb_build_object(${pairs.join(', ')})`;
  if (json.isObject) return `jsonb_to_record(${defaults} || ${value})`;
  return `jsonb_to_recordset((SELECT jsonb_agg(${defaults} || element) FROM jsonb_array_elements(${value}) AS element))`;
}
