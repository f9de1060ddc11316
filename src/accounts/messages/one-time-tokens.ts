import { createHash, randomBytes, randomInt } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Result } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import {
  codeSubjects,
  type Reservation,
  refusingLimit,
  reserveAttempt,
  reserveParams,
  settleAttempt,
} from '../../limits/sign-in-attempts.ts';
import { auditAddress, auditInsert } from '../audit/audit.ts';
import type { OwnWay } from '../passwords/sign-in-counts.ts';
import { issueAuthCode, makeAuthCode } from '../providers/flow-states.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';
import { signedInFrom } from '../sessions/new-device.ts';
import {
  type Grant,
  newSession,
  openSession,
  type SessionClient,
  type SignInMethod,
  tokenOwner,
} from '../sessions/sessions.ts';

/** The kinds of one-time tokens, by the names of `auth.one_time_token_type`. */
export type TokenKind =
  | 'confirmation_token'
  | 'recovery_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'reauthentication_token'
  | 'phone_change_token';

/** A token for a link, and a code that can be typed instead. The database stores only hashes of both. */
export interface OneTimeToken {
  readonly kind: TokenKind;
  /** The e-mail address to which the token and the code are sent, in lower case. */
  readonly address: string;
  /** The token for links; GoTrue's `token_hash`. */
  readonly token: string;
  readonly code: string;
}

/** The prefix of tokens in links of the PKCE flow (GoTrue, `PKCEPrefix`). */
const PKCE = 'pkce_';

export const isPkceToken = (token: string): boolean => token.startsWith(PKCE);

/**
 * Returns a new token and a new code. GoTrue derives the token from the address and the code, so that an attacker could
 * find it by trying all codes; The token of this function is random, and as long as GoTrue's.
 */
export const makeOneTimeToken = (
  kind: TokenKind,
  address: string,
  options: { digits: number; isPkce: boolean },
): OneTimeToken => ({
  kind,
  address,
  token: `${options.isPkce ? PKCE : ''}${randomBytes(28).toString('hex')}`,
  code: makeCode(options.digits),
});

const linkHash = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Returns GoTrue's hash of a code (`GenerateTokenHash`). */
const codeHash = (address: string, code: string): string =>
  createHash('sha224')
    .update(address + code)
    .digest('hex');

/**
 * Returns the statement that gives an account a token. Earlier tokens of the same kind become invalid. The statement
 * fails if the account does not exist.
 */
export const issuedToken = (userId: string, { kind, address, token, code }: OneTimeToken): SqlStatement => [
  'select ninefold.issue_one_time_token($1::uuid, $2::auth.one_time_token_type, $3, $4, $5)',
  [userId, kind, linkHash(token), codeHash(address, code), address],
];

/**
 * Returns the statement that gives an account a code for a phone number. An earlier code of the same kind becomes
 * invalid. The statement fails if the account does not exist.
 */
export const issuedPhoneCode = (userId: string, kind: TokenKind, phone: string, code: string): SqlStatement => [
  'select ninefold.issue_phone_code($1::uuid, $2::auth.one_time_token_type, $3, $4, $5)',
  // An SMS contains no link. The table requires a token for links, so the row gets a random token that nobody receives.
  [userId, kind, linkHash(randomBytes(28).toString('hex')), codeHash(phone, code), phone],
];

/** Returns a new code. */
export const makeCode = (digits: number): string => Array.from({ length: digits }, () => randomInt(10)).join('');

/**
 * Returns the statement that stores the new address of an account. Links for a change to another address become
 * invalid.
 */
export const begunEmailChange = (userId: string, email: string): SqlStatement => [
  'select ninefold.begin_email_change($1::uuid, $2)',
  [userId, email],
];

/** Returns true if a statement of this file failed because its account or its token is missing. */
export const isMissing = (error: unknown): boolean =>
  error instanceof DatabaseError && error.sqlstate === 'P0002' && error.fields.table === 'one_time_codes';

/** The data of an account that a call needs to send a link. */
export interface Recipient {
  readonly id: string;
  readonly email: string;
  readonly newEmail: string | null;
  readonly isConfirmed: boolean;
  /** The hash of the account's password; null if the account has none. */
  readonly passwordHash: string | null;
}

