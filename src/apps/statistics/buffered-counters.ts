import { limits } from '../../../contract/limits.ts';
import { ConnectionError, PoolTimeoutError } from '../../database/database-error.ts';
import type { Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import { Background } from '../maintenance/background.ts';
import type { BackgroundTurns } from '../maintenance/background-turns.ts';

/** Number of flushes after which the data in an app's database is maintained: merged, and old data deleted. */
const MAINTAIN_EVERY = 120;

/** A value for each app, by ref. The number of apps is limited, so that invented refs cannot fill the memory. */
export class PerApp<T> {
  readonly #make: () => T;
  readonly #all = new Map<string, T>();

  constructor(make: () => T) {
    this.#make = make;
  }

  /** Returns the value of an app, which the first call creates; null if there are too many apps. */
  of(ref: string): T | null {
    const known = this.#all.get(ref);
    if (known !== undefined) return known;
    if (this.#all.size >= limits.observedApps.default) return null;
    const made = this.#make();
    this.#all.set(ref, made);
    return made;
  }

  /** Returns the value of an app, if there is one. */
  peek(ref: string): T | undefined {
    return this.#all.get(ref);
  }

  delete(ref: string): void {
    this.#all.delete(ref);
  }

  entries(): [string, T][] {
    return [...this.#all];
  }

  refs(): string[] {
    return [...this.#all.keys()];
  }
}

/** Runs one task of a flush: at once, or when the background work of the worker has a turn for the task. */
export type RunTask = (work: () => Promise<void>) => Promise<void>;

/** Runs a flush every few seconds in the background, one run at a time. */
export class TimedFlush {
  readonly #flush: (run: RunTask) => Promise<void>;
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(flush: (run: RunTask) => Promise<void>) {
    this.#flush = flush;
  }

  start(turns: BackgroundTurns): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.#flush((work) => turns.run(work)).finally(() => {
        this.#running = null;
      });
    }, limits.observationFlushMilliseconds.default);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }
}

/** How counters of an app get into its database. */
interface Storing<Count> {
  readonly write: (app: App, counts: readonly Count[]) => Promise<void>;
  /** Maintains the stored data after each write. `isDue` is true for one write in MAINTAIN_EVERY flushes. */
  readonly maintain: (app: App, isDue: boolean) => Promise<void>;
}

/**
 * Buffers counters per app and key in memory, and writes them to the app's database every few seconds. Counters that
 * cannot be written because no connection is free are written with the next flush; if that fails too, they are dropped,
 * to limit memory.
 */
export class BufferedCounters<Count> {
  readonly #apps: Apps;
  readonly #background: Background;
  readonly #storing: Storing<Count>;
  readonly #counts = new PerApp<Map<string, Count>>(() => new Map());
  /** The counters that the last flush could not write, by ref. */
  readonly #late = new Map<string, readonly Count[]>();
  /** The apps that were maintained since the set was last cleared. It is cleared every MAINTAIN_EVERY flushes. */
  readonly #tidied = new Set<string>();
  readonly #timed = new TimedFlush((run) => this.#flush(run));
  #flushes = 0;

  /** @param parts.what Description of the counters for fault events. */
  constructor({ apps, events, what }: { apps: Apps; events: Events; what: string }, storing: Storing<Count>) {
    this.#apps = apps;
    this.#background = new Background(events, what);
    this.#storing = storing;
  }

  /** Returns the counters of an app since the last flush, by key; null if there are too many apps. */
  of(ref: string): Map<string, Count> | null {
    return this.#counts.of(ref);
  }

  /** Starts to write every few seconds, one app at a time. */
  start(turns: BackgroundTurns): void {
    this.#timed.start(turns);
  }

  async stop(): Promise<void> {
    this.#timed.stop();
    const until = performance.now() + limits.lastFlushMilliseconds.default;
    await this.#flush((work) => (performance.now() < until ? work() : Promise.resolve()));
  }

  /** Writes immediately. */
  flush(): Promise<void> {
    return this.#flush((work) => work());
  }

  /** Immediately writes the counters of one app. */
  async flushApp(ref: string): Promise<void> {
    await this.#background.attempt(ref, async () => {
      const late = this.#late.get(ref);
      this.#late.delete(ref);
      if (late) await this.#storing.write(await this.#apps.find(ref), late);
      const counts = this.#counts.peek(ref);
      this.#counts.delete(ref);
      if (counts) await this.#writeOnce(ref, [...counts.values()]);
      if (!late && !counts) return;
      await this.#storing.maintain(await this.#apps.find(ref), !this.#tidied.has(ref));
      this.#tidied.add(ref);
    });
  }

  async #writeOnce(ref: string, counts: readonly Count[]): Promise<void> {
    try {
      await this.#storing.write(await this.#apps.find(ref), counts);
    } catch (error) {
      if (isUnwritten(error)) this.#late.set(ref, counts);
      throw error;
    }
  }

  async #flush(run: RunTask): Promise<void> {
    if (this.#flushes++ % MAINTAIN_EVERY === 0) this.#tidied.clear();
    const refs = new Set([...this.#counts.refs(), ...this.#late.keys()]);
    for (const ref of refs) await run(() => this.flushApp(ref));
  }
}

/** Returns true if PostgreSQL has not run the statement, because it got no connection. */
const isUnwritten = (error: unknown): boolean =>
  error instanceof PoolTimeoutError || (error instanceof ConnectionError && !error.mayHaveCommitted);
