import type { BackupPage, BackupState } from './backup.ts';

/** Ages of backups from which a node warns. docs/monitoring/rules.yml has the same bounds. */
export const backupBounds = { backupHours: 26, drillDays: 8, lossSeconds: 60 } as const;

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** Age in milliseconds of the state from which the backup process does not run. It writes the state each second. */
const SILENT = 10_000;

/** Something about the backups that the owners of the node should look at. */
export interface BackupWarning {
  readonly id: string;
  readonly isError: boolean;
  readonly title: string;
  /** The reason, with figures. */
  readonly detail: string;
  /** The button that helps; null if no button does. */
  readonly action: 'base' | 'drill' | 'phrase' | null;
}

/** Formats times for the reader of the warnings. */
export interface TimeWords {
  /** Formats a duration in milliseconds: "8 days". */
  readonly duration: (milliseconds: number) => string;
  /** Formats an ISO 8601 time. */
  readonly dateTime: (iso: string) => string;
}

/** Returns what needs attention, errors first. Pure. Returns nothing for a node without backups. */
export function backupWarnings(
  { state, at, is_target_in_home: isInHome }: Omit<BackupPage, 'restore_points'>,
  words: TimeWords,
): BackupWarning[] {
  if (state === null) return [];
  const now = Date.parse(at);
  const found = [
    ...processWarnings(state, now, words),
    ...drillWarnings(state, now, words),
    ...phraseWarnings(state),
    ...(isInHome ? [IN_HOME] : []),
  ];
  return found.sort((a, b) => Number(b.isError) - Number(a.isError));
}

const IN_HOME: BackupWarning = {
  id: 'home',
  isError: false,
  title: 'The backups are in the home of the node.',
  detail: 'A lost disk takes both. Set NINEFOLD_BACKUP_URL to a folder on another disk or to an S3 bucket.',
  action: null,
};

function processWarnings(
  { writtenAt, failure, completeAt, backups }: BackupState,
  now: number,
  { duration, dateTime }: TimeWords,
): BackupWarning[] {
  const isSilent = now - writtenAt > SILENT;
  const warnings: BackupWarning[] = [];
  if (isSilent) {
    const detail = `Its last sign is ${duration(now - writtenAt)} old. The log of the node names the reason.`;
    warnings.push({ id: 'process', isError: true, title: 'The backup process does not run.', detail, action: null });
  }
  if (failure !== null) {
    const detail = `${dateTime(failure.at)}: ${failure.message}`;
    warnings.push({ id: 'failure', isError: true, title: 'Backups fail.', detail, action: null });
  }
  const behind = completeAt === null ? 0 : now - Date.parse(completeAt);
  if (!isSilent && behind >= backupBounds.lossSeconds * 1000) {
    const title = `The backup is ${duration(behind)} behind.`;
    const detail = 'If the machine were lost, these changes would be lost.';
    warnings.push({ id: 'loss', isError: false, title, detail, action: null });
  }
  const age = backups[0] === undefined ? 0 : now - Date.parse(backups[0].finishedAt);
  if (age >= backupBounds.backupHours * HOUR) {
    const title = `The last base backup is ${duration(age)} old.`;
    const detail = 'A base backup is made each day. A restore from an old one takes longer.';
    warnings.push({ id: 'backup', isError: false, title, detail, action: 'base' });
  }
  return warnings;
}

function drillWarnings({ drill, restorableFrom }: BackupState, now: number, { duration }: TimeWords): BackupWarning[] {
  const detail = 'A restore is tried each week and after each update.';
  if (drill === null) {
    const isDue = restorableFrom !== null && now - Date.parse(restorableFrom) >= backupBounds.drillDays * DAY;
    const title = 'No restore was tried yet.';
    return isDue ? [{ id: 'drill', isError: false, title, detail, action: 'drill' }] : [];
  }
  if (!drill.isPassed) {
    const failed = drill.checks.filter(({ isPassed }) => !isPassed);
    const title = `The last drill failed in ${failed.length === 1 ? '1 check' : `${failed.length} checks`}.`;
    return [{ id: 'drill', isError: true, title, detail: failed[0]?.detail ?? '', action: 'drill' }];
  }
  const age = now - Date.parse(drill.finishedAt);
  const title = `The last restore was tried ${duration(age)} ago.`;
  return age >= backupBounds.drillDays * DAY ? [{ id: 'drill', isError: false, title, detail, action: 'drill' }] : [];
}

const phraseWarnings = ({ hasPhrase }: BackupState): BackupWarning[] =>
  hasPhrase
    ? []
    : [
        {
          id: 'phrase',
          isError: false,
          title: 'The backups cannot be opened on another machine.',
          detail: 'Only this node has the key. Make a recovery phrase and store it away from the node.',
          action: 'phrase',
        },
      ];
