import { Select } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Machine, StatesChapter } from '../../../../contract/states.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { figureLink } from '../../../ui/live-value.tsx';
import { Diagram } from '../../diagram/diagram.tsx';
import { count, counted, listed } from '../../format/format.ts';
import { usePanelSteps } from '../../shortcuts/use-panel-steps.ts';
import { ChapterPage } from '../chapter-page.tsx';
import { ListTable } from '../list/list-table.tsx';
import { useChapter } from '../use-chapter.ts';
import { AccountTable } from './account-table.tsx';
import { MachinePage } from './editor/machine-page.tsx';
import { boxOfState, hotEdges, machineGraph, stateOfBox } from './machine-graph.ts';
import { machineMermaid } from './machine-mermaid.ts';
import { pairsOf, rowsOf, stateChangesOf, sumOf, transitionEdges } from './machine-words.ts';
import { NoMachine } from './no-machine.tsx';
import { NotificationTable } from './notification-table.tsx';
import { StatePanel } from './state-panel.tsx';
import styles from './states.module.css';
import { transitionColumns } from './transition-columns.tsx';
import { TransitionPanel } from './transition-panel.tsx';
import { TransitionTable } from './transition-table.tsx';

const changes = [
  'Draw it in the editor, which writes the migration',
  <span key="define">
    Or call <code>ninefold.define_machine(…)</code> in a migration; <code>ninefold.drop_machine(…)</code> deletes it
  </span>,
  'A state cannot be removed while rows are in it. The error gives their number.',
  'To change a transition, define the complete machine again',
  <span key="notify">
    Tell members of changes with <code>ninefold.notify(…)</code> in a migration; <code>ninefold.stop_notifying(…)</code>{' '}
    ends it
  </span>,
];

/** Chapter 4: the states of the app's rows, and who may change them. `edit` in the address opens the editor. */
export function StatesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/states' });
  const { edit } = useSearch({ from: '/signed-in/app/$ref/states' });
  const navigate = useNavigate();
  if (edit === undefined) return <Chapter />;
  return (
    <MachinePage
      appRef={ref}
      edited={edit}
      onDone={(machine) =>
        void navigate({ to: '/app/$ref/states', params: { ref }, search: machine === null ? {} : { machine } })
      }
    />
  );
}

function Chapter() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/states' });
  const { machine: wanted } = useSearch({ from: '/signed-in/app/$ref/states' });
  const { chapter, pending, stale } = useChapter(ref, 'states');
  const machine = chapter?.machines.find(({ id }) => id === wanted) ?? chapter?.machines[0];
  const { way, choose, openWay, openState, ways, waySteps, stateSteps, chosenWay, chosenState } = useMachineChoice(
    ref,
    machine,
    machine === chapter?.machines[0],
  );

  return (
    <ChapterPage
      appRef={ref}
      chapter="states"
      answer={chapter && <Answer chapter={chapter} />}
      sources={chapter?.sources ?? []}
      changes={changes}
      panel={
        machine && chosenWay ? (
          <TransitionPanel appRef={ref} machine={machine} way={chosenWay} {...waySteps} />
        ) : (
          machine && chosenState && <StatePanel appRef={ref} machine={machine} state={chosenState} {...stateSteps} />
        )
      }
    >
      {chapter && !machine ? (
        <NoMachine appRef={ref} />
      ) : (
        <>
          <MachineFigure
            appRef={ref}
            machine={machine}
            choice={
              <>
                <MachineChoice
                  machines={chapter?.machines ?? none}
                  chosen={machine}
                  onChoose={(id) => choose({ machine: id })}
                />
                <EditLinks appRef={ref} machine={machine} />
              </>
            }
            state={chosenState?.name ?? null}
            way={chosenWay?.id ?? null}
            onOpen={openState}
          />
          {machine && <Problems machine={machine} />}
          <Figure
            number="Table 4.2"
            caption="Transitions"
            tools={machine && <span className="soft">{decided(machine)}</span>}
          >
            <ListTable
              label="Transitions"
              columns={machine ? columnsOf(machine, way ?? null) : waiting}
              rows={ways}
              selected={chosenWay?.id ?? null}
              labelOf={({ id }) => id}
              stale={stale}
              onOpen={openWay}
            />
          </Figure>
          {machine && !pending && (
            <TransitionTable
              number="Table 4.3"
              machine={machine}
              stale={stale}
              onOpenState={openState}
              onOpenWay={openWay}
            />
          )}
        </>
      )}
      {chapter?.accounts && <AccountTable appRef={ref} number="Table 4.4" accounts={chapter.accounts} stale={stale} />}
      {chapter?.notifications && <NotificationTable number="Table 4.5" rules={chapter.notifications} stale={stale} />}
    </ChapterPage>
  );
}

