import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { allErrors } from '../../contract/errors.ts';
import type { GaugeName } from '../../contract/metrics.ts';
import type { CallEvent, Events } from '../observe/events.ts';
import type { Histogram } from '../observe/histogram.ts';
import { addCall, noCalls } from './call-counts.ts';
import { series } from './series.ts';
import type { PartCounter, WaitingMails, WorkerReport } from './worker-report.ts';

/** Interval at which the delay of the event loop is measured. */
const LAG_RESOLUTION_MILLISECONDS = 20;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/** The parts of a worker whose figures a report contains. */
export interface MeasuredParts {
  /** Returns the current values of the worker. */
  readonly gauges: () => Partial<Record<GaugeName, number>>;
  /** Returns counters that only grow. The report has their increments. */
  readonly counters: () => readonly PartCounter[];
  readonly poolWaits: Histogram;
  readonly mails: () => readonly WaitingMails[] | null;
}

/** Counts the events of one worker for `/metrics`, and reports the increments. */
export class WorkerFigures {
  readonly #parts: MeasuredParts;
  readonly #lag: IntervalHistogram = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MILLISECONDS });
  #calls = new Map<string, Float64Array>();
  #counters = new Map<string, number>();
  /** Counters of the parts at the last report, by series. */
  readonly #reported = new Map<string, number>();

  constructor(parts: MeasuredParts) {
    this.#parts = parts;
  }

  start(events: Events): void {
    this.#lag.enable();
    events.listen(['call'], (event) => this.#count(event));
    events.listen(['auth'], ({ what }) => {
      if (what === 'signed-in') this.#add(series('ninefold_sign_ins_total', 'succeeded'));
      else if (what === 'sign-in-failed') this.#add(series('ninefold_sign_ins_total', 'failed'));
    });
  }

  stop(): void {
    this.#lag.disable();
  }

  /** Returns the figures since the last call. */
  take(): WorkerReport {
    const { gauges, counters, poolWaits, mails } = this.#parts;
    const { user, system } = process.cpuUsage();
    for (const [name, value, ...labels] of [
      ...counters(),
      ['ninefold_process_cpu_seconds_total', (user + system) / MICROSECONDS, 'workers'] as const,
    ]) {
      const key = series(name, ...labels);
      this.#add(key, value - (this.#reported.get(key) ?? 0));
      this.#reported.set(key, value);
    }
    const report = {
      counters: this.#counters,
      gauges: { ...gauges(), ninefold_process_memory_bytes: process.memoryUsage.rss() },
      lagSeconds: Math.max(0, this.#lag.percentile(99) / NANOSECONDS - LAG_RESOLUTION_MILLISECONDS / 1000),
      poolWaits: poolWaits.take(),
      calls: this.#calls,
      mails: mails(),
    };
    this.#calls = new Map();
    this.#counters = new Map();
    this.#lag.reset();
    return report;
  }

  #count({ app, area, status, code, limit, milliseconds, trace }: CallEvent): void {
    // A ref that the client made up leads to no app. It must not become the name of a series.
    const key = app !== null && trace.opened > 0 ? app : '';
    let counts = this.#calls.get(key);
    if (counts === undefined) {
      counts = noCalls();
      this.#calls.set(key, counts);
    }
    addCall(counts, area, status, milliseconds / 1000);
    if (code === null) return;
    this.#add(series('ninefold_errors_total', Object.hasOwn(allErrors, code) ? code : 'other'));
    if (limit !== null) this.#add(series('ninefold_limited_total', limit));
  }

  #add(key: string, count = 1): void {
    this.#counters.set(key, (this.#counters.get(key) ?? 0) + count);
  }
}
