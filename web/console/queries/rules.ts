import { mutationOptions } from '@tanstack/react-query';
import type { SqlResult } from '../../../contract/admin.ts';
import { ApiFailure } from './api-failure.ts';
import { identifier, runSql } from './sql.ts';

/** A rule that is tested on every row of a table. */
export interface Trial {
  /** Name of the table as written in SQL, for example public."Order lines". */
  table: string;
  /** Fields that identify a row; empty if the table has no key. */
  key: readonly string[];
  rule: TriedRule;
}

/** A rule: an expression of CHECK ( … ), fields that must not be null, or fields whose combined values must be unique. */
export type TriedRule =
  | { kind: 'check'; expression: string }
  | { kind: 'required'; fields: readonly string[] }
  | { kind: 'unique'; fields: readonly string[] };

/** Maximum number of rows that break the rule and are listed. */
const examples = 5;

/** Returns the last part of an id, as written in SQL: public."Order lines" → "Order lines". */
const ownName = (id: string): string => /(?:"(?:[^"]|"")*"|[^".]+)$/.exec(id)?.[0] ?? id;

/**
 * Returns the statements that count the rows that break a rule, without changing the table. The rule is first added to
 * an empty copy, so that PostgreSQL checks its syntax. The rows are counted in a read-only transaction, which is rolled
 * back.
 * Result 5 is the number of rows, result 6 the listed rows. As in a CHECK, a row breaks the rule if the expression is
 * false, not if it is null. As in UNIQUE, nulls are distinct. With row_security off, PostgreSQL refuses to count if the
 * owner may not see all rows.
 */
function trialSql({ table, key, rule }: Trial): string {
  const copy = ownName(table);
  const columns = key.length > 0 ? key.map(identifier).join(', ') : 'ctid';
  const { constraint, broken } = partsOf(table, rule);
  return `create temporary table ${copy} (like ${table}) on commit drop;
alter table pg_temp.${copy} add constraint tried ${constraint};
set transaction read only;
set local row_security = off;
select count(*) filter (where ${broken}) as broken, count(*) as rows from only ${table};
select ${columns} from only ${table} where ${broken} limit ${examples};
rollback;`;
}

/** Returns the rule as a constraint, and the condition for a row that breaks the rule. */
function partsOf(table: string, rule: TriedRule): { constraint: string; broken: string } {
  if (rule.kind === 'unique') {
    const fields = rule.fields.map(identifier).join(', ');
    const given = rule.fields.map((field) => `${identifier(field)} is not null`).join(' and ');
    const shared = `select ${fields} from only ${table} where ${given} group by ${fields} having count(*) > 1`;
    return { constraint: `unique (${fields})`, broken: `${given} and (${fields}) in (${shared})` };
  }
  const expression =
    rule.kind === 'check'
      ? rule.expression
      : rule.fields.map((field) => `${identifier(field)} is not null`).join(' and ');
  return { constraint: `check (\n${expression}\n)`, broken: `(\n${expression}\n) is false` };
}

/** The result of testing a rule. */
export interface TrialResult {
  trial: Trial;
  rows: number;
  broken: number;
  /** Keys of some rows that break the rule. */
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

/** Reads the number and the keys of the rows from the results of `trialSql`. */
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
