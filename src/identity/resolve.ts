import { limits } from '../../contract/limits.ts';
import { serverRoles } from '../../contract/server-roles.ts';
import type { RestSettings } from '../../contract/settings.ts';
import { secondFactorMethods } from '../accounts/sessions/assurance.ts';
import { type SessionBounds, sessionState } from '../accounts/sessions/sessions.ts';
import type { AppKeys } from '../apps/keys/app-keys.ts';
import type { KeyUses } from '../apps/keys/key-uses.ts';
import { authenticatorRole, ownerRole, serverRole, vaultRole } from '../apps/registry/app-record.ts';
import type { Executor } from '../database/database.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { type ExternalIssuer, type ExternalKeys, readIssuers } from './external-keys.ts';
import type { Identity } from './identity.ts';
import { findKnownKey, type KnownKey, refuseRevokedKey } from './known-keys.ts';
import { claimAt, parseRolePath } from './role-claim.ts';
import type { TokenCache } from './token-cache.ts';
import { UUID } from './uuid.ts';
import {
  type Claims,
  emptyToken,
  keyIdOf,
  LEEWAY_SECONDS,
  unverifiedIssuer,
  verifyExternal,
  verifyJwt,
} from './verify-jwt.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** The context in which a caller is authenticated. */
export interface IdentityContext {
  readonly app: AppKeys;
  /** Database of the app, with the login role of its authenticator. */
  readonly database: Executor;
  readonly sessions: TokenCache;
  /** The setting jwt_aud; null or absent accepts any audience. */
  readonly audience?: string | null;
  /** The setting jwt_role_claim_key; `.role` by default. */
  readonly roleClaimKey?: string;
  /** The setting db_anon_role: the role of a caller without a token; null rejects such callers. `anon` by default. */
  readonly anonRole?: string | null;
  /** Settings that end sessions. */
  readonly sessionBounds: SessionBounds;
  /** The setting external_jwt_issuers; none by default. */
  readonly issuers?: readonly string[];
  /** Keys of external issuers. */
  readonly externalKeys?: ExternalKeys;
  /** Counts the uses of API keys; without it, they are not counted. */
  readonly keyUses?: Pick<KeyUses, 'add'>;
  /** Returns the current time in milliseconds since 1970; by default the time of the system. */
  readonly now?: () => number;
}

/**
 * Returns the identity of the caller: of the token in `Authorization: Bearer`, otherwise of the header `apikey`. Each
 * may contain an API key of the app, or a JWT that the app signed or that was signed with its HS256 secret. A caller
 * without both is anonymous. An `apikey` that is no key of this app is rejected even if the token is valid.
 *
 * @throws NinefoldError key_unknown, key_revoked; PGRST301 or PGRST303 for an invalid token; PGRST302 if the app
 * rejects anonymous callers; session_revoked if the session of the token has ended; role_reserved
 * @throws DatabaseError
 */
export async function resolveIdentity(context: IdentityContext, headers: Headers): Promise<Identity> {
  const { app } = context;
  const now = (context.now ?? Date.now)();
  const key = headers.apikey || null;
  const byKey = key === null ? null : (usedKey(context, key, now) ?? identityOfOlderKey(app, key, now));
  const token = bearerToken(headers);
  if (token === null || token === key) return asAllowed(context, byKey ?? noKey);
  if (token.startsWith('sb_')) return asAllowed(context, usedKey(context, token, now) ?? unknownKey());
  const remembered = context.sessions.find(token, now);
  if (remembered) return remembered;
  const known = usedKey(context, token, now);
  if (known) return asAllowed(context, known);
  refuseRevokedKey(app, token);
  return identityOfToken(context, token, now);
}

/**
 * Returns the identity of an API key of the app and counts the use; null for any other text.
 * @throws NinefoldError key_revoked
 */
function usedKey({ app, keyUses }: IdentityContext, key: string, now: number): Identity | null {
  const known = findKnownKey(app, key);
  if (known === null) return null;
  keyUses?.add(app.ref, known.id, now);
  return identities[known.kind];
}

/**
 * Rejects an `apikey` header that is no key of this app, for calls that need no other identity.
 * @throws NinefoldError key_unknown, key_revoked
 */
export function requireKnownKey(
  context: Pick<IdentityContext, 'app' | 'keyUses'>,
  headers: Headers,
  now: number,
): void {
  const { app, keyUses } = context;
  const key = headers.apikey;
  if (!key) return;
  const known = findKnownKey(app, key);
  if (known === null) identityOfOlderKey(app, key, now);
  else keyUses?.add(app.ref, known.id, now);
}

/**
 * Returns the token of `Authorization: Bearer` (RFC 6750, section 2.1); null for another scheme or none.
 * @throws NinefoldError PGRST301 for an empty token.
 */
