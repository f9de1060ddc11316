import { limits } from '../../contract/limits.ts';
import { addAll } from '../observe/histogram.ts';
import { noCalls, sumOf } from './call-counts.ts';

/** Number of apps that have their own series. */
const NAMED = limits.namedApps.default;
/** Factor by which an app must be busier than a named app to take its place. It prevents that two apps alternate. */
const LEAD = 2;
/** Share of its rank that an app keeps from one minute to the next. */
const KEPT = 0.9;
/** Rank below which an app is forgotten. */
const FORGOTTEN = 0.01;
/** Number of minutes over which the load of an app is shown. */
const LOAD_MINUTES = 5;
/** Length of a minute in seconds. */
const MINUTE = 60;

/** Label of all apps without their own series. No app can have this ref. */
export const OTHER = '_other';

/**
 * Adds up the calls of all workers by app. Only the busiest apps have their own totals; the calls of all others are added
 * to `_other`. Calls are added when they are counted, so no total ever becomes smaller, also when an app is named later.
 */
export class CallTotals {
  readonly #totals = new Map<string, Float64Array>();
  /** The calls of the last minutes by app, the current minute first. */
  readonly #minutes: Map<string, Float64Array>[] = [new Map()];
  readonly #ranks = new Map<string, number>();
  readonly #startedAt = performance.now();

  /** Adds calls that a worker has counted. */
  add(app: string, counts: Float64Array): void {
    const minute = this.#minutes[0] as Map<string, Float64Array>;
    addTo(minute, app, counts);
    const hasName = this.#totals.has(app) || app === '' || this.#countNamed() < NAMED;
    addTo(this.#totals, hasName ? app : OTHER, counts);
  }

  /** Totals by app, with those of `_other` and of requests that reached no app, which has an empty ref. */
  get totals(): ReadonlyMap<string, Float64Array> {
    return this.#totals;
  }

  #countNamed(): number {
    return this.#totals.size - Number(this.#totals.has('')) - Number(this.#totals.has(OTHER));
  }

  get #named(): string[] {
    return [...this.#totals.keys()].filter((app) => app !== '' && app !== OTHER);
  }

  /** Ends a minute: gives busy apps the places of less busy ones. Returns the number of calls in this minute. */
  endMinute(): number {
    const minute = this.#minutes[0] as Map<string, Float64Array>;
    this.#minutes.unshift(new Map());
    this.#minutes.length = Math.min(this.#minutes.length, LOAD_MINUTES + 1);
    let calls = 0;
    for (const [app, rank] of this.#ranks) this.#ranks.set(app, rank * KEPT);
    for (const [app, counts] of minute) {
      const sum = sumOf(counts).calls;
      calls += sum;
      if (app !== '') this.#ranks.set(app, (this.#ranks.get(app) ?? 0) + sum);
    }
    for (const [app, rank] of this.#ranks) if (rank < FORGOTTEN) this.#ranks.delete(app);
    this.#giveNames();
    return calls;
  }

  /** Removes the totals of apps that no longer exist. */
  keepOnly(apps: ReadonlySet<string>): void {
    for (const app of this.#named) if (!apps.has(app)) this.#totals.delete(app);
  }

  /** Returns the calls of the last minutes by app, and the number of seconds in which they were counted. */
  load(): { seconds: number; apps: Map<string, Float64Array> } {
    const apps = new Map<string, Float64Array>();
    for (const minute of this.#minutes) for (const [app, counts] of minute) if (app !== '') addTo(apps, app, counts);
    const sinceStart = (performance.now() - this.#startedAt) / 1000;
    return { seconds: Math.max(1, Math.min(sinceStart, LOAD_MINUTES * MINUTE)), apps };
  }

  #giveNames(): void {
    const rankOf = (app: string) => this.#ranks.get(app) ?? 0;
    const named = this.#named.sort((a, b) => rankOf(a) - rankOf(b));
    if (named.length < NAMED) return;
    const others = [...this.#ranks.keys()].filter((app) => !this.#totals.has(app));
    others.sort((a, b) => rankOf(b) - rankOf(a));
    for (const [i, app] of others.entries()) {
      const last = named[i];
      if (last === undefined || rankOf(app) <= LEAD * rankOf(last)) return;
      this.#totals.delete(last);
      this.#totals.set(app, noCalls());
    }
  }
}

function addTo(totals: Map<string, Float64Array>, app: string, counts: Float64Array): void {
  const known = totals.get(app);
  if (known) addAll(known, counts);
  else totals.set(app, counts.slice());
}
