import { Link } from '@tanstack/react-router';
import type { Machine } from '../../../../contract/states.ts';
import { Code } from '../../../ui/code.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { count } from '../../format/format.ts';
import { plainSql } from '../../format/plain-sql.ts';
import { sentenceOf, type TransitionEdge } from './machine-words.ts';
import { StateName } from './state-name.tsx';
import styles from './states.module.css';
import { Who } from './transition-columns.tsx';

/** Panel of a transition: who may make it, its conditions, the fields that it requires and sets. */
export function TransitionPanel({
  appRef,
  machine,
  way: { from, to, transition, stateChanges },
  ...steps
}: {
  appRef: string;
  machine: Machine;
  way: TransitionEdge;
} & PanelSteps) {
  const { name, roles, when, requires, sets } = transition;
  return (
    <Panel
      label={`${name}, from ${from} to ${to}`}
      title={
        <>
          <b>{name}</b> <span className="soft">from</span> <StateName machine={machine} name={from} />{' '}
          <span className="soft">to</span> <StateName machine={machine} name={to} />
        </>
      }
      {...steps}
    >
      <VerdictLine>{sentenceOf(transition)}</VerdictLine>
      <PanelSection title="Who and when">
        <KeyValues
          pairs={[
            ['Who', <Who key="who" roles={roles} />],
            ['When', when === null ? 'always' : plainSql(when.words)],
            ['Requires', requires.length === 0 ? 'nothing' : <code key="requires">{requires.join(', ')}</code>],
            stateChanges !== null && ['30 days', `${count(stateChanges)} times`],
          ]}
        />
      </PanelSection>
      {when !== null && (
        <PanelSection title="Condition on the current row">
          <Code code={when.sql} language="sql" label="the condition" />
        </PanelSection>
      )}
      {sets.length > 0 && (
        <PanelSection title="Sets">
          <Code
            code={sets.map(({ field, sql }) => `${field} = ${sql}`).join('\n')}
            language="sql"
            label="the assignments"
          />
        </PanelSection>
      )}
      <PanelSection title="Refused writes">
        <p className={styles.otherwise}>
          The write fails with 409 and lists the available transitions. Members read them in advance with{' '}
          <code>select=*,transitions</code>.
        </p>
      </PanelSection>
      <p className={styles.foot}>
        <Link to="/app/$ref/sql" params={{ ref: appRef }} search={{ sql: stateChangesSql(machine, transition.name) }}>
          Last state changes
        </Link>
      </p>
    </Panel>
  );
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const stateChangesSql = ({ entity, field }: Machine, transition: string): string =>
  `select at, key, from_state, to_state, member, role
from ninefold.state_changes
where entity = ${literal(entity)}::regclass and field = ${literal(field)} and transition = ${literal(transition)}
order by id desc
limit 50`;
