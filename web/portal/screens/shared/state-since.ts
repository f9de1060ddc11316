import { ago, isDuration, timeOf } from '../../../fields/format.ts';
import { t } from '../../../language/messages.ts';
import type { Row } from '../../queries/rest.ts';

/** Returns the time at which the row entered its state. */
export function sinceOf(row: Row): string | null {
  const changes = Array.isArray(row.state_changes) ? (row.state_changes as { at: string }[]) : [];
  const time = timeOf(changes.at(-1)?.at);
  if (!time) return null;
  const now = new Date();
  if (ago(time, now) === t('justNow')) return t('justNow');
  return t(isDuration(time, now) ? 'stateFor' : 'stateSince', { time: ago(time, now) });
}
