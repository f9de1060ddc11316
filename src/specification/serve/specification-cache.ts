import { randomUUID } from 'node:crypto';
import type { App } from '../../apps/app.ts';
import type { Settings } from '../../apps/settings.ts';
import { catalogFingerprint } from '../../catalog/catalog-fingerprint.ts';
import type { FactOptions, RawFacts } from '../../catalog/facts.ts';
import type { SpecificationApp } from '../derive/specification.ts';
import { loadFigures, type ReadBackup } from './figures/figures.ts';
import { NotCachedError, retryIfNotCached } from './process/not-cached.ts';
import type { TaskRunner } from './process/task-result.ts';
import type { Bytes, SpecificationKey } from './process/tasks.ts';

/**
 * Live figures stay valid for FIGURES_TIMES × the time that it takes to read them and to write the page, within the two
 * limits below. So a small app gets new figures about every second. For a large app, pages of megabytes are written
 * less often, which leaves more time for its calls.
 */
const FIGURES_TIMES = 25;
const LEAST_MILLISECONDS = 400;
const MOST_MILLISECONDS = 10_000;

/** Returns the data from which the specification of an app is derived. */
export interface SpecificationSources {
  describe(app: App, settings: Settings): { app: SpecificationApp; options: FactOptions };
  /** @throws Errors of `loadFacts`. */
  readFacts(app: App, options: FactOptions): Promise<RawFacts>;
  /** Returns null if all facts must be read. @throws Errors of `loadFacts`. */
  readChangedFacts(app: App, options: FactOptions, states: CatalogStates): Promise<RawFacts | null>;
  readonly readBackup: ReadBackup;
}

/** The fingerprints of the catalog before and after a change. */
interface CatalogStates {
  before: string;
  after: string;
}

/** The specification of one state of the app, cached in the specification process. */
interface Derived {
  /** The state of the app before the specification was derived. */
  readonly state: string;
  /** The fingerprint of the catalog in this state. */
  readonly catalog: string;
  /** The time of the first request for this specification, by performance.now(). */
  readonly since: number;
  /**
   * Resolves as soon as the task to derive the specification has been sent to the process. The value is the key of the
   * specification in the process. The process runs tasks in order, so further tasks may be sent immediately.
   */
  readonly begun: Promise<SpecificationKey>;
  readonly hash: Promise<string>;
  /** The latest live figures; null if no caller has requested figures yet. */
  shown: CachedFigures | null;
}

/** The readings of an app's fingerprint. */
interface Fingerprints {
  /** Settles when the last reading that began has ended. */
  last: Promise<unknown>;
  /** The reading that begins after it; null if nobody waits for one. */
  next: Promise<string> | null;
}

/** The specification with live figures. */
interface CachedFigures {
  /** The time until which the figures are valid, by performance.now(). */
  until: number;
  /** Resolves as soon as the figures have been sent to the process. Tasks that use the figures may then be sent. */
  readonly begun: Promise<{ of: SpecificationKey }>;
  /** Resolves when the process has added the figures. */
  readonly ready: Promise<void>;
  /** Results of tasks by name. They are cached, because several requests may need the same page of megabytes. */
  readonly pages: Map<string, Promise<Bytes>>;
  /** Adds the duration of the first use of the figures to the measured time. */
  trackDuration(used: Promise<unknown>): void;
}

/**
 * Caches the latest specification of each app until its catalog or its settings change. Reads its figures again every
 * few seconds.
 */
export class SpecificationCache {
  readonly #byApp = new WeakMap<App, Derived>();
  readonly #fingerprints = new WeakMap<App, Fingerprints>();
  readonly #tasks: TaskRunner;
  readonly #sources: SpecificationSources;

  constructor(tasks: TaskRunner, sources: SpecificationSources) {
    this.#tasks = tasks;
    this.#sources = sources;
  }

  /**
   * Calls `use` with the key and hash of the current specification, and returns the result. Derives the specification
   * again and repeats the call if the process no longer has it in its cache.
   * @throws Errors of `use` and of reading the catalog, and NinefoldError `specification_too_large`.
   */
  withoutFigures<T>(app: App, use: (of: SpecificationKey, hash: string) => Promise<T>): Promise<T> {
    return this.#with(app, async ({ begun, hash }) => use(await begun, await hash));
  }

  /**
   * Calls `use` as soon as the task to derive the specification has been sent. The process then runs a task that `use`
   * sends directly after the derivation. Repeats this as `withoutFigures` does.
   * @throws Errors as in `withoutFigures`.
   */
  onceBegun<T>(app: App, use: (of: SpecificationKey) => Promise<T>): Promise<T> {
    return this.#with(app, ({ begun, hash }) => after([hash], begun.then(use)));
  }

