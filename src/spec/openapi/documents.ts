import type { OpenApiMode } from '../../../contract/settings.ts';
import type { App } from '../../apps/app.ts';
import type { Specifier } from '../specifier.ts';

/** How many roles a document is remembered for; what a token says its role is may be anything. */
const ROLES = 20;

/** The OpenAPI documents of the apps, each remembered until the app's database tells of a change. */
export class OpenApiDocuments {
  readonly #specifier: Specifier;
  readonly #known = new WeakMap<App, Map<string, Promise<string>>>();

  constructor(specifier: Specifier) {
    this.#specifier = specifier;
  }

  /** As JSON, for a role; null where the setting openapi_mode switches it off. Throws what deriving it throws. */
  async for(app: App, role: string): Promise<string | null> {
    const { rest } = await app.settings();
    const mode: OpenApiMode = rest.openapi_mode;
    if (mode === 'disabled') return null;
    const known = this.#of(app);
    const key = mode === 'ignore-privileges' ? '' : role;
    const made = known.get(key) ?? this.#specifier.openApi(app, mode === 'ignore-privileges' ? null : role);
    // Only while the app hears of changes may anything be remembered.
    if (app.isOpen && known.size < ROLES && !known.has(key)) {
      known.set(key, made);
      made.catch(() => known.delete(key));
    }
    return made;
  }

  #of(app: App): Map<string, Promise<string>> {
    const known = this.#known.get(app);
    if (known) return known;
    const fresh = new Map<string, Promise<string>>();
    this.#known.set(app, fresh);
    app.subscribe(({ type }) => {
      if (type !== 'session-revoked' && type !== 'sessions-revoked-all') fresh.clear();
    });
    return fresh;
  }
}
