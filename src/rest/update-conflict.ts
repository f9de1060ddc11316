import type { CancelSignal } from '../../contract/call-request.ts';
import type { RestSettings } from '../../contract/settings.ts';
import type { Database } from '../database/database.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import type { Condition, MutatePlan } from './plan/plan.ts';
import type { ApiRequest } from './request/api-request.ts';
import { beforeQuery } from './sql/build-statements.ts';
import { conditionText } from './sql/condition.ts';
import { columnText, Params, qualified } from './sql/text.ts';

/**
 * A filter on a column that the update also sets. The value of the filter is the value that the caller has read
 * earlier.
 */
type ReadValue = Extract<Condition, { kind: 'filter' }>;

/** An update that changed no row. */
interface EmptyUpdate {
  readonly database: Database;
  readonly request: ApiRequest;
  readonly plan: MutatePlan;
  readonly identity: Identity;
  readonly settings: RestSettings;
  readonly signal: CancelSignal;
}

/**
 * Returns the error of an update with `Prefer: conflict=report` that changed no row because another caller had changed
 * the row. A filter on a column that the update sets contains the value that the caller has read. Reads the row by the
 * remaining filters, as the caller, and compares it with these values. Returns null if the remaining filters do not
 * select exactly one readable row, or if the row still has all these values.
 * @throws Errors of the database.
 */
export async function updateConflict(update: EmptyUpdate): Promise<NinefoldError | null> {
  const { database, request, plan, identity, settings, signal } = update;
  const set = new Set(plan.columns.map(({ name }) => name));
  const isReadValue = (condition: Condition): condition is ReadValue =>
    condition.kind === 'filter' && condition.field.path.length === 0 && set.has(condition.field.name);
  const read = plan.where.filter(isReadValue);
  const others = plan.where.filter((condition) => !isReadValue(condition));
  if (read.length === 0 || others.length === 0) return null;
  const statements = beforeQuery(request, plan, identity, settings);
  statements.push({ ...comparison(plan, read, others), planKey: identity.role });
  const results = await database.run(statements, { signal });
  const { rows = [] } = results.at(-1) ?? {};
  const [row] = rows;
  if (rows.length !== 1 || !row) return null;
  const changed = read.flatMap(({ field }, i): [string, unknown][] =>
    row[2 * i]?.toString('utf8') === 't' ? [] : [[field.name, JSON.parse(row[2 * i + 1]?.toString('utf8') ?? 'null')]],
  );
  if (changed.length === 0) return null;
  return new NinefoldError('row_changed', {
    message: `Another caller changed the row: ${changed.map(([name]) => name).join(', ')}.`,
    details: Object.fromEntries(changed),
  });
}

/**
 * Returns the query with two columns for each value that the caller has read: one says whether the row still has this
 * value, the other is the stored value.
 */
function comparison({ target }: MutatePlan, read: readonly ReadValue[], others: readonly Condition[]) {
  const params = new Params();
  const columns = read.flatMap((condition) => [
    `coalesce(${conditionText(target, condition, params, null)}, false)`,
    `to_json(${columnText(target, condition.field.name)})`,
  ]);
  const where = others.map((condition) => conditionText(target, condition, params, null));
  const text = `SELECT ${columns.join(', ')} FROM ${qualified(target)} WHERE ${where.join(' AND ')} LIMIT 2`;
  return { text, params: params.values };
}
