import { Link } from '@tanstack/react-router';
import type { PolicyEntry } from '../../../../contract/specification.ts';
import { Figure } from '../../../ui/figure.tsx';
import { Table } from '../../../ui/table.tsx';
import { listed } from '../../format/format.ts';
import { CutLine } from '../list/cut-line.tsx';
import { usePortion } from '../list/use-portion.ts';
import styles from '../list/words-table.module.css';

const portion = 100;

/** Every policy, with what it lets through in words. */
export function PolicyTable({ appRef, policies }: { appRef: string; policies: readonly PolicyEntry[] }) {
  const { shown, more } = usePortion(policies, portion, -1);
  return (
    <Figure number="Table 6.3" caption="Policies, and what they let through">
      <div className={styles.room}>
        <Table label="Policies">
          <thead>
            <tr>
              <th>Entity</th>
              <th>Policy</th>
              <th className={styles.wide}>Command</th>
              <th className={styles.wide}>For</th>
              <th className={styles.words}>Lets through</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ entity, name, permissive, command, roles, words, sql }) => (
              <tr key={`${entity} ${name}`}>
                <td>
                  <code>{entity.replace(/^public\./, '')}</code>
                </td>
                <td className={styles.name}>
                  <Link to="/app/$ref/sql" params={{ ref: appRef }} search={{ sql }}>
                    {name}
                  </Link>
                </td>
                <td className={styles.wide}>
                  {command}
                  {!permissive && <span className="soft">, restrictive</span>}
                </td>
                <td className={styles.wide}>{listed(roles)}</td>
                <td className={styles.words} title={words}>
                  {words}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
      <CutLine shown={shown.length} all={policies.length} what="policies" onMore={more} />
    </Figure>
  );
}
