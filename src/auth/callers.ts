import type { CallRequest } from '../../contract/call-request.ts';
import type { AuditCaller } from '../accounts/audit/audit.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { UUID } from '../identity/uuid.ts';
import { type AuthContext, timeOf } from './context.ts';
import { TOKEN_EXPIRED } from './error-reply.ts';

/** A member who calls, as the access token names them. */
export interface Member {
  readonly userId: string;
  readonly sessionId: string | null;
  readonly aal: string | null;
  /** The application that holds the token; null for the app's own tokens. */
  readonly clientId: string | null;
  readonly scope: string | null;
}

/**
 * Returns the member who calls. A function that got the token of a builder who acts as a member only reads the account.
 * @throws no_authorization without a bearer token; bad_jwt for a token that has expired or names no account;
 * oauth_application_refused for a token of an application, unless `takesApplications` is true
 */
export async function requireMember(
  context: AuthContext,
  request: CallRequest,
  { takesApplications = false }: { takesApplications?: boolean | undefined } = {},
): Promise<Member> {
  const { userId, sessionId, claims } = await identify(context, request);
  const isActing = claims.act !== undefined && sessionId === null;
  if (isActing && !(takesApplications && request.method === 'GET')) throw actingRefused();
  const [aal, clientId, scope] = [claims.aal, claims.client_id, claims.scope].map((claim) =>
    typeof claim === 'string' ? claim : null,
  ) as [string | null, string | null, string | null];
  if (clientId !== null && !takesApplications) throw new NinefoldError('oauth_application_refused');
  if (userId !== null && UUID.test(userId)) {
    requireSessionClaim(claims.session_id);
    return { userId, sessionId, aal, clientId, scope };
  }
  if (!request.headers.authorization) throw new NinefoldError('no_authorization');
  if (userId === null) throw new NinefoldError('bad_jwt', { message: 'invalid claim: missing sub claim' });
  throw new NinefoldError('bad_jwt', { status: 400, message: 'invalid claim: sub claim must be a UUID' });
}

/**
 * Throws bad_jwt for a session id that is not a UUID. This is possible, because the app's own servers can sign a token
 * with any id.
 */
function requireSessionClaim(claim: unknown): void {
  if ((claim ?? '') === '' || (typeof claim === 'string' && UUID.test(claim))) return;
  throw new NinefoldError('bad_jwt', { message: 'invalid claim: session_id claim must be a UUID' });
}

/** Matches a bearer token in the header Authorization (GoTrue, `bearerRegexp`). */
const BEARER = /^bearer \S+$/i;

/**
 * Returns the identity of a caller with a bearer token or a key. A token is valid until the second of its expiry:
 * GoTrue does not grant the 30 seconds of leeway that PostgREST grants.
 */
async function identify(context: AuthContext, request: CallRequest): Promise<Identity> {
  const { authorization } = request.headers;
  if (authorization !== undefined && !BEARER.test(authorization)) throw new NinefoldError('no_authorization');
  const identity = await context.identity();
  if (identity.source === 'external-token') {
    throw new NinefoldError('bad_jwt', { message: 'invalid JWT: tokens of third parties open no account here' });
  }
  if (identity.source === 'builder' && identity.userId !== null) throw actingRefused();
  const { exp } = identity.claims;
  if (typeof exp === 'number' && exp <= timeOf(context) / 1000) {
    throw new NinefoldError('bad_jwt', {
      message: `invalid JWT: unable to parse or verify signature, ${TOKEN_EXPIRED}`,
    });
  }
  return identity;
}

const actingRefused = (): NinefoldError =>
  new NinefoldError('bad_jwt', { message: 'A builder who acts as a member cannot use the account itself' });

/** Throws no_authorization for a caller without a token or key, not_admin for one without the privileges of the secret key. */
export async function requireAdmin(context: AuthContext, request: CallRequest): Promise<Identity> {
  const identity = await identify(context, request);
  if (identity.role === 'service_role') return identity;
  throw new NinefoldError(identity.source === 'none' ? 'no_authorization' : 'not_admin');
}

/**
 * Returns the id in `/admin/users/<id>` in its canonical form. As GoTrue does, also accepts 32 digits without hyphens,
 * surrounding braces and the prefix `urn:uuid:`.
 * @throws validation_failed
 */
export const requireUserId = (segment: string): string => requireUuid(segment, 'user_id');

/** Returns the id of a session in a path in its canonical form. Throws validation_failed. */
export const requireSessionId = (segment: string): string => requireUuid(segment, 'session_id');

function requireUuid(segment: string, name: string): string {
  const digits = decodeSegment(segment)
    .replace(/^urn:uuid:/, '')
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, '$1-$2-$3-$4-$5');
  if (UUID.test(digits)) return digits.toLowerCase();
  throw new NinefoldError('validation_failed', { status: 404, message: `${name} must be an UUID` });
}

export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the caller of an admin call as the audit log stores it. */
export const byAdmin = ({ address }: CallRequest): AuditCaller => ({ address, isAdmin: true });