/** Links to the editor of the shown machine, and of a new one. */
const EditLinks = ({ appRef, machine }: { appRef: string; machine: Machine | undefined }) => (
  <>
    {machine && (
      <Link
        to="/app/$ref/states"
        params={{ ref: appRef }}
        search={{ edit: machine.id }}
        className={buttonClass({ small: true })}
      >
        Edit machine
      </Link>
    )}
    <Link
      to="/app/$ref/states"
      params={{ ref: appRef }}
      search={{ edit: 'new' }}
      className={buttonClass({ small: true })}
    >
      New machine
    </Link>
  </>
);

const none: readonly Machine[] = [];

/** Chooses one of several machines. */
function MachineChoice({
  machines,
  chosen,
  onChoose,
}: {
  machines: readonly Machine[];
  chosen: Machine | undefined;
  onChoose: (id: string) => void;
}) {
  if (!chosen || machines.length < 2) return null;
  return (
    <Select
      className={styles.machine ?? ''}
      aria-label="Machine"
      data={machines.map(({ id }) => id)}
      value={chosen.id}
      onChange={(id) => id !== null && onChoose(id)}
    />
  );
}

/**
 * Returns the selected transition or state of a machine, functions that select another one, and the steps to its
 * neighbours in the panel.
 */
function useMachineChoice(ref: string, machine: Machine | undefined, isFirst: boolean) {
  const { state, way } = useSearch({ from: '/signed-in/app/$ref/states' });
  const navigate = useNavigate();
  const choose = useCallback(
    (search: { machine?: string; state?: string; way?: string }) =>
      void navigate({ to: '/app/$ref/states', params: { ref }, search, replace: true, resetScroll: false }),
    [navigate, ref],
  );
  const here = machine && !isFirst ? machine.id : undefined;
  const kept = useMemo(() => (here === undefined ? {} : { machine: here }), [here]);
  const openWay = useCallback((id: string | null) => choose(id ? { ...kept, way: id } : kept), [choose, kept]);
  const openState = useCallback((id: string | null) => choose(id ? { ...kept, state: id } : kept), [choose, kept]);
  const ways = useMemo(() => machine && transitionEdges(machine), [machine]);
  const waySteps = usePanelSteps(ways, way ?? null, openWay);
  const states = useMemo(() => machine?.states.map(({ name }) => ({ id: name })), [machine]);
  const stateSteps = usePanelSteps(states, way === undefined ? (state ?? null) : null, openState);
  const chosenWay = ways?.find(({ id }) => id === way);
  const chosenState = machine?.states.find(({ name }) => name === state);
  return { way, choose, openWay, openState, ways, waySteps, stateSteps, chosenWay, chosenState };
}

const columnsOf = (machine: Machine, way: string | null) =>
  transitionColumns(
    machine,
    Math.max(1, ...transitionEdges(machine).map(({ stateChanges }) => stateChanges ?? 0)),
    way,
  );

