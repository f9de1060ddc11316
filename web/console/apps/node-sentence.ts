import type { AppSummary, NodeStatus } from '../../../contract/admin.ts';
import { bytes, count, counted, duration } from '../format/format.ts';

/** What the node does, in a sentence of live figures. `now` in milliseconds. Pure. */
export function nodeSentence(apps: readonly AppSummary[], status: NodeStatus, now: number): string {
  const size = apps.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const held =
    apps.length === 0
      ? 'None yet'
      : `${counted(apps.length, 'app')} ${apps.length === 1 ? 'holds' : 'hold'} ${bytes(size)}`;
  const { version, connections, max_connections, embedded } = status.postgres;
  const up = duration(now - Date.parse(status.started_at));
  return `${held}. ${embedded ? 'Postgres' : 'An external Postgres'} ${version} has ${count(connections)} of ${counted(max_connections, 'connection')} in use; ${counted(status.workers, 'worker')} up for ${up}.`;
}
