import type { CounterName, GaugeName } from '../../contract/metrics.ts';

/** The figures that a worker sends to the primary: increments since its last report, and current values. */
export interface WorkerReport {
  /** Increments by series (`series`). */
  readonly counters: ReadonlyMap<string, number>;
  /** Current values. The primary adds up the values of all workers. */
  readonly gauges: Readonly<Partial<Record<GaugeName, number>>>;
  /** Delay of the event loop since the last report, 99th percentile. */
  readonly lagSeconds: number;
  /** Increments of the histogram `ninefold_pool_wait_seconds`. */
  readonly poolWaits: Float64Array;
  /** Increments of the counts of calls by app (call-counts.ts); an empty ref for requests that reached no app. */
  readonly calls: ReadonlyMap<string, Float64Array>;
  /** The queues of mails by app; null if another worker leads the scheduled work. */
  readonly mails: readonly WaitingMails[] | null;
}

/** The mails and texts of an app that wait. */
export interface WaitingMails {
  readonly app: string;
  readonly waiting: number;
  /** Time at which the oldest was queued, in milliseconds since 1970. */
  readonly since: number;
}

/** Messages between the primary and the workers about figures. */
export type FiguresMessage =
  /** From the primary to a worker: requests a report. */
  | { type: 'figures wanted' }
  /** From a worker to the primary. */
  | { type: 'figures'; report: WorkerReport }
  /** From a worker to the primary: requests the figures of the node. */
  | { type: 'node figures wanted'; id: number; form: FiguresForm }
  /** From the primary to that worker; `body` is null if the figures could not be read. */
  | { type: 'node figures'; id: number; body: string | null };

/** The text of `/metrics`, or the JSON of the console's page. */
export type FiguresForm = 'metrics' | 'page';

/** A counter that a part of a worker has, and the values of its labels. */
export type PartCounter = readonly [name: CounterName, value: number, ...labels: string[]];
