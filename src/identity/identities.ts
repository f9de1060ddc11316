import type { Exchange } from '../../contract/exchange.ts';
import type { App } from '../apps/app.ts';
import type { Identity } from './identity.ts';
import { resolveIdentity, roleRules } from './resolve.ts';
import { SessionCache } from './session-cache.ts';

/** Key or token → identity, for every app of a worker; each app's verified tokens are remembered apart. */
export class Identities {
  readonly #caches = new WeakMap<App, SessionCache>();

  /** Who is calling. Throws what `resolveIdentity` throws. */
  async resolve(app: App, exchange: Exchange): Promise<Identity> {
    const { rest } = await app.settings();
    return resolveIdentity(
      {
        ...roleRules(app.record, rest),
        app: app.record,
        database: app.database,
        sessions: this.#cacheOf(app),
        audience: rest.jwt_aud,
      },
      exchange.headers,
    );
  }

  #cacheOf(app: App): SessionCache {
    const known = this.#caches.get(app);
    if (known) return known;
    const cache = new SessionCache();
    this.#caches.set(app, cache);
    if (app.isReady) cache.hear();
    app.subscribe((notification) => {
      switch (notification.type) {
        case 'listening':
          return cache.hear();
        case 'deaf':
          return cache.deafen();
        case 'session-revoked':
          return cache.revoke(notification.ids);
        case 'sessions-revoked-all':
        case 'settings':
          return cache.revokeAll();
        default:
          return;
      }
    });
    return cache;
  }
}
