import type { CallSetting } from '../../../../contract/specification.ts';
import { Figure } from '../../../ui/figure.tsx';
import { Table } from '../../../ui/table.tsx';
import styles from '../list/words-table.module.css';

/** How calls are answered: the settings that bound no number. */
export function SettingTable({ number, settings }: { number: string; settings: readonly CallSetting[] }) {
  return (
    <Figure number={number} caption="How calls are answered">
      <div className={styles.room}>
        <Table label="Settings of calls">
          <thead>
            <tr>
              <th>Setting</th>
              <th>Value</th>
              <th className={styles.words}>Meaning</th>
              <th className={styles.wide}>Set in</th>
            </tr>
          </thead>
          <tbody>
            {settings.map(({ key, value, meaning, set_in }) => (
              <tr key={key}>
                <td className={styles.name}>
                  <code>{key}</code>
                </td>
                <td className={styles.name} title={value}>
                  <code>{value}</code>
                </td>
                <td className={styles.words} title={meaning}>
                  {meaning}
                </td>
                <td className={styles.wide}>{set_in === 'code' ? 'default' : set_in}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
    </Figure>
  );
}
