import { IconAlertCircle, IconCheck } from '@tabler/icons-react';
import type { DrillCheck, DrillResult } from '../../../contract/backup.ts';
import { Icon } from '../../ui/icon.tsx';
import { counted, dateTime, duration } from '../format/format.ts';
import styles from './backups.module.css';
import node from './node.module.css';
import { Section } from './section.tsx';

/** The kinds of checks in words, in the order in which a drill makes them. */
const kinds: readonly (readonly [kind: DrillCheck['check'], words: string])[] = [
  ['restore', 'Backup restored'],
  ['canary', 'Stopped exactly at this moment'],
  ['opens', 'Apps opened'],
  ['specification', 'Specifications as recorded'],
  ['rows', 'Rows and keys as recorded'],
  ['indexes', 'Indexes fit their tables'],
];

/** Section with the last restore for proof, and what was compared. */
export function LastDrill({ drill }: { drill: DrillResult | null }) {
  if (drill === null) {
    return (
      <Section id="drill" title="Last drill">
        <p className={styles.said}>
          No restore was tried yet. A drill restores a backup into a scratch folder and compares it with what the node
          recorded.
        </p>
      </Section>
    );
  }
  const failed = drill.checks.filter(({ isPassed }) => !isPassed).length;
  const took = Date.parse(drill.finishedAt) - Date.parse(drill.startedAt);
  return (
    <Section id="drill" title="Last drill" note={`${dateTime(drill.finishedAt)}, took ${duration(took)}`}>
      <p className={styles.said}>
        The node was restored to {dateTime(drill.restoredTo)} in a scratch folder and compared.{' '}
        {drill.isPassed ? 'Everything agreed.' : `${counted(failed, 'check')} failed.`}
      </p>
      <ul className={`${node.facts} ${styles.facts}`}>
        {kinds.map(([kind, words]) => (
          <Checks key={kind} words={words} checks={drill.checks.filter(({ check }) => check === kind)} />
        ))}
      </ul>
      <p className={node.words}>Made by Ninefold {drill.ninefold}. A drill runs each week and after each update.</p>
    </Section>
  );
}

/** The checks of one kind, with the reasons of the failed ones. */
function Checks({ words, checks }: { words: string; checks: readonly DrillCheck[] }) {
  if (checks.length === 0) return null;
  const passed = checks.filter(({ isPassed }) => isPassed).length;
  const isGood = passed === checks.length;
  // A passed check that opens apps says how many the drill left out.
  const notes = checks.filter(({ check, isPassed }) => !isPassed || check === 'opens');
  return (
    <li>
      <span className={isGood ? node.good : node.bad}>
        <Icon of={isGood ? IconCheck : IconAlertCircle} small />
      </span>
      <span>
        {words}
        {notes.map(({ app, detail }) => (
          <small key={`${app} ${detail}`}>
            {app !== null && `${app}: `}
            {detail}
          </small>
        ))}
      </span>
      <span>{checks[0]?.app == null ? (isGood ? 'passed' : 'failed') : `${passed} of ${checks.length}`}</span>
    </li>
  );
}
