import { IconCheck } from '@tabler/icons-react';
import type { ProbeAttempt, ProbedCell, ProbeReport } from '../../../../contract/probe.ts';
import { Code } from '../../../ui/code.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { PanelSection } from '../../../ui/panel.tsx';
import { VerdictMark } from '../../../ui/verdict.tsx';
import { TimeAgo } from '../../format/time-ago.tsx';
import { metWord } from './probe-words.ts';
import styles from './roles.module.css';

/**
 * Shows the result of the probe for a cell: each statement, which was rolled back, and whether its result agrees with
 * the cell.
 */
export function CellProbe({ cell, report }: { cell: ProbedCell | undefined; report: ProbeReport | null }) {
  if (!report || !cell) {
    return (
      <PanelSection title="Probe">
        <p className={styles.note}>
          Not tried yet. “Probe all” tries every cell, in transactions that are rolled back.
        </p>
      </PanelSection>
    );
  }
  return (
    <PanelSection
      title="Probe"
      aside={
        <>
          <TimeAgo iso={report.finished_at} />, rolled back
        </>
      }
    >
      {cell.outcome === 'not probed' && <p className={styles.note}>Not tried: {cell.note}.</p>}
      {cell.outcome !== 'not probed' && cell.note !== null && <p className={styles.note}>{cell.note}</p>}
      {cell.outcome !== 'not probed' && (
        <ul className={styles.tries}>
          {cell.attempts.map((attempt) => (
            <Try key={`${attempt.as} ${attempt.row}`} attempt={attempt} />
          ))}
        </ul>
      )}
    </PanelSection>
  );
}

/** Shows one attempt of the probe. */
function Try({ attempt }: { attempt: ProbeAttempt }) {
  const { as, row, expected, agrees, sql, answer } = attempt;
  return (
    <li className={agrees ? undefined : styles.against}>
      <span className={styles.row}>
        {row} <span className="soft">{as}</span>
      </span>
      <span className="soft">{metWord(attempt)}</span>
      {expected === null ? (
        <span className="soft">nothing expected</span>
      ) : agrees ? (
        <span className={styles.agrees}>
          <Icon of={IconCheck} small /> agrees
        </span>
      ) : (
        <span className={styles.disagrees}>
          <VerdictMark of="disagrees" /> expected {expected}
        </span>
      )}
      {!agrees && answer !== undefined && <p className={styles.answer}>{answer}</p>}
      {!agrees && sql !== undefined && (
        <div className={styles.answer}>
          <Code code={sql} language="sql" label="the statement that was tried" />
        </div>
      )}
    </li>
  );
}
