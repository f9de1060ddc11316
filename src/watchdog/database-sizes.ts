import type { BoundMessage } from '../apps/exceeded-bounds.ts';
import type { Executor } from '../database/database.ts';
import type { Breach } from './breaches.ts';
import { leaders } from './breaches.ts';
import type { Session } from './sessions.ts';
import { readDatabaseBytes } from './usage.ts';

/**
 * Number of databases whose size one check reads. It begins with the database whose size was read longest ago. A large
 * database has many thousands of files, so reading all sizes in one check would take too long.
 */
const READ_AT_ONCE = 20;
/**
 * Growth in bytes that is tolerated above the limit, because DELETE and VACUUM must stay possible, and they also make
 * files a little larger.
 */
const GROWTH_BYTES = 1024 * 1024;

interface Size {
  readonly app: string;
  readonly bytes: number;
  /** The size from which growth is measured while the database is too large. */
  readonly base: number;
  readonly at: number;
}

/** Monitors the size on disk of the databases with active apps. */
export class DatabaseSizes {
  readonly #database: Executor;
  readonly #bound: number;
  readonly #send: (message: BoundMessage) => void;
  readonly #sizes = new Map<string, Size>();

  constructor(database: Executor, bound: number, send: (message: BoundMessage) => void) {
    this.#database = database;
    this.#bound = bound;
    this.#send = send;
  }

  /** Finds databases that exceed the limit and have grown, and the sessions that have written to them. */
  async look(busy: readonly Session[]): Promise<Breach[]> {
    const apps = new Map(busy.map(({ database, app }) => [database, app]));
    for (const [database, { app, bytes }] of this.#sizes) if (bytes > this.#bound) apps.set(database, app);
    const at = (database: string) => this.#sizes.get(database)?.at ?? 0;
    const next = [...apps].sort(([a], [b]) => at(a) - at(b)).slice(0, READ_AT_ONCE);
    const breaches: Breach[] = [];
    for (const [database, app] of next) {
      const value = await readDatabaseBytes(this.#database, database);
      if (value === null) this.#sizes.delete(database);
      else if (this.#hasGrown(database, app, value)) {
        const writers = busy.filter((session) => session.database === database && session.hasWritten);
        if (writers.length > 0) breaches.push({ app, limit: 'appDatabaseBytes', value, pids: leaders(writers) });
      }
    }
    return breaches;
  }

  /** Stores the size of a database. Returns true if the database is larger than the limit and has grown. */
  #hasGrown(database: string, app: string, bytes: number): boolean {
    const known = this.#sizes.get(database);
    const isFull = bytes > this.#bound;
    const wasFull = known !== undefined && known.bytes > this.#bound;
    // The message is sent again while the database is full, for workers that were started in the meantime.
    if (isFull || wasFull) this.#send({ type: 'storage', app, isFull });
    const base = Math.min(bytes, Math.max(this.#bound, known?.base ?? bytes));
    const hasGrown = isFull && bytes - base > GROWTH_BYTES;
    this.#sizes.set(database, { app, bytes, base: hasGrown ? bytes : base, at: performance.now() });
    return hasGrown;
  }
}
