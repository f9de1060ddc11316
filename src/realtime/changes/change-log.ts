import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../../apps/app.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type Change, ChangeReader } from './change-reader.ts';
import { Emptying, renewWatch, waitForWriters } from './watch.ts';

/** Pause between two reads if nobody pokes. */
const POLL_MILLISECONDS = 200;
/** Time between two renewals of the lease. */
const RENEW_MILLISECONDS = 10_000;
/** A later renewal is a gap, because triggers may have written nothing. */
const MAX_RENEW_MILLISECONDS = 50_000;
/** Time between two deletions of old changes. */
const EMPTY_MILLISECONDS = 15_000;
/** Time for which reads may fail before readers must assume a gap. */
const MAX_FAILING_MILLISECONDS = 10_000;

/** Receives the changes of one app, in order. */
export interface LogReader {
  /** Receives the changes of one read. The next read waits for it. */
  onChanges(changes: readonly Change[]): Promise<void>;
  /** Changes may be missing. */
  onGap(reason: string): void;
  /** Returns the OIDs of the tables that the reader still needs. */
  neededTables(): Iterable<number>;
}

/** A table that is watched, with the OIDs of its partitions. */
export interface WatchedTable {
  readonly oid: number;
  readonly parts: readonly number[];
}

/** The changes that the triggers of one app write, read by one worker. Without readers, it has no timer, no connection and no lease. */
export class ChangeLog {
  readonly #app: Pick<App, 'serverDatabase'>;
  readonly #readers = new Set<LogReader>();
  /** The watched tables with the OIDs of their partitions. */
  readonly #watched = new Map<number, readonly number[]>();
  #renewedAt = 0;
  readonly #emptying: Emptying;
  #reader: ChangeReader | null = null;
  #starting: Promise<void> | null = null;
  #wake: (() => void) | null = null;
  #isPoked = false;
  /** Number of calls that add tables. */
  #watching = 0;
  #isClosed = false;

  constructor(app: Pick<App, 'serverDatabase'>) {
    this.#app = app;
    this.#emptying = new Emptying(app);
  }

  /** Adds a reader, and begins to read. The changes that the reader receives before it watches a table may be incomplete. */
  async add(reader: LogReader): Promise<void> {
    if (this.#isClosed) throw new NinefoldError('RealtimeRestarting');
    this.#readers.add(reader);
    if (this.#starting === null) {
      const started = new ChangeReader(this.#app);
      this.#reader = started;
      this.#renewedAt = performance.now();
      this.#starting = this.#emptying.start().then(() => started.start());
      this.#starting.then(
        () => this.#run(started),
        () => {
          if (this.#reader === started) this.#stop();
        },
      );
    }
    await this.#starting;
  }

  /**
   * Watches tables. Every change that commits after the returned promise resolves reaches the readers. Call `add` first.
   * @throws NinefoldError RealtimeRestarting
   */
  async watch(tables: readonly WatchedTable[]): Promise<void> {
    const added = tables.filter(({ oid }) => !this.#watched.has(oid));
    if (added.length === 0) return;
    // A channel can have several entries for one table, such as INSERT and UPDATE. PostgreSQL inserts a row once for each statement.
    const oids = [...new Set(added.map(({ oid }) => oid))];
    this.#watching++;
    try {
      await renewWatch(this.#app, oids);
      await waitForWriters(
        this.#app,
        added.flatMap(({ parts }) => parts),
      );
      for (const { oid, parts } of added) this.#watched.set(oid, parts);
    } finally {
      this.#watching--;
    }
  }

  /** Removes a reader. After the last one the log stops. */
  remove(reader: LogReader): void {
    if (this.#readers.delete(reader) && this.#readers.size === 0) this.#stop();
  }

  poke(): void {
    this.#isPoked = true;
    this.#wake?.();
  }

  close(): void {
    this.#isClosed = true;
    this.#readers.clear();
    this.#stop();
  }

  #stop(): void {
    this.#reader = null;
    this.#starting = null;
    this.#watched.clear();
    this.#wake?.();
  }

  async #run(reader: ChangeReader): Promise<void> {
    let readAt = performance.now();
    let emptiedAt = 0;
    while (this.#reader === reader) {
      await this.#pause();
      if (this.#reader !== reader) return;
      try {
        await this.#renew();
        const result = await reader.read();
        readAt = performance.now();
        if ('gap' in result) await this.#recover(result.gap);
        else if (result.changes.length > 0) await this.#pass(result.changes);
        if (performance.now() - emptiedAt > EMPTY_MILLISECONDS) {
          emptiedAt = performance.now();
          await this.#emptying.run();
        }
      } catch (error) {
        if (performance.now() - readAt > MAX_FAILING_MILLISECONDS) {
          this.#announceGap(`The database cannot be read: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    }
  }

  async #pass(changes: readonly Change[]): Promise<void> {
    for (const reader of [...this.#readers]) {
      const until = performance.now() + MAX_FAILING_MILLISECONDS;
      while (this.#readers.has(reader)) {
        try {
          await reader.onChanges(changes);
          break;
        } catch (error) {
          if (performance.now() > until) {
            reader.onGap(`The changes cannot be delivered: ${error instanceof Error ? error.message : String(error)}`);
            break;
          }
          await delay(POLL_MILLISECONDS);
        }
      }
    }
  }

  /** Waits for the next poll or poke. */
  async #pause(): Promise<void> {
    if (!this.#isPoked) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MILLISECONDS);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = null;
    }
    this.#isPoked = false;
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    const late = now - this.#renewedAt;
    if (late < RENEW_MILLISECONDS) return;
    this.#forgetUnneeded();
    await renewWatch(this.#app, [...this.#watched.keys()]);
    this.#renewedAt = now;
    if (late > MAX_RENEW_MILLISECONDS) {
      await this.#recover('The changes were not read for a while, so some may be missing.');
    }
  }

  /** Stops to watch the tables that no reader needs. A table that was just added is not yet among the needed ones. */
  #forgetUnneeded(): void {
    if (this.#watching > 0) return;
    const needed = new Set([...this.#readers].flatMap((reader) => [...reader.neededTables()]));
    for (const oid of [...this.#watched.keys()]) if (!needed.has(oid)) this.#watched.delete(oid);
  }

  /** Watches the tables again, and announces the gap. A reader that continues misses nothing from then on. */
  async #recover(reason: string): Promise<void> {
    await renewWatch(this.#app, [...this.#watched.keys()]);
    await waitForWriters(this.#app, [...this.#watched.values()].flat()).catch(() => undefined);
    this.#announceGap(reason);
  }

  #announceGap(reason: string): void {
    for (const reader of [...this.#readers]) reader.onGap(reason);
  }
}
