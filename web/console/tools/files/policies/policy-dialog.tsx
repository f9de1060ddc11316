import { NativeSelect } from '@mantine/core';
import { type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Code } from '../../../../ui/code.tsx';
import { Tabs } from '../../../../ui/tabs.tsx';
import { ChangeList } from '../../../changes/change-list.tsx';
import { milliseconds } from '../../../format/format.ts';
import form from '../../../forms/form.module.css';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import type { Bucket } from '../../../queries/files/buckets.ts';
import { applyMigration, migrationTrial, type TimedTrial } from '../../../queries/sql.ts';
import styles from '../files.module.css';
import { policyMigration, policyMigrationName, policyTemplates } from './policy-templates.ts';

/** Writes a typical policy on the files of a bucket as a migration, tries it, and applies it. */
export function PolicyDialog({
  appRef,
  buckets,
  bucket,
  taken,
  onDone,
  onClose,
}: {
  appRef: string;
  buckets: readonly Bucket[];
  /** The bucket that is chosen at first. */
  bucket: string | undefined;
  /** Names of the policies on storage.objects. */
  taken: ReadonlySet<string>;
  /** Called with the migration that takes the policy back. */
  onDone: (undo: string) => void;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState(bucket ?? buckets[0]?.id ?? '');
  const [key, setKey] = useState(policyTemplates[0]?.key ?? 'own-folder');
  const { sql, undo } = policyMigration(key, chosen, taken);
  const trial = useQuery(migrationTrial(appRef, sql));
  const { mutate, isPending, error } = useMutation(applyMigration(appRef));
  const failed = trial.data?.failed?.details;
  return (
    <FormDialog
      title="Add policy"
      width={620}
      verb={['Apply', 'Applying']}
      pending={isPending}
      offBecause={failed ? 'PostgreSQL refuses the migration.' : trial.data ? null : 'The migration is being tried.'}
      error={error ?? trial.error}
      onSubmit={() =>
        mutate({ name: policyMigrationName(key, chosen, new Date()), sql }, { onSuccess: () => onDone(undo) })
      }
      onClose={onClose}
    >
      <NativeSelect
        label="Bucket"
        data={buckets.map(({ id }) => id)}
        value={chosen}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      <fieldset className={form.options}>
        <legend className={form.label}>Who may do what</legend>
        {policyTemplates.map((template) => (
          <label key={template.key} className={styles.template}>
            <input
              type="radio"
              name="policy-template"
              checked={template.key === key}
              onChange={() => setKey(template.key)}
            />
            <span>
              <b>{template.name}</b>
              <span className="soft"> {template.words}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Effect {...{ appRef, sql, undo, trial }} />
    </FormDialog>
  );
}

/** The migration, its effect on the specification, and the migration that takes it back. */
function Effect({
  appRef,
  sql,
  undo,
  trial: { data },
}: {
  appRef: string;
  sql: string;
  undo: string;
  trial: UseQueryResult<TimedTrial>;
}) {
  const failed = data?.failed?.details;
  return (
    <div>
      <Tabs
        label="What will change"
        tabs={[
          { name: 'Migration', content: <Code code={sql} language="sql" label="the migration" /> },
          {
            name: 'Specification',
            content: data ? (
              <ChangeList appRef={appRef} changes={data.changes} all={data.changes.length} />
            ) : (
              <p className={form.words}>Trying the migration …</p>
            ),
          },
          { name: 'Undo', content: <Code code={undo} language="sql" label="the migration that takes it back" /> },
        ]}
      />
      <p className={failed ? styles.bad : 'soft'} role="status">
        {failed
          ? `PostgreSQL refuses the migration: ${failed.message}.`
          : data
            ? `Tried in a transaction: no error, ${milliseconds(data.milliseconds)}.`
            : 'Trying in a transaction …'}
      </p>
    </div>
  );
}
