import { NativeSelect } from '@mantine/core';
import { IconArrowBackUp, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../../contract/states.ts';
import { Button } from '../../../../ui/button.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { counted } from '../../../format/format.ts';
import { ConfirmByTyping } from '../../../forms/confirm-by-typing.tsx';
import { Page } from '../../../layout/page.tsx';
import { fileName } from '../../../migrations/file-name.ts';
import { type FormMigration, MigrationPage, useMigrationPage } from '../../../migrations/migration-page.tsx';
import { entityList } from '../../../queries/entities.ts';
import { specification } from '../../../queries/specification.ts';
import { DrawnFigure } from './drawn-figure.tsx';
import styles from './editor.module.css';
import { type MachineDesign, machineProblems, machineSql, readMachine, stateFields } from './machine-design.ts';
import { RowEffects } from './row-effects-list.tsx';
import { StateForm } from './state-form.tsx';
import { TransitionForms } from './transition-forms.tsx';
import { useMachine } from './use-machine.ts';

const blank: MachineDesign = { entity: '', field: '', initial: 'new', states: ['new'], transitions: [], moves: {} };

/** Page that draws a state machine without SQL: a new one, or a change of an existing one. */
export function MachinePage({
  appRef,
  edited,
  onDone,
}: {
  appRef: string;
  /** Id of the machine; `new` for a new one. */
  edited: string;
  /** Opens the chapter with a machine; null without one. */
  onDone: (machine: string | null) => void;
}) {
  const { data } = useQuery(specification(appRef));
  const { data: entities } = useQuery(entityList(appRef));
  const machine = data?.chapters.states?.machines.find(({ id }) => id === edited) ?? null;
  const roles = (data?.chapters.roles?.roles ?? []).flatMap(({ member_role: role }) => role ?? []);
  if (!entities || !data) {
    return (
      <Page appRef={appRef} crumbs={crumbsOf(appRef, null)}>
        <Skeleton width={240} />
      </Page>
    );
  }
  return <Editor key={edited} {...{ appRef, entities, machine, roles, onDone }} />;
}

const crumbsOf = (appRef: string, machine: Machine | null) => [
  { text: '4 States', link: { to: '/app/$ref/states', params: { ref: appRef } } as const },
  { text: machine ? machine.id.replace(/^public\./, '') : 'New machine' },
];

function Editor({
  appRef,
  entities,
  machine,
  roles,
  onDone,
}: {
  appRef: string;
  entities: readonly Entity[];
  machine: Machine | null;
  roles: readonly string[];
  onDone: (machine: string | null) => void;
}) {
  // The machine at the beginning: a refresh of the specification must not change what the form compares with.
  const [before] = useState(machine);
  const state = useMachine(useMemo(() => (before ? readMachine(before) : blank), [before]));
  const { design } = state;
  const [chosen, setChosen] = useState<string | null>(design.initial);
  const [isDropping, setDropping] = useState(false);
  const entity = entities.find(({ id }) => id === design.entity);
  const field = entity?.fields.find(({ name }) => name === design.field);
  const page = useMigrationPage(appRef, formMigration(before, design, field?.enum_values ?? null), () =>
    onDone(`${design.entity}.${design.field}`),
  );
  const drop = () =>
    before && { name: fileName('drop machine', new Date()), sql: machineSql(readMachine(before), null) };
  return (
    <MigrationPage
      {...{ appRef, entities, page }}
      crumbs={crumbsOf(appRef, before)}
      opening={
        <>
          <h1>{before ? `States of ${before.entity.replace(/^public\./, '')}` : 'New state machine'}</h1>
          <span className={styles.tools}>
            <Button
              icon={IconArrowBackUp}
              offBecause={state.canUndo ? null : 'Nothing is changed.'}
              onClick={state.undo}
            >
              Undo
            </Button>
            {before && (
              <Button kind="quiet" icon={IconTrash} onClick={() => setDropping(true)}>
                Delete machine
              </Button>
            )}
          </span>
        </>
      }
      onDiscard={() => onDone(before?.id ?? null)}
    >
      {before === null && <WhichField {...{ entities, design }} onChange={state.set} />}
      {before === null && field && <FieldValues values={field.enum_values} state={state} />}
      <DrawnFigure {...{ appRef, state, before, chosen }} onChoose={setChosen} />
      {chosen !== null && design.states.includes(chosen) && (
        <StateForm key={chosen} {...{ state, chosen }} onChoose={setChosen} />
      )}
      <TransitionForms {...{ state, chosen, roles }} fields={entity?.fields ?? []} />
      <RowEffects before={before} state={state} />
      {isDropping && before && (
        <ConfirmByTyping
          title={`Delete the machine of ${before.id}?`}
          name={before.field}
          verb={['Delete machine', 'Deleting']}
          pending={page.apply.isPending}
          error={page.apply.error}
          onConfirm={() => page.run(drop() ?? undefined, () => onDone(null))}
          onClose={() => setDropping(false)}
        >
          <p>Any valid value of {before.field} can then follow any other. The recorded state changes stay.</p>
        </ConfirmByTyping>
      )}
    </MigrationPage>
  );
}

function formMigration(before: Machine | null, design: MachineDesign, values: readonly string[] | null): FormMigration {
  const old = before && readMachine(before);
  const problems = machineProblems(design, values);
  const sql = problems.length > 0 && !before ? '' : machineSql(old, design);
  return {
    sql,
    name: fileName(`${before ? 'change' : 'define'} states of ${design.entity}`, new Date()),
    undo: {
      sql: old
        ? machineSql({ ...design, moves: {} }, { ...old, moves: reversed(design.moves) })
        : machineSql(design, null),
      note: old
        ? 'This migration takes the change back.'
        : 'This migration deletes the machine again. The states of the rows stay.',
    },
    problems,
    isEarly: before === null && design.transitions.length === 0,
    isChanged: before ? sql !== '' : design.entity !== '' || design.transitions.length > 0,
    summary: summaryOf(old, design),
  };
}

/** Returns where rows go back if a machine is restored; rows of joined states cannot be told apart. */
const reversed = (moves: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(moves).map(([from, to]) => [to, from]));

/** Returns the changes in words: "1 state, 2 transitions added, 1 removed". */
function summaryOf(before: MachineDesign | null, after: MachineDesign): string {
  if (!before) return `${counted(after.states.length, 'state')}, ${counted(after.transitions.length, 'transition')}`;
  const texts = (all: MachineDesign['transitions']) =>
    new Map(all.map(({ key, ...one }) => [key, JSON.stringify(one)]));
  const [old, now] = [texts(before.transitions), texts(after.transitions)];
  const added = [...now.keys()].filter((key) => !old.has(key)).length;
  const removed = [...old.keys()].filter((key) => !now.has(key)).length;
  const changed = [...now].filter(([key, text]) => old.has(key) && old.get(key) !== text).length;
  const parts = [
    added > 0 && `${counted(added, 'transition')} added`,
    changed > 0 && `${counted(changed, 'transition')} changed`,
    removed > 0 && `${counted(removed, 'transition')} removed`,
    before.initial !== after.initial && 'another first state',
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(', ') : 'No change';
}

/** Chooses the table and the field of a new machine. */
function WhichField({
  entities,
  design,
  onChange,
}: {
  entities: readonly Entity[];
  design: MachineDesign;
  onChange: (part: Partial<MachineDesign>) => void;
}) {
  const tables = entities.filter(
    (entity) => entity.kind === 'table' && entity.exposed && stateFields(entity).length > 0,
  );
  const table = tables.find(({ id }) => id === design.entity);
  return (
    <div className={styles.which}>
      <NativeSelect
        label="Table"
        value={design.entity}
        data={[
          { value: '', label: 'Choose a table' },
          ...tables.map(({ id }) => ({ value: id, label: id.replace(/^public\./, '') })),
        ]}
        onChange={({ currentTarget }) => onChange({ entity: currentTarget.value, field: '' })}
      />
      <NativeSelect
        label="Field with the state"
        value={design.field}
        data={[
          { value: '', label: table ? 'Choose a field' : 'Choose a table first' },
          ...(table ? stateFields(table).map(({ name }) => ({ value: name, label: name })) : []),
        ]}
        onChange={({ currentTarget }) => onChange({ field: currentTarget.value })}
      />
    </div>
  );
}

/** Offers the values of an enum as the states of a new machine. */
function FieldValues({ values, state }: { values: readonly string[] | null; state: ReturnType<typeof useMachine> }) {
  const [first] = values ?? [];
  if (!values || first === undefined || values.every((value) => state.design.states.includes(value))) return null;
  return (
    <p className={styles.note}>
      The type of the field has {counted(values.length, 'value')}.{' '}
      <Button small onClick={() => state.set({ states: values, initial: first, transitions: [] })}>
        Use them as states
      </Button>
    </p>
  );
}
