import type { AppBounds } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { type Breach, leaders } from './breaches.ts';
import type { Session } from './sessions.ts';
import { type LockCount, readNotifyQueue } from './usage.ts';

/** PostgreSQL updates the counter of bytes written to the queue once per second. */
const RATE_MILLISECONDS = 1000;

/**
 * Monitors the NOTIFY queue, which all databases of a server share. PostgreSQL does not report which session writes to
 * it. The app whose sessions hold or wait for the lock of the queue most often is assumed to be the cause.
 */
export class NotifyWatch {
  readonly #database: Executor;
  readonly #bounds: AppBounds;
  readonly #seen = new Map<string, { times: number; pids: Set<number> }>();
  #written: { bytes: number; at: number } | null = null;

  constructor(database: Executor, bounds: AppBounds) {
    this.#database = database;
    this.#bounds = bounds;
  }

  /** Counts the sessions that are notifying at this moment. */
  see(sessions: readonly Session[], locks: readonly LockCount[]): void {
    const notifying = new Set(locks.filter(({ notifies }) => notifies).map(({ pid }) => pid));
    for (const session of sessions) {
      if (!notifying.has(session.pid)) continue;
      const seen = this.#seen.get(session.app) ?? { times: 0, pids: new Set() };
      this.#seen.set(session.app, seen);
      seen.times++;
      for (const pid of leaders([session])) seen.pids.add(pid);
    }
  }

  /** Reads the length of the queue, and finds the app that writes too much to it. */
  async look(): Promise<{ queue: number; breaches: Breach[] }> {
    const { bytes, written } = await readNotifyQueue(this.#database);
    const at = performance.now();
    const before = this.#written;
    if (before && at - before.at < RATE_MILLISECONDS) return { queue: bytes, breaches: [] };
    this.#written = { bytes: written, at };
    const perSecond = before ? ((written - before.bytes) / (at - before.at)) * 1000 : 0;
    const [max] = [...this.#seen].sort(([, a], [, b]) => b.times - a.times);
    this.#seen.clear();
    if (perSecond <= this.#bounds.notifyBytesPerSecond || !max) return { queue: bytes, breaches: [] };
    const [app, { pids }] = max;
    const breach = { app, limit: 'notifyBytesPerSecond' as const, value: Math.round(perSecond), pids: [...pids] };
    return { queue: bytes, breaches: [breach] };
  }
}
