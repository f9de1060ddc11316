import { TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { entityId } from '../../../../../contract/entity-names.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { Failure } from '../../../../ui/failure.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { counted, entityName } from '../../../format/format.ts';
import { ConfirmByTyping } from '../../../forms/confirm-by-typing.tsx';
import { Page } from '../../../layout/page.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import { specification } from '../../../queries/specification.ts';
import { applyMigration, migrationTrial } from '../../../queries/sql.ts';
import { AccessSection } from './access-section.tsx';
import { ApplyBar, LeaveDialog } from './apply-bar.tsx';
import { CsvStart } from './csv-start.tsx';
import styles from './design.module.css';
import { EffectPanel } from './effect-panel.tsx';
import { FieldRows } from './field-rows.tsx';
import { migrationName, migrationSql } from './migration-sql.ts';
import { newTable, problemsOf, readDesign, type TableDesign } from './table-design.ts';
import { useDesign } from './use-design.ts';

/** A phone has no room for a panel beside the form. */
const isPhone = window.matchMedia('(max-width: 760px)').matches;

interface DesignProps {
  appRef: string;
  entities: readonly Entity[];
  /** Null for a new table. */
  entity: Entity | null;
  /** Opens a table after it was created, renamed or left; null opens the page Data. */
  onDone: (table: string | null) => void;
}

/** Page that creates or changes a table without SQL. */
export function DesignPage(props: DesignProps) {
  const { appRef, entities, entity } = props;
  const { data, error, isFetching, refetch } = useQuery(specification(appRef));
  if (!entity) return <Editor {...props} before={null} roles={rolesOf(data)} />;
  if (data) return <Editor {...props} before={readDesign(entity, entities, data)} roles={rolesOf(data)} />;
  return (
    <Page appRef={appRef} crumbs={crumbsOf(appRef, entity)} fetching={isFetching}>
      {error ? <Failure facts={failureFacts(error)} onRetry={() => void refetch()} /> : <Skeleton width={240} />}
    </Page>
  );
}

const rolesOf = (data: { chapters: { roles?: { roles: { member_role: string | null }[] } } } | undefined): string[] =>
  (data?.chapters.roles?.roles ?? []).flatMap(({ member_role }) => (member_role === null ? [] : [member_role]));

const crumbsOf = (appRef: string, entity: Entity | null) => [
  { text: 'Data', link: { to: '/app/$ref/data', params: { ref: appRef } } as const },
  { text: entity ? `${entityName(entity.schema, entity.name)}, fields and access` : 'New table' },
];

function Editor(props: DesignProps & { before: TableDesign | null; roles: readonly string[] }) {
  const { appRef, entities, entity, before: current, roles, onDone } = props;
  const { before, state, setEdited, isEdited, sql, written, problems, isChanged } = useMigration(current);
  const { design, set } = state;
  const [isDropping, setDropping] = useState(false);
  const trial = useQuery(migrationTrial(appRef, problems.length === 0 ? sql : ''));
  const apply = useMutation(applyMigration(appRef));
  const hasLeft = useRef(false);
  const leaveFor = (table: string | null) => {
    hasLeft.current = true;
    onDone(table);
  };
  const run = (after: TableDesign | null) =>
    apply.mutate(
      { name: migrationName(before, after, new Date()), sql: after ? sql : migrationSql(before, null) },
      { onSuccess: () => leaveFor(after && entityId(after.schema, after.name)) },
    );
  const leaving = useBlocker({
    shouldBlockFn: () => isChanged && !hasLeft.current,
    enableBeforeUnload: () => isChanged && !hasLeft.current,
    withResolver: true,
  });
  const effect = (
    <EffectPanel
      {...{ appRef, entities, before, design, sql: written, isEdited, trial, problems }}
      onEdit={setEdited}
      onApply={() => trial.data?.failed === null && !apply.isPending && run(design)}
    />
  );
  return (
    <Page
      appRef={appRef}
      crumbs={crumbsOf(appRef, entity)}
      fetching={trial.isFetching}
      bare
      panel={isPhone ? undefined : effect}
    >
      <div className={styles.page}>
        <div className={styles.scroll}>
          <div className={styles.inner}>
            <div className={styles.opening}>
              <h1>{entity ? entity.name : 'New table'}</h1>
              {entity && (
                <Button kind="quiet" icon={IconTrash} onClick={() => setDropping(true)}>
                  Delete table
                </Button>
              )}
            </div>
            {isEdited && <EditedNote onDiscard={() => setEdited(null)} />}
            <div className={styles.form} inert={isEdited}>
              <Names {...{ design, set }} isNew={entity === null} />
              {before === null && <CsvStart onTable={set} />}
              <FieldRows state={state} entities={entities} isNew={before === null} />
              <AccessSection state={state} entities={entities} roles={roles} />
            </div>
            {isPhone && effect}
          </div>
        </div>
        <ApplyBar
          summary={isEdited ? 'Migration edited by hand' : summaryOf(before, design, sql)}
          isChanged={isChanged}
          problems={problems}
          trial={trial}
          isApplying={apply.isPending}
          error={apply.error}
          onDiscard={() => leaveFor(entity?.id ?? null)}
          onApply={() => run(design)}
        />
      </div>
      {isDropping && entity && (
        <DropDialog entity={entity} apply={apply} onDrop={() => run(null)} onClose={() => setDropping(false)} />
      )}
      {leaving.status === 'blocked' && <LeaveDialog onLeave={leaving.proceed} onStay={leaving.reset} />}
    </Page>
  );
}

/** Returns the form of a table, and the migration that it writes or that the builder edited by hand. */
function useMigration(current: TableDesign | null) {
  // The design at the beginning: a refresh of the specification must not change what the form compares with.
  const [before] = useState(current);
  const state = useDesign(useMemo(() => before ?? newTable(), [before]));
  const { design } = state;
  // The migration as the builder edited it by hand; null while it is the form's.
  const [edited, setEdited] = useState<string | null>(null);
  const isEdited = edited !== null;
  const sql = edited?.trim() ?? migrationSql(before, design);
  const problems = isEdited ? (sql === '' ? ['The migration is empty.'] : []) : problemsOf(design);
  const isChanged = isEdited || (before ? sql !== '' : design.name !== '' || design.fields.length > 1);
  return { before, state, setEdited, isEdited, sql, written: edited ?? sql, problems, isChanged };
}

/** Fields for the name of a table and its comment. */
function Names({ design, set, isNew }: Pick<ReturnType<typeof useDesign>, 'design' | 'set'> & { isNew: boolean }) {
  return (
    <div className={styles.names}>
      <TextInput
        label="Name"
        value={design.name}
        placeholder="order_lines"
        autoComplete="off"
        spellCheck={false}
        autoFocus={isNew}
        classNames={{ input: styles.mono ?? '' }}
        onChange={({ currentTarget }) => set({ name: currentTarget.value })}
      />
      <TextInput
        label="Comment"
        value={design.comment}
        placeholder="One line of an order."
        onChange={({ currentTarget }) => set({ comment: currentTarget.value })}
      />
    </div>
  );
}

/** Asks before a table is deleted. */
function DropDialog({
  entity: { name, figures },
  apply: { isPending, error },
  onDrop,
  onClose,
}: {
  entity: Entity;
  apply: { readonly isPending: boolean; readonly error: Error | null };
  onDrop: () => void;
  onClose: () => void;
}) {
  return (
    <ConfirmByTyping
      title={`Delete ${name}?`}
      name={name}
      verb={['Delete table', 'Deleting']}
      pending={isPending}
      error={error}
      onConfirm={onDrop}
      onClose={onClose}
    >
      <p>
        Deletes the table with its rows
        {figures && figures.rows_estimate > 0 && `, about ${counted(figures.rows_estimate, 'row')}`}. This cannot be
        undone. PostgreSQL refuses this while other objects depend on the table.
      </p>
    </ConfirmByTyping>
  );
}

/** Says that the form is off because the migration was edited, and offers to return to the form. */
const EditedNote = ({ onDiscard }: { onDiscard: () => void }) => (
  <p className={styles.edited} role="status">
    You edited the migration by hand, so the form is off.
    <Button small onClick={onDiscard}>
      Discard the text and use the form
    </Button>
  </p>
);

/** Returns the changes in words: "1 table, 6 fields, 4 sentences", "5 statements". */
function summaryOf(before: TableDesign | null, { fields, sentences }: TableDesign, sql: string): string {
  if (before)
    return sql === '' ? 'No change' : counted(sql.split(/;\n|;$/).filter((part) => part !== '').length, 'change');
  const access = sentences.length === 0 ? '' : `, ${counted(sentences.length, 'sentence')}`;
  return `1 table, ${counted(fields.length, 'field')}${access}`;
}
