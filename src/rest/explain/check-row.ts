import type {
  CheckedCondition,
  CheckedPolicy,
  ExplainedCheck,
  ExplainedPolicy,
  ExplainedRow,
} from '../../../contract/access.ts';
import { clauseFor, combinePolicies } from '../../access/row-security.ts';
import { filled, type Place, type PlacesOf, partsOf, placesOf, type Value } from '../../sql-reader/places.ts';
import type { Evaluated, Evaluations } from './evaluate.ts';
import type { Asked } from './needs.ts';

/** Evaluates the policies of one row from the results of their expressions. Pure. */

/**
 * Returns the policies of a relation that PostgreSQL evaluates for a command. Omits the policies that have no
 * expression for this command.
 */
const policiesFor = (policies: readonly ExplainedPolicy[], asked: Asked): ExplainedPolicy[] =>
  policies.filter(
    (policy) =>
      policy.applies &&
      (policy.command === 'all' || policy.command === asked.command) &&
      expressionOf(policy, asked) !== null,
  );

/** Returns the expression of a policy that applies; null if the policy has none. */
const expressionOf = (policy: ExplainedPolicy, asked: Asked): string | null => policy[clauseFor(policy, asked)];

/** Returns the expressions of the policies and the parts of these expressions. They must be evaluated on the rows. */
export function expressionsOf(policies: readonly ExplainedPolicy[], asked: readonly Asked[], of: PlacesOf): string[] {
  const expressions = asked.flatMap((each) =>
    policiesFor(policies, each).map((policy) => expressionOf(policy, each) as string),
  );
  return [...new Set(expressions)].flatMap((expression) => {
    const calls = placesOf(expression, of).filter((place) => place.column === null);
    return [expression, ...partsOf(expression).texts, ...calls.map((place) => place.text)];
  });
}

/** Returns the columns in the policies' expressions. */
export function columnsNamed(policies: readonly ExplainedPolicy[], asked: readonly Asked[], of: PlacesOf): string[] {
  const names = asked.flatMap((each) =>
    policiesFor(policies, each).flatMap((policy) =>
      placesOf(expressionOf(policy, each) as string, of).flatMap((place) => place.column ?? []),
    ),
  );
  return [...new Set(names)];
}

/** Values of one row, before or after the write. */
export interface RowValues {
  /** Index of the row in the list of evaluated rows. */
  readonly place: number;
  readonly evaluations: Evaluations;
  readonly columns: ReadonlyMap<string, Value>;
}

/** Returns the SQL of a condition in words. The specification has these words, so the process passes them in. */
export type DescribeCondition = (sql: string) => string;

/** Evaluates all policies of one row. Returns the result for the row, and the result of each check. */
export function checkRow(
  policies: readonly ExplainedPolicy[],
  asked: readonly Asked[],
  of: PlacesOf,
  values: { readonly existing: RowValues | null; readonly new: RowValues | null },
  describe: DescribeCondition,
): Pick<ExplainedRow, 'result' | 'checks'> {
  const checks = asked.flatMap((each) => {
    const row = values[each.of];
    return row ? [check(policiesFor(policies, each), each, of, row, describe)] : [];
  });
  const failing = checks.find(({ passes }) => passes !== true);
  if (!failing) return { result: 'passes', checks };
  if (failing.passes === null) return { result: 'undecided', checks };
  // A row that the policies do not let the caller reach is hidden: the statement skips it without an error. Only an
  // INSERT that conflicts with such a row fails.
  const isInsert = asked.some(({ command }) => command === 'insert');
  return { result: failing.of === 'existing' && !isInsert ? 'hidden' : 'refused', checks };
}

function check(
  policies: readonly ExplainedPolicy[],
  asked: Asked,
  of: PlacesOf,
  row: RowValues,
  describe: DescribeCondition,
): ExplainedCheck {
  const checked = policies.map((policy) =>
    checkPolicy(policy, expressionOf(policy, asked) as string, of, row, describe),
  );
  return {
    policies_for: asked.command,
    of: asked.of,
    because: asked.because,
    passes: verdictOf(checked),
    policies: checked,
  };
}

/** Returns true if the policies let the row pass; null if the result is unknown because an expression failed. */
function verdictOf(policies: readonly CheckedPolicy[]): boolean | null {
  if (policies.some(({ error }) => error !== null)) return null;
  const results = policies.map(({ permissive, result }) => ({ permissive, result: result === true }));
  return combinePolicies(results, connectives);
}

const connectives = {
  or: (results: readonly boolean[]) => results.includes(true),
  and: (results: readonly boolean[]) => !results.includes(false),
  none: false,
};

function checkPolicy(
  policy: ExplainedPolicy,
  expression: string,
  of: PlacesOf,
  row: RowValues,
  describe: DescribeCondition,
): CheckedPolicy {
  const parts = partsOf(expression);
  return {
    name: policy.name,
    permissive: policy.permissive,
    expression,
    words: describe(expression),
    filled: filled(expression, placesOf(expression, of), (place) => valueAt(place, row)),
    ...truthOf(row.evaluations.get(expression)?.[row.place]),
    joined_by: parts.joinedBy,
    conditions: parts.texts.map((text) => checkCondition(text, of, row, describe)),
  };
}

function checkCondition(
  expression: string,
  of: PlacesOf,
  row: RowValues,
  describe: DescribeCondition,
): CheckedCondition {
  const places = placesOf(expression, of);
  const values: Record<string, string | null> = {};
  for (const place of places) {
    const value = valueAt(place, row);
    if (value) values[place.text] = value.text;
  }
  return {
    expression,
    words: describe(expression),
    filled: filled(expression, places, (place) => valueAt(place, row)),
    values,
    ...truthOf(row.evaluations.get(expression)?.[row.place]),
  };
}

function valueAt(place: Place, row: RowValues): Value | null {
  if (place.column !== null) return row.columns.get(place.column) ?? null;
  const found = row.evaluations.get(place.text)?.[row.place];
  return found && 'text' in found ? found : null;
}

function truthOf(found: Evaluated | undefined): Pick<CheckedPolicy, 'result' | 'error'> {
  if (!found) return { result: null, error: null };
  if ('error' in found) return { result: null, error: found.error };
  return { result: found.text === null ? null : found.text === 'true', error: null };
}
