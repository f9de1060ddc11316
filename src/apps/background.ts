import { limits } from '../../contract/limits.ts';
import { ConnectionError, PoolTimeoutError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Events } from '../observe/events.ts';

/**
 * What is done in the background for one app after the other. What fails ends nothing but the work for its own app; a fault is told once,
 * until that app's work succeeds again.
 */
export class Background {
  readonly #events: Events;
  readonly #where: string;
  readonly #failing = new Set<string>();

  /** `where`: what the work is, in the words of a fault. */
  constructor(events: Events, where: string) {
    this.#events = events;
    this.#where = where;
  }

  /** Whether the work for an app was done. */
  async attempt(ref: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#failing.delete(ref);
      return true;
    } catch (error) {
      if (!isOfTheApp(error)) this.#tell(ref, error);
      return false;
    }
  }

  #tell(ref: string, error: unknown): void {
    if (this.#failing.has(ref) || this.#failing.size >= limits.observedApps.default) return;
    this.#failing.add(ref);
    this.#events.emit({ type: 'fault', requestId: null, where: `${this.#where} of ${ref}`, error });
  }
}

/** The app is gone, damaged or out of reach: its calls tell that. */
const isOfTheApp = (error: unknown): boolean =>
  error instanceof NinefoldError || error instanceof ConnectionError || error instanceof PoolTimeoutError;
