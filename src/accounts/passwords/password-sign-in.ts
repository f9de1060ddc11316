import type { CancelSignal } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import {
  type RefusedAttempt,
  type Reservation,
  refusingLimit,
  reserveAttempt,
  reserveParams,
  type SignInSubjects,
  settleAttempt,
} from '../../limits/sign-in-attempts.ts';
import { type AuditCaller, auditAddress, auditInsert } from '../audit/audit.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';
import { signedInFrom } from '../sessions/new-device.ts';
import { type Grant, newSession, openSession, type SessionClient } from '../sessions/sessions.ts';
import { type CommonHashes, commonDecoys } from './common-hashes.ts';
import { type AppPasswords, decoyHash, needsRehash } from './passwords.ts';
import { ownWay } from './sign-in-counts.ts';

/** The first pause of a sign-in that waits until others end. Each further pause is twice as long. */
const FIRST_PAUSE_MILLISECONDS = 5;

/** The data of an account that a sign-in needs before it checks the password. */
interface Candidate {
  readonly id: string;
  readonly passwordHash: string | null;
  readonly banned: boolean;
  readonly confirmed: boolean;
}

/** An attempt to sign in, before its password is checked. It counts as failed until its result is stored. */
interface Attempt {
  /** The account with the address or the phone number; null if there is none. */
  readonly candidate: Candidate | null;
  /** The two subjects under which the attempt was counted, and its time. */
  readonly counted: readonly [address: string, account: string, at: string];
  /**
   * The network of the client, which is stored for the account after a successful sign-in; null if it was stored today.
   */
  readonly newNetwork: string | null;
}

interface Begun {
  readonly candidate: Candidate | null;
  readonly isKnown: boolean;
  readonly wasSeenToday: boolean;
  readonly reservation: Reservation;
}

/**
 * For each kind of login, two SQL texts: the column with the login, and the column with the time of its confirmation.
 */
const logins = {
  email: ['pg_catalog.lower(u.email)', 'u.email_confirmed_at'],
  phone: ['u.phone', 'u.phone_confirmed_at'],
} as const;

export interface Login {
  readonly by: keyof typeof logins;
  /** The e-mail address in lower case, or the digits of the phone number. */
  readonly name: string;
}

/** The parts that check the passwords of an app's accounts. */
interface PasswordParts {
  readonly database: Executor;
  readonly passwords: AppPasswords;
  readonly commonHashes: CommonHashes;
}

/** A password to check, and the caller under whose limits the attempt counts. */
interface PasswordCheck {
  readonly login: Login;
  readonly password: string;
  readonly subjects: SignInSubjects;
  readonly client: SessionClient;
  readonly signal: CancelSignal;
}

/** The result of a sign-in with a password. */
export type SignInVerdict =
  | { readonly outcome: 'signed-in'; readonly grant: Grant }
  /** The password is wrong, or no account has the login. */
  | { readonly outcome: 'wrong'; readonly userId: string | null }
  /** The password was right, but it was changed or the account was banned before the session was opened. */
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'banned' | 'unconfirmed' };

/**
 * Signs in with a password: counts the attempt, checks the password and opens a session. A wrong password and a login
 * without an account take the same time.
 * @param afterCheck Called with the result of the check; with null for a login without an account. An error refuses the
 * sign-in. With the code invalid_credentials, the attempt counts as failed.
 * @throws over_request_rate_limit
 * @throws The errors of `afterCheck`.
 */
export async function signInByPassword(
  parts: PasswordParts,
  check: PasswordCheck,
  afterCheck?: (account: { id: string; isRight: boolean } | null) => Promise<void>,
): Promise<SignInVerdict> {
  const { database, passwords } = parts;
  const { password, client } = check;
  // If the queue for hashes is full, the sign-in is refused before its first query. A flood of sign-ins therefore runs
  // no queries.
  await passwords.requirePlace();
  // Takes the sample of hashes while PostgreSQL reads the account, so that the first sign-in waits only once.
  const decoys = commonDecoys(parts);
  const attempt = await beginSignIn(parts, check);
  const { candidate } = attempt;
  const hash = candidate?.passwordHash ?? null;
  let isRight: boolean | null = null;
  try {
    isRight = await isPassword(parts, password, hash, decoys);
    const isChecked = candidate !== null && hash !== null && !candidate.banned;
    await afterCheck?.(isChecked ? { id: candidate.id, isRight } : null);
  } catch (error) {
    // If no password was compared, or it was right, the attempt must not count as failed.
    const isRejected = error instanceof NinefoldError && error.code === 'invalid_credentials';
    await settleSignIn(database, attempt, isRejected || isRight === false);
    throw error;
  }
  if (candidate === null || hash === null || !isRight) {
    await settleSignIn(database, attempt, true, client);
    return { outcome: 'wrong', userId: candidate?.id ?? null };
  }
  if (candidate.banned || !candidate.confirmed) {
    await settleSignIn(database, attempt, false);
    return { outcome: candidate.banned ? 'banned' : 'unconfirmed' };
  }
  const account = { id: candidate.id, verifiedHash: hash, newHash: await newHashOf(parts, hash, password) };
  const grant = await openPasswordSession(database, attempt, account, client);
  return grant === null ? { outcome: 'changed' } : { outcome: 'signed-in', grant };
}