const RECIPIENT = `select pg_catalog.jsonb_build_object(
  'id', u.id, 'email', u.email, 'newEmail', nullif(u.email_change, ''),
  'isConfirmed', u.email_confirmed_at is not null, 'passwordHash', nullif(u.encrypted_password, ''))
from auth.users u
where pg_catalog.lower(u.email) = $1 and u.is_sso_user = false and u.deleted_at is null order by u.created_at limit 1`;

/** Returns the account with an e-mail address; null if there is none. The address must be in lower case. */
export const findRecipient = (database: Executor, email: string): Promise<Recipient | null> =>
  jsonAsAuthAdmin<Recipient>(database, RECIPIENT, [email]);

/** The purposes of mails. The number of mails for each purpose is limited separately. */
export type MailPurpose = 'confirmation' | 'recovery' | 'email_change' | 'reauthentication';

/**
 * The account of a request for a mail, and the number of seconds until another mail may be requested; 0 if one may be
 * requested now.
 */
export interface MailRequest {
  readonly wait: number;
  readonly recipient: Recipient | null;
}

const subjectOf = (purpose: MailPurpose, email: string): string =>
  createHash('sha256').update(`${purpose}:${email}`).digest('base64url');

/**
 * Counts a request for a mail to an address, and finds the account with this address. A request for an address without
 * an account is counted too.
 */
export async function requestMail(
  database: Executor,
  purpose: MailPurpose,
  email: string,
  pauseSeconds: number,
): Promise<MailRequest> {
  const [wait, found] = await runAsAuthAdmin(database, [
    ['select ninefold.reserve_mail($1, $2::integer)', [subjectOf(purpose, email), String(pauseSeconds)]],
    [RECIPIENT, [email]],
  ]);
  return { wait: Number(wait?.rows[0]?.[0]?.toString() ?? 0), recipient: accountJson<Recipient>(found) };
}

/**
 * Runs a transaction that writes, if no account has the address. It takes as long as storing a token and a mail, so the
 * time of the call does not reveal whether an account exists.
 */
export async function pretendToMail(database: Executor, purpose: MailPurpose, email: string): Promise<void> {
  await runAsAuthAdmin(database, [pretendedMail(purpose, email)]);
}

/** Returns the statement of `pretendToMail`. */
export const pretendedMail = (purpose: MailPurpose, email: string): SqlStatement => [
  'update ninefold.mail_requests set requested_at = requested_at where subject = $1 returning subject',
  [subjectOf(purpose, email)],
];

/**
 * A token that a caller presents: either the token of a link, or a code together with the address to which it was sent.
 */
export type ShownToken = { readonly token: string } | ShownCode;

interface ShownCode {
  readonly address: string;
  readonly code: string;
}

/** The result of using a token. */
export type TokenUsed =
  | { readonly verdict: 'void' | 'banned' | 'taken' | 'half' | 'no-flow' }
  | { readonly verdict: 'used'; readonly grant: Grant }
  | { readonly verdict: 'code'; readonly code: string };

export interface TokenUse {
  readonly kinds: readonly TokenKind[];
  readonly shown: ShownToken;
  readonly validSeconds: number;
  /** True if a change of address must be confirmed at both addresses. */
  readonly bothConfirm: boolean;
  /** True if the code was sent to a phone. */
  readonly isPhone?: boolean;
  /**
   * True if the account loses its password. This is so if someone other than the owner of the address may have chosen
   * it.
   */
  readonly dropsPassword?: boolean;
}

const list = (kinds: readonly TokenKind[]): string => `{${kinds.join(',')}}`;

/**
 * Returns the statement that uses up a token. $1 is the account; NULL for a link, whose token identifies the account.
 */
const useStatement = (userId: string | null, use: TokenUse): SqlStatement =>
  use.isPhone ? usePhoneCode(userId, use) : useMailedToken(userId, use);

const usePhoneCode = (userId: string | null, { kinds, shown, validSeconds }: TokenUse): SqlStatement => [
  'select pg_catalog.to_jsonb(ninefold.use_phone_code($1::uuid, $2::auth.one_time_token_type, $3, $4::integer))',
  [userId, kinds[0] ?? null, 'code' in shown ? codeHash(shown.address, shown.code) : null, String(validSeconds)],
];

