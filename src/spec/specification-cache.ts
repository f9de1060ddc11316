import { randomUUID } from 'node:crypto';
import type { App } from '../apps/app.ts';
import type { Settings } from '../apps/settings.ts';
import { catalogFingerprint } from '../catalog/catalog-fingerprint.ts';
import { loadFigures } from './figures/figures.ts';
import { NotCachedError, retryIfNotCached } from './process/not-cached.ts';
import type { TaskRunner } from './process/task-result.ts';
import type { Bytes, Source, SpecificationKey } from './process/tasks.ts';

/**
 * Live figures stand for so many times as long as it took to read them and to write the page with them anew: of a small app they are hardly a
 * second old, and of a large one, whose page is megabytes, whoever looks on takes little from its calls.
 */
const FIGURES_TIMES = 25;
const LEAST_MILLISECONDS = 400;
const MOST_MILLISECONDS = 10_000;

/** The specification that the process holds of one state of the app. */
interface Derived {
  /** The state that was read before the specification was derived. */
  readonly state: string;
  /** When it was asked for first, by performance.now(). */
  readonly since: number;
  /** Resolves to the name under which the process holds it. The process does one task after the other, so tasks on it may follow. */
  readonly begun: Promise<SpecificationKey>;
  readonly hash: Promise<string>;
  /** Null where nobody has looked yet. */
  shown: CachedFigures | null;
}

/** The same with live figures. */
interface CachedFigures {
  /** Until when they stand, by performance.now(). */
  until: number;
  /** From then on the process may be asked for what is made of it. */
  readonly begun: Promise<{ of: SpecificationKey }>;
  /** When the process has put them in. */
  readonly ready: Promise<void>;
  /** What was made of it, by its name: pages ask for the same megabytes again and again. */
  readonly pages: Map<string, Promise<Bytes>>;
  /** Counts the first of what is made of it among what it took. */
  trackDuration(used: Promise<unknown>): void;
}

/** The last specification of each app, as long as nothing that it is derived from has changed; its figures are read anew every few seconds. */
export class SpecificationCache {
  readonly #byApp = new WeakMap<App, Derived>();
  readonly #tasks: TaskRunner;
  readonly #read: (app: App, settings: Settings) => Promise<Source>;

  /** @param read Reads what the specification of an app with these settings is derived from. */
  constructor(tasks: TaskRunner, read: (app: App, settings: Settings) => Promise<Source>) {
    this.#tasks = tasks;
    this.#read = read;
  }

  /**
   * What `use` makes of the app's specification as it stands, in the process that holds it. Throws what `use` throws, what reading the
   * catalog does, and NinefoldError `specification_too_large`.
   */
  withoutFigures<T>(app: App, use: (of: SpecificationKey, hash: string) => Promise<T>): Promise<T> {
    return this.#with(app, async ({ begun, hash }) => use(await begun, await hash));
  }

