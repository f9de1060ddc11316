import type { SavepointRunner } from '../../access/rolled-back.ts';
import type { SqlName } from '../../catalog/schema-cache.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Value } from '../../sql-reader/places.ts';
import { arrayLiteral, identifier, Params, qualified } from '../sql/text.ts';

/** Result of an expression for one row. */
export type Evaluated = Value | { readonly error: { readonly code: string; readonly message: string } };

/**
 * Results by expression (its SQL), one result for each row. If an expression fails even when there are no rows, it has
 * a single result.
 */
export type Evaluations = ReadonlyMap<string, readonly Evaluated[]>;

/**
 * Evaluates expressions on rows of a table as the role of the transaction, so that auth.uid(), current_user and
 * policies of other tables give the caller's results. The rows are parameters; the table is not read.
 * @param expressions SQL of the table's own policies from the catalog, or parts of it. Never pass SQL that comes from
 * the request.
 * @param rows Rows in PostgreSQL's text format.
 */
export async function evaluate(
  runner: SavepointRunner,
  table: SqlName,
  expressions: readonly string[],
  rows: readonly string[],
): Promise<Evaluations> {
  const distinct = [...new Set(expressions)];
  const found = new Map<string, readonly Evaluated[]>();
  if (distinct.length === 0) return found;
  const together = await ask(runner, table, distinct, rows);
  if (!(together instanceof DatabaseError)) {
    distinct.forEach((expression, i) => {
      found.set(
        expression,
        together.map((row) => row[i] as Evaluated),
      );
    });
    return found;
  }
  // One of the expressions fails. So each expression is evaluated separately, and the failing one is evaluated
  // separately for each row.
  for (const expression of distinct) found.set(expression, await alone(runner, table, expression, rows));
  return found;
}

async function alone(
  runner: SavepointRunner,
  table: SqlName,
  expression: string,
  rows: readonly string[],
): Promise<Evaluated[]> {
  const all = await ask(runner, table, [expression], rows);
  if (!(all instanceof DatabaseError)) return all.map(([value]) => value as Evaluated);
  if (rows.length < 2) return [failed(all)];
  const each: Evaluated[] = [];
  for (const row of rows) {
    const one = await ask(runner, table, [expression], [row]);
    each.push(one instanceof DatabaseError ? failed(one) : (one[0]?.[0] as Evaluated));
  }
  return each;
}

const failed = (error: DatabaseError): Evaluated => ({ error: { code: error.sqlstate, message: error.message } });

/** Evaluates expressions on rows in one statement. Returns their values in the order of the rows, or the error. */
async function ask(
  runner: SavepointRunner,
  table: SqlName,
  expressions: readonly string[],
  rows: readonly string[],
): Promise<Value[][] | DatabaseError> {
  const params = new Params();
  // Selects each value together with its type. In the inner SELECT, the columns of the row have the names that the
  // expression uses.
  const columns = expressions.map(
    (expression) =>
      `(SELECT json_build_array(pg_typeof(pgrst_value.value)::text, pgrst_value.value::text) FROM (SELECT (${expression})) AS pgrst_value(value))`,
  );
  const from = `unnest(${params.bind(arrayLiteral(rows))}::${qualified(table)}[]) AS ${identifier(table.name)}`;
  const results = await runner.try([{ text: `SELECT ${columns.join(', ')} FROM ${from}`, params: params.values }]);
  if (results instanceof DatabaseError) return results;
  return (results[0]?.rows ?? []).map((row) =>
    row.map((cell) => {
      const [type, text] = JSON.parse(cell?.toString('utf8') ?? '["unknown", null]') as [string, string | null];
      return { type, text };
    }),
  );
}
