import { mutationOptions } from '@tanstack/react-query';
import type { SqlResult } from '../../../../contract/admin.ts';
import { ApiFailure } from '../api-failure.ts';
import { runSql } from '../sql/run-sql.ts';
import { type Trial, trialSql } from './trial-sql.ts';

/** The result of testing a rule. */
export interface TrialResult {
  trial: Trial;
  rows: number;
  broken: number;
  /** Keys of the first rows that break the rule. */
  examples: string[][];
}

/** Counts the rows of a table that break a rule, and changes nothing. */
export const tryRule = (ref: string) =>
  mutationOptions({
    mutationFn: async (trial: Trial): Promise<TrialResult> => {
      const { results } = await runSql(ref, trialSql(trial), new AbortController().signal);
      return { trial, ...readTrial(results) };
    },
  });

/** Reads the figures from the results of `trialSql`. */
function readTrial(results: readonly SqlResult[]): Omit<TrialResult, 'trial'> {
  const [figures, named] = results.filter(({ columns }) => columns.length > 0);
  const [broken, rows] = figures?.rows[0] ?? [];
  if (typeof broken !== 'string' || typeof rows !== 'string' || !named) {
    throw new ApiFailure('The rows were not counted.', {
      code: 'trial_unread',
      status: 200,
      hint: 'Write one expression, as in CHECK ( … ).',
    });
  }
  return {
    rows: Number(rows),
    broken: Number(broken),
    examples: named.rows.map((row) => row.map((value) => value ?? '')),
  };
}
