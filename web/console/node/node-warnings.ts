import { backupBounds } from '../../../contract/backup-warnings.ts';
import type { NodeFigures } from '../../../contract/node.ts';
import { bytes, count, counted, duration, percent } from '../format/format.ts';

/** Shares and ages from which the page of the node warns. docs/monitoring/rules.yml has the same bounds. */
export const bounds = {
  diskShare: 0.85,
  memoryShare: 0.9,
  processorShare: 0.8,
  connectionsShare: 0.8,
  failedShare: 0.05,
  mailMinutes: 15,
  transactionHours: 1,
  frozenXidAge: 1_000_000_000,
  ...backupBounds,
} as const;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Share of the disk from which the warning is an error. */
const FULL = 0.95;
/** Calls a second from which a share of failed calls is no accident. */
const FEW_CALLS = 0.1;
/** Time of growth from which the page predicts when the disk is full. */
const PREDICTION_HOURS = 3;

/** Something that the owners of the node should look at. */
export interface NodeWarning {
  readonly id: string;
  readonly isError: boolean;
  readonly title: string;
  /** The reason, with figures. */
  readonly detail: string;
  /** Where to look further; null if no page helps. */
  readonly action: NodeAction | null;
}

type NodeAction =
  | { readonly words: string; readonly to: 'disk' }
  | { readonly words: string; readonly to: 'mail' | 'errors'; readonly ref: string };

/** Returns what needs attention, errors first. Pure. */
export function nodeWarnings(figures: NodeFigures): NodeWarning[] {
  const found = [
    ...serverWarnings(figures),
    ...diskWarnings(figures),
    ...mailWarnings(figures),
    ...appWarnings(figures),
    ...backupWarnings(figures),
    ...logWarnings(figures),
  ];
  return found.sort((a, b) => Number(b.isError) - Number(a.isError));
}

function serverWarnings({ postgres }: NodeFigures): NodeWarning[] {
  if (!postgres.up) {
    const detail = 'Requests to apps fail with 503. The log of the node names the reason.';
    return [{ id: 'postgres', isError: true, title: 'PostgreSQL does not answer.', detail, action: null }];
  }
  const warnings: NodeWarning[] = [];
  const { connections, max_connections: max, oldest_transaction_seconds: age, frozen_xid_age: xids } = postgres;
  if (connections !== null && max !== null && connections >= bounds.connectionsShare * max) {
    warnings.push({
      id: 'connections',
      isError: connections >= max,
      title: `${percent(connections, max)} of the connections to PostgreSQL are in use.`,
      detail: `${count(connections)} of ${count(max)}. Without a free one, calls wait and then fail.`,
      action: null,
    });
  }
  if (age !== null && age * 1000 >= bounds.transactionHours * HOUR) {
    const detail = 'Meanwhile PostgreSQL cannot remove deleted rows, and tables grow.';
    const title = `A transaction has been open for ${duration(age * 1000)}.`;
    warnings.push({ id: 'transaction', isError: false, title, detail, action: null });
  }
  if (xids !== null && xids >= bounds.frozenXidAge) {
    const title = 'PostgreSQL must freeze old transactions.';
    const detail = `The oldest transaction id is ${count(xids)} old. PostgreSQL stops writes near 2,000,000,000. VACUUM helps.`;
    warnings.push({ id: 'xids', isError: false, title, detail, action: null });
  }
  return warnings;
}

function diskWarnings({ disk, history }: NodeFigures): NodeWarning[] {
  if (disk === null || disk.used_bytes < bounds.diskShare * disk.size_bytes) return [];
  const { used_bytes: used, size_bytes: size } = disk;
  const left = timeUntilFull(history, size - used);
  return [
    {
      id: 'disk',
      isError: used >= FULL * size,
      title:
        left === null
          ? `The disk is ${percent(used, size)} full.`
          : `The disk is full in ${duration(left)}, at the growth of the last hours.`,
      detail: `${bytes(used)} of ${bytes(size)}. On a full disk, PostgreSQL stops writes.`,
      action: { words: 'See largest apps', to: 'disk' },
    },
  ];
}

/** Returns the milliseconds until the disk is full; null if it does not grow, or if that is not known yet. */
function timeUntilFull(history: NodeFigures['history'], free: number): number | null {
  const [first, last] = [history[0], history[history.length - 1]];
  if (!first || !last || first.disk_bytes === null || last.disk_bytes === null) return null;
  const time = Date.parse(last.at) - Date.parse(first.at);
  const growth = last.disk_bytes - first.disk_bytes;
  return time < PREDICTION_HOURS * HOUR || growth <= 0 ? null : (free / growth) * time;
}

function mailWarnings({ mails, at }: NodeFigures): NodeWarning[] {
  const late = (mails ?? []).filter(({ since }) => Date.parse(at) - Date.parse(since) >= bounds.mailMinutes * MINUTE);
  return late.map(({ app, waiting, since }) => ({
    id: `mails of ${app}`,
    isError: true,
    title: `${counted(waiting, 'mail of', 'mails of')} ${app} ${waiting === 1 ? 'waits' : 'wait'}.`,
    detail: `The oldest has waited for ${duration(Date.parse(at) - Date.parse(since))}.`,
    action: { words: 'See mails', to: 'mail', ref: app },
  }));
}

const appWarnings = ({ apps }: NodeFigures): NodeWarning[] =>
  apps
    .filter(({ failed, calls_per_second: calls }) => failed >= bounds.failedShare && calls >= FEW_CALLS)
    .map(({ ref, failed }) => ({
      id: `failures of ${ref}`,
      isError: false,
      title: `${percent(failed, 1)} of the calls of ${ref} fail.`,
      detail: 'In the last five minutes, with a status from 500.',
      action: { words: 'See errors', to: 'errors', ref },
    }));

function backupWarnings({ backup }: NodeFigures): NodeWarning[] {
  if (backup === null) return [];
  const { backup_age_seconds: age, drill_age_seconds: drill, loss_window_seconds: loss } = backup;
  const warn = (id: string, title: string, detail: string): NodeWarning => ({
    ...{ id, isError: false, title, detail },
    action: null,
  });
  return [
    ...(age !== null && age * 1000 >= bounds.backupHours * HOUR
      ? [warn('backup', `The last backup is ${duration(age * 1000)} old.`, 'A backup is made each day.')]
      : []),
    ...(drill !== null && drill * 1000 >= bounds.drillDays * DAY
      ? [warn('drill', `The last restore was tried ${duration(drill * 1000)} ago.`, 'A restore is tried each week.')]
      : []),
    ...(loss !== null && loss >= bounds.lossSeconds
      ? [
          warn(
            'loss',
            `The backup is ${duration(loss * 1000)} behind.`,
            'If the machine were lost, this would be lost.',
          ),
        ]
      : []),
  ];
}

const logWarnings = ({ lost_log_lines: lost }: NodeFigures): NodeWarning[] =>
  lost === 0
    ? []
    : [
        {
          id: 'log',
          isError: false,
          title: `${counted(lost, 'line', 'lines')} of the log could not be written.`,
          detail: 'The disk was full, or the reader of the log is too slow.',
          action: null,
        },
      ];