const useMailedToken = (userId: string | null, { kinds, shown, validSeconds, bothConfirm }: TokenUse): SqlStatement => [
  `select pg_catalog.to_jsonb(ninefold.use_one_time_token(
    coalesce($1::uuid, (select t.user_id from auth.one_time_tokens t where t.token_hash = $3)),
    $2::auth.one_time_token_type[], $3, $4, $5::integer, $6::boolean))`,
  [
    userId,
    list(kinds),
    'token' in shown ? linkHash(shown.token) : null,
    'token' in shown ? null : codeHash(shown.address, shown.code),
    String(validSeconds),
    String(bothConfirm),
  ],
];

/**
 * Opens a session for the account whose token was used. $1 is that account, or NULL for a link; $7 is the sign-in
 * method.
 */
const OPEN = openSession(
  `update auth.users u set last_sign_in_at = pg_catalog.now(), updated_at = pg_catalog.now()
  where u.id = ${tokenOwner} and ($1::uuid is null or u.id = $1::uuid) returning u.*`,
  '$7',
);

/**
 * Uses up a token and opens a session for its account, in one transaction; only one of several concurrent uses
 * succeeds. A link needs one round trip to the database. A code needs two, because the attempt must be stored before
 * the code is compared.
 */
export async function useOneTimeToken(database: Executor, use: TokenUse, client: SessionClient): Promise<TokenUsed> {
  const owner = await ownerOf(database, use, client);
  if (owner === null) return { verdict: 'void' };
  const session = newSession(owner.userId, client, 'otp');
  const way: OwnWay = use.isPhone ? 'phone' : 'mail';
  const [used, opened] = await runAsAuthAdmin(database, [
    useStatement(owner.userId, use),
    [OPEN, [...session.params, way]],
    signedInFrom(session.sessionId, client),
    ...confirmedSignUp(use, client),
    ...(use.dropsPassword ? [passwordDropped] : []),
    ...owner.settled,
  ]);
  const verdict = verdictOf(used);
  if (verdict !== 'used') return { verdict };
  const grant = accountJson<Omit<Grant, 'refreshToken'>>(opened);
  if (!grant) throw new Error('a one-time token has opened no session');
  return { verdict, grant: { ...grant, refreshToken: session.refreshToken } };
}

/**
 * Uses up the token of a link of the PKCE flow. The client gets a code, which it exchanges together with its verifier.
 */
export async function useLinkForCode(
  database: Executor,
  use: TokenUse,
  method: SignInMethod,
  client: SessionClient,
): Promise<TokenUsed> {
  const issued = makeAuthCode();
  const [used, flow] = await runAsAuthAdmin(database, [
    useStatement(null, use),
    issueAuthCode(issued, null, method),
    ...confirmedSignUp(use, client),
    ...(use.dropsPassword ? [passwordDropped] : []),
  ]);
  const verdict = verdictOf(used);
  if (verdict !== 'used') return { verdict };
  return flow?.rows.length ? { verdict: 'code', code: issued.code } : { verdict: 'no-flow' };
}

/** Removes the password of the account whose token was used in this transaction. */
const passwordDropped: SqlStatement = [
  `update auth.users u set encrypted_password = null where u.id = ${tokenOwner} and u.encrypted_password is not null`,
  [],
];

/**
 * Returns the statement that records the confirmation of an account if a confirmation token was used in this
 * transaction.
 */
const confirmedSignUp = ({ kinds }: TokenUse, client: SessionClient): readonly SqlStatement[] =>
  kinds.includes('confirmation_token')
    ? [
        [
          auditInsert('user_signedup', {
            userId: tokenOwner,
            address: '$1',
            traits: `'{"provider": "email"}'::jsonb`,
            where: `${tokenOwner} is not null`,
          }),
          [auditAddress(client)],
        ],
      ]
    : [];

const verdictOf = (result: Result | undefined) =>
  accountJson<'void' | 'banned' | 'taken' | 'half' | 'used'>(result) ?? 'void';

