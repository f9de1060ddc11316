import type { ProbeAttempt, ProbedCell } from '../../../contract/probe.ts';
import { type Attempt, type AttemptResult, isError } from '../../access/attempts.ts';
import type { RowOperation } from '../../access/operations.ts';
import { outcomeOf } from '../../access/refusals.ts';
import type { ProbeCaller } from './probe-callers.ts';

/** An attempt of a caller on a row. */
export interface Try {
  readonly caller: ProbeCaller;
  /** The row in words. */
  readonly row: string;
  readonly attempt: Attempt;
}

/**
 * Compares the results of attempts with the verdict of a cell.
 * @param operation The statement whose result counts.
 */
export function evaluateAttempts(
  verdict: ProbedCell['verdict'],
  operation: RowOperation,
  tries: readonly Try[],
  answers: readonly AttemptResult[],
): Pick<ProbedCell, 'outcome' | 'note' | 'attempts'> {
  const expected = verdict === 'when' ? null : verdict === 'always' ? 'allowed' : 'not allowed';
  const attempts = tries.map(({ caller, row, attempt }, i): ProbeAttempt => {
    const answer = answers[i] ?? { sqlstate: '', message: 'there was no answer', within: true };
    const result = outcomeOf(answer, operation, false);
    const agrees = expected === null || result === 'stopped' || (expected === 'allowed') === (result === 'allowed');
    const shown = isError(answer) ? `${answer.sqlstate}: ${answer.message}` : `${answer.rows} rows`;
    return {
      ...{ as: caller.as, row, result, expected, agrees },
      ...(agrees && result !== 'stopped' ? {} : { sql: attempt.sql, answer: shown }),
    };
  });
  const settled = attempts.filter(({ result }) => result !== 'stopped');
  const isBoth =
    settled.some(({ result }) => result === 'allowed') && settled.some(({ result }) => result !== 'allowed');
  const outcome = attempts.some(({ agrees }) => !agrees)
    ? 'disagrees'
    : (expected === null ? isBoth : settled.length > 0)
      ? 'agrees'
      : 'not probed';
  const note =
    outcome === 'not probed'
      ? expected === null
        ? 'every attempt had the same result, so there is nothing to compare the condition with'
        : 'each attempt was stopped by something other than rights'
      : null;
  return { outcome, note, attempts };
}
