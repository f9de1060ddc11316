import type { Executor } from '../database/database.ts';
import {
  forgetSignInFailures,
  recordSignInFailure,
  type SignInSubjects,
  signInWaitSeconds,
} from '../limits/sign-in-failures.ts';
import { accountJson, asAuthAdmin, jsonAsAuthAdmin } from './as-auth-admin.ts';
import { type Grant, newSession, openSession, type SessionClient } from './sessions.ts';

/** What a sign-in must know of an account before it checks the password. */
export interface Candidate {
  readonly id: string;
  readonly passwordHash: string | null;
  readonly banned: boolean;
  readonly confirmed: boolean;
}

/** The account with an e-mail address in lower case, if any, and the seconds to wait before a sign-in may be tried. */
export async function findCandidate(
  database: Executor,
  email: string,
  subjects: SignInSubjects,
): Promise<{ candidate: Candidate | null; waitSeconds: number }> {
  const found = await jsonAsAuthAdmin<{ candidate: Candidate | null; waitSeconds: number }>(
    database,
    `select pg_catalog.jsonb_build_object(
       'waitSeconds', ${signInWaitSeconds('$2', '$3', '$4')},
       'candidate', (
         select pg_catalog.jsonb_build_object(
           'id', u.id,
           'passwordHash', nullif(u.encrypted_password, ''),
           'banned', coalesce(u.banned_until > pg_catalog.now(), false),
           'confirmed', u.email_confirmed_at is not null)
         from auth.users u
         where pg_catalog.lower(u.email) = $1 and u.is_sso_user = false and u.deleted_at is null
         order by u.created_at limit 1))`,
    [email, subjects.address, subjects.account, subjects.bounds],
  );
  return found ?? { candidate: null, waitSeconds: 0 };
}

/**
 * Opens a session for an account whose password was verified against `verifiedHash`; null when meanwhile the password was
 * changed, the account was banned, or too many sign-ins failed (guesses sent all at once gain nothing). `newHash` replaces
 * the hash of the same password.
 */
export async function openPasswordSession(
  database: Executor,
  account: { id: string; verifiedHash: string; newHash: string | null; subjects: SignInSubjects },
  client: SessionClient,
): Promise<Grant | null> {
  const { id, verifiedHash, newHash, subjects } = account;
  const session = newSession(id, client, 'password');
  const [opened] = await asAuthAdmin(database, [
    [OPEN, [...session.params, verifiedHash, newHash, subjects.address, subjects.account, subjects.bounds]],
    [forgetSignInFailures, [subjects.account, session.sessionId]],
  ]);
  const row = accountJson<Omit<Grant, 'refreshToken'>>(opened);
  return row ? { ...row, refreshToken: session.refreshToken } : null;
}

const OPEN = openSession(`update auth.users u set
  last_sign_in_at = pg_catalog.now(), updated_at = pg_catalog.now(), encrypted_password = coalesce($8, u.encrypted_password)
  where u.id = $1::uuid and u.encrypted_password = $7 and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= pg_catalog.now())
    and ${signInWaitSeconds('$9', '$10', '$11')} = 0
  returning u.*`);

/** Counts a failed sign-in. */
export async function countFailure(database: Executor, subjects: SignInSubjects): Promise<void> {
  await asAuthAdmin(database, [[recordSignInFailure, [subjects.address, subjects.account, subjects.bounds]]]);
}

/** The hash of an account's password; null when it has none or does not exist. */
export const findPasswordHash = (database: Executor, id: string): Promise<string | null> =>
  jsonAsAuthAdmin<string>(
    database,
    `select pg_catalog.to_jsonb(nullif(u.encrypted_password, '')) from auth.users u where u.id = $1::uuid`,
    [id],
  );
