import { LRUCache } from 'lru-cache';
import { limits } from '../../../contract/limits.ts';
import type { User } from '../../accounts/users/user.ts';
import { accessTokenClaims } from '../../identity/access-token.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { customClaims } from './access-token-hook.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The session id that the hook receives, because it expects one. No session has this id. */
const NO_SESSION = '00000000-0000-0000-0000-000000000000';

/** The claims of members on whose behalf builders read rows. Each worker has its own. */
export class ActingClaims {
  /** The console requests many rows at once. The cache makes the hook run once for them. */
  readonly #cached = new LRUCache<string, Promise<Claims>>({
    max: limits.rememberedActingClaims.default,
    ttl: limits.actingClaimsSeconds.default * 1000,
  });

  /**
   * Returns the claims of an access token of an account for a caller without a session, with `aal1`. If the hook
   * custom_access_token is enabled, it changes the claims. The claims of the session and the times of the token are
   * left out.
   *
   * @param address The network address of the request.
   * @param issuer The URL of the app's `/auth/v1`.
   * @throws what `customClaims` throws
   */
  async of(
    context: AuthContext,
    user: User,
    { address, issuer }: { address: string; issuer: string },
  ): Promise<Claims> {
    const { settings } = context;
    if (!settings.hook_custom_access_token_enabled) return baseClaims(user);
    const key = `${context.app.ref} ${settings.hook_custom_access_token_uri} ${user.id} ${user.updated_at}`;
    const known = this.#cached.get(key);
    if (known) return known;
    const session = { id: NO_SESSION, aal: 'aal1', amr: [], clientId: null, scope: null };
    const issued = accessTokenClaims(
      { user, session },
      { issuer, nowSeconds: Math.floor(timeOf(context) / 1000), lifetimeSeconds: settings.jwt_exp },
    );
    const claims = customClaims(context, address, issued, 'token_refresh').then(
      ({ session_id: _session, iat: _issued, exp: _expires, ...rest }): Claims => rest,
    );
    this.#cached.set(key, claims);
    claims.catch(() => this.#cached.delete(key));
    return claims;
  }
}

function baseClaims({ id: sub, aud, email, phone, app_metadata, user_metadata, role, is_anonymous }: User): Claims {
  return { sub, aud, email, phone, app_metadata, user_metadata, role, aal: 'aal1', is_anonymous };
}
