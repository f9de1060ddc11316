import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { NodeBackup } from '../../../contract/node.ts';
import { Icon } from '../../ui/icon.tsx';
import { duration } from '../format/format.ts';
import styles from './node.module.css';
import { bounds } from './node-warnings.ts';

const HOUR = 3600;

/** Section with the age of the last backup and of the last trial of a restore, and what would be lost now. */
export function WhatCouldBeLost({ backup }: { backup: NodeBackup | null }) {
  return (
    <section aria-labelledby="lost-title" className={styles.section}>
      <header>
        <h2 id="lost-title">What could be lost</h2>
      </header>
      {backup === null ? (
        <p className={styles.words}>
          Backups are not set up. If this machine were lost, all data of all apps would be lost.
        </p>
      ) : (
        <ul className={styles.facts}>
          <Fact name="Changes not in the backup" seconds={backup.loss_window_seconds} bound={bounds.lossSeconds} />
          <Fact name="Last backup" seconds={backup.backup_age_seconds} bound={bounds.backupHours * HOUR} after=" ago" />
          <Fact
            name="Last restore tried"
            seconds={backup.drill_age_seconds}
            bound={bounds.drillDays * 24 * HOUR}
            after=" ago"
          />
        </ul>
      )}
    </section>
  );
}

function Fact({
  name,
  seconds,
  bound,
  after = '',
}: {
  name: string;
  seconds: number | null;
  /** Seconds from which the fact is a warning. */
  bound: number;
  after?: string;
}) {
  const isGood = seconds !== null && seconds < bound;
  return (
    <li>
      <span className={isGood ? styles.good : styles.late}>
        <Icon of={isGood ? IconCheck : IconAlertTriangle} small />
      </span>
      <span>{name}</span>
      <span>{seconds === null ? 'not yet' : `${duration(seconds * 1000)}${after}`}</span>
    </li>
  );
}
