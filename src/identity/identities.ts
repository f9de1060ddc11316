import type { CallRequest } from '../../contract/call-request.ts';
import type { App } from '../apps/app.ts';
import type { KeyUses } from '../apps/keys/key-uses.ts';
import { type BuilderSession, builderKeys, builderSessionOf } from './builder-session.ts';
import type { ExternalKeys } from './external-keys.ts';
import type { Identity } from './identity.ts';
import { resolveIdentity, resolveToken } from './resolve.ts';
import { TokenCache } from './token-cache.ts';

/** Authenticates requests to all apps of a worker by key or token. Each app has a separate cache of verified tokens. */
export class Identities {
  readonly #caches = new WeakMap<App, TokenCache>();
  /**
   * The cached tokens of builders. They are separate from tokens of members, because they give access to the management
   * API.
   */
  readonly #builderCaches = new WeakMap<App, TokenCache>();

  readonly #externalKeys: ExternalKeys;
  readonly #keyUses: KeyUses;

  constructor(externalKeys: ExternalKeys, keyUses: KeyUses) {
    this.#externalKeys = externalKeys;
    this.#keyUses = keyUses;
  }

  /**
   * Returns the identity of the caller.
   * @throws The errors of `resolveIdentity`.
   */
  async resolve(app: App, request: Pick<CallRequest, 'headers'>): Promise<Identity> {
    const { rest, auth } = await app.settings();
    const { record, database } = app;
    const sessions = cacheOf(this.#caches, app);
    const { jwt_aud: audience, jwt_role_claim_key: roleClaimKey, db_anon_role: anonRole } = rest;
    // The object is written out and not built by spreading `roleRules`, because it is created for every request:
    // spreading took two percent of a worker's time.
    return resolveIdentity(
      {
        app: record,
        database,
        sessions,
        audience,
        roleClaimKey,
        anonRole,
        sessionBounds: auth,
        issuers: auth.external_jwt_issuers,
        externalKeys: this.#externalKeys,
        keyUses: this.#keyUses,
      },
      request.headers,
    );
  }

  /**
   * Returns the session of a builder's token.
   * @throws The errors of `resolveToken`.
   */
  async resolveBuilder(console: App, token: string): Promise<BuilderSession> {
    const context = {
      app: builderKeys(console.record),
      database: console.database,
      sessions: cacheOf(this.#builderCaches, console),
      sessionBounds: (await console.settings()).auth,
    };
    return builderSessionOf(await resolveToken(context, token));
  }
}

/**
 * Returns the cache of an app. Creates the cache if necessary, and lets the notifications of the app remove tokens from
 * it.
 */
function cacheOf(caches: WeakMap<App, TokenCache>, app: App): TokenCache {
  const known = caches.get(app);
  if (known) return known;
  const cache = new TokenCache();
  caches.set(app, cache);
  if (app.isOpen) cache.connected();
  app.subscribe((notification) => {
    switch (notification.type) {
      case 'listening':
        return cache.connected();
      case 'disconnected':
        return cache.disconnected();
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
