import type { ProbedCell, ProbeTry } from '../../../contract/probe.ts';
import type { RoleCell } from '../../../contract/specification-roles.ts';
import type { UntestableReason } from '../access/decision.ts';
import { type AttemptResult, isError } from './attempts.ts';
import { NO_ROW, type PlannedAttempt, resultOf } from './probe-planner.ts';

/** A planned try with what PostgreSQL answered. */
export interface Tried {
  planned: PlannedAttempt;
  answer: AttemptResult;
  /** Whether the conditions of the policies let the row through, asked by themselves; null where they were not. */
  passes: boolean | null;
  /** Nothing is asked of rows: that a statement is not refused is all that can be claimed. */
  isSettled: boolean;
  /** A trigger may leave the row out or change it. */
  beforeRow: boolean;
  /** An index calls a function: whether the role may is asked when its entry is made, which another index may come before. */
  callsLate: boolean;
}

/**
 * Holds what was tried against what the cell claims. `trouble`: why there are no rows. `isRule`: what refuses is no right.
 */
export function evaluateCell(
  cell: RoleCell,
  tried: readonly Tried[],
  note: string | null,
  trouble: string | null,
): ProbedCell {
  const tries = tried.map((one) => tryOf(cell, one));
  const { role, entity, operation, verdict } = cell;
  const told = tries.filter((one) => one.claimed !== null && one.met !== 'stopped');
  const hangs = told.length === 0 && verdict === 'when' && bothWays(tries);
  const outcome = told.some((one) => !one.agrees) ? 'disagrees' : told.length > 0 || hangs ? 'agrees' : 'not probed';
  const why = hangs ? HANGS : noteOn(outcome, tries, trouble);
  return { role, entity, operation, verdict, outcome, note: note ?? why, tries };
}

/** Why a cell is not tried that hangs on what a try does not tell. */
export const untriedWords = (untried: UntestableReason, { reason }: RoleCell): string =>
  `${beyondTries[untried]}: ${reason}`;

const beyondTries: Readonly<Record<UntestableReason, string>> = {
  rule: 'a rule, no right',
  types: 'what the role may give is told by the types that calls name',
  table: 'it hangs on which table a row is in',
  name: 'which of the functions of a name a call means is told by what it gives, and no right',
  code: 'only the code of the function finds it out, which does not run',
};

const HANGS =
  'what it hangs on could not be asked by itself; some tries were let through and others were not, as it claims';

/** True where rows were reached and rows were not: it hangs on something, as *when* says. */
const bothWays = (tries: readonly ProbeTry[]): boolean => {
  const onRows = tries.filter((one) => one.row !== NO_ROW && one.met !== 'stopped');
  return onRows.some((one) => one.met === 'allowed') && onRows.some((one) => one.met !== 'allowed');
};

/** A cell that nothing could be tried of, and why. */
export const notProbed = ({ role, entity, operation, verdict }: RoleCell, note: string): ProbedCell => ({
  role,
  entity,
  operation,
  verdict,
  outcome: 'not probed',
  note,
  tries: [],
});

function tryOf(cell: RoleCell, { planned, answer, passes, isSettled, beforeRow, callsLate }: Tried): ProbeTry {
  const asked = planned.asks && !isError(answer);
  const isTwice = callsLate && isError(answer) && answer.sqlstate === '23505';
  const met = asked ? 'allowed' : isTwice ? 'stopped' : resultOf(answer, cell.operation, beforeRow);
  const claimed = claim(cell, planned, met, passes, beforeRow, isSettled);
  const agrees = met === 'stopped' || claimed === null || (claimed === 'allowed') === (met === 'allowed');
  return {
    as: planned.caller.as,
    row: planned.row,
    met,
    claimed,
    agrees,
    ...(agrees && met !== 'stopped' ? {} : { sql: planned.attempt.sql, answer: answerWords(answer) }),
  };
}

function claim(
  cell: RoleCell,
  planned: PlannedAttempt,
  met: ProbeTry['met'],
  passes: boolean | null,
  beforeRow: boolean,
  isSettled: boolean,
): ProbeTry['claimed'] {
  if (planned.beyond) return 'not allowed';
  // That nothing was refused where there is no row says nothing about rows.
  if (planned.asks && met === 'allowed' && !isSettled) return null;
  if (cell.verdict === 'always') return 'allowed';
  if (cell.verdict === 'never') return 'not allowed';
  if (passes === null) return null;
  // What a trigger makes of a row need not be what the conditions were asked of.
  const isOther = passes !== (met === 'allowed');
  if (isOther && beforeRow && cell.operation !== 'delete') return null;
  return passes ? 'allowed' : 'not allowed';
}

const answerWords = (answer: AttemptResult): string =>
  isError(answer) ? `${answer.sqlstate}: ${answer.message}` : answer.rows === 1 ? '1 row' : `${answer.rows} rows`;

function noteOn(outcome: ProbedCell['outcome'], tries: readonly ProbeTry[], trouble: string | null): string | null {
  if (outcome !== 'not probed') return null;
  const stopped = tries.find((one) => one.met === 'stopped');
  if (stopped) return `each try was stopped by something other than rights: ${stopped.answer}`;
  if (tries.every((one) => one.row === NO_ROW)) {
    return `there is no row to try it on, and none could be made${trouble === null ? '' : `: ${trouble}`}`;
  }
  const alike = tries.every((one) => one.met === 'allowed') ? 'let through' : 'kept out';
  return `what it hangs on could not be asked of the rows by itself, and every try was ${alike}, so there is nothing to hold the answers against`;
}
