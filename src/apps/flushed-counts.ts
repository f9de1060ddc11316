import { limits } from '../../contract/limits.ts';
import type { Events } from '../observe/events.ts';
import type { App } from './app.ts';
import type { Apps } from './apps.ts';
import { Background } from './background.ts';
import type { BackgroundTurns } from './background-turns.ts';
import { PerApp } from './per-app.ts';

/** Once in so many flushes what an app's database keeps is tidied, too: folded, and what is old forgotten. */
const TIDY_EVERY = 120;

/**
 * Buffers counters per app and key in memory, and writes them to the app's database every few seconds. Counters that cannot be written
 * then are dropped: figures are no reason to hold memory.
 */
export class FlushedCounts<Count> {
  readonly #apps: Apps;
  readonly #background: Background;
  readonly #write: (app: App, counts: readonly Count[], isTidying: boolean) => Promise<void>;
  readonly #counts = new PerApp<Map<string, Count>>(() => new Map());
  /** The apps that were tidied since the last of TIDY_EVERY flushes. */
  readonly #tidied = new Set<string>();
  #flushes = 0;
  /** The flush in the background that is under way. */
  #flushing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** `what`: what is counted, in the words of a fault. `write` puts the counts into an app's database, and tidies it where told to. */
  constructor(
    { apps, events, what }: { apps: Apps; events: Events; what: string },
    write: (app: App, counts: readonly Count[], isTidying: boolean) => Promise<void>,
  ) {
    this.#apps = apps;
    this.#background = new Background(events, what);
    this.#write = write;
  }

  /** Those of an app since the last flush, by key; null where there are too many apps. */
  of(ref: string): Map<string, Count> | null {
    return this.#counts.of(ref);
  }

  /** Writes every few seconds, each app in its turn. */
  start(turns: BackgroundTurns): void {
    this.#timer = setInterval(() => {
      this.#flushing ??= this.#flush((work) => turns.run(work)).finally(() => {
        this.#flushing = null;
      });
    }, limits.observationFlushMilliseconds.default);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    const until = performance.now() + limits.lastFlushMilliseconds.default;
    await this.#flush((work) => (performance.now() < until ? work() : Promise.resolve()));
  }

  /** Writes at once. */
  flush(): Promise<void> {
    return this.#flush((work) => work());
  }

  async #flush(run: (work: () => Promise<void>) => Promise<void>): Promise<void> {
    if (this.#flushes++ % TIDY_EVERY === 0) this.#tidied.clear();
    for (const ref of this.#counts.refs()) {
      await run(async () => {
        const counts = this.#counts.peek(ref);
        this.#counts.delete(ref);
        if (counts === undefined) return;
        const isTidying = !this.#tidied.has(ref);
        const isDone = await this.#background.attempt(ref, async () => {
          await this.#write(await this.#apps.find(ref), [...counts.values()], isTidying);
        });
        if (isDone) this.#tidied.add(ref);
      });
    }
  }
}
