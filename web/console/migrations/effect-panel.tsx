import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Entity } from '../../../contract/specification-entities.ts';
import { classNames } from '../../ui/class-names.ts';
import { Code } from '../../ui/code.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ChangeList } from '../changes/change-list.tsx';
import type { TimedTrial } from '../queries/sql.ts';
import { MigrationTab } from './migration-tab.tsx';
import styles from './migrations.module.css';

/** The migration that a form writes. */
export interface WrittenMigration {
  /** The migration: of the form, or as it was edited by hand. */
  readonly sql: string;
  /** Name of its file. */
  readonly name: string;
  /** The migration that takes it back, and what it does not restore. */
  readonly undo: { readonly sql: string; readonly note: ReactNode };
  readonly isEdited: boolean;
  readonly problems: readonly string[];
  /** True while the form is new and empty, so that its problems are not shown as errors. */
  readonly isEarly: boolean;
}

interface EffectProps {
  appRef: string;
  entities: readonly Entity[];
  written: WrittenMigration;
  trial: UseQueryResult<TimedTrial>;
  /** Replaces the migration of the form; null returns to it. */
  onEdit: (sql: string | null) => void;
  onApply: () => void;
}

/** Panel beside a form with the effect of its changes. */
export const EffectPanel = (props: EffectProps) => (
  <Panel label="What will change" title={<b>What will change</b>}>
    <div className={styles.tabs} />
    <EffectTabs {...props} />
  </Panel>
);

/** Shows the effect of the changes: on the specification, as a migration, and the migration that reverts it. */
export function EffectTabs({ appRef, entities, written, trial, onEdit, onApply }: EffectProps) {
  const { sql, name, undo, isEdited, problems } = written;
  return (
    <Tabs
      label="What will change"
      tabs={[
        { name: 'Specification', content: <Effect {...{ appRef, written, trial }} /> },
        {
          name: 'Migration',
          content: (
            <MigrationTab
              {...{ appRef, entities, sql, name, isEdited, trial, onEdit, onApply }}
              canEdit={isEdited || (problems.length === 0 && sql !== '')}
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
                  : undo.note}
              </p>
              {sql !== '' && !isEdited && (
                <Code code={undo.sql} language="sql" label="the migration that takes it back" />
              )}
            </div>
          ),
        },
      ]}
    />
  );
}

function Effect({ appRef, written, trial }: Pick<EffectProps, 'appRef' | 'written' | 'trial'>) {
  const { problems, isEarly, sql } = written;
  if (problems.length > 0) {
    return (
      <ul className={classNames(styles.problems, isEarly && styles.early)}>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    );
  }
  if (sql === '') return <p className={styles.note}>Change something to see the changes of the specification.</p>;
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
