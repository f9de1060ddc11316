import { limitsOf } from './limit.ts';

const MIB = 1024 * 1024;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** Numbers of backups. They bound no call. */
export const backupLimits = limitsOf('backups', {
  backupSeconds: {
    unit: 'seconds',
    default: DAY,
    meaning: 'How often the node takes a base backup.',
    variable: 'NINEFOLD_BACKUP_SECONDS',
    range: [60, 7 * DAY],
  },
  backupDays: {
    unit: 'count',
    default: 7,
    meaning: 'The days whose oldest base backup is kept.',
    variable: 'NINEFOLD_BACKUP_DAYS',
    range: [1, 366],
  },
  backupWeeks: {
    unit: 'count',
    default: 4,
    meaning: 'The weeks whose oldest base backup is kept. The WAL is kept since the oldest kept backup.',
    variable: 'NINEFOLD_BACKUP_WEEKS',
    range: [0, 520],
  },
  backupFlushMilliseconds: {
    unit: 'milliseconds',
    default: 1000,
    meaning: 'How often the WAL that has arrived is stored in the target. A loss of the machine loses at most this.',
    variable: 'NINEFOLD_BACKUP_FLUSH_MS',
    range: [50, 60_000],
  },
  backupBytesPerSecond: {
    unit: 'bytes',
    default: 50 * MIB,
    meaning: 'The bytes that a base backup reads from the data folder in one second.',
    variable: 'NINEFOLD_BACKUP_BYTES_PER_SECOND',
    range: [MIB, 1024 * MIB],
  },
  drillSeconds: {
    unit: 'seconds',
    default: 7 * DAY,
    meaning:
      'How often the node restores a backup into a scratch folder and compares it with records of the running node. It also does so after each update of Ninefold.',
    variable: 'NINEFOLD_DRILL_SECONDS',
    range: [HOUR, 366 * DAY],
  },
  backupSlotBytes: {
    unit: 'bytes',
    default: 4096 * MIB,
    meaning:
      'The WAL that the embedded PostgreSQL keeps while the target of the backups cannot be reached. Beyond this, the backups get a gap, and the node takes a new base backup.',
    variable: 'NINEFOLD_BACKUP_SLOT_BYTES',
    range: [64 * MIB, 1024 * 1024 * MIB],
  },
});
