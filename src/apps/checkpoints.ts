import { plain } from '../database/statement.ts';
import type { Events } from '../observe/events.ts';
import { type Server, withPool } from './server.ts';

/** New apps of one process after which PostgreSQL writes a checkpoint. */
const APPS = 25;

/**
 * Has PostgreSQL write a checkpoint while many apps are made. A new app's database is some 400 files, and a recovery syncs each file that
 * was written since the last checkpoint, so without this a crash after a thousand new apps costs most of a minute.
 */
export class Checkpoints {
  readonly #server: Server;
  readonly #events: Events;
  #apps = 0;
  #isWriting = false;

  constructor(server: Server, events: Events) {
    this.#server = server;
    this.#events = events;
  }

  /** Counts a new app. Does not wait for the checkpoint; an error is reported as an event. */
  countApp(): void {
    this.#apps++;
    if (this.#apps < APPS || this.#isWriting) return;
    this.#apps = 0;
    this.#isWriting = true;
    withPool(this.#server.target, (pool) => pool.run([plain('checkpoint')]))
      .catch((error: unknown) =>
        this.#events.emit({ type: 'fault', requestId: null, where: 'the checkpoint after new apps', error }),
      )
      .finally(() => {
        this.#isWriting = false;
      });
  }
}
