import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import { seal, unseal } from '../../apps/registry/seal.ts';
import type { Executor } from '../../database/database.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';
import { furtherSession } from '../sessions/further-sessions.ts';
import { signedInFrom } from '../sessions/new-device.ts';
import {
  type Grant,
  newSession,
  openSession,
  type SessionClient,
  type SignInMethod,
  tokenOwner,
} from '../sessions/sessions.ts';

/** The PKCE challenge of a client (RFC 7636). */
export interface CodeChallenge {
  readonly value: string;
  readonly method: 's256' | 'plain';
}

/** A sign-in that begins in one place and ends in another: by a link in a mail, or at a provider. */
export interface NewFlow {
  /** The sign-in method. `session`: a member who is signed in gets a further session. */
  readonly method: SignInMethod | 'session';
  /** The name of the provider, or the method for a flow by mail. GoTrue stores both in this column. */
  readonly providerType: string;
  /** The PKCE challenge of the client; null if the client gets the session directly instead of a code. */
  readonly challenge: CodeChallenge | null;
  /** The account, if it is known at the start. */
  readonly userId: string | null;
  /**
   * The `state` parameter of a sign-in at a provider, which the provider sends back. The database stores a hash of it.
   */
  readonly state?: string;
  /** The URL to which the member is redirected at the end. */
  readonly referrer?: string;
  /**
   * The account that gets the identity, and the session in which the member asked for this; null for a token without a
   * session.
   */
  readonly linking?: { readonly userId: string; readonly sessionId: string | null } | null;
  /** The session of the member who gets a further session. */
  readonly fromSessionId?: string;
  readonly emailOptional?: boolean;
}

/** Tokens of a provider, for calls to its API. */
export interface ProviderTokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
}

/** The number of unfinished flows that each new flow deletes at most. */
const SWEPT_ROWS = '100';

/** Statement that deletes old unfinished flows. $1 is their minimum age in seconds, $2 the maximum number of rows. */
const SWEEP = `delete from auth.flow_state where id in (
  select id from auth.flow_state where created_at < pg_catalog.now() - pg_catalog.make_interval(secs => $1::float8)
  order by created_at limit $2::bigint for update skip locked)`;

const INSERT = `insert into auth.flow_state
  (id, user_id, code_challenge_method, code_challenge, provider_type, authentication_method, referrer, linking_target_id,
   email_optional, created_at, updated_at)
values ($1::uuid, $2::uuid, $3::auth.code_challenge_method, $4, $5, $6, $7, $8::uuid, $9::boolean, pg_catalog.now(),
  pg_catalog.now())`;

/**
 * Returns the statements that store a flow, for the transaction of the call that begins it. They also delete old flows.
 */
export function startFlow(flow: NewFlow): readonly SqlStatement[] {
  const id = flow.state === undefined ? randomUUID() : flowIdOf(flow.state);
  const sessionId = flow.fromSessionId ?? flow.linking?.sessionId ?? null;
  return [
    [SWEEP, [String(limits.flowSeconds.default), SWEPT_ROWS]],
    [
      INSERT,
      [
        id,
        flow.userId,
        flow.challenge?.method ?? null,
        flow.challenge?.value ?? null,
        flow.providerType,
        flow.method,
        flow.referrer ?? null,
        flow.linking?.userId ?? null,
        String(flow.emailOptional ?? false),
      ],
    ],
    ...(sessionId === null ? [] : [boundToSession(id, sessionId)]),
  ];
}

/** Returns the statement that stores the session in which a member began the flow. */
const boundToSession = (flowId: string, sessionId: string): SqlStatement => [
  'insert into ninefold.linking_sessions (flow_id, session_id) values ($1::uuid, $2::uuid)',
  [flowId, sessionId],
];

/**
 * Returns the id of the flow of a state: a hash in the form of a UUID, so that the state cannot be derived from the
 * table.
 */
