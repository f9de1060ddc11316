import type { UseQueryResult } from '@tanstack/react-query';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { classNames } from '../../../../ui/class-names.ts';
import { Code } from '../../../../ui/code.tsx';
import { Panel } from '../../../../ui/panel.tsx';
import { Tabs } from '../../../../ui/tabs.tsx';
import { ChangeList } from '../../../changes/change-list.tsx';
import type { TimedTrial } from '../../../queries/sql.ts';
import styles from './design.module.css';
import { appliedDesign, migrationName, migrationSql } from './migration-sql.ts';
import { MigrationTab } from './migration-tab.tsx';
import type { TableDesign } from './table-design.ts';

interface EffectProps {
  appRef: string;
  entities: readonly Entity[];
  before: TableDesign | null;
  design: TableDesign;
  /** The migration: of the form, or as it was edited by hand. */
  sql: string;
  isEdited: boolean;
  trial: UseQueryResult<TimedTrial>;
  problems: readonly string[];
  /** Replaces the migration of the form; null returns to it. */
  onEdit: (sql: string | null) => void;
  onApply: () => void;
}

/** Shows the effect of the changes: on the specification, as a migration, and the migration that reverts it. */
export function EffectPanel(props: EffectProps) {
  const { appRef, entities, before, design, sql, isEdited, trial, problems, onEdit, onApply } = props;
  const removed = before?.fields.filter(({ key }) => !design.fields.some((field) => field.key === key)) ?? [];
  return (
    <Panel label="What will change" title={<b>What will change</b>}>
      <div className={styles.tabs} />
      <Tabs
        label="What will change"
        tabs={[
          {
            name: 'Specification',
            content: <Effect {...props} />,
          },
          {
            name: 'Migration',
            content: (
              <MigrationTab
                {...{ appRef, entities, sql, isEdited, trial, onEdit, onApply }}
                canEdit={isEdited || (problems.length === 0 && sql !== '')}
                name={migrationName(before, design, new Date())}
              />
            ),
          },
          {
            name: 'Undo',
            content: (
              <div className={styles.migration}>
                <p className={styles.note}>
                  {isEdited
                    ? 'You edited the migration by hand. Write the migration that takes it back by hand, too.'
                    : before
                      ? 'This migration takes the change back.'
                      : 'This migration deletes the table again, with its rows.'}
                  {removed.length > 0 &&
                    !isEdited &&
                    ` It restores the removed ${removed.length === 1 ? 'field' : 'fields'}, but not the values.`}
                </p>
                {sql !== '' && !isEdited && (
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

function Effect({ appRef, before, design, sql, isEdited, trial, problems }: EffectProps) {
  if (problems.length > 0) {
    return (
      <ul className={classNames(styles.problems, before === null && design.name === '' && !isEdited && styles.early)}>
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
  const [untried] = data.untried;
  if (untried) return <p className={styles.note}>The migration cannot be tried: {untried.reason}.</p>;
  if (data.changes.length === 0) return <p className={styles.note}>The specification does not change.</p>;
  return (
    <div className={styles.changes}>
      <ChangeList appRef={appRef} changes={data.changes} all={data.changes.length} />
    </div>
  );
}