/**
 * Returns true if the password is that of the account with this id. The attempt counts like a sign-in.
 * @throws over_request_rate_limit
 */
export async function isOwnPassword(parts: PasswordParts, id: string, check: PasswordCheck): Promise<boolean> {
  const { database, passwords } = parts;
  const attempt = await beginSignIn(parts, check);
  const hash = attempt.candidate?.id === id ? attempt.candidate.passwordHash : null;
  const isRight = await passwords
    .verify(check.password, hash, await commonDecoys(parts))
    .catch(async (error: unknown) => {
      // No password was compared.
      await settleSignIn(database, attempt, false);
      throw error;
    });
  await settleSignIn(database, attempt, !isRight, isRight ? undefined : check.client);
  return isRight;
}

/** Verifies a password. Takes a new sample of the app's hashes if the sample lacks the scheme of this hash. */
async function isPassword(
  { passwords, commonHashes }: PasswordParts,
  password: string,
  hash: string | null,
  sample: Promise<readonly string[]>,
): Promise<boolean> {
  const decoys = await sample;
  const decoy = hash === null ? null : decoyHash(hash);
  if (decoy !== null && !decoys.includes(decoy)) commonHashes.discard();
  return passwords.verify(password, hash, decoys);
}

/** Returns a hash of the server's own scheme for a password with a hash of another scheme; null if the hash is kept. */
async function newHashOf({ passwords }: PasswordParts, hash: string, password: string): Promise<string | null> {
  if (!needsRehash(hash, password)) return null;
  // If the queue for hashes is full, the old hash stays. The password was right, so the next sign-in can replace the
  // hash.
  return passwords.hash(password).catch((error: unknown) => {
    if (error instanceof NinefoldError) return null;
    throw error;
  });
}

/**
 * Returns the statement that begins an attempt. $1 to $11 are `reserveParams`, $12 is the login, $13 the number of days
 * for which a network counts as known.
 */
const begin = ([column, confirmedAt]: (typeof logins)[Login['by']]): string => `with candidate as materialized (
  select u.id, u.encrypted_password, u.banned_until, ${confirmedAt} as confirmed_at from auth.users u
  where ${column} = $12 and u.is_sso_user = false and u.deleted_at is null
  order by u.created_at limit 1
),
known as materialized (
  select n.seen_at from ninefold.sign_in_networks n, candidate c
  where n.user_id = c.id and n.network = $4::bigint
    and n.seen_at > pg_catalog.now() - pg_catalog.make_interval(days => $13::integer)
)
select pg_catalog.jsonb_build_object(
  'isKnown', exists (select from known),
  'wasSeenToday', exists (select from known where seen_at > pg_catalog.now() - pg_catalog.make_interval(days => 1)),
  'reservation', ${reserveAttempt('exists (select from known)')},
  'candidate', (select pg_catalog.jsonb_build_object(
    'id', c.id,
    'passwordHash', nullif(c.encrypted_password, ''),
    'banned', coalesce(c.banned_until > pg_catalog.now(), false),
    'confirmed', c.confirmed_at is not null) from candidate c))`;

const BEGIN = { email: begin(logins.email), phone: begin(logins.phone) };

/**
 * Counts a sign-in and finds its account in one statement, so that no password is checked after the limits are reached,
 * however many sign-ins arrive at once on all workers. If the limit is reached only because of unfinished attempts,
 * waits for these to end.
 * @throws over_request_rate_limit
 */
