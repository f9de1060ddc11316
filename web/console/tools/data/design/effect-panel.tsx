import { IconDownload } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { download } from '../../../../rows/download.ts';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { Code } from '../../../../ui/code.tsx';
import { Panel } from '../../../../ui/panel.tsx';
import { Tabs } from '../../../../ui/tabs.tsx';
import { ChangeList } from '../../../changes/change-list.tsx';
import type { TimedTrial } from '../../../data/sql.ts';
import { SqlLink } from '../../../layout/sql-link.tsx';
import styles from './design.module.css';
import { appliedDesign, migrationName, migrationSql } from './migration-sql.ts';
import type { TableDesign } from './table-design.ts';

interface EffectProps {
  appRef: string;
  before: TableDesign | null;
  design: TableDesign;
  sql: string;
  trial: UseQueryResult<TimedTrial>;
  problems: readonly string[];
}

/** Shows the effect of the changes: on the specification, as a migration, and the reverse migration that undoes it. */
export function EffectPanel({ appRef, before, design, sql, trial, problems }: EffectProps) {
  const removed = before?.fields.filter(({ key }) => !design.fields.some((field) => field.key === key)) ?? [];
  return (
    <Panel label="What will change" title={<b>What will change</b>}>
      <div className={styles.tabs} />
      <Tabs
        label="What will change"
        tabs={[
          {
            name: 'Specification',
            content: <Effect {...{ appRef, before, design, sql, trial, problems }} />,
          },
          {
            name: 'Migration',
            content:
              sql === '' ? (
                <p className={styles.note}>Change the table to see the migration.</p>
              ) : (
                <div className={styles.migration}>
                  <p className={styles.note}>
                    Becomes a version of the specification when you apply it. Add the file to your project’s migrations.
                  </p>
                  <Code code={sql} language="sql" label="the migration" />
                  <div className={styles.buttons}>
                    <Button
                      small
                      icon={IconDownload}
                      onClick={() => download(migrationName(before, design, new Date()), 'application/sql', `${sql}\n`)}
                    >
                      Download
                    </Button>
                    <SqlLink appRef={appRef} sql={sql} />
                  </div>
                </div>
              ),
          },
          {
            name: 'Undo',
            content: (
              <div className={styles.migration}>
                <p className={styles.note}>
                  {before
                    ? 'This migration takes the change back.'
                    : 'This migration deletes the table again, with its rows.'}
                  {removed.length > 0 &&
                    ` It restores the removed ${removed.length === 1 ? 'field' : 'fields'}, but not the values.`}
                </p>
                {sql !== '' && (
                  <Code
                    code={migrationSql(appliedDesign(design), before)}
                    language="sql"
                    label="the migration that takes it back"
                  />
                )}
              </div>
            ),
          },
        ]}
      />
    </Panel>
  );
}

function Effect({ appRef, before, design, sql, trial, problems }: EffectProps) {
  if (problems.length > 0) {
    return (
      <ul className={classNames(styles.problems, before === null && design.name === '' && styles.early)}>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    );
  }
  if (sql === '') return <p className={styles.note}>Change the table to see the changes of the specification.</p>;
  const { data } = trial;
  if (!data) return <p className={styles.note}>Trying the migration …</p>;
  if (data.failed) {
    const { message, hint, detail } = data.failed.details;
    return (
      <div className={styles.refused} role="alert">
        <p>PostgreSQL refuses the migration: {message}.</p>
        {detail && <p>{detail}</p>}
        {hint && <p>{hint}</p>}
      </div>
    );
  }
  if (data.changes.length === 0) return <p className={styles.note}>The specification does not change.</p>;
  return (
    <div className={styles.changes}>
      <ChangeList appRef={appRef} changes={data.changes} all={data.changes.length} />
    </div>
  );
}
