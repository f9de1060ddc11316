import type { BaseBackup } from './base-backup.ts';
import { type Lsn, parseLsn } from './wal-position.ts';

/** In milliseconds. */
const DAY = 24 * 60 * 60 * 1000;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4 * DAY;

export interface RetentionRule {
  /** The number of days, and of weeks, whose oldest backup is kept. */
  readonly days: number;
  readonly weeks: number;
}

/**
 * Returns the backups that are kept: the oldest of each of the last days and weeks that have one, the newest of all, and
 * those of `always`. The oldest, so that the node can be restored to any time of these days. All times are UTC.
 * @param backups All complete backups of a series.
 * @param always The ids of backups that must not be deleted, such as the last one that a drill restored.
 */
export function keptBackups<Backup extends Pick<BaseBackup, 'id' | 'startedAt'>>(
  backups: readonly Backup[],
  { days, weeks }: RetentionRule,
  always: readonly string[],
): Backup[] {
  const newestFirst = [...backups].sort((a, b) => b.startedAt.localeCompare(a.startedAt));
  const kept = new Set([
    ...newestFirst.slice(0, 1),
    ...oldestPerPeriod(newestFirst, (time) => Math.floor(time / DAY)).slice(0, days),
    ...oldestPerPeriod(newestFirst, (time) => Math.floor((time - FIRST_MONDAY) / (7 * DAY))).slice(0, weeks),
    ...newestFirst.filter(({ id }) => always.includes(id)),
  ]);
  return backups.filter((backup) => kept.has(backup));
}

/**
 * Returns the position from which the WAL is needed for all these backups; null if there are none. Positions and not times
 * decide: after a change of the clock, the backup with the earliest time is not always the first one.
 */
export const neededFrom = (backups: readonly Pick<BaseBackup, 'startLsn'>[]): Lsn | null =>
  backups
    .map(({ startLsn }) => parseLsn(startLsn))
    .reduce<Lsn | null>((first, lsn) => (first === null || lsn < first ? lsn : first), null);

/**
 * Returns true if work is due again. Work that began in the future does not count: the clock was wrong then.
 * @param startedAt When the work began earlier, ISO 8601.
 * @param now Milliseconds since 1970.
 */
export const isDue = (startedAt: readonly string[], pauseMilliseconds: number, now: number): boolean =>
  !startedAt.some((at) => Date.parse(at) <= now && now - Date.parse(at) < pauseMilliseconds);

/** Returns the oldest backup of each period, the newest period first. */
function oldestPerPeriod<Backup extends Pick<BaseBackup, 'startedAt'>>(
  newestFirst: readonly Backup[],
  periodOf: (time: number) => number,
): Backup[] {
  const byPeriod = new Map<number, Backup>();
  for (const backup of newestFirst) {
    byPeriod.set(periodOf(Date.parse(backup.startedAt)), backup);
  }
  return [...byPeriod.values()];
}
