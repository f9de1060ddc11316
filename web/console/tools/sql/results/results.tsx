import { IconAlertCircle, IconCheck } from '@tabler/icons-react';
import type { ScriptWarning } from '../../../../../contract/admin.ts';
import { Failure, FailureNote } from '../../../../ui/failure.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Tabs } from '../../../../ui/tabs.tsx';
import { TableFooter } from '../../../../ui/workbench.tsx';
import { count, counted, milliseconds } from '../../../format/format.ts';
import { ApiFailure, failureFacts } from '../../../queries/api-failure.ts';
import { sqlFailureOf } from '../../../queries/sql.ts';
import type { Run } from '../use-run.ts';
import { ResultView } from './result-view.tsx';
import styles from './results.module.css';

/** Shows the results of the last run: a tab for each statement, or the error. */
export function Results({ run }: { run: Run | null }) {
  if (!run) {
    return <p className={styles.none}>Results appear here. Select text to run only the selection.</p>;
  }
  const { ending } = run;
  if (ending.kind === 'cancelled') {
    return (
      <>
        <p className={styles.none}>
          Cancelled after {milliseconds(ending.after)}. The database received a cancel request.
        </p>
        <TableFooter>
          <b>Cancelled</b>
        </TableFooter>
      </>
    );
  }
  if (ending.kind === 'failed') return <FailedRun run={run} error={ending.error} />;
  const { results, duration_ms, warnings } = ending.response;
  if (results.length === 0) return <Warnings warnings={warnings} otherwise="The SQL contains no statement." />;
  const took =
    results.length === 1 ? milliseconds(duration_ms) : `${milliseconds(duration_ms)} for all ${count(results.length)}`;
  const withRows = results.findLastIndex(({ columns }) => columns.length > 0);
  const tabs = (
    <Tabs
      key={run.number}
      label={`Results of ${counted(results.length, 'statement')}, ${milliseconds(duration_ms)}`}
      initial={withRows < 0 ? results.length - 1 : withRows}
      tabs={results.map((result, index) => ({
        name: `Statement ${index + 1}: ${result.columns.length > 0 ? counted(result.row_count, 'row') : result.command}`,
        mark: (
          <span className={styles.ok}>
            <Icon of={IconCheck} small />
          </span>
        ),
        content: <ResultView result={result} took={took} />,
      }))}
    />
  );
  return (
    <>
      <Warnings warnings={warnings} />
      {tabs}
    </>
  );
}

/** Lists the warnings, one on each line. Each says what the server did differently from the SQL. */
function Warnings({ warnings, otherwise }: { warnings: readonly ScriptWarning[]; otherwise?: string }) {
  if (warnings.length === 0) return otherwise === undefined ? null : <p className={styles.none}>{otherwise}</p>;
  return (
    <ul className={styles.none} aria-label="Warnings">
      {warnings.map(({ line, column, message }) => (
        <li key={`${line}:${column}`}>
          Line {line}, column {column}: {message}
        </li>
      ))}
    </ul>
  );
}

/** Matches SQL that begins or ends transactions itself. If such a run fails, its earlier statements may have been committed. */
const ownTransactions = /\b(commit|begin|start\s+transaction|end|rollback|savepoint)\b/i;

function FailedRun({ run, error }: { run: Run; error: Error }) {
  const failure = sqlFailureOf(error);
  if (!failure) {
    return (
      <div className={styles.failure}>
        <Failure facts={failureFacts(error)} />
      </div>
    );
  }
  return (
    <Tabs
      key={run.number}
      label="Result"
      tabs={[
        {
          name: `Statement ${failure.statement + 1}: error ${failure.sqlstate}`,
          mark: (
            <span className={styles.bad}>
              <Icon of={IconAlertCircle} small />
            </span>
          ),
          content: (
            <>
              <div className={styles.failure}>
                <FailureNote
                  facts={{
                    code: failure.sqlstate,
                    status: null,
                    message: failure.message,
                    meaning: null,
                    action: failure.hint,
                    requestId: error instanceof ApiFailure ? error.requestId : null,
                  }}
                >
                  {failure.detail && <p>{failure.detail}</p>}
                  {failure.where && <p>In {failure.where.split('\n')[0]}</p>}
                </FailureNote>
              </div>
              <TableFooter>
                <b>Failed</b>
                {!ownTransactions.test(run.sql) && (
                  <span className="soft">
                    All statements ran in one transaction, so PostgreSQL rolled all of them back.
                  </span>
                )}
              </TableFooter>
            </>
          ),
        },
      ]}
    />
  );
}
