import { plain } from '../database/statement.ts';
import type { Events } from '../observe/events.ts';
import { type Server, withPool } from './server.ts';

/** New apps of one process after which PostgreSQL writes a checkpoint. */
const APPS = 25;

/**
 * Has PostgreSQL write a checkpoint while many apps are made. A new app's database is some 400 files, and a recovery syncs each file that
 * was written since the last checkpoint, so without this a crash after a thousand new apps costs most of a minute. A disk may sync fewer
 * files in a second than apps are made of: then new apps wait for the checkpoint.
 */
export class Checkpoints {
  readonly #server: Server;
  readonly #events: Events;
  /** Apps since the last checkpoint began. */
  #apps = 0;
  #running: Promise<void> | null = null;

  constructor(server: Server, events: Events) {
    this.#server = server;
    this.#events = events;
  }

  /** Waits while a checkpoint is written and so many apps were made beside it that the next one is due. Called before an app is made. */
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
