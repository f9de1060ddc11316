import { IconTable } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Machine, MachineState } from '../../../../contract/states.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { count, counted } from '../../format/format.ts';
import { span, type TransitionEdge, transitionEdges } from './machine-words.ts';
import { StateName } from './state-name.tsx';
import styles from './states.module.css';

/** Panel of a state: its rows, their median stay, and the transitions from and to the state. */
export function StatePanel({
  appRef,
  machine,
  state: { name, final, reached },
  ...steps
}: {
  appRef: string;
  machine: Machine;
  state: MachineState;
} & PanelSteps) {
  const { entity, field, initial, figures } = machine;
  const ways = transitionEdges(machine);
  const rows = figures?.rows ? (figures.rows[name] ?? 0) : null;
  const stay = figures?.median_stay_seconds[name];
  return (
    <Panel
      label={`State ${name}`}
      title={
        <>
          <code>{field}</code> <span className="soft">is</span> <StateName machine={machine} name={name} />
        </>
      }
      {...steps}
    >
      <VerdictLine>{standing(rows, name === initial, final, reached)}</VerdictLine>
      <PanelSection title="Now">
        <KeyValues
          pairs={[
            ['Rows', rows === null ? 'not counted: the table is too large' : count(rows)],
            ['Median time in state', stay === undefined ? 'no row left the state in 30 days' : span(stay)],
          ]}
        />
      </PanelSection>
      <Ways
        title="Incoming transitions"
        ways={ways.filter(({ to }) => to === name)}
        other={({ from }) => from}
        machine={machine}
      />
      <Ways
        title="Outgoing transitions"
        ways={ways.filter(({ from }) => from === name)}
        other={({ to }) => to}
        machine={machine}
      />
      <p className={styles.foot}>
        <Link
          to="/app/$ref/data"
          params={{ ref: appRef }}
          search={{ table: entity, where: [{ field, operator: 'eq', value: name }] }}
          className={buttonClass({ small: true })}
        >
          <Icon of={IconTable} small />
          Open these rows
        </Link>
      </p>
    </Panel>
  );
}

/** Describes a state in one or two sentences: "412 rows in this state. Every new row starts in this state." */
function standing(rows: number | null, initial: boolean, final: boolean, reached: boolean): string {
  const stand = rows === null ? 'Allowed state' : `${counted(rows, 'row')} in this state`;
  if (initial) return `${stand}. Every new row starts in this state.`;
  if (!reached) return `${stand}. No transition leads to this state.`;
  return final ? `${stand}. No transition leads out of this state.` : `${stand}.`;
}

/** Lists transitions to or from the state. */
function Ways({
  title,
  ways,
  other,
  machine,
}: {
  title: string;
  ways: readonly TransitionEdge[];
  other: (way: TransitionEdge) => string;
  machine: Machine;
}) {
  if (ways.length === 0) return null;
  return (
    <PanelSection title={title} aside={machine.figures && 'state changes in 30 days'}>
      <ul className={styles.ways}>
        {ways.map((way) => (
          <li key={way.id}>
            <span>{way.transition.name}</span>
            <StateName machine={machine} name={other(way)} />
            <span className="num soft">{way.stateChanges !== null && count(way.stateChanges)}</span>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}
