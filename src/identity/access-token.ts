import type { SessionClaims } from '../accounts/sessions.ts';
import type { User } from '../accounts/user.ts';
import type { AppKeys } from '../apps/app-keys.ts';
import { signToken } from '../apps/sign-jwt.ts';

export interface AccessToken {
  readonly token: string;
  /** In seconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Signs an access token for a session, with GoTrue's claims (https://supabase.com/docs/guides/auth/jwt-fields). `issuer` is the
 * URL of the app's `/auth/v1`; `nowSeconds` is in seconds since 1970, `lifetimeSeconds` is the setting jwt_exp.
 */
export function issueAccessToken(
  app: AppKeys,
  holder: { user: User; session: SessionClaims },
  options: { issuer: string; nowSeconds: number; lifetimeSeconds: number },
): AccessToken {
  const { user, session } = holder;
  const expiresAt = options.nowSeconds + options.lifetimeSeconds;
  const claims = {
    iss: options.issuer,
    sub: user.id,
    aud: user.aud,
    exp: expiresAt,
    iat: options.nowSeconds,
    email: user.email,
    phone: user.phone,
    app_metadata: user.app_metadata,
    user_metadata: user.user_metadata,
    role: user.role,
    aal: session.aal,
    amr: session.amr,
    session_id: session.id,
    is_anonymous: user.is_anonymous,
    ...(session.clientId && { client_id: session.clientId, scope: session.scope ?? '' }),
  };
  return { token: signToken(app, claims), expiresAt };
}
