import type { Executor } from '../../database/database.ts';
import { jsonAsAuthAdmin } from '../run-as-auth-admin.ts';
import type { SignInMethod } from './sessions.ts';

/** The sign-in methods that prove who holds a session. A mailed link or the refresh of a session does not prove it. */
const proofs = [
  'password',
  'passkey',
  'totp',
  'mfa/phone',
  'mfa/webauthn',
  'mfa/recovery_code',
] as const satisfies readonly SignInMethod[];

/** Returns true if the holder of a session has proven their identity within the last `seconds`. */
export async function hasRecentProof(database: Executor, sessionId: string, seconds: number): Promise<boolean> {
  const found = await jsonAsAuthAdmin<boolean>(
    database,
    `select pg_catalog.to_jsonb(exists (
       select from auth.mfa_amr_claims m where m.session_id = $1::uuid and m.authentication_method = any ($2::text[])
         and m.updated_at > pg_catalog.now() - pg_catalog.make_interval(secs => $3::float8)))`,
    [sessionId, `{${proofs.join(',')}}`, String(seconds)],
  );
  return found === true;
}

/** A sign-in that a member makes only to prove their identity for another session. */
interface ProvingSession {
  readonly userId: string;
  /** The session that gets the proof. */
  readonly sessionId: string;
  /** The session that the sign-in opened. */
  readonly provingId: string;
  readonly method: (typeof proofs)[number];
}

/**
 * Ends the session that a sign-in has just opened, and copies its proof into another session of the same account.
 * Returns false if one of the two sessions does not exist in the account.
 */
export async function moveProof(database: Executor, proof: ProvingSession): Promise<boolean> {
  const moved = await jsonAsAuthAdmin<boolean>(
    database,
    `with ended as (
       delete from auth.sessions s where s.id = $3::uuid and s.user_id = $1::uuid returning s.id
     )
     insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
     select pg_catalog.gen_random_uuid(), s.id, pg_catalog.now(), pg_catalog.now(), $4
     from auth.sessions s cross join ended where s.id = $2::uuid and s.user_id = $1::uuid
     on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at
     returning pg_catalog.to_jsonb(true)`,
    [proof.userId, proof.sessionId, proof.provingId, proof.method],
  );
  return moved === true;
}
