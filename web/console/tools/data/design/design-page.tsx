import { TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { entityId } from '../../../../../contract/entity-names.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { Failure } from '../../../../ui/failure.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { counted, entityName } from '../../../format/format.ts';
import { ConfirmByTyping } from '../../../forms/confirm-by-typing.tsx';
import { Page } from '../../../layout/page.tsx';
import { type FormMigration, MigrationPage, useMigrationPage } from '../../../migrations/migration-page.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import { specification } from '../../../queries/specification.ts';
import { AccessSection } from './access-section.tsx';
import { CsvStart } from './csv-start.tsx';
import styles from './design.module.css';
import { FieldRows } from './field-rows.tsx';
import { appliedDesign, migrationName, migrationSql } from './migration-sql.ts';
import { newTable, problemsOf, readDesign, type TableDesign } from './table-design.ts';
import { useDesign } from './use-design.ts';

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
  // The design at the beginning: a refresh of the specification must not change what the form compares with.
  const [before] = useState(current);
  const state = useDesign(useMemo(() => before ?? newTable(), [before]));
  const { design, set } = state;
  const [isDropping, setDropping] = useState(false);
  const page = useMigrationPage(appRef, formMigration(before, design), () =>
    onDone(entityId(design.schema, design.name)),
  );
  const drop = () =>
    page.run({ name: migrationName(before, null, new Date()), sql: migrationSql(before, null) }, () => onDone(null));
  return (
    <MigrationPage
      {...{ appRef, entities, page }}
      crumbs={crumbsOf(appRef, entity)}
      opening={
        <>
          <h1>{entity ? entity.name : 'New table'}</h1>
          {entity && (
            <Button kind="quiet" icon={IconTrash} onClick={() => setDropping(true)}>
              Delete table
            </Button>
          )}
        </>
      }
      onDiscard={() => onDone(entity?.id ?? null)}
    >
      <Names {...{ design, set }} isNew={entity === null} />
      {before === null && <CsvStart onTable={set} />}
      <FieldRows state={state} entities={entities} isNew={before === null} />
      <AccessSection state={state} entities={entities} roles={roles} />
      {isDropping && entity && (
        <DropDialog entity={entity} apply={page.apply} onDrop={drop} onClose={() => setDropping(false)} />
      )}
    </MigrationPage>
  );
}

/** Returns the migration of the form, with the migration that takes it back. */
function formMigration(before: TableDesign | null, design: TableDesign): FormMigration {
  const sql = migrationSql(before, design);
  const removed = before?.fields.filter(({ key }) => !design.fields.some((field) => field.key === key)) ?? [];
  const lost = ` It restores the removed ${removed.length === 1 ? 'field' : 'fields'}, but not the values.`;
  const note = before
    ? 'This migration takes the change back.'
    : 'This migration deletes the table again, with its rows.';
  return {
    sql,
    name: migrationName(before, design, new Date()),
    undo: { sql: migrationSql(appliedDesign(design), before), note: `${note}${removed.length > 0 ? lost : ''}` },
    problems: problemsOf(design),
    isEarly: before === null && design.name === '',
    isChanged: before ? sql !== '' : design.name !== '' || design.fields.length > 1,
    summary: summaryOf(before, design, sql),
  };
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

/** Returns the changes in words: "1 table, 6 fields, 4 sentences", "5 statements". */
function summaryOf(before: TableDesign | null, { fields, sentences }: TableDesign, sql: string): string {
  if (before)
    return sql === '' ? 'No change' : counted(sql.split(/;\n|;$/).filter((part) => part !== '').length, 'change');
  const access = sentences.length === 0 ? '' : `, ${counted(sentences.length, 'sentence')}`;
  return `1 table, ${counted(fields.length, 'field')}${access}`;
}
