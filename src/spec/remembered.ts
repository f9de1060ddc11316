import type { Specification } from '../../contract/specification.ts';
import type { App } from '../apps/app.ts';
import type { Settings } from '../apps/settings.ts';
import { catalogueState } from '../catalog/catalogue-state.ts';

/** For how long live figures stand, in milliseconds. */
const FIGURES_MILLISECONDS = 10_000;

/** Of an app with many entities, which takes long to derive, they stand longer: a minute at most. */
const figuresStand = ({ chapters }: Specification): number => {
  const times = (chapters.entities?.entities.length ?? 0) / 50;
  return FIGURES_MILLISECONDS * Math.min(6, Math.max(1, times));
};

interface Entry {
  readonly state: string;
  readonly settings: Settings;
  /** When its figures were read, by performance.now(). */
  readonly at: number;
  readonly specification: Promise<Specification>;
}

/** The last specification of each app, as long as nothing that it is derived from has changed. */
export class RememberedSpecifications {
  readonly #byApp = new WeakMap<App, Entry>();

  /** What `derive` answered before, or answers now. Throws what it throws, and what reading the catalogue does. */
  async of(app: App, derive: () => Promise<Specification>): Promise<Specification> {
    // Before it is derived: what changes meanwhile is seen the next time.
    const [state, settings] = await Promise.all([catalogueState(app.database), app.settings()]);
    const known = this.#byApp.get(app);
    if (known && known.state === state && known.settings === settings) {
      const specification = await known.specification;
      if (performance.now() - known.at < figuresStand(specification)) return specification;
      // Another, who waited for the same, derives it anew already.
      if (this.#byApp.get(app) !== known) return this.of(app, derive);
    }
    const figures_at = new Date().toISOString();
    const specification = derive().then((derived) => ({ ...derived, figures_at }));
    this.#byApp.set(app, { state, settings, at: performance.now(), specification });
    specification.catch(() => this.#byApp.delete(app));
    return specification;
  }
}