async function beginSignIn(
  { database, passwords }: PasswordParts,
  { login, subjects, signal }: PasswordCheck,
): Promise<Attempt> {
  const until = performance.now() + limits.signInWaitSeconds.default * 1000;
  for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause *= 2) {
    const begun = await jsonAsAuthAdmin<Begun>(database, BEGIN[login.by], [
      ...reserveParams(subjects),
      login.name,
      String(limits.signInNetworkDays.default),
    ]);
    if (begun === null) throw new Error('a sign-in was not counted');
    const { candidate, isKnown, wasSeenToday, reservation } = begun;
    if ('at' in reservation) {
      return {
        candidate,
        counted: [subjects.address, isKnown ? subjects.accountAndNetwork : subjects.account, reservation.at],
        newNetwork: wasSeenToday ? null : subjects.network,
      };
    }
    if (!reservation.busy) throw tooManyFailures(reservation, subjects);
    if (performance.now() > until || signal.aborted || !(await passwords.waitForTurn(pause))) {
      await passwords.pauseBeforeRefusal();
      throw tooManyFailures({ ...reservation, wait: 1 }, subjects);
    }
  }
}

const tooManyFailures = (refused: RefusedAttempt, subjects: SignInSubjects): NinefoldError =>
  new NinefoldError('over_request_rate_limit', {
    message: `Too many failed sign-ins. Try again in ${refused.wait} ${refused.wait === 1 ? 'second' : 'seconds'}.`,
    ...refusingLimit(refused, subjects, { address: 'signInFailures', account: 'signInFailuresPerAccount' }),
  });

/**
 * Ends an attempt. A failed attempt stays counted; a successful one is removed from the count.
 * @param refused The caller, if the audit log records the refused attempt.
 */
async function settleSignIn(
  database: Executor,
  attempt: Attempt,
  hasFailed: boolean,
  refused?: AuditCaller,
): Promise<void> {
  await runAsAuthAdmin(database, [
    settled(attempt, hasFailed),
    ...(refused ? [refusedSignIn(attempt.candidate?.id ?? null, refused)] : []),
  ]);
}

const settled = ({ counted }: Attempt, hasFailed: boolean): SqlStatement => [
  settleAttempt,
  [...counted, String(hasFailed)],
];

/**
 * Returns the statement that records a refused sign-in, unless the hour already has as many as the limit auditRefusals.
 * The typed address is left out because a user may have typed the password into the wrong field.
 */
const refusedSignIn = (userId: string | null, caller: AuditCaller): SqlStatement => [
  auditInsert('login_refused', {
    userId: '$1::uuid',
    address: '$2',
    traits: `'{"provider": "password"}'::jsonb`,
    where: `(select pg_catalog.count(*) from (
      select from auth.audit_log_entries e where e.payload ->> 'action' = 'login_refused'
        and e.created_at > pg_catalog.now() - interval '1 hour' limit $3::bigint
    ) as refused) < $3::bigint`,
  }),
  [userId, auditAddress(caller), String(limits.auditRefusals.default)],
];

/**
 * Ends an attempt whose password was right, and opens a session in the same transaction. Returns null if the password
 * was changed or the account was banned in the meantime. The attempt is removed from the count last, because this locks
 * rows that all sign-ins from the same network need. If the attempt has a `newNetwork`, the network of the client is
 * remembered and the member is notified: see `signedInFrom`.
 * @param account.verifiedHash The hash that the password was verified against.
 * @param account.newHash Replaces the hash of the same password; null keeps it.
 */
async function openPasswordSession(
  database: Executor,
  attempt: Attempt,
  account: { id: string; verifiedHash: string; newHash: string | null },
  client: SessionClient,
): Promise<Grant | null> {
  const { id, verifiedHash, newHash } = account;
  const session = newSession(id, client, 'password');
  const [opened] = await runAsAuthAdmin(database, [
    [OPEN, [...session.params, verifiedHash, newHash]],
    ...(attempt.newNetwork === null ? [] : [signedInFrom(session.sessionId, client)]),
    settled(attempt, false),
  ]).catch(async (error: unknown) => {
    // A trigger of the app refused the session. The password was right, so the attempt must not stay counted as failed.
    await settleSignIn(database, attempt, false);
    throw error;
  });
  const row = accountJson<Omit<Grant, 'refreshToken'>>(opened);
  return row ? { ...row, refreshToken: session.refreshToken } : null;
}

const OPEN = openSession(
  `update auth.users u set
  last_sign_in_at = pg_catalog.now(), updated_at = pg_catalog.now(), encrypted_password = coalesce($8, u.encrypted_password)
  where u.id = $1::uuid and u.encrypted_password = $7 and u.deleted_at is null
    and (u.banned_until is null or u.banned_until <= pg_catalog.now())
  returning u.*`,
  ownWay('password'),
);

/** Returns the hash of an account's password; null if it has none or does not exist. */
export const findPasswordHash = (database: Executor, id: string): Promise<string | null> =>
  jsonAsAuthAdmin<string>(
    database,
    `select pg_catalog.to_jsonb(nullif(u.encrypted_password, '')) from auth.users u where u.id = $1::uuid`,
    [id],
  );
