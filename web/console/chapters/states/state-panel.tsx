import { IconTable } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Machine, MachineState } from '../../../../contract/states.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { KeyValues, Panel, PanelSection, VerdictLine } from '../../../ui/panel.tsx';
import { count, counted } from '../../format/format.ts';
import { span, type TransitionEdge, transitionEdges } from './machine-words.ts';
import { StateName } from './state-name.tsx';
import styles from './states.module.css';

/** Panel of a state: its rows, their median stay, and the transitions from and to the state. */
export function StatePanel({
  appRef,
  machine,
  state: { name, final, reached },
  onClose,
  onPrevious,
  onNext,
}: {
  appRef: string;
  machine: Machine;
  state: MachineState;
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}) {
  const { entity, field, initial, figures } = machine;
  const ways = transitionEdges(machine);
  const rows = figures?.rows ? (figures.rows[name] ?? 0) : null;
  const stay = figures?.stay_seconds[name];
  return (
    <Panel
      label={`State ${name}`}
      title={
        <>
          <code>{field}</code> <span className="soft">is</span> <StateName machine={machine} name={name} />
        </>
      }
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
    >
      <VerdictLine>{standing(rows, name === initial, final, reached)}</VerdictLine>
      <PanelSection title="Now">
        <KeyValues
          pairs={[
            ['Rows', rows === null ? 'not counted: it would take too long' : count(rows)],
            ['Stay, median', stay === undefined ? 'nothing left it in 30 days' : span(stay)],
          ]}
        />
      </PanelSection>
      <Ways
        title="Leads here"
        ways={ways.filter(({ to }) => to === name)}
        other={({ from }) => from}
        machine={machine}
      />
      <Ways title="Leads on" ways={ways.filter(({ from }) => from === name)} other={({ to }) => to} machine={machine} />
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

/** Describes the rows of a state: "412 rows stand here, and every new row starts here." */
function standing(rows: number | null, initial: boolean, final: boolean, reached: boolean): string {
  const stand =
    rows === null ? 'Rows may stand here' : `${counted(rows, 'row')} ${rows === 1 ? 'stands' : 'stand'} here`;
  if (initial) return `${stand}, and every new row starts here.`;
  if (!reached) return `${stand}; no transition leads here.`;
  return final ? `${stand}, for good: no transition leads on.` : `${stand}.`;
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
    <PanelSection title={title} aside={machine.figures && 'passages in 30 days'}>
      <ul className={styles.ways}>
        {ways.map((way) => (
          <li key={way.id}>
            <span>{way.transition.name}</span>
            <StateName machine={machine} name={other(way)} />
            <span className="num soft">{way.passages !== null && count(way.passages)}</span>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}