  /**
   * Calls `use` for the current specification with live figures. Entries of `pages` are cached as long as the figures
   * are valid.
   * @throws Errors as in `withoutFigures`.
   */
  withFigures<T>(app: App, use: (of: SpecificationKey, pages: Map<string, Promise<Bytes>>) => Promise<T>): Promise<T> {
    return this.#with(app, (derived) => {
      const shown = this.#shown(app, derived);
      // Sends all tasks at once, because the process runs them in order. Only the last result must be awaited.
      const used = shown.begun.then(({ of }) => use(of, shown.pages));
      shown.trackDuration(used);
      return after([derived.hash, shown.ready], used);
    });
  }

  /**
   * Returns true if this worker has requested the specification after a time of performance.now(). A new request is
   * then cheap.
   */
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
    const [catalog, settings] = await Promise.all([this.#fingerprint(app), app.settings()]);
    const state = stateOf(app, catalog, settings);
    const known = this.#byApp.get(app);
    if (known?.state === state) return known;
    const beginning = this.#begin(app, state, catalog, settings, known);
    const derived: Derived = {
      state,
      catalog,
      since: performance.now(),
      begun: beginning.then(({ of }) => of),
      hash: beginning.then(({ hash }) => hash),
      shown: null,
    };
    this.#byApp.set(app, derived);
    derived.hash.catch(() => this.#forget(app, derived));
    return derived;
  }

  /**
   * Reads the fingerprint of the catalog. A page sends several requests at once, so all callers that come while a reading
   * is in progress share the next one. Its snapshot is newer than their calls.
   */
  #fingerprint(app: App): Promise<string> {
    const known = this.#fingerprints.get(app) ?? { last: Promise.resolve(), next: null };
    this.#fingerprints.set(app, known);
    known.next ??= known.last.then(() => {
      const reading = catalogFingerprint(app.database);
      known.last = reading.catch(() => undefined);
      known.next = null;
      return reading;
    });
    return known.next;
  }

  /**
   * Derives the specification in the process unless another worker has already done so. Reads only the facts that have
   * changed since an earlier specification, if this is possible.
   */
  async #begin(
    app: App,
    state: string,
    catalog: string,
    settings: Settings,
    earlier: Derived | undefined,
  ): Promise<{ of: SpecificationKey; hash: Promise<string> }> {
    const { ref, createdAt } = app.record;
    const described = this.#sources.describe(app, settings);
    const factsState = JSON.stringify([createdAt, catalog, described.options]);
    try {
      const of = { ref, state };
      const given = { of, factsState, app: described.app };
      return { of, hash: Promise.resolve(await this.#tasks.run('deriveFromCached', given)) };
    } catch (error) {
      if (!(error instanceof NotCachedError)) throw error;
    }
    const basis = await earlier?.begun.catch(() => undefined);
    // Only the state of a complete reading names its catalog; a unique state may be that of a later catalog.
    if (earlier && basis?.state === earlier.state) {
      const states = { before: earlier.catalog, after: catalog };
      const facts = await this.#sources.readChangedFacts(app, described.options, states);
      // The fingerprint belongs to the same snapshot as the facts, so the specification gets the state at once.
      if (facts) {
        const of = { ref, state };
        const source = { facts, factsState, app: described.app, basis: basis.state };
        return { of, hash: this.#tasks.run('derive', { of, source }) };
      }
    }
    const facts = await this.#sources.readFacts(app, described.options);
    // A change and its reversal lead to the same state. A specification that was derived between them must not be found
    // under this state. So it gets the state only if the catalog is the same before and after the facts were read.
    const unique = { ref, state: randomUUID() };
    const source = { facts, factsState: unique.state, app: described.app };
    const hash = this.#tasks.run('derive', { of: unique, source });
    hash.catch(() => undefined);
    if ((await catalogFingerprint(app.database)) !== catalog) {
      this.#forgetState(app, state);
      return { of: unique, hash };
    }
    const named = this.#tasks.run('setState', { of: unique, state, factsState });
    return { of: { ref, state }, hash: after([hash], named).then(() => hash) };
  }

  /** Removes the entry of a state, so that the next caller derives the specification. */
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
    const read = loadFigures(app, this.#sources.readBackup);
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
        // Measures from the end of the derivation on, because figures do not repeat the time of the derivation.
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

/**
 * Returns the last result after all promises are settled. If several of them fail, throws the error of the first,
 * because the other errors follow from it.
 */
async function after<T>(before: readonly Promise<unknown>[], last: Promise<T>): Promise<T> {
  const all = await Promise.allSettled([...before, last]);
  for (const one of all) if (one.status === 'rejected') throw one.reason;
  return last;
}
