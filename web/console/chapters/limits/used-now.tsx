import { useQuery } from '@tanstack/react-query';
import type { RealtimeUsage } from '../../../../contract/realtime.ts';
import { count } from '../../format/format.ts';
import { realtimeState } from '../../queries/realtime.ts';

/** The part of the usage of all workers that a limit of each worker bounds. */
const usedOf: Readonly<Record<string, (usage: RealtimeUsage) => number>> = {
  realtimeSockets: ({ sockets }) => sockets,
  realtimeMessagesPerSecond: ({ received_per_second: received }) => Math.round(received),
  realtimeJoinsPerSecond: ({ joins_per_second: joins }) => Math.round(joins),
  realtimeDeliveriesPerSecond: ({ sent_per_second: sent }) => Math.round(sent),
};

/** Returns true for a limit of which the server counts what is used now. */
export const isCounted = (limit: string): boolean => Object.hasOwn(usedOf, limit);

/** Shows what all workers use of a limit now. */
export function UsedNow({ appRef, limit }: { appRef: string; limit: string }) {
  const { data } = useQuery(realtimeState(appRef));
  if (!data) return <span className="soft">Counting</span>;
  return <>{`${count(usedOf[limit]?.(data.usage) ?? 0)} on all workers; each worker has this limit`}</>;
}
