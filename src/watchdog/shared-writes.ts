import type { AppBounds } from '../../contract/limits.ts';
import { type Breach, leaders } from './breaches.ts';
import type { Session } from './sessions.ts';

/** Minimum time between two measurements, because PostgreSQL updates its counters once per second. */
const RATE_MILLISECONDS = 1000;

/**
 * Monitors how fast a file grows that all apps of a server share. PostgreSQL does not report which session writes to
 * it. The app whose sessions hold or wait for the lock of a writer most often is assumed to be the cause.
 */
export class SharedWrites {
  readonly #limit: keyof AppBounds;
  readonly #bound: number;
  readonly #seen = new Map<string, { times: number; pids: Set<number> }>();
  #last: { bytes: number; at: number } | null = null;

  /** @param bound Bytes per second. */
  constructor(limit: keyof AppBounds, bound: number) {
    this.#limit = limit;
    this.#bound = bound;
  }

  /** Counts, for each app, the sessions that hold or wait for the lock at this moment. */
  see(sessions: readonly Session[], writers: ReadonlySet<number>): void {
    for (const session of sessions) {
      if (!writers.has(session.pid)) continue;
      const seen = this.#seen.get(session.app) ?? { times: 0, pids: new Set() };
      this.#seen.set(session.app, seen);
      seen.times++;
      for (const pid of leaders([session])) seen.pids.add(pid);
    }
  }

  /**
   * Finds the app that writes too much.
   * @param bytes Bytes that were written until now.
   * @param at Milliseconds of performance.now().
   */
  look(bytes: number, at: number): Breach[] {
    const last = this.#last;
    if (last && at - last.at < RATE_MILLISECONDS) return [];
    this.#last = { bytes, at };
    const perSecond = last ? ((bytes - last.bytes) / (at - last.at)) * 1000 : 0;
    const [max] = [...this.#seen].sort(([, a], [, b]) => b.times - a.times);
    this.#seen.clear();
    if (perSecond <= this.#bound || !max) return [];
    const [app, { pids }] = max;
    return [{ app, limit: this.#limit, value: Math.round(perSecond), pids: [...pids] }];
  }
}
