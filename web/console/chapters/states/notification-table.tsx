import type { NotificationRule } from '../../../../contract/states.ts';
import { Figure } from '../../../ui/figure.tsx';
import { Table, TableHead } from '../../../ui/table.tsx';
import { counted } from '../../format/format.ts';
import styles from './states.module.css';

/** Table of the rules of notifications. */
export function NotificationTable({
  number,
  rules,
  stale,
}: {
  number: string;
  rules: readonly NotificationRule[];
  stale: boolean;
}) {
  return (
    <Figure
      number={number}
      caption="Notifications: which members are told of what"
      tools={<span className="soft">{counted(rules.length, 'rule')}; nobody is told of an own change</span>}
    >
      <div className={styles.every}>
        <Table label="Notifications" stale={stale}>
          <TableHead names={['Entity', 'Kind', 'Rule']} />
          <tbody>
            {rules.map(({ id, entity, kind, words, problems }) => (
              <tr key={id}>
                <td>
                  <code>{entity.replace(/^public\./, '')}</code>
                </td>
                <td>{kind}</td>
                <td>
                  {words}.{problems.length > 0 && <> Warning: {problems.join('; ')}.</>}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </Figure>
  );
}
