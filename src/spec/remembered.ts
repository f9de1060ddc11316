import type { Specification } from '../../contract/specification.ts';
import type { App } from '../apps/app.ts';
import type { Settings } from '../apps/settings.ts';
import { catalogueState } from '../catalog/catalogue-state.ts';
import { type LiveFigures, loadFigures } from './figures/figures.ts';
import { withFigures } from './figures/with-figures.ts';

/**
 * Live figures stand for so many times as long as reading them took: of a small app they are never a second old, of a large one reading
 * them takes a fortieth of the time.
 */
const FIGURES_TIMES = 40;
const LEAST_MILLISECONDS = 400;
const MOST_MILLISECONDS = 10_000;

/** What was derived from one state of the app. */
interface Derived {
  readonly state: string;
  readonly settings: Settings;
  readonly specification: Promise<Specification>;
  /** Null where nobody has looked yet. */
  shown: Shown | null;
}

/** The same with live figures. */
interface Shown {
  /** Until when they stand, by performance.now(). */
  until: number;
  readonly specification: Promise<Specification>;
}

type Derive = () => Promise<Specification>;

/** The last specification of each app, as long as nothing that it is derived from has changed; its figures are read anew every few seconds. */
export class RememberedSpecifications {
  readonly #byApp = new WeakMap<App, Derived>();

  /** What `derive` answered before, or answers now. Throws what it throws, and what reading the catalogue does. */
  async withoutFigures(app: App, derive: Derive): Promise<Specification> {
    return (await this.#derived(app, derive)).specification;
  }

  /** The same with live figures. */
  async of(app: App, derive: Derive): Promise<Specification> {
    const derived = await this.#derived(app, derive);
    if (derived.shown !== null && performance.now() < derived.shown.until) return derived.shown.specification;
    const shown = show(derived.specification, loadFigures(app));
    derived.shown = shown;
    shown.specification.catch(() => {
      if (derived.shown === shown) derived.shown = null;
    });
    return shown.specification;
  }

  async #derived(app: App, derive: Derive): Promise<Derived> {
    // Before it is derived: what changes meanwhile is seen the next time.
    const [state, settings] = await Promise.all([catalogueState(app.database), app.settings()]);
    const known = this.#byApp.get(app);
    if (known?.state === state && known.settings === settings) return known;
    const derived: Derived = { state, settings, specification: derive(), shown: null };
    this.#byApp.set(app, derived);
    derived.specification.catch(() => {
      if (this.#byApp.get(app) === derived) this.#byApp.delete(app);
    });
    return derived;
  }
}

function show(specification: Promise<Specification>, figures: Promise<LiveFigures>): Shown {
  const as = new Date();
  const asked = performance.now();
  const shown: Shown = {
    until: Number.POSITIVE_INFINITY,
    specification: Promise.all([specification, figures]).then(([derived, live]) => withFigures(derived, live, as)),
  };
  const read = () => {
    const now = performance.now();
    shown.until = now + Math.min(Math.max(FIGURES_TIMES * (now - asked), LEAST_MILLISECONDS), MOST_MILLISECONDS);
  };
  figures.then(read, read);
  return shown;
}
