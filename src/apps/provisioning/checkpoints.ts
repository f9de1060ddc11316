import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { plain } from '../../database/statement.ts';
import type { Events } from '../../observe/events.ts';
import { type Server, withPool } from '../registry/server.ts';

/** Number of new apps of one process after which PostgreSQL writes a checkpoint. */
const APPS = 25;
/** Number of new apps since the start of a checkpoint from which the creation of apps waits for its end. */
const MAX_APPS = 4 * APPS;
/**
 * Pause between two apps that are created beside a checkpoint, for each app that was created since its start. The pauses
 * grow, so that a slow disk delays every app a little and none for the whole checkpoint.
 */
const PAUSE_MILLISECONDS = 20;

/**
 * Makes PostgreSQL write checkpoints while many apps are created. The database of a new app has about 400 files, and a
 * recovery syncs each file that was written since the last checkpoint. Without these checkpoints, the recovery after a
 * thousand new apps takes most of a minute. If the disk cannot keep up, apps are created more and more slowly.
 */
export class Checkpoints {
  readonly #server: Server;
  readonly #events: Events;
  /** Number of apps since the start of the last checkpoint. */
  #apps = 0;
  #running: Promise<void> | null = null;
  /** Time before which no further app is created beside the running checkpoint. */
  #nextAt = 0;

  constructor(server: Server, events: Events) {
    this.#server = server;
    this.#events = events;
  }

  /** Waits for the turn of an app while a checkpoint is running. Call it before an app is created. */
  async wait(): Promise<void> {
    while (this.#running !== null && this.#apps >= MAX_APPS) await this.#running;
    if (this.#running === null) return;
    const now = performance.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + this.#apps * PAUSE_MILLISECONDS;
    const turn = new AbortController();
    await Promise.race([this.#running, delay(at - now, undefined, { signal: turn.signal }).catch(() => undefined)]);
    turn.abort();
  }

  /** Counts a new app. Does not wait for a checkpoint; an error is reported as an event. */
  countApp(): void {
    // A login that is no superuser may not request a checkpoint.
    if (this.#server.missingRights.length > 0) return;
    this.#apps++;
    if (this.#apps < APPS || this.#running !== null) return;
    this.#apps = 0;
    this.#nextAt = 0;
    this.#running = this.#write();
  }

  async #write(): Promise<void> {
    try {
      await flushFiles(this.#server.target.address.socketFolder);
      await withPool(this.#server.target, (pool) => pool.run([plain('checkpoint')]));
    } catch (error) {
      this.#events.emit({ type: 'fault', requestId: null, where: 'the checkpoint after new apps', error });
    } finally {
      this.#running = null;
    }
  }
}

/**
 * Writes all changed files of a file system to the disk at once (`syncfs`). PostgreSQL syncs the files of a checkpoint
 * one after the other, which takes several milliseconds for each changed file and almost none for the others.
 * @param folder The data folder, which contains the Unix socket of the embedded PostgreSQL; null if there is none.
 */
function flushFiles(folder: string | null): Promise<void> {
  if (folder === null) return Promise.resolve();
  // An error is ignored, because the checkpoint syncs each file anyway. Some systems have no such command.
  return new Promise((resolve) => execFile('sync', ['-f', folder], () => resolve()));
}
