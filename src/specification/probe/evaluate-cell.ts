import type { ProbeAttempt, ProbedCell } from '../../../contract/probe.ts';
import type { RoleCell } from '../../../contract/specification-roles.ts';
import { type AttemptResult, isError } from '../../access/attempts.ts';
import type { Decision, UntestableReason } from '../../access/decision.ts';
import { outcomeOf } from '../../access/refusals.ts';
import { NO_ROW, type PlannedAttempt } from './probe-planner.ts';

/** A planned attempt with its result. */
export interface Tried {
  planned: PlannedAttempt;
  answer: AttemptResult;
  /**
   * True if the row passes the conditions of the policies, which the probe evaluated in a separate query; null if the
   * probe did not evaluate them.
   */
  passes: boolean | null;
  /** True if no condition on rows applies. The cell then only says whether PostgreSQL refuses the statement. */
  isSettled: boolean;
  /** True if the rows or columns of the view may differ between callers. */
  differsByCaller: boolean;
  /** True if a BEFORE trigger may skip or change the row. */
  beforeRow: boolean;
  /**
   * True if an index calls a function. PostgreSQL checks EXECUTE when it adds the entry, possibly after a unique index
   * has refused the row.
   */
  callsLate: boolean;
}

/**
 * Compares the results of the attempts with the claim of the cell.
 * @param note A note that replaces the generated one; null for none.
 * @param trouble The reason why there are no rows to test; null if there are rows.
 */
export function evaluateCell(
  cell: RoleCell,
  tried: readonly Tried[],
  note: string | null,
  trouble: string | null,
): ProbedCell {
  const attempts = tried.map((one) => tryOf(cell, one));
  const { role, entity, operation, verdict } = cell;
  const comparable = attempts.filter((one) => one.expected !== null && one.result !== 'stopped');
  const hangs = comparable.length === 0 && verdict === 'when' && bothWays(attempts);
  const outcome = comparable.some((one) => !one.agrees)
    ? 'disagrees'
    : comparable.length > 0 || hangs
      ? 'agrees'
      : 'not probed';
  const why = hangs ? HANGS : noteOn(outcome, attempts, trouble);
  return { role, entity, operation, verdict, outcome, note: note ?? why, attempts };
}

/** Returns the cell with its claim about privileges, which does not depend on the errors that the app's code raises. */
export const claimOfPrivileges = (cell: RoleCell, decision: Decision | null): RoleCell =>
  decision !== null && decision.errors.length > 0 ? { ...cell, verdict: decision.verdict } : cell;

/** Returns the reason why the probe does not test a cell whose decision statements on rows cannot show. */
export const untriedWords = (untried: UntestableReason, { reason }: RoleCell): string =>
  `${beyondTries[untried]}: ${reason}`;

const beyondTries: Readonly<Record<UntestableReason, string>> = {
  request: 'not asked',
  rule: 'a rule, no right',
  types: 'the types that a call names decide which values the role may pass',
  table: 'it hangs on which table a row is in',
  name: 'the arguments of a call, and no privilege, select one of the functions with this name',
  code: 'only the code of the function finds it out, which does not run',
};

const HANGS =
  'what it hangs on could not be asked by itself; some attempts were let through and others were not, as it claims';

/** Returns true if some attempts on rows succeeded and others did not. This agrees with the verdict `when`. */
const bothWays = (attempts: readonly ProbeAttempt[]): boolean => {
  const onRows = attempts.filter((one) => one.row !== NO_ROW && one.result !== 'stopped');
  return onRows.some((one) => one.result === 'allowed') && onRows.some((one) => one.result !== 'allowed');
};

/** Returns the report of a cell that the probe could not test, with the reason. */
export const notProbed = ({ role, entity, operation, verdict }: RoleCell, note: string): ProbedCell => ({
  role,
  entity,
  operation,
  verdict,
  outcome: 'not probed',
  note,
  attempts: [],
});

function tryOf(cell: RoleCell, one: Tried): ProbeAttempt {
  const { planned, answer, passes, isSettled, beforeRow, callsLate, differsByCaller } = one;
  const asked = planned.asks && !isError(answer);
  const isTwice = callsLate && isError(answer) && answer.sqlstate === '23505';
  const result = asked ? 'allowed' : isTwice ? 'stopped' : outcomeOf(answer, cell.operation, beforeRow);
  // The caller may not find the row that another caller read, so an empty result proves nothing.
  const isUnclear = differsByCaller && result === 'hidden' && cell.verdict !== 'never';
  const expected = isUnclear ? null : claim(cell, planned, result, passes, beforeRow, isSettled);
  const agrees = result === 'stopped' || expected === null || (expected === 'allowed') === (result === 'allowed');
  return {
    as: planned.caller.as,
    row: planned.row,
    result,
    expected,
    agrees,
    ...(agrees && result !== 'stopped' ? {} : { sql: planned.attempt.sql, answer: answerWords(answer) }),
  };
}

function claim(
  cell: RoleCell,
  planned: PlannedAttempt,
  result: ProbeAttempt['result'],
  passes: boolean | null,
  beforeRow: boolean,
  isSettled: boolean,
): ProbeAttempt['expected'] {
  if (planned.beyond) return 'not allowed';
  // A statement that touches no row proves nothing about rows if it succeeds. So there is no expected result to compare
  // it with.
  if (planned.asks && result === 'allowed' && !isSettled) return null;
  if (cell.verdict === 'always') return 'allowed';
  if (cell.verdict === 'never') return 'not allowed';
  if (passes === null) return null;
  // A BEFORE trigger may change the row after the probe evaluated the conditions. So a different result does not prove
  // that the cell is wrong.
  const isOther = passes !== (result === 'allowed');
  if (isOther && beforeRow && cell.operation !== 'delete') return null;
  return passes ? 'allowed' : 'not allowed';
}

const answerWords = (answer: AttemptResult): string =>
  isError(answer) ? `${answer.sqlstate}: ${answer.message}` : answer.rows === 1 ? '1 row' : `${answer.rows} rows`;

function noteOn(
  outcome: ProbedCell['outcome'],
  attempts: readonly ProbeAttempt[],
  trouble: string | null,
): string | null {
  if (outcome !== 'not probed') return null;
  const stopped = attempts.find((one) => one.result === 'stopped');
  if (stopped) return `each try was stopped by something other than rights: ${stopped.answer}`;
  if (attempts.every((one) => one.row === NO_ROW)) {
    return `there is no row to try it on, and none could be made${trouble === null ? '' : `: ${trouble}`}`;
  }
  const alike = attempts.every((one) => one.result === 'allowed') ? 'let through' : 'kept out';
  return `what it hangs on could not be asked of the rows by itself, and every try was ${alike}, so there is nothing to hold the answers against`;
}
