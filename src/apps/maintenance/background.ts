import { limits } from '../../../contract/limits.ts';
import { ConnectionError, PoolTimeoutError } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Events } from '../../observe/events.ts';

/**
 * Runs background work for one app at a time. An error affects only the work for its app. A fault is reported once,
 * until that app's work succeeds.
 */
export class Background {
  readonly #events: Events;
  readonly #where: string;
  readonly #failing = new Set<string>();

  /** @param where Description of the work for fault events. */
  constructor(events: Events, where: string) {
    this.#events = events;
    this.#where = where;
  }

  /** Runs `work` for one app. Returns false if the work failed. */
  async attempt(ref: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#failing.delete(ref);
      return true;
    } catch (error) {
      if (!isOfTheApp(error)) this.#report(ref, error);
      return false;
    }
  }

  #report(ref: string, error: unknown): void {
    if (this.#failing.has(ref) || this.#failing.size >= limits.observedApps.default) return;
    this.#failing.add(ref);
    this.#events.emit({ type: 'fault', requestId: null, where: `${this.#where} of ${ref}`, error });
  }
}

/** Returns true if the app is missing, damaged or unreachable. The app's requests report such errors. */
const isOfTheApp = (error: unknown): boolean =>
  error instanceof NinefoldError || error instanceof ConnectionError || error instanceof PoolTimeoutError;