  /** The same with live figures; what `use` keeps in `pages` lasts as long as they do. */
  withFigures<T>(app: App, use: (of: SpecificationKey, pages: Map<string, Promise<Bytes>>) => Promise<T>): Promise<T> {
    return this.#with(app, (derived) => {
      const shown = this.#shown(app, derived);
      // All is asked at once, so that no answer is waited for but the last.
      const used = shown.begun.then(({ of }) => use(of, shown.pages));
      shown.trackDuration(used);
      return after([derived.hash, shown.ready], used);
    });
  }

  /** Whether it was derived here after a time of performance.now(): asking for it again costs little. */
  isDerivedSince(app: App, time: number): boolean {
    return (this.#byApp.get(app)?.since ?? Number.NEGATIVE_INFINITY) > time;
  }

  #with<T>(app: App, use: (derived: Derived) => Promise<T>): Promise<T> {
    return retryIfNotCached(async () => {
      const derived = await this.#derived(app);
      try {
        return await use(derived);
      } catch (error) {
        if (error instanceof NotCachedError) this.#forget(app, derived);
        throw error;
      }
    });
  }

  async #derived(app: App): Promise<Derived> {
    const [catalog, settings] = await Promise.all([catalogFingerprint(app.database), app.settings()]);
    const state = stateOf(app, catalog, settings);
    const known = this.#byApp.get(app);
    if (known?.state === state) return known;
    const beginning = this.#begin(app, state, settings);
    const derived: Derived = {
      state,
      since: performance.now(),
      begun: beginning.then(({ of }) => of),
      hash: beginning.then(({ hash }) => hash),
      shown: null,
    };
    this.#byApp.set(app, derived);
    derived.hash.catch(() => this.#forget(app, derived));
    return derived;
  }

  /** Has the specification derived, unless another worker already had. */
  async #begin(app: App, state: string, settings: Settings): Promise<{ of: SpecificationKey; hash: Promise<string> }> {
    const { ref } = app.record;
    try {
      const of = { ref, state };
      return { of, hash: Promise.resolve(await this.#tasks.run('hash', { of })) };
    } catch (error) {
      if (!(error instanceof NotCachedError)) throw error;
    }
    const source = await this.#read(app, settings);
    // A change and its reversal lead to the same state. A specification of what was between the two must not be found under that state.
    const isSame = stateOf(app, await catalogFingerprint(app.database), settings) === state;
    const of = { ref, state: isSame ? state : randomUUID() };
    if (!isSame) this.#forgetState(app, state);
    return { of, hash: this.#tasks.run('derive', { of, source }) };
  }

  /** Has the next caller derive anew. */
  #forgetState(app: App, state: string): void {
    if (this.#byApp.get(app)?.state === state) this.#byApp.delete(app);
  }

  #forget(app: App, derived: Derived): void {
    if (this.#byApp.get(app) === derived) this.#byApp.delete(app);
  }

  #shown(app: App, derived: Derived): CachedFigures {
    if (derived.shown !== null && performance.now() < derived.shown.until) return derived.shown;
    const shown = this.#show(app, derived);
    derived.shown = shown;
    shown.ready.catch(() => {
      if (derived.shown === shown) derived.shown = null;
    });
    return shown;
  }

  #show(app: App, { begun: derivedBegun, hash }: Derived): CachedFigures {
    const at = new Date();
    const asked = performance.now();
    const read = loadFigures(app);
    const begun = Promise.all([read, derivedBegun]).then(([figures, of]) => ({
      of,
      ready: this.#tasks.run('addFigures', { of, figures, at }),
    }));
    let spent = 0;
    const extendLifetime = (since: number) => {
      const now = performance.now();
      spent += now - since;
      shown.until = now + Math.min(Math.max(FIGURES_TIMES * spent, LEAST_MILLISECONDS), MOST_MILLISECONDS);
    };
    let isWeighed = false;
    const shown: CachedFigures = {
      until: Number.POSITIVE_INFINITY,
      begun,
      ready: begun.then(({ ready }) => ready),
      pages: new Map(),
      trackDuration: (used) => {
        if (isWeighed) return;
        isWeighed = true;
        // What deriving took before is no part of it.
        const weighed = Promise.all([begun, hash]).then(async () => {
          const since = performance.now();
          await used;
          extendLifetime(since);
        });
        weighed.catch(() => undefined);
      },
    };
    const end = () => extendLifetime(asked);
    read.then(end, end);
    return shown;
  }
}

const stateOf = ({ record: { name, createdAt } }: App, catalog: string, settings: Settings): string =>
  JSON.stringify([name, createdAt, catalog, settings]);

/** What comes last, once all is done. Where several fail, the error of the first: the others follow from it. */
async function after<T>(before: readonly Promise<unknown>[], last: Promise<T>): Promise<T> {
  const all = await Promise.allSettled([...before, last]);
  for (const one of all) if (one.status === 'rejected') throw one.reason;
  return last;
}
