import type { RealtimeTopic, RealtimeUsage } from '../../../contract/realtime.ts';

/** Number of topics that a worker and a response name. */
const MAX_TOPICS = 100;

/** Counts of an app in one worker, which only grow. */
export interface RealtimeCounts {
  sent: number;
  dropped: number;
  received: number;
  joins: number;
}

/** The usage of an app in one worker. */
export interface WorkerUsage {
  readonly sockets: number;
  readonly channels: number;
  readonly topic_count: number;
  readonly topics: readonly RealtimeTopic[];
  /** How much the counts grew within `seconds`. */
  readonly growth: { readonly counts: RealtimeCounts; readonly seconds: number };
  /** Delays of the last minute in milliseconds. */
  readonly delays: readonly number[];
}

/** Returns the topics with the most channels. */
export const busiest = (topics: readonly RealtimeTopic[]): RealtimeTopic[] =>
  [...topics].sort((a, b) => b.channels - a.channels || (a.topic < b.topic ? -1 : 1)).slice(0, MAX_TOPICS);

/** Adds up the usage of workers. Topics in several workers count once, if the workers name them. */
export function totalUsage(workers: readonly WorkerUsage[]): RealtimeUsage {
  const topics = new Map<string, RealtimeTopic>();
  for (const one of workers.flatMap((worker) => worker.topics)) {
    const key = JSON.stringify([one.private, one.topic]);
    topics.set(key, { ...one, channels: one.channels + (topics.get(key)?.channels ?? 0) });
  }
  const unnamed = sum(workers, ({ topic_count, topics: named }) => topic_count - named.length);
  const rate = (of: keyof RealtimeCounts) =>
    Math.round(10 * sum(workers, ({ growth }) => growth.counts[of] / growth.seconds)) / 10;
  const delays = workers.flatMap((worker) => worker.delays).sort((a, b) => a - b);
  const at = (share: number) => Math.round(delays[Math.ceil(share * delays.length) - 1] ?? 0);
  return {
    workers: workers.length,
    sockets: sum(workers, ({ sockets }) => sockets),
    channels: sum(workers, ({ channels }) => channels),
    topic_count: topics.size + unnamed,
    topics: busiest([...topics.values()]),
    received_per_second: rate('received'),
    sent_per_second: rate('sent'),
    joins_per_second: rate('joins'),
    dropped: sum(workers, ({ growth }) => growth.counts.dropped),
    delay: delays.length === 0 ? null : { p50_ms: at(0.5), p99_ms: at(0.99) },
  };
}

const sum = (workers: readonly WorkerUsage[], of: (worker: WorkerUsage) => number): number =>
  workers.reduce((total, worker) => total + of(worker), 0);
