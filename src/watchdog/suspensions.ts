import type { AppBounds } from '../../contract/limits.ts';

/** Number of minor breaches, within the time below, after which an app is suspended. */
const REPEATED = 3;
const REPEATED_WITHIN_MILLISECONDS = 60_000;
/** Time without a breach after which the next suspension of an app is as short as its first one. */
const FORGIVEN_MILLISECONDS = 600_000;

/** An app that is suspended. */
export interface Suspension {
  readonly app: string;
  /** The limit that the app exceeded. */
  readonly limit: keyof AppBounds;
  /** Seconds until the suspension ends. */
  readonly seconds: number;
}

interface Record {
  limit: keyof AppBounds;
  breaches: number[];
  seconds: number;
  until: number;
}

/**
 * Tracks which apps are suspended. Each further suspension of an app lasts twice as long as the one before. Times are
 * milliseconds of performance.now().
 */
export class Suspensions {
  readonly #first: number;
  readonly #longest: number;
  readonly #records = new Map<string, Record>();

  /**
   * @param first Duration of the first suspension in seconds.
   * @param longest Maximum duration in seconds.
   */
  constructor(first: number, longest: number) {
    this.#first = first;
    this.#longest = longest;
  }

  isSuspended(app: string, now: number): boolean {
    return (this.#records.get(app)?.until ?? 0) > now;
  }

  /**
   * Records a breach. Returns the duration in seconds if the breach suspends the app; 0 if it does not, or if the app
   * is already suspended.
   * @param limit The limit that the app exceeded.
   * @param isGrave True if a single breach of this limit leads to a suspension.
   */
  record(app: string, limit: keyof AppBounds, isGrave: boolean, now: number): number {
    const known = this.#records.get(app);
    const last = known?.breaches.at(-1) ?? Number.NEGATIVE_INFINITY;
    const record = known && now - last < FORGIVEN_MILLISECONDS ? known : { limit, breaches: [], seconds: 0, until: 0 };
    this.#records.set(app, record);
    record.breaches = [...record.breaches.filter((at) => now - at < REPEATED_WITHIN_MILLISECONDS), now];
    if (record.until > now || !(isGrave || record.breaches.length >= REPEATED)) return 0;
    record.seconds = Math.min(record.seconds === 0 ? this.#first : record.seconds * 2, this.#longest);
    record.until = now + record.seconds * 1000;
    record.limit = limit;
    return record.seconds;
  }

  /** Records a suspension that another node has decided. A further breach then suspends the app for twice as long. */
  adopt(app: string, limit: keyof AppBounds, seconds: number, now: number): void {
    const { breaches = [], seconds: longest = 0 } = this.#records.get(app) ?? {};
    const record = { limit, breaches: [...breaches, now], seconds: Math.max(seconds, longest) };
    this.#records.set(app, { ...record, until: now + seconds * 1000 });
  }

  /** Returns the suspensions that have not ended. */
  current(now: number): Suspension[] {
    return [...this.#records].flatMap(([app, { limit, until }]) =>
      until > now ? [{ app, limit, seconds: (until - now) / 1000 }] : [],
    );
  }

  /** Removes apps without a recent breach. */
  tidy(now: number): void {
    for (const [app, { breaches }] of this.#records) {
      if (now - (breaches.at(-1) ?? 0) > FORGIVEN_MILLISECONDS) this.#records.delete(app);
    }
  }
}