function flowIdOf(state: string): string {
  const digits = createHash('sha256').update(state).digest('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** A flow whose member comes back from a provider. */
export interface ReturnedFlow {
  readonly id: string;
  readonly provider: string;
  readonly referrer: string | null;
  readonly linkingTargetId: string | null;
  readonly isPkce: boolean;
}

/**
 * Statement that takes a flow. The first call that presents the state takes the flow; auth_code_issued_at is null until
 * then.
 */
const TAKE = `with flow as (
  select * from auth.flow_state where id = $1::uuid and authentication_method = 'oauth' for update
),
taken as (
  update auth.flow_state f set auth_code_issued_at = pg_catalog.now() from flow
  where f.id = flow.id and flow.auth_code_issued_at is null
    and flow.created_at > pg_catalog.now() - pg_catalog.make_interval(secs => $2::float8)
  returning f.id
)
select pg_catalog.jsonb_build_object(
  'verdict', case when exists (select from taken) then 'taken' when flow.auth_code_issued_at is null then 'expired' else 'used' end,
  'flow', pg_catalog.jsonb_build_object('id', flow.id, 'provider', flow.provider_type, 'referrer', flow.referrer,
    'linkingTargetId', flow.linking_target_id, 'isPkce', flow.code_challenge is not null))
from flow`;

/** The result of taking a flow by the state that a provider sent back. A state works once. */
export type TakenFlow =
  | { readonly verdict: 'taken'; readonly flow: ReturnedFlow }
  | { readonly verdict: 'expired' | 'used' | 'unknown' };

/** Takes the flow of a state. Only one of several concurrent callers gets it. */
export async function takeFlow(database: Executor, state: string): Promise<TakenFlow> {
  const params = [flowIdOf(state), String(limits.providerSignInSeconds.default)];
  return (await jsonAsAuthAdmin<TakenFlow>(database, TAKE, params)) ?? { verdict: 'unknown' };
}

/**
 * Returns the statement that gives a taken flow its account and a code, if the account has the identity of the person
 * `subject` at `provider`.
 */
export const completeFlow = (
  { flowId, code, tokens }: { flowId: string; code: AuthCode; tokens: ProviderTokens },
  userId: string,
  provider: string,
  subject: string,
): SqlStatement => [
  `update auth.flow_state f set user_id = u.id, auth_code = $3, provider_access_token = $4,
     auth_code_issued_at = pg_catalog.now(), updated_at = pg_catalog.now()
   from auth.users u join auth.identities i on i.user_id = u.id and i.provider = $5 and i.provider_id = $6
   where f.id = $1::uuid and f.auth_code is null and u.id = $2::uuid and u.deleted_at is null
     and (u.banned_until is null or u.banned_until <= pg_catalog.now())
   returning pg_catalog.to_jsonb(f.id)`,
  [flowId, userId, code.hash, sealProviderTokens(tokens, code), provider, subject],
];

/** Returns the statement that deletes a flow that has ended. */
export const endFlow = (flowId: string): SqlStatement => ['delete from auth.flow_state where id = $1::uuid', [flowId]];

/** A code that a client exchanges for a session, with its verifier; the database stores only a hash of it. */
export interface AuthCode {
  readonly code: string;
  readonly hash: string;
}

/** Returns a random code with 122 random bits. It has the form of a UUID, because clients of GoTrue expect one. */
export function makeAuthCode(): AuthCode {
  const code = randomUUID();
  return { code, hash: hashOf(code) };
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('base64url');

/**
 * Returns the statement that stores the code in the newest flow of an account and a method. It returns no row if there
 * is no such flow (GoTrue: flow_state_not_found, 422). A code that the flow had before becomes invalid.
 */
export const issueAuthCode = ({ hash }: AuthCode, userId: string | null, method: NewFlow['method']): SqlStatement => [
  `update auth.flow_state set auth_code = $1, auth_code_issued_at = pg_catalog.now(), updated_at = pg_catalog.now()
   where id = (
     select id from auth.flow_state
     where user_id = coalesce($2::uuid, ${tokenOwner}) and authentication_method = $3 and code_challenge is not null
     order by created_at desc, id limit 1)
   returning pg_catalog.to_jsonb(id)`,
  [hash, userId, method],
];

/**
 * Encrypts the tokens of a provider under a key that only the code gives, so that a reader of the table cannot use
 * them.
 */
const sealProviderTokens = (tokens: ProviderTokens, { code }: AuthCode): string =>
  seal(tokens, keyOf(code), 'auth.flow_state');

const keyOf = (code: string): Buffer => createHash('sha256').update(`provider tokens ${code}`).digest();

/** The result of the exchange of a code. */
export type CodeExchanged =
  | { readonly verdict: 'granted'; readonly grant: Grant; readonly providerTokens: ProviderTokens | null }
  | { readonly verdict: 'unknown' | 'expired' | 'wrong-verifier' | 'banned' };

interface FoundFlow {
  readonly id: string;
  readonly userId: string;
  readonly challenge: string;
  readonly challengeMethod: CodeChallenge['method'];
  readonly method: SignInMethod | 'session';
  /** The session whose member gets a further session, for the method `session`. */
  readonly fromSessionId: string | null;
  readonly isExpired: boolean;
  readonly isBanned: boolean;
  readonly sealedTokens: string | null;
}

const FIND = `select pg_catalog.jsonb_build_object(
  'id', f.id, 'userId', u.id, 'challenge', f.code_challenge, 'challengeMethod', f.code_challenge_method,
  'method', f.authentication_method,
  'fromSessionId', (select l.session_id from ninefold.linking_sessions l where l.flow_id = f.id),
  'sealedTokens', nullif(f.provider_access_token, ''),
  'isExpired', f.auth_code_issued_at is null
    or f.auth_code_issued_at < pg_catalog.now() - pg_catalog.make_interval(secs => $2::float8),
  'isBanned', coalesce(u.banned_until > pg_catalog.now(), false))
from auth.flow_state f join auth.users u on u.id = f.user_id and u.deleted_at is null
where f.auth_code = $1 and f.code_challenge is not null`;

/**
 * Locks the flow in a separate statement. The next statement then sees the changes that a concurrent exchange has
 * committed.
 */
const LOCK = 'select from auth.flow_state where id = $1::uuid for update';

/** Statement that opens the session of a code. $7 is the flow, $8 the hash of its code. */
const OPEN = openSession(
  `update auth.users u set last_sign_in_at = pg_catalog.now(), updated_at = pg_catalog.now()
  where u.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until <= pg_catalog.now())
    and exists (select from auth.flow_state f where f.id = $7::uuid and f.auth_code = $8)
  returning u.*`,
  `(select case f.authentication_method when 'oauth' then f.provider_type else 'mail' end from auth.flow_state f where f.id = $7::uuid)`,
);

/**
 * Exchanges a code and its verifier for a session. Only one of several concurrent exchanges succeeds. A wrong verifier
 * does not use up the code, as in GoTrue: otherwise anybody who sees the code could make it useless for the client.
 */
export async function exchangeAuthCode(
  database: Executor,
  code: string,
  verifier: string,
  client: SessionClient,
): Promise<CodeExchanged> {
  const hash = hashOf(code);
  const flow = await jsonAsAuthAdmin<FoundFlow>(database, FIND, [hash, String(limits.authCodeSeconds.default)]);
  if (!flow) return { verdict: 'unknown' };
  if (flow.isExpired) return { verdict: 'expired' };
  if (!matchesChallenge(flow, verifier)) return { verdict: 'wrong-verifier' };
  if (flow.isBanned) return { verdict: 'banned' };
  const { refreshToken, statements } = sessionOf(flow, hash, client);
  const [, opened] = await runAsAuthAdmin(database, [
    [LOCK, [flow.id]],
    ...statements,
    ['delete from auth.flow_state where id = $1::uuid and auth_code = $2', [flow.id, hash]],
  ]);
  const row = accountJson<Omit<Grant, 'refreshToken'>>(opened);
  if (!row) return { verdict: 'unknown' };
  return {
    verdict: 'granted',
    grant: { ...row, refreshToken },
    providerTokens: flow.sealedTokens === null ? null : openTokens(flow.sealedTokens, code),
  };
}

/** Returns the statements that open the session of a code, the first of which answers with the session. */
function sessionOf(
  flow: FoundFlow,
  hash: string,
  client: SessionClient,
): { readonly refreshToken: string; readonly statements: readonly SqlStatement[] } {
  if (flow.method === 'session') {
    const from = { sessionId: flow.fromSessionId, userId: flow.userId };
    const { refreshToken, statement } = furtherSession(from, client, [
      'exists (select from auth.flow_state f where f.id = $7::uuid and f.auth_code = $8)',
      [flow.id, hash],
    ]);
    return { refreshToken, statements: [statement] };
  }
  const { sessionId, refreshToken, params } = newSession(flow.userId, client, flow.method);
  return { refreshToken, statements: [[OPEN, [...params, flow.id, hash]], signedInFrom(sessionId, client)] };
}

/** Compares the verifier with the challenge in constant time. Their lengths are not secret. */
function matchesChallenge({ challenge, challengeMethod }: FoundFlow, verifier: string): boolean {
  const shown = challengeMethod === 's256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  const [a, b] = [Buffer.from(shown), Buffer.from(challenge)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Decrypts the tokens of a provider. Returns null if this fails, because the app's own SQL may have changed the column.
 */
function openTokens(sealed: string, code: string): ProviderTokens | null {
  try {
    return unseal<ProviderTokens>(sealed, keyOf(code), 'auth.flow_state');
  } catch {
    return null;
  }
}
