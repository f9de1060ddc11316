import { limits } from '../../contract/limits.ts';
import {
  type FilesOfApp,
  noteUnused,
  readSweepState,
  sweepOrphans,
  sweepUnused,
  sweepUploads,
} from '../apps/files/sweep.ts';
import { DatabaseError, LOCK_NOT_AVAILABLE } from '../database/database-error.ts';

/** Pause before a failed sweep is repeated. */
const RETRY_MILLISECONDS = 60_000;

/** Deletes the bytes of one app that no object has. At most one sweep runs at a time. */
export class FileSweeper {
  readonly #files: FilesOfApp;
  /** Runs the longer sweeps of all apps one after the other. Code of an app never runs in them. */
  readonly #oneByOne: <T>(work: () => Promise<T>) => Promise<T>;
  readonly #onFault: (error: unknown) => void;
  #running: Promise<void> | null = null;
  #orphansSweptAt = 0;
  #pausedUntil = 0;

  constructor(
    files: FilesOfApp,
    oneByOne: <T>(work: () => Promise<T>) => Promise<T>,
    onFault: (error: unknown) => void,
  ) {
    this.#files = files;
    this.#oneByOne = oneByOne;
    this.#onFault = onFault;
  }

  /**
   * Starts a sweep if it is due. Returns the time of the next check in milliseconds since 1970; null if nothing waits.
   * @param onDone Called with the time of the next check when a started sweep has ended.
   */
  async start(onDone: (next: number) => void): Promise<number | null> {
    if (this.#running !== null) return null;
    const now = Date.now();
    const { has_unused: hasUnused, expires } = await readSweepState(this.#files.server);
    const period = limits.orphanHours.default * 3_600_000;
    const isOrphanDue = this.#orphansSweptAt + period <= now;
    const hasExpired = expires !== null && expires <= now;
    if (!hasUnused && !isOrphanDue && !hasExpired) return expires;
    if (this.#pausedUntil > now) return this.#pausedUntil;
    this.#running = this.#sweep(isOrphanDue)
      .catch((error: unknown) => {
        this.#pausedUntil = Date.now() + RETRY_MILLISECONDS;
        // The lock is held while an upload of the same content runs.
        if (!(error instanceof DatabaseError && error.sqlstate === LOCK_NOT_AVAILABLE)) this.#onFault(error);
      })
      .finally(() => {
        this.#running = null;
        onDone(Math.max(Date.now(), this.#pausedUntil));
      });
    return expires;
  }

  /** Resolves when no sweep is running. */
  async stop(): Promise<void> {
    await this.#running;
  }

  async #sweep(isOrphanDue: boolean): Promise<void> {
    if (isOrphanDue) {
      this.#orphansSweptAt = Date.now();
      await this.#oneByOne(() => sweepOrphans(this.#files));
      await noteUnused(this.#files);
    }
    await sweepUploads(this.#files);
    await sweepUnused(this.#files);
  }
}
