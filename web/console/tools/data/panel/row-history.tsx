import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Machine } from '../../../../../contract/states.ts';
import { StateName } from '../../../chapters/states/state-name.tsx';
import { counted, dateTime } from '../../../format/format.ts';
import type { Table } from '../../../queries/rows/rest-call.ts';
import { rowStates, type StateChange } from '../../../queries/rows/row-states.ts';
import { user } from '../../../queries/users.ts';
import { nameOf } from '../../users/user-words.ts';
import styles from './row-panel.module.css';

/** Lists the state changes of a row, newest first, with the caller and the time. */
export function RowHistory({
  table,
  machines,
  rowKey,
}: {
  table: Table;
  machines: ReadonlyMap<string, Machine>;
  rowKey: readonly string[];
}) {
  const { data, isPending } = useQuery({ ...rowStates(table, rowKey), enabled: machines.size > 0 });
  const changes = data?.state_changes ?? [];
  const members = [...new Set(changes.flatMap(({ member }) => member ?? []))];
  const names = useQueries({
    queries: members.map((id) => ({ ...user(table.ref, id), retry: false })),
    combine: (results) =>
      new Map(results.flatMap(({ data: found }) => (found ? [[found.id, nameOf(found)] as const] : []))),
  });
  if (machines.size === 0) {
    return (
      <p className="soft">
        No history: PostgreSQL does not record who changed a row. Define a state machine to record its state changes.
      </p>
    );
  }
  if (isPending) return <p className="soft">Reading the state changes …</p>;
  if (changes.length === 0) return <p className="soft">No state changes yet.</p>;
  return (
    <>
      <p className={styles.note}>{counted(changes.length, 'state change')}</p>
      <ol className={styles.history} reversed>
        {[...changes].reverse().map((change) => {
          const { field, from, to, transition, member, at } = change;
          const machine = machines.get(field);
          return (
            <li key={`${field} ${at}`}>
              <time dateTime={at}>{dateTime(at)}</time>
              <span>
                {member === null ? (
                  callerOf(change)
                ) : (
                  <Link to="/app/$ref/users" params={{ ref: table.ref }} search={{ user: member }}>
                    {names.get(member) ?? 'A member'}
                  </Link>
                )}{' '}
                {transition === null ? from === null ? 'inserted the row' : `set ${field}` : <b>{transition}</b>}
                {machine && (
                  <span className={styles.change}>
                    {from !== null && (
                      <>
                        <StateName machine={machine} name={from} /> →{' '}
                      </>
                    )}
                    <StateName machine={machine} name={to} />
                  </span>
                )}
              </span>
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Names the caller of a change that no member made. */
const callerOf = ({ role }: StateChange): string =>
  role === 'service_role' ? 'The service key' : role === 'anon' ? 'An anonymous caller' : 'SQL';
