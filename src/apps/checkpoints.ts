import { plain } from '../database/statement.ts';
import type { Events } from '../observe/events.ts';
import { type Server, withPool } from './server.ts';

/** Number of new apps of one process after which PostgreSQL writes a checkpoint. */
const APPS = 25;

/**
 * Makes PostgreSQL write checkpoints while many apps are created. The database of a new app has about 400 files, and a
 * recovery syncs each file that was written since the last checkpoint. Without these checkpoints, the recovery after a
 * thousand new apps takes most of a minute. If the disk cannot keep up, new apps wait for the checkpoint.
 */
export class Checkpoints {
  readonly #server: Server;
  readonly #events: Events;
  /** Number of apps since the start of the last checkpoint. */
  #apps = 0;
  #running: Promise<void> | null = null;

  constructor(server: Server, events: Events) {
    this.#server = server;
    this.#events = events;
  }

  /** Waits while a checkpoint is running and the next one is already due. Call it before an app is created. */
  async wait(): Promise<void> {
    while (this.#running !== null && this.#apps >= APPS) await this.#running;
  }

  /** Counts a new app. Does not wait for a checkpoint; an error is reported as an event. */
  countApp(): void {
    this.#apps++;
    if (this.#apps < APPS || this.#running !== null) return;
    this.#apps = 0;
    this.#running = this.#write();
  }

  async #write(): Promise<void> {
    try {
      await withPool(this.#server.target, (pool) => pool.run([plain('checkpoint')]));
    } catch (error) {
      this.#events.emit({ type: 'fault', requestId: null, where: 'the checkpoint after new apps', error });
    } finally {
      this.#running = null;
    }
  }
}
