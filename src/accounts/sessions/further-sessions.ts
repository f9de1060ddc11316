import { randomUUID } from 'node:crypto';
import type { Executor } from '../../database/database.ts';
import type { Param } from '../../database/statement.ts';
import { auditInsert } from '../audit/audit.ts';
import { accountJson, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';
import { userJson } from '../users/user.ts';
import {
  clientParams,
  firstRefreshToken,
  type Grant,
  makeRefreshToken,
  type SessionClient,
  sessionClaims,
} from './sessions.ts';
import { storedRefreshToken } from './stored-refresh-token.ts';

/** The statement that opens a further session, and its refresh token. */
export interface FurtherSession {
  readonly refreshToken: string;
  readonly statement: SqlStatement;
}

/**
 * Returns the statement that opens a further session for the member of another session, for a front end at another
 * address. The new session gets the assurance, the sign-in methods, the start and the end of the other session, because
 * the member has not signed in again. If the other session has ended or the account may not sign in, it opens none.
 *
 * @param where SQL condition with parameters from $7 on; true by default.
 */
export function furtherSession(
  { sessionId, userId }: { readonly sessionId: string | null; readonly userId: string },
  client: SessionClient,
  [where, params]: readonly [sql: string, params: Param[]] = ['true', []],
): FurtherSession {
  const refreshToken = makeRefreshToken();
  return {
    refreshToken,
    statement: [
      open(where),
      [sessionId, userId, randomUUID(), storedRefreshToken(refreshToken), ...clientParams(client), ...params],
    ],
  };
}

const open = (where: string): string => `with source as (
  select s.* from auth.sessions s join auth.users u on u.id = s.user_id
  where s.id = $1::uuid and s.user_id = $2::uuid and s.oauth_client_id is null and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= pg_catalog.now()) and ${where}
),
opened as (
  insert into auth.sessions (id, user_id, created_at, updated_at, refreshed_at, not_after, aal, factor_id, user_agent, ip)
  select $3::uuid, user_id, created_at, pg_catalog.now(), pg_catalog.now() at time zone 'utc', not_after, aal, factor_id, $5, $6::inet
  from source
),
proven as (
  insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  select pg_catalog.gen_random_uuid(), $3::uuid, m.created_at, m.updated_at, m.authentication_method
  from auth.mfa_amr_claims m join source on source.id = m.session_id
),
issued as (${firstRefreshToken('$4', 'user_id', '$3', 'source')}),
audited as (${auditInsert('login', {
  userId: 'opened_for.user_id',
  address: `coalesce(pg_catalog.host($6::inet), '')`,
  traits: `pg_catalog.jsonb_build_object('session_id', $3::uuid, 'from_session_id', $1::uuid)`,
  from: 'source as opened_for',
})})
select pg_catalog.jsonb_build_object(
  'user', ${userJson}, 'session', ${sessionClaims} || pg_catalog.jsonb_build_object('id', $3::uuid))
from source s join auth.users u on u.id = s.user_id`;

/** Opens a further session; null if the member's session has ended or the account may not sign in. */
export async function openFurtherSession(
  database: Executor,
  of: { readonly sessionId: string; readonly userId: string },
  client: SessionClient,
): Promise<Grant | null> {
  const { refreshToken, statement } = furtherSession(of, client);
  const [opened] = await runAsAuthAdmin(database, [statement]);
  const row = accountJson<Omit<Grant, 'refreshToken'>>(opened);
  return row && { ...row, refreshToken };
}