function bearerToken(headers: Headers): string | null {
  const header = headers.authorization ?? '';
  // Nearly all clients send the header in exactly this form, so it is read without the regular expression.
  if (header.startsWith('Bearer ey')) return header.slice('Bearer '.length).trim();
  const match = /^bearer(?: +(.*))?$/i.exec(header.trim());
  if (!match) return null;
  if (!match[1]) throw emptyToken();
  return match[1];
}

/**
 * Returns the identity of a key of an imported project: a JWT without a session that was signed with the same secret.
 */
function identityOfOlderKey(app: AppKeys, key: string, now: number): Identity {
  refuseRevokedKey(app, key);
  try {
    const identity = identityOfClaims({ app }, verifyJwt(key, app, { nowSeconds: Math.floor(now / 1000) }));
    if (identity.sessionId === null) return identity;
  } catch (error) {
    unknownKey(error);
  }
  return unknownKey();
}

/**
 * Returns the identity of a token, from the cache if possible.
 * @throws NinefoldError PGRST301 or PGRST303 for an invalid token, session_revoked if its session has ended.
 * @throws DatabaseError
 */
export async function resolveToken(context: IdentityContext, token: string): Promise<Identity> {
  const now = (context.now ?? Date.now)();
  return context.sessions.find(token, now) ?? identityOfToken(context, token, now);
}

/** Verifies a token that is not cached, looks its session up, and caches the result. */
async function identityOfToken(context: IdentityContext, token: string, now: number): Promise<Identity> {
  const { sessions } = context;
  const { epoch } = sessions;
  const issuer = context.issuers?.length ? issuerOf(token, context.issuers) : null;
  if (issuer !== null) {
    const identity = identityOfExternal(context, await externalClaims(context, token, issuer, now));
    const { exp } = identity.claims;
    const asked = now + limits.jwksSeconds.default * 1000;
    // The app may have removed the issuer from its settings in the meantime. So the token is cached only if nothing was
    // revoked.
    if (sessions.epoch === epoch) {
      sessions.remember(token, identity, Math.min((Number(exp) + LEEWAY_SECONDS) * 1000, asked), epoch);
    }
    return identity;
  }
  const claims = verifyJwt(token, context.app, {
    nowSeconds: Math.floor(now / 1000),
    audience: context.audience ?? null,
  });
  let identity = identityOfClaims(context, claims);
  let until = typeof claims.exp === 'number' ? (claims.exp + LEEWAY_SECONDS) * 1000 : Number.POSITIVE_INFINITY;
  if (identity.sessionId !== null) {
    const { userId } = identity;
    const isMember = userId !== null && UUID.test(userId);
    const session = isMember
      ? await sessionState(context.database, identity.sessionId, userId, context.sessionBounds)
      : null;
    if (session === null) throw new NinefoldError('session_revoked');
    until = Math.min(until, session.end);
    if (typeof claims.aal === 'string' && claims.aal > session.aal) {
      identity = identityOfClaims(context, lowered(claims, session.aal));
    }
  }
  sessions.remember(token, identity, until, epoch);
  return identity;
}

/** Returns the external issuer in the claim `iss` of a token; null if the app does not list it. */
function issuerOf(token: string, entries: readonly string[]): ExternalIssuer | null {
  const named = unverifiedIssuer(token);
  return named === null ? null : (readIssuers(entries).find(({ issuer }) => issuer === named) ?? null);
}

/**
 * Verifies a token only with the keys of an external issuer.
 * @throws NinefoldError PGRST301 or PGRST303
 */
async function externalClaims(context: IdentityContext, token: string, issuer: ExternalIssuer, now: number) {
  const kid = keyIdOf(token);
  const key = kid === null ? null : ((await context.externalKeys?.find(issuer.jwksUrl, kid)) ?? null);
  return verifyExternal(token, key, { nowSeconds: Math.floor(now / 1000), audience: issuer.audience });
}

/**
 * Returns the identity of an external issuer's token. Its session belongs to the issuer and is not looked up.
 * @throws NinefoldError role_reserved for a reserved role, and for service_role, because no issuer may grant all
 * privileges.
 */
function identityOfExternal(rules: RoleRules, claims: Claims): Identity {
  const identity = identityOfClaims(rules, claims);
  if (identity.role === 'service_role') throw new NinefoldError('role_reserved', { details: { role: identity.role } });
  return { ...identity, sessionId: null, source: 'external-token' };
}

/**
 * Returns the claims of a token with the assurance level of its session. After a second factor was removed, the level
 * of the session is lower than the level in the token.
 */
