import type { Specification } from '../../contract/specification.ts';
import type { App } from '../apps/app.ts';
import type { Settings } from '../apps/settings.ts';
import { catalogueState } from '../catalog/catalogue-state.ts';

/** For how long live figures may stand, in milliseconds. */
const FIGURES_MILLISECONDS = 10_000;

interface Entry {
  readonly state: string;
  readonly settings: Settings;
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
    const isFresh = known !== undefined && performance.now() - known.at < FIGURES_MILLISECONDS;
    if (known && isFresh && known.state === state && known.settings === settings) return known.specification;
    const specification = derive();
    this.#byApp.set(app, { state, settings, at: performance.now(), specification });
    specification.catch(() => this.#byApp.delete(app));
    return specification;
  }
}
