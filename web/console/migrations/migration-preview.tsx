import type { UseQueryResult } from '@tanstack/react-query';
import { Code } from '../../ui/code.tsx';
import { milliseconds } from '../format/format.ts';
import { failureFacts } from '../queries/api-failure.ts';
import type { TimedTrial } from '../queries/sql.ts';
import styles from './migrations.module.css';

/** Shows the migration of a dialog, whether the server could run it, and the migration that takes it back. */
export function MigrationPreview({
  sql,
  undo,
  trial,
}: {
  sql: string;
  undo: string;
  trial: UseQueryResult<TimedTrial>;
}) {
  const failed = trial.data?.failed?.details.message ?? (trial.error ? failureFacts(trial.error).message : null);
  return (
    <div className={styles.preview}>
      <p role="status" className={failed ? styles.wrong : 'soft'}>
        {failed ??
          (trial.data
            ? `Tried in a transaction: no error, ${milliseconds(trial.data.milliseconds)}.`
            : 'Trying in a transaction …')}
      </p>
      <details>
        <summary>Migration</summary>
        <Code code={sql} language="sql" label="the migration" />
      </details>
      <details>
        <summary>Undo</summary>
        <Code code={undo} language="sql" label="the migration that takes it back" />
      </details>
    </div>
  );
}

/** Returns why a dialog cannot apply its migration; null if it can. */
export const refusedBecause = ({ data }: UseQueryResult<TimedTrial>): string | null =>
  data?.failed ? 'PostgreSQL refuses the migration.' : data ? null : 'The migration is being tried.';
