import { Link } from '@tanstack/react-router';
import type { AccountStates } from '../../../../contract/states.ts';
import { Figure } from '../../../ui/figure.tsx';
import { Table, TableHead } from '../../../ui/table.tsx';
import { counted } from '../../format/format.ts';
import styles from './states.module.css';

/** Table of the states of members' accounts, and of the calls that change them under the app's settings. */
export function AccountTable({
  appRef,
  number,
  accounts: { states, moves },
  stale,
}: {
  appRef: string;
  number: string;
  accounts: AccountStates;
  stale: boolean;
}) {
  const meaning = new Map<string, string>(states.map(({ name, words }) => [name, words]));
  const named = (state: string | null) =>
    state === null ? <span className="soft">no account</span> : <span title={meaning.get(state)}>{state}</span>;
  return (
    <Figure
      number={number}
      caption="Accounts of members: calls that change their state"
      tools={<span className="soft">{counted(states.length, 'state')}, with the current settings</span>}
    >
      <div className={styles.every}>
        <Table label="States of accounts" stale={stale}>
          <TableHead names={['From', 'Call', 'To', 'If']} />
          <tbody>
            {moves.map(({ id, call, from, to, when }) => (
              <tr key={id}>
                <td>{named(from)}</td>
                <td>
                  <Link to="/app/$ref/calls" params={{ ref: appRef }} search={{ call }}>
                    {call}
                  </Link>
                </td>
                <td>{named(to)}</td>
                <td>{when}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </Figure>
  );
}
