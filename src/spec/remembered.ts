import type { App } from '../apps/app.ts';
import { catalogueState } from '../catalog/catalogue-state.ts';
import { loadFigures } from './figures/figures.ts';
import type { TaskRunner } from './process/answer.ts';
import { despiteGone, Gone } from './process/gone.ts';
import type { Bytes, Handle, Source } from './process/tasks.ts';

/**
 * Live figures stand for so many times as long as it took to read them and to write the page with them anew: of a small app they are hardly a
 * second old, and of a large one, whose page is megabytes, whoever looks on takes little from its calls.
 */
const FIGURES_TIMES = 25;
const LEAST_MILLISECONDS = 400;
const MOST_MILLISECONDS = 10_000;

/** What was derived from one state of the app: the process holds it, this names it. */
interface Derived {
  readonly of: Handle;
  /** When it was asked for first, by performance.now(). */
  readonly since: number;
  /** From then on the process may be asked for what is made of it: it does one task after the other. */
  readonly begun: Promise<unknown>;
  readonly hash: Promise<string>;
  /** Null where nobody has looked yet. */
  shown: Shown | null;
}

/** The same with live figures. */
interface Shown {
  /** Until when they stand, by performance.now(). */
  until: number;
  /** From then on the process may be asked for what is made of it. */
  readonly begun: Promise<unknown>;
  /** When the process has put them in. */
  readonly ready: Promise<void>;
  /** What was made of it, by its name: pages ask for the same megabytes again and again. */
  readonly pages: Map<string, Promise<Bytes>>;
  /** Counts the first of what is made of it among what it took. */
  weigh(used: Promise<unknown>): void;
}

/** The last specification of each app, as long as nothing that it is derived from has changed; its figures are read anew every few seconds. */
export class RememberedSpecifications {
  readonly #byApp = new WeakMap<App, Derived>();
  readonly #tasks: TaskRunner;
  readonly #read: (app: App) => Promise<Source>;

  /** `read`: what the specification of an app is derived from. */
  constructor(tasks: TaskRunner, read: (app: App) => Promise<Source>) {
    this.#tasks = tasks;
    this.#read = read;
  }

  /**
   * What `use` makes of the app's specification as it stands, in the process that holds it. Throws what `use` throws, what reading the
   * catalogue does, and NinefoldError `specification_too_large`.
   */
  withoutFigures<T>(app: App, use: (of: Handle, hash: string) => Promise<T>): Promise<T> {
    return this.#with(app, async ({ of, hash }) => use(of, await hash));
  }

  /** The same with live figures; what `use` keeps in `pages` lasts as long as they do. */
  withFigures<T>(app: App, use: (of: Handle, pages: Map<string, Promise<Bytes>>) => Promise<T>): Promise<T> {
    return this.#with(app, (derived) => {
      const shown = this.#shown(app, derived);
      // All is asked at once, so that no answer is waited for but the last.
      const used = shown.begun.then(() => use(derived.of, shown.pages));
      shown.weigh(used);
      return after([derived.hash, shown.ready], used);
    });
  }

  /** Whether it was derived here after a time of performance.now(): asking for it again costs little. */
  isDerivedSince(app: App, time: number): boolean {
    return (this.#byApp.get(app)?.since ?? Number.NEGATIVE_INFINITY) > time;
  }

  #with<T>(app: App, use: (derived: Derived) => Promise<T>): Promise<T> {
    return despiteGone(async () => {
      const derived = await this.#derived(app);
      try {
        return await use(derived);
      } catch (error) {
        if (error instanceof Gone) this.#forget(app, derived);
        throw error;
      }
    });
  }

  async #derived(app: App): Promise<Derived> {
    // Before it is derived: what changes meanwhile is seen the next time.
    const [catalogue, settings] = await Promise.all([catalogueState(app.database), app.settings()]);
    const { ref, name, createdAt } = app.record;
    const of = { ref, state: JSON.stringify([name, createdAt, catalogue, settings]) };
    const known = this.#byApp.get(app);
    if (known?.of.state === of.state) return known;
    const begun = this.#begin(app, of);
    const derived: Derived = { of, since: performance.now(), begun, hash: begun.then(({ hash }) => hash), shown: null };
    this.#byApp.set(app, derived);
    derived.hash.catch(() => this.#forget(app, derived));
    return derived;
  }

  /** Has it derived, unless another worker already had. */
  async #begin(app: App, of: Handle): Promise<{ hash: Promise<string> }> {
    try {
      return { hash: Promise.resolve(await this.#tasks.run('hash', { of })) };
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
    const source = await this.#read(app);
    return { hash: this.#tasks.run('derive', { of, source }) };
  }

  #forget(app: App, derived: Derived): void {
    if (this.#byApp.get(app) === derived) this.#byApp.delete(app);
  }

  #shown(app: App, derived: Derived): Shown {
    if (derived.shown !== null && performance.now() < derived.shown.until) return derived.shown;
    const shown = this.#show(app, derived);
    derived.shown = shown;
    shown.ready.catch(() => {
      if (derived.shown === shown) derived.shown = null;
    });
    return shown;
  }

  #show(app: App, { of, begun: derivedBegun, hash }: Derived): Shown {
    const at = new Date();
    const asked = performance.now();
    const read = loadFigures(app);
    const begun = Promise.all([read, derivedBegun]).then(([figures]) => ({
      ready: this.#tasks.run('addFigures', { of, figures, at }),
    }));
    let spent = 0;
    const spend = (since: number) => {
      const now = performance.now();
      spent += now - since;
      shown.until = now + Math.min(Math.max(FIGURES_TIMES * spent, LEAST_MILLISECONDS), MOST_MILLISECONDS);
    };
    let isWeighed = false;
    const shown: Shown = {
      until: Number.POSITIVE_INFINITY,
      begun,
      ready: begun.then(({ ready }) => ready),
      pages: new Map(),
      weigh: (used) => {
        if (isWeighed) return;
        isWeighed = true;
        // What deriving took before is no part of it.
        const weighed = Promise.all([begun, hash]).then(async () => {
          const since = performance.now();
          await used;
          spend(since);
        });
        weighed.catch(() => undefined);
      },
    };
    const end = () => spend(asked);
    read.then(end, end);
    return shown;
  }
}

/** What comes last, once all is done. Where several fail, the error of the first: the others follow from it. */
async function after<T>(before: readonly Promise<unknown>[], last: Promise<T>): Promise<T> {
  const all = await Promise.allSettled([...before, last]);
  for (const one of all) if (one.status === 'rejected') throw one.reason;
  return last;
}
