import type { AppSummary, NodeStatus } from '../../../contract/admin.ts';
import { bytes, count, counted, duration } from '../format/format.ts';

/**
 * Describes the node in a sentence with its figures. Pure.
 * @param now In milliseconds.
 * @param sizes Sizes of the databases by ref; undefined until they are loaded.
 */
export function nodeSentence(
  apps: readonly AppSummary[],
  sizes: ReadonlyMap<string, number> | undefined,
  status: NodeStatus,
  now: number,
): string {
  const size = [...(sizes?.values() ?? [])].reduce((sum, one) => sum + one, 0);
  const verb = apps.length === 1 ? 'uses' : 'use';
  const held = sizes ? `${counted(apps.length, 'app')} ${verb} ${bytes(size)}` : counted(apps.length, 'app');
  const first = apps.length === 0 ? 'None yet' : held;
  const { version, connections, max_connections, embedded } = status.postgres;
  const up = duration(now - Date.parse(status.started_at));
  const lost = status.lost_log_lines;
  const loss = lost === 0 ? '' : ` ${counted(lost, 'line')} of the log could not be written: check its disk or reader.`;
  return `${first}. ${embedded ? 'PostgreSQL' : 'An external PostgreSQL'} ${version} has ${count(connections)} of ${counted(max_connections, 'connection')} in use; ${counted(status.workers, 'worker')} up for ${up}.${loss}`;
}