const waiting = [80, 130, 80, 90, 60].map((bar, place) => ({
  name: ['Transition', 'From and to', 'Who', 'When', '30 days'][place] ?? '',
  bar,
  cell: () => null,
}));

function decided(machine: Machine): string {
  const { all, allowed } = pairsOf(machine);
  return `${count(all)} of ${count(all)} pairs of states are decided: ${count(allowed)} allowed, ${count(all - allowed)} refused`;
}

function MachineFigure({
  appRef,
  machine,
  choice,
  state,
  way,
  onOpen,
}: {
  appRef: string;
  machine: Machine | undefined;
  choice: React.ReactNode;
  state: string | null;
  way: string | null;
  onOpen: (state: string) => void;
}) {
  const graph = useMemo(() => machine && machineGraph(machine), [machine]);
  const hot = useMemo(() => (graph ? hotEdges(graph, state, way) : new Set<string>()), [graph, state, way]);
  const mermaid = useCallback(() => (machine ? machineMermaid(machine) : ''), [machine]);
  const open = useCallback(
    (box: string) => {
      const name = stateOfBox(box);
      if (name !== null) onOpen(name);
    },
    [onOpen],
  );
  return (
    <Diagram
      number="Figure 4.1"
      caption={
        machine ? (
          <>
            <code>{machine.id.replace(/^public\./, '')}</code>: rows, median time in state, state changes in 30 days
          </>
        ) : (
          'Rows, median time in state, state changes in 30 days'
        )
      }
      label={machine ? `Machine of ${machine.id}` : 'Machine'}
      remark={
        <>
          <span className={styles.legend}>Line width: state changes</span>
          {choice}
        </>
      }
      name={`${appRef}-${machine?.id ?? 'machine'}`}
      graph={graph}
      words={undefined}
      selected={state === null ? null : boxOfState(state)}
      hot={hot}
      mermaid={mermaid}
      onOpen={open}
    />
  );
}

/** Lists the problems of a machine. */
function Problems({ machine: { enforced, problems } }: { machine: Machine }) {
  if (enforced && problems.length === 0) return null;
  return (
    <ul className={styles.problems} id="problems">
      {!enforced && <li>This machine is not enforced on every write.</li>}
      {problems.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  );
}

/**
 * Answers the question of the chapter: "One machine moves tickets through 6 states by 10 transitions. It has 12,408
 * rows, which changed their state 9,264 times in 30 days."
 */
function Answer({ chapter }: { chapter: StatesChapter }) {
  const { machines } = chapter;
  if (machines.length === 0) return <>No state machine is defined. Any valid value can follow any other.</>;
  const states = machines.reduce((sum, machine) => sum + machine.states.length, 0);
  const transitions = machines.reduce((sum, machine) => sum + machine.transitions.length, 0);
  const rows = sumOf(chapter, rowsOf);
  const stateChanges = sumOf(chapter, stateChangesOf);
  const loose = machines.filter(({ enforced, problems }) => !enforced || problems.length > 0).length;
  const inFigure = figureLink('figure-4-1');
  const inTable = figureLink('table-4-2');
  const toProblems = figureLink('problems');
  const moved = listed([...new Set(machines.map(({ entity }) => entity.replace(/^public\./, '')))]);
  return (
    <>
      {machines.length === 1 ? 'One machine moves' : `${count(machines.length)} machines move`} {moved} through{' '}
      {inFigure(counted(states, 'state'))} by {inTable(counted(transitions, 'transition'))}.
      {rows !== null && (
        <>
          {' '}
          {machines.length === 1 ? 'It has' : 'They have'} {inFigure(counted(rows, 'row'))}
          {stateChanges !== null && <>, which changed state {inTable(counted(stateChanges, 'time'))} in 30 days</>}.
        </>
      )}
      {loose > 0 && (
        <> {toProblems(`${counted(loose, 'state machine')} ${loose === 1 ? 'has' : 'have'} problems`, true)}.</>
      )}
    </>
  );
}
