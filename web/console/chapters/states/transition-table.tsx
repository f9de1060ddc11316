import type { Machine } from '../../../../contract/states.ts';
import { Figure } from '../../../ui/figure.tsx';
import { Table, TableHead } from '../../../ui/table.tsx';
import { counted } from '../../format/format.ts';
import { wayId } from './machine-words.ts';
import { StateName } from './state-name.tsx';
import styles from './states.module.css';

/**
 * Table with a row for each state and a column for each transition. A cell shows the target state. With many
 * transitions, the table scrolls sideways.
 */
export function TransitionTable({
  number,
  machine,
  stale,
  onOpenState,
  onOpenWay,
}: {
  number: string;
  machine: Machine;
  stale: boolean;
  onOpenState: (state: string) => void;
  onOpenWay: (way: string) => void;
}) {
  const { states, transitions, table } = machine;
  return (
    <Figure
      number={number}
      caption="Target state by state and transition"
      tools={<span className="soft">{counted(states.length * transitions.length, 'pair')}, all decided</span>}
    >
      <div className={styles.every}>
        <Table label="States and transitions" stale={stale}>
          <TableHead names={['State', ...transitions.map(({ name }) => name)]} />
          <tbody>
            {states.map(({ name: state }) => (
              <tr key={state}>
                <th scope="row">
                  <button type="button" className={styles.open} onClick={() => onOpenState(state)}>
                    <StateName machine={machine} name={state} />
                  </button>
                </th>
                {transitions.map(({ name }) => {
                  const to = table[state]?.[name] ?? null;
                  return (
                    <td key={name}>
                      {to === null ? (
                        <span className="soft">
                          <span aria-hidden="true">–</span>
                          <span className="sr">not from here</span>
                        </span>
                      ) : (
                        <button type="button" className={styles.open} onClick={() => onOpenWay(wayId(name, state))}>
                          <StateName machine={machine} name={to} />
                        </button>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </Figure>
  );
}
