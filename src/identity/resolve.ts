import { sessionEnd } from '../accounts/sessions.ts';
import type { AppKeys } from '../apps/app-keys.ts';
import type { Executor } from '../database/database.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from './identity.ts';
import type { SessionCache } from './session-cache.ts';
import { type Claims, emptyToken, equalInConstantTime, LEEWAY_SECONDS, verifyJwt } from './verify-jwt.ts';

type Headers = Readonly<Record<string, string | undefined>>;

export interface IdentityContext {
  readonly app: AppKeys;
  /** The app's database, logged in as its authenticator. */
  readonly database: Executor;
  readonly sessions: SessionCache;
  /** The setting jwt_aud; null or absent: any audience. */
  readonly audience?: string | null;
  /** The clock, in milliseconds since 1970; the system's when absent. */
  readonly now?: () => number;
}

/**
 * Who is calling. `Authorization: Bearer` decides, then the `apikey` header; each may hold one of the app's keys, or a JWT that
 * the app signed or that was signed with its HS256 secret. Without either the caller is anonymous. An `apikey` that is no key of
 * this app is refused whatever the other header holds.
 *
 * Throws key_unknown, PGRST301 and PGRST303 (the token), session_revoked (the token's session has ended), and what the
 * database throws.
 */
export async function resolveIdentity(context: IdentityContext, headers: Headers): Promise<Identity> {
  const { app } = context;
  const now = (context.now ?? Date.now)();
  const key = headers.apikey || null;
  const byKey = key === null ? noKey : (knownKey(app, key) ?? identityOfOlderKey(app, key, now));
  const token = bearerToken(headers);
  if (token === null || token === key) return byKey;
  if (token.startsWith('sb_')) return knownKey(app, token) ?? unknownKey();
  return context.sessions.find(token, now) ?? knownKey(app, token) ?? identityOfToken(context, token, now);
}

/** Refuses an `apikey` header that is no key of this app, for calls that ask for no more. Throws key_unknown. */
export function requireKnownKey(app: AppKeys, headers: Headers, now: number): void {
  const key = headers.apikey;
  if (key && !knownKey(app, key)) identityOfOlderKey(app, key, now);
}

/** What `Authorization: Bearer` holds (RFC 6750, section 2.1); null for another scheme or none. Throws PGRST301 when empty. */
function bearerToken(headers: Headers): string | null {
  const match = /^bearer(?: +(.*))?$/i.exec(headers.authorization?.trim() ?? '');
  if (!match) return null;
  if (!match[1]) throw emptyToken();
  return match[1];
}

/** A key that an existing project brought along: a JWT that was signed with the same secret, of no session. */
function identityOfOlderKey(app: AppKeys, key: string, now: number): Identity {
  try {
    const identity = identityOfClaims(verifyJwt(key, app, { nowSeconds: Math.floor(now / 1000) }));
    if (identity.sessionId === null) return identity;
  } catch (error) {
    unknownKey(error);
  }
  return unknownKey();
}

/** Verifies a token that is seen for the first time, looks its session up, and remembers both. */
async function identityOfToken(context: IdentityContext, token: string, now: number): Promise<Identity> {
  const { sessions } = context;
  const { epoch } = sessions;
  const claims = verifyJwt(token, context.app, {
    nowSeconds: Math.floor(now / 1000),
    audience: context.audience ?? null,
  });
  const identity = identityOfClaims(claims);
  let until = typeof claims.exp === 'number' ? (claims.exp + LEEWAY_SECONDS) * 1000 : Number.POSITIVE_INFINITY;
  if (identity.sessionId !== null) {
    const { userId } = identity;
    const isMember = userId !== null && UUID.test(userId);
    const end = isMember ? await sessionEnd(context.database, identity.sessionId, userId) : null;
    if (end === null) throw new NinefoldError('session_revoked');
    until = Math.min(until, end);
  }
  sessions.remember(token, identity, until, epoch);
  return identity;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

function identityOfClaims(claims: Claims): Identity {
  const { role, sub, session_id: session } = claims;
  const hasSession = typeof session === 'string' && UUID.test(session) && session !== NIL_UUID;
  return {
    role: typeof role === 'string' ? role : role === undefined || role === null ? 'anon' : JSON.stringify(role),
    claims,
    claimsJson: JSON.stringify(claims),
    userId: typeof sub === 'string' && sub !== '' ? sub : null,
    // As the database prints it: revocations name it so.
    sessionId: hasSession ? session.toLowerCase() : null,
    source: 'token',
  };
}

/** The identity of a key without claims of its own. */
const ofRole = (role: string, source: Identity['source'], claims: Claims = { role }): Identity => ({
  role,
  claims,
  claimsJson: JSON.stringify(claims),
  userId: null,
  sessionId: null,
  source,
});

const noKey = ofRole('anon', 'none');
const publishable = ofRole('anon', 'publishable-key');
const secret = ofRole('service_role', 'secret-key');

function knownKey(app: AppKeys, key: string): Identity | null {
  // All four are compared, so that the time does not tell which of them a guess comes near to.
  const isPublishable = equalInConstantTime(key, app.publishableKey);
  const isSecret = equalInConstantTime(key, app.secretKey);
  const isAnon = equalInConstantTime(key, app.anonKey);
  const isServiceRole = equalInConstantTime(key, app.serviceRoleKey);
  if (isPublishable || isAnon) return publishable;
  return isSecret || isServiceRole ? secret : null;
}

function unknownKey(cause?: unknown): never {
  throw new NinefoldError('key_unknown', { cause });
}