const lowered = (claims: Claims, aal: string): Claims => ({
  ...claims,
  aal,
  ...(Array.isArray(claims.amr) && { amr: claims.amr.filter((entry) => !secondFactorMethods.has(entry?.method)) }),
});

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Rules for the role of a request. */
export type RoleRules = Pick<IdentityContext, 'roleClaimKey' | 'anonRole'> & { readonly app: Pick<AppKeys, 'ref'> };

/** Returns the rules for the roles of an app's requests. */
export const roleRules = (app: Pick<AppKeys, 'ref'>, settings: RestSettings): RoleRules => ({
  app,
  roleClaimKey: settings.jwt_role_claim_key,
  anonRole: settings.db_anon_role,
});

const ownRole = [{ kind: 'key', key: 'role' }] as const;

/**
 * Returns the identity for a set of claims.
 * @throws NinefoldError PGRST302 if there is no role and the app rejects anonymous callers; role_reserved for a role
 * that no request may have.
 */
export function identityOfClaims(rules: RoleRules, claims: Claims): Identity {
  const { sub, session_id: session } = claims;
  const hasSession = typeof session === 'string' && UUID.test(session) && session !== NIL_UUID;
  const claimed = claimAt(claims, parseRolePath(rules.roleClaimKey ?? '.role') ?? ownRole);
  const role =
    typeof claimed === 'string' ? claimed : (claimed ?? null) === null ? anonRole(rules) : JSON.stringify(claimed);
  refuseReservedRole(rules.app.ref, role);
  // PostgreSQL always gets the role in the claim `role`, even if the app reads it from another claim.
  const withRole = claims.role === role ? claims : { ...claims, role };
  return {
    role,
    claims: withRole,
    claimsJson: JSON.stringify(withRole),
    userId: typeof sub === 'string' && sub !== '' ? sub : null,
    // The id is converted to lower case, because notifications of revoked sessions contain ids as PostgreSQL prints
    // them.
    sessionId: hasSession ? session.toLowerCase() : null,
    source: 'token',
  };
}

/**
 * Returns the role of an anonymous caller.
 * @throws NinefoldError PGRST302 if the app rejects anonymous callers.
 */
function anonRole(rules: RoleRules): string {
  if (rules.anonRole === null) throw new NinefoldError('PGRST302', { headers: { 'www-authenticate': 'Bearer' } });
  return rules.anonRole ?? 'anon';
}

/** Replaces the role `anon` of a key with the app's role for anonymous callers. */
function asAllowed(rules: RoleRules, identity: Identity): Identity {
  if (identity.role !== 'anon') return identity;
  const role = anonRole(rules);
  refuseReservedRole(rules.app.ref, role);
  return role === 'anon' ? identity : ofRole(role, identity.source);
}

/** Returns the identity of a role without a member, such as that of an API key. */
const ofRole = (role: string, source: Identity['source'], claims: Claims = { role }): Identity => ({
  role,
  claims,
  claimsJson: JSON.stringify(claims),
  userId: null,
  sessionId: null,
  source,
});

const noKey = ofRole('anon', 'none');
const identities: Readonly<Record<KnownKey['kind'], Identity>> = {
  publishable: ofRole('anon', 'publishable-key'),
  secret: ofRole('service_role', 'secret-key'),
};

function unknownKey(cause?: unknown): never {
  throw new NinefoldError('key_unknown', { cause });
}

/**
 * Rejects a role that no request may have. PostgreSQL would allow some of them, because the app's login role is a
 * member of them.
 * @throws NinefoldError role_reserved
 */
function refuseReservedRole(ref: string, role: string): void {
  if (isReservedRole(ref, role)) throw new NinefoldError('role_reserved', { details: { role } });
}

const isReservedRole = (ref: string, role: string): boolean =>
  // The role `none` would switch PostgreSQL back to the login role.
  role === 'none' ||
  serverRoles.has(role) ||
  role.startsWith('pg_') ||
  role === ownerRole(ref) ||
  role === authenticatorRole(ref) ||
  role === serverRole(ref) ||
  role === vaultRole(ref);

/**
 * Returns the roles that a change of claims gives to a token; null if one of them is service_role or reserved, or if
 * the change removes the role. Two claims are compared with their earlier values: the claim that the setting
 * jwt_role_claim_key names (`.role` by default), and the claim `role`.
 */
export function rolesOfChange(
  ref: string,
  roleClaimKey: string | undefined,
  before: object,
  after: object,
): readonly string[] | null {
  const roles: string[] = [];
  for (const path of [parseRolePath(roleClaimKey ?? '.role') ?? ownRole, ownRole]) {
    const [earlier, role] = [claimAt(before, path), claimAt(after, path)];
    if (role === earlier) continue;
    if (typeof role !== 'string' || role === 'service_role' || isReservedRole(ref, role)) return null;
    roles.push(role);
  }
  return roles;
}
