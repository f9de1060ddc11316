import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react';
import type { AdviceEntry } from '../../../../contract/specification-roles.ts';
import { Figure } from '../../../ui/figure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { rowClass, Table } from '../../../ui/table.tsx';
import { count, shortId } from '../../format/format.ts';
import { useIncrementalList } from '../list/list-hooks.ts';
import { TruncationNotice } from '../list/truncation-notice.tsx';
import styles from './roles.module.css';

const portion = 20;

const severities: Readonly<Record<AdviceEntry['severity'], string>> = {
  fault: 'calls fail',
  security: 'security',
  performance: 'performance',
  unused: 'without effect',
};

/** Table of advice, each with its SQL. A click shows the details in the panel. */
export function AdviceTable({
  advice,
  selected,
  stale,
  onOpen,
}: {
  advice: readonly AdviceEntry[];
  selected: string | null;
  stale: boolean;
  onOpen: (id: string) => void;
}) {
  const { shown, more } = useIncrementalList(
    advice,
    portion,
    advice.findIndex(({ id }) => id === selected),
  );
  return (
    <Figure
      number="Table 6.2"
      caption="Findings, each with an SQL fix"
      tools={<span className="soft">{count(advice.length)} found</span>}
    >
      {advice.length === 0 ? (
        <p className={styles.none}>No findings: no open table, no policy that runs once per row, no missing index.</p>
      ) : (
        <Table label="Advice" stale={stale}>
          <thead>
            <tr>
              <th scope="col" className={styles.severity}>
                <span className="sr">Severity</span>
              </th>
              <th scope="col">Finding</th>
              <th scope="col" className={styles.wide}>
                On
              </th>
              <th scope="col" className={styles.wide}>
                Fix
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, severity, on, words, sql }) => (
              <tr key={id} className={rowClass} data-selected={id === selected || undefined} onClick={() => onOpen(id)}>
                <td className={styles[severity]}>
                  <Icon of={severity === 'unused' ? IconAlertCircle : IconAlertTriangle} small />
                  <span className="sr">{severities[severity]}</span>
                </td>
                <td className={styles.words}>
                  <button type="button" className={styles.open} aria-pressed={id === selected}>
                    {words}
                  </button>
                </td>
                <td className={styles.wide}>
                  <code>{shortId(on)}</code>
                </td>
                <td className={styles.wide}>
                  <code className="soft">{beginning(sql)}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <TruncationNotice shown={shown.length} all={advice.length} what="advices" onMore={more} />
    </Figure>
  );
}

/**
 * Returns the beginning of a statement, which is enough to recognize it: "alter policy "own" on …" → "alter policy …".
 */
const beginning = (sql: string): string => `${sql.trim().split(/\s+/).slice(0, 2).join(' ')} …`;
