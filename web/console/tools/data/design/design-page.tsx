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
import { failureFacts } from '../../../data/api-failure.ts';
import { specification } from '../../../data/specification.ts';
import { applyMigration, migrationTrial } from '../../../data/sql.ts';
import { counted, entityName } from '../../../format/format.ts';
import { ConfirmByTyping } from '../../../forms/confirm-by-typing.tsx';
import { Page } from '../../../layout/page.tsx';
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

function Editor({
  appRef,
  entities,
  entity,
  before: current,
  roles,
  onDone,
}: DesignProps & { before: TableDesign | null; roles: readonly string[] }) {
  // The design at the beginning. The form compares with it, so a refresh of the specification must not change it.
  const [before] = useState(current);
  const state = useDesign(useMemo(() => before ?? newTable(), [before]));
  const { design, set } = state;
  const problems = problemsOf(design);
  const sql = migrationSql(before, design);
  const isChanged = before ? sql !== '' : design.name !== '' || design.fields.length > 1;
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
      { name: migrationName(before, after, new Date()), sql: migrationSql(before, after) },
      { onSuccess: () => leaveFor(after && entityId(after.schema, after.name)) },
    );
  const leaving = useBlocker({
    shouldBlockFn: () => isChanged && !hasLeft.current,
    enableBeforeUnload: () => isChanged && !hasLeft.current,
    withResolver: true,
  });
  const effect = <EffectPanel {...{ appRef, before, design, sql, trial, problems }} />;
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
            <div className={styles.names}>
              <TextInput
                label="Name"
                value={design.name}
                placeholder="order_lines"
                autoComplete="off"
                spellCheck={false}
                autoFocus={entity === null}
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
            {before === null && <CsvStart onTable={set} />}
            <FieldRows state={state} entities={entities} isNew={before === null} />
            <AccessSection state={state} entities={entities} roles={roles} />
            {isPhone && effect}
          </div>
        </div>
        <ApplyBar
          summary={summaryOf(before, design, sql)}
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
        <ConfirmByTyping
          title={`Delete ${entity.name}?`}
          name={entity.name}
          verb={['Delete table', 'Deleting']}
          pending={apply.isPending}
          error={apply.error}
          onConfirm={() => run(null)}
          onClose={() => setDropping(false)}
        >
          <p>
            Deletes the table with its rows
            {entity.figures &&
              entity.figures.rows_estimate > 0 &&
              `, about ${counted(entity.figures.rows_estimate, 'row')}`}
            . This cannot be undone. PostgreSQL refuses this while other objects depend on the table.
          </p>
        </ConfirmByTyping>
      )}
      {leaving.status === 'blocked' && <LeaveDialog onLeave={leaving.proceed} onStay={leaving.reset} />}
    </Page>
  );
}

/** Describes the changes briefly: "1 table, 6 fields, 4 sentences" for a new table, "5 changes" for an existing one. */
function summaryOf(before: TableDesign | null, { fields, sentences }: TableDesign, sql: string): string {
  if (before)
    return sql === '' ? 'No change' : counted(sql.split(/;\n|;$/).filter((part) => part !== '').length, 'change');
  const access = sentences.length === 0 ? '' : `, ${counted(sentences.length, 'sentence')}`;
  return `1 table, ${counted(fields.length, 'field')}${access}`;
}