/**
 * The account for which a code was presented, and the statements that remove the attempt from the count. They run in
 * the transaction that uses the code.
 */
interface Owner {
  /** The id of the account; null for a link, because the statement that uses up the token finds the account. */
  readonly userId: string | null;
  readonly settled: readonly SqlStatement[];
}

/**
 * Returns the account of a code; null if it is wrong.
 * @throws over_request_rate_limit after too many wrong codes
 */
const ownerOf = async (database: Executor, { kinds, shown }: TokenUse, client: SessionClient): Promise<Owner | null> =>
  'code' in shown ? tryCode(database, kinds, shown, client) : { userId: null, settled: [] };

/**
 * Statement that counts an attempt with a code and finds the account. $1 to $11 are `reserveParams`, $12 the address,
 * $13 the kinds, $14 the hash of the code, and $15 the number of days for which a network counts as known.
 */
const TRY = `with owners as materialized (
  select t.user_id, c.code_hash = $14 as is_right from auth.one_time_tokens t
  join ninefold.one_time_codes c on c.user_id = t.user_id and c.token_type = t.token_type
  where t.relates_to = $12 and t.token_type = any ($13::auth.one_time_token_type[])
),
known as materialized (
  select exists (
    select from ninefold.sign_in_networks n, owners o where n.user_id = o.user_id and n.network = $4::bigint
      and n.seen_at > pg_catalog.now() - pg_catalog.make_interval(days => $15::integer)
  ) as is_known
)
select pg_catalog.jsonb_build_object(
  'isKnown', is_known,
  'reservation', ${reserveAttempt('is_known')},
  'owner', (select user_id from owners where is_right limit 1))
from known`;

/**
 * Counts an attempt with a code as wrong before it compares the code, so that no code is compared after the limit is
 * reached. Returns the account of the code; null for a wrong code. Attempts for an address without an account are
 * counted in the same way.
 * @throws over_request_rate_limit
 */
async function tryCode(
  database: Executor,
  kinds: readonly TokenKind[],
  { address, code }: ShownCode,
  client: SessionClient,
): Promise<Owner | null> {
  const subjects = codeSubjects(client.address, address);
  const tried = await jsonAsAuthAdmin<{ reservation: Reservation; owner: string | null; isKnown: boolean }>(
    database,
    TRY,
    [
      ...reserveParams(subjects),
      address,
      list(kinds),
      codeHash(address, code),
      String(limits.signInNetworkDays.default),
    ],
  );
  if (!tried) throw new Error('a code was not counted');
  const { reservation, owner, isKnown } = tried;
  if (!('at' in reservation)) {
    throw new NinefoldError('over_request_rate_limit', {
      message: `Too many wrong codes. Try again in ${reservation.wait} seconds${address.includes('@') ? ', or open the link' : ''}.`,
      ...refusingLimit(reservation, subjects, { address: 'oneTimeCodeTriesPerNetwork', account: 'oneTimeCodeTries' }),
    });
  }
  const counted = isKnown ? subjects.accountAndNetwork : subjects.account;
  const settled = (isWrong: boolean): SqlStatement => [
    settleAttempt,
    [subjects.address, counted, reservation.at, String(isWrong)],
  ];
  if (owner !== null) return { userId: owner, settled: [settled(false)] };
  await runAsAuthAdmin(database, [settled(true)]);
  return null;
}

/**
 * Counts an attempt with the code that a member sends for reauthentication. Returns the statements that use up the
 * code, for the transaction of the change that needs it; null for a wrong code.
 * @throws over_request_rate_limit
 */
export async function nonceStatements(
  database: Executor,
  user: { readonly id: string; readonly email: string; readonly phone: string },
  nonce: string,
  validSeconds: number,
  client: SessionClient,
): Promise<readonly SqlStatement[] | null> {
  const address = user.email.toLowerCase() || user.phone;
  const owner = await tryCode(database, ['reauthentication_token'], { address, code: nonce }, client);
  if (owner?.userId !== user.id) return null;
  return [
    ['select ninefold.use_nonce($1::uuid, $2, $3::integer)', [user.id, codeHash(address, nonce), String(validSeconds)]],
    ...owner.settled,
  ];
}
