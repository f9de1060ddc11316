import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../../contract/states.ts';
import { TransitionList } from '../../../../fields/transition-list.tsx';
import { PanelSection } from '../../../../ui/panel.tsx';
import { span } from '../../../chapters/states/machine-words.ts';
import { isState, StateName, statesOf } from '../../../chapters/states/state-name.tsx';
import { useNow } from '../../../format/use-now.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import type { Row } from '../../../queries/rows/row.ts';
import { rowStates } from '../../../queries/rows/row-states.ts';
import { RequiredFields } from '../editor/required-fields.tsx';
import { ServerError } from '../editor/server-error.tsx';
import { useTransition } from '../editor/use-transition.ts';
import { waysOf } from '../editor/ways.ts';
import styles from './row-panel.module.css';

/** Shows the state of a row and its transitions: the open ones as buttons, the others with their reason. */
export function RowState({
  table,
  entities,
  machine,
  row,
  rowKey,
}: {
  table: Table;
  entities: readonly Entity[];
  machine: Machine;
  row: Row;
  rowKey: readonly string[];
}) {
  const now = useNow();
  const [asked, setAsked] = useState<string | null>(null);
  const states = useQuery(rowStates(table, rowKey));
  const { take, isPending, error } = useTransition({
    ...{ table, machine, row, rowKey },
    onTaken: () => setAsked(null),
  });
  const ways = waysOf(machine, row, states.data ?? null);
  const asking = ways.find(({ transition, isOpen }) => isOpen && transition.name === asked);
  const state = row[machine.field] ?? null;
  const entered = states.data?.state_changes.findLast(({ field, to }) => field === machine.field && to === state)?.at;
  return (
    <PanelSection
      title={machine.field}
      aside={
        <Link to="/app/$ref/states" params={{ ref: table.ref }} search={{ machine: machine.id }}>
          Chapter 4
        </Link>
      }
    >
      <p className={styles.state}>
        {state === null ? 'null' : isState(machine, state) ? <StateName machine={machine} name={state} /> : state}
        {entered !== undefined && <span className="soft">for {span((now - Date.parse(entered)) / 1000)}</span>}
      </p>
      {asking ? (
        <RequiredFields
          {...{ table, entities }}
          way={asking}
          isBusy={isPending}
          error={error}
          onCancel={() => setAsked(null)}
          onTake={(values) => take(asking.transition, values)}
        />
      ) : (
        <TransitionList
          machine={statesOf(machine)}
          ways={ways.map(({ transition: { name, to }, isOpen, note }) => ({ name, label: name, to, isOpen, note }))}
          isBusy={isPending}
          notOpen="not open to this caller"
          onTake={(name) => {
            const way = ways.find(({ transition }) => transition.name === name);
            if (way && way.missing.length > 0) setAsked(name);
            else if (way) take(way.transition, {});
          }}
        />
      )}
      {!asking && (error ?? states.error) && <ServerError error={(error ?? states.error) as Error} />}
    </PanelSection>
  );
}
