import type { SessionClaims } from '../accounts/sessions/sessions.ts';
import type { User } from '../accounts/users/user.ts';
import { accountForScopes } from './scoped-account.ts';

/** Claims of an access token. An app's hook may add further claims. */
export interface AccessTokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: unknown;
  /** Time of expiry in seconds since 1970; `iat` has the same unit. */
  readonly exp: number;
  readonly iat: number;
  readonly email: string;
  readonly phone: string;
  readonly app_metadata: Readonly<Record<string, unknown>>;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly role: string;
  readonly aal: string;
  readonly amr: SessionClaims['amr'];
  readonly session_id: string;
  readonly is_anonymous: boolean;
  /** The OAuth application for which the token was issued, and its scope; missing in tokens of the app itself. */
  readonly client_id?: string;
  readonly scope?: string;
}

/**
 * Returns the claims of an access token for a session, as GoTrue does
 * (https://supabase.com/docs/guides/auth/jwt-fields). A token of an application has only the claims of the account that
 * its scope includes.
 * @param options.issuer URL of the app's `/auth/v1`.
 * @param options.nowSeconds Seconds since 1970.
 * @param options.lifetimeSeconds The setting jwt_exp.
 */
export function accessTokenClaims(
  { user, session }: { user: User; session: SessionClaims },
  options: { issuer: string; nowSeconds: number; lifetimeSeconds: number },
): AccessTokenClaims {
  const account = session.clientId ? accountForScopes(user, (session.scope ?? '').split(' ')) : user;
  return {
    iss: options.issuer,
    sub: user.id,
    aud: user.aud,
    exp: options.nowSeconds + options.lifetimeSeconds,
    iat: options.nowSeconds,
    email: account.email,
    phone: account.phone,
    app_metadata: account.app_metadata,
    user_metadata: account.user_metadata,
    role: user.role,
    aal: session.aal,
    amr: session.amr,
    session_id: session.id,
    is_anonymous: user.is_anonymous,
    ...(session.clientId && { client_id: session.clientId, scope: session.scope ?? '' }),
  };
}
