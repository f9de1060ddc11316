import { randomUUID } from 'node:crypto';
import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Result } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { auditEntry } from '../audit/audit.ts';
import { queuedMail } from '../messages/mails.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';
import { signedInFrom } from '../sessions/new-device.ts';
import { type Grant, newSession, openSession, type SessionClient } from '../sessions/sessions.ts';
import { unprovenAddress } from '../users/users.ts';
import { type AuthCode, completeFlow, endFlow, type ProviderTokens } from './flow-states.ts';

/**
 * The number of attempts. If a concurrent sign-in of the same person is committed first, the decision is made again.
 */
const ATTEMPTS = 3;

/** A person who has signed in at a provider, with the data that the accounts of the app use. */
export interface ExternalIdentity {
  readonly provider: string;
  /** The id of the person at the provider. */
  readonly subject: string;
  /** The data that the identity stores. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Addresses that the provider has verified, in lower case. */
  readonly verifiedEmails: readonly string[];
  /** The address of a new account; null if the provider reports none. */
  readonly email: string | null;
}

/** The result that a sign-in produces: a session, or a code that the client exchanges for one. */
export type Finish =
  | { readonly kind: 'session'; readonly client: SessionClient; readonly flowId: string | null }
  | {
      readonly kind: 'code';
      readonly client: SessionClient;
      readonly flowId: string;
      readonly code: AuthCode;
      readonly tokens: ProviderTokens;
    };

/** The rules of the app for new accounts and addresses. */
export interface SignInRules {
  readonly disablesSignUp: boolean;
  /** True if unverified addresses count as confirmed. */
  readonly autoconfirms: boolean;
  readonly isEmailOptional: boolean;
  /** Called before a new account is stored. It throws to refuse the account. */
  readonly beforeNew?: (account: { id: string; email: string | null }) => Promise<void>;
}

export interface SignedIn {
  readonly userId: string;
  readonly isNew: boolean;
  /** The session and its refresh token; null if the client gets a code instead. */
  readonly grant: Grant | null;
}

interface Account {
  readonly id: string;
  readonly email: string | null;
  readonly isConfirmed: boolean;
  /**
   * True if a person has proved to own the address: by a mail, or by an account of a provider that verifies addresses.
   */
  readonly isProven: boolean;
  readonly isBanned: boolean;
}

interface Found {
  /** The account that has the identity. */
  readonly known: Account | null;
  /** The accounts with a verified address of the identity. */
  readonly similar: readonly Account[];
  readonly isEmailTaken: boolean;
}

/** SQL text: the row `u` of auth.users as an Account. */
const ACCOUNT = `pg_catalog.jsonb_build_object('id', u.id, 'email', pg_catalog.lower(nullif(u.email, '')),
  'isConfirmed', u.email_confirmed_at is not null,
  'isBanned', coalesce(u.banned_until > pg_catalog.now(), false),
  'isProven', u.email_confirmed_at is not null
    and not exists (select from ninefold.unproven_addresses a where a.user_id = u.id))`;

/**
 * Query for the accounts of an identity: the account that has the identity, and the accounts with one of its addresses.
 * Only addresses that the provider has verified count.
 */
const FIND = `select pg_catalog.jsonb_build_object(
  'known', (
    select ${ACCOUNT} from auth.identities i join auth.users u on u.id = i.user_id
    where i.provider = $1 and i.provider_id = $2 and u.deleted_at is null),
  'similar', coalesce((
    select pg_catalog.jsonb_agg(${ACCOUNT}) from auth.users u
    where u.is_sso_user = false and u.deleted_at is null and (
      pg_catalog.lower(u.email) = any ($3::text[])
      or u.id in (
        select i.user_id from auth.identities i where i.email = any ($3::text[])
          and i.provider not in ('email', 'phone') and i.provider not like 'sso:%'
          and i.identity_data ->> 'email_verified' = 'true'))), '[]'),
  'isEmailTaken', exists (
    select from auth.users u where pg_catalog.lower(u.email) = $4 and u.is_sso_user = false))`;

const textArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

/**
 * Signs a person in: to the account that has the identity, to the only account with one of their verified addresses, or
 * to a new account. If the address of the account was never proved, the account first loses its password, sessions,
 * factors and other identities, because a stranger may have created it in advance.
 * @throws signup_disabled, user_banned, provider_email_needs_verification, unexpected_failure
 */
export async function signInExternally(
  database: Executor,
  identity: ExternalIdentity,
  rules: SignInRules,
  finish: Finish,
): Promise<SignedIn> {
  const { provider, subject, verifiedEmails, email } = identity;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const params = [provider, subject, textArray(verifiedEmails), email];
    const found = await jsonAsAuthAdmin<Found>(database, FIND, params);
    if (found === null) throw new Error('accounts could not be looked up');
    const plan = planFor(found, identity, rules, finish);
    if (plan.newAccount) await rules.beforeNew?.(plan.newAccount);
    const signedIn = await carryOut(database, plan, identity, finish);
    if (signedIn) return signedIn;
  }
  throw new NinefoldError('unexpected_failure', { message: 'The account was changed at the same time' });
}

interface Plan {
  readonly userId: string;
  readonly isNew: boolean;
  readonly statements: readonly SqlStatement[];
  /** The account that the plan creates; absent if the account exists. */
  readonly newAccount?: { readonly id: string; readonly email: string | null };
}

function planFor(found: Found, identity: ExternalIdentity, rules: SignInRules, finish: Finish): Plan {
  const [similar, ...others] = found.similar;
  const account = found.known ?? similar;
  if (!account) return planNew(found, identity, rules);
  if (!found.known && others.length > 0) {
    throw new NinefoldError('unexpected_failure', {
      message: 'Multiple accounts with the same email address in the same linking domain detected: default',
    });
  }
  if (account.isBanned) throw new NinefoldError('user_banned', { status: 403 });
  const hasProof = account.email !== null && identity.verifiedEmails.includes(account.email);
  const isTrusted = account.isConfirmed || hasProof || rules.autoconfirms || identity.verifiedEmails.length > 0;
  if (!isTrusted && !(account.email === null && rules.isEmailOptional)) throw needsVerification(identity.provider);
  const statements = found.known
    ? [updateIdentity(identity, account.id)]
    : [
        addIdentity(identity, account.id),
        ...(account.email === null ? [] : [linkedMail(identity, account, finish.client)]),
      ];
  if (hasProof && !account.isProven) statements.push(...removeUnproven(identity, account.id));
  statements.push(mergeMetadata(identity, account.id), setProviders(account.id), confirmAddress(identity, account.id));
  return { userId: account.id, isNew: false, statements };
}

function planNew(found: Found, identity: ExternalIdentity, rules: SignInRules): Plan {
  if (rules.disablesSignUp) throw new NinefoldError('signup_disabled');
  const email = found.isEmailTaken ? null : identity.email;
  const isVerified = email !== null && identity.verifiedEmails.includes(email);
  if (email === null ? !rules.isEmailOptional : !isVerified && !rules.autoconfirms) {
    throw needsVerification(identity.provider);
  }
  const userId = randomUUID();
  const statements = [insertUser(identity, userId, email), addIdentity(identity, userId)];
  if (email !== null) statements.push(confirmNew(userId, isVerified));
  if (email !== null && !isVerified) statements.push(unprovenAddress(userId));
  return { userId, isNew: true, statements, newAccount: { id: userId, email } };
}

const needsVerification = (provider: string): NinefoldError =>
  new NinefoldError('provider_email_needs_verification', {
    message: `Unverified email with ${provider}. Verify the email with ${provider} in order to sign in`,
  });

const linkedMail = ({ provider }: ExternalIdentity, { id, email }: Account, client: SessionClient): SqlStatement =>
  queuedMail({
    kind: 'identity_linked_notification',
    recipient: email ?? '',
    userId: id,
    data: { Provider: provider },
    acceptLanguage: client.acceptLanguage,
  });

/**
 * Carries out the plan. Returns null if a concurrent transaction was committed first, so that the plan no longer fits.
 */
async function carryOut(
  database: Executor,
  { userId, isNew, statements }: Plan,
  identity: ExternalIdentity,
  finish: Finish,
): Promise<SignedIn | null> {
  const lock: SqlStatement = ['select from auth.users where id = $1::uuid for update', [userId]];
  const finishing = finishingOf(finish, userId, identity, OPEN);
  let results: Result[];
  try {
    const { provider } = identity;
    const signedUp = isNew ? [auditEntry('user_signedup', userId, finish.client, { provider })] : [];
    results = await runAsAuthAdmin(database, [lock, ...statements, ...signedUp, ...finishing.statements]);
  } catch (error) {
    if (isTaken(error)) return null;
    throw error;
  }
  const finished = finishing.read(results);
  return finished && { userId, isNew, ...finished };
}

/** The last statements of a transaction that signs a member in with an identity. */
interface Finishing {
  readonly statements: readonly SqlStatement[];
  /** Reads the results of the whole transaction. Returns null if no account may sign in. */
  readonly read: (results: readonly Result[]) => { readonly grant: Grant | null } | null;
}

/** @param open A statement of `openSession`; $7 and $8 are the identity. */
export function finishingOf(
  finish: Finish,
  userId: string,
  { provider, subject }: Pick<ExternalIdentity, 'provider' | 'subject'>,
  open: string,
): Finishing {
  if (finish.kind === 'code') {
    return {
      statements: [completeFlow(finish, userId, provider, subject)],
      read: (results) => (accountJson(results.at(-1)) === null ? null : { grant: null }),
    };
  }
  const { client, flowId } = finish;
  const { sessionId, refreshToken, params } = newSession(userId, client, 'oauth');
  const ended = flowId === null ? [] : [endFlow(flowId)];
  return {
    statements: [...ended, [open, [...params, provider, subject]], signedInFrom(sessionId, client)],
    read: (results) => {
      const row = accountJson<Omit<Grant, 'refreshToken'>>(results.at(-2));
      return row && { grant: { ...row, refreshToken } };
    },
  };
}

const isTaken = (error: unknown): boolean =>
  error instanceof DatabaseError && error.sqlstate === '23505' && error.fields.schema === 'auth';

/** $7 and $8 are the identity. */
const OPEN = openSession(
  `update auth.users u set last_sign_in_at = pg_catalog.now(), updated_at = pg_catalog.now()
  where u.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until <= pg_catalog.now())
    and exists (select from auth.identities i where i.user_id = u.id and i.provider = $7 and i.provider_id = $8)
  returning u.*`,
  '$7',
);

const insertUser = ({ provider, data }: ExternalIdentity, userId: string, email: string | null): SqlStatement => [
  `insert into auth.users (
     instance_id, id, aud, role, email, raw_user_meta_data, raw_app_meta_data, is_anonymous, created_at, updated_at,
     confirmation_token, recovery_token, email_change_token_new, email_change)
   select '00000000-0000-0000-0000-000000000000', $1::uuid, 'authenticated', 'authenticated', $2::text, $3::jsonb,
     pg_catalog.jsonb_build_object('provider', $4::text, 'providers', pg_catalog.jsonb_build_array($4::text)), false,
     pg_catalog.now(), pg_catalog.now(), '', '', '', ''
   where not exists (select from auth.users x where pg_catalog.lower(x.email) = $2::text and x.is_sso_user = false)`,
  [userId, email, JSON.stringify(data), provider],
];

/** Returns the statement that adds an identity. It adds nothing if the account no longer exists. */
export const addIdentity = ({ provider, subject, data }: ExternalIdentity, userId: string): SqlStatement => [
  `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
   select $1, u.id, $2::jsonb, $3, pg_catalog.now(), pg_catalog.now(), pg_catalog.now()
   from auth.users u where u.id = $4::uuid and u.deleted_at is null`,
  [subject, JSON.stringify(data), provider, userId],
];

const updateIdentity = ({ provider, subject, data }: ExternalIdentity, userId: string): SqlStatement => [
  `update auth.identities set identity_data = $1::jsonb, last_sign_in_at = pg_catalog.now(), updated_at = pg_catalog.now()
   where provider = $2 and provider_id = $3 and user_id = $4::uuid`,
  [JSON.stringify(data), provider, subject, userId],
];

const mergeMetadata = ({ data }: ExternalIdentity, userId: string): SqlStatement => [
  `update auth.users set raw_user_meta_data = case when pg_catalog.jsonb_typeof(raw_user_meta_data) = 'object'
     then raw_user_meta_data else '{}' end || $1::jsonb, updated_at = pg_catalog.now() where id = $2::uuid`,
  [JSON.stringify(data), userId],
];

/**
 * Returns the statement that lists the providers of an account in its metadata, ordered by the age of the identities.
 */
export const setProviders = (userId: string): SqlStatement => [
  `update auth.users u set raw_app_meta_data = case when pg_catalog.jsonb_typeof(u.raw_app_meta_data) = 'object'
     then u.raw_app_meta_data else '{}' end || pg_catalog.jsonb_build_object('providers', p.names)
     || case when pg_catalog.jsonb_array_length(p.names) > 0 then pg_catalog.jsonb_build_object('provider', p.names -> 0) else '{}' end
   from (
     select coalesce(pg_catalog.jsonb_agg(provider order by since, provider), '[]') as names from (
       select provider, pg_catalog.min(created_at) as since from auth.identities where user_id = $1::uuid group by provider) each
   ) p where u.id = $1::uuid`,
  [userId],
];

/**
 * Returns the statement that confirms a new account. Triggers of apps expect that an account is inserted first and then
 * confirmed by an UPDATE.
 */
const confirmNew = (userId: string, isVerified: boolean): SqlStatement => [
  `update auth.users set email_confirmed_at = pg_catalog.now(), updated_at = pg_catalog.now(),
     raw_user_meta_data = raw_user_meta_data || pg_catalog.jsonb_build_object('email_verified', $2::boolean)
   where id = $1::uuid`,
  [userId, String(isVerified)],
];

/** Confirms the address of an account if the provider has verified it. */
const confirmAddress = ({ verifiedEmails }: ExternalIdentity, userId: string): SqlStatement => [
  `update auth.users set email_confirmed_at = pg_catalog.now(), confirmation_token = '', updated_at = pg_catalog.now(),
     raw_user_meta_data = raw_user_meta_data || '{"email_verified": true}'
   where id = $1::uuid and email_confirmed_at is null and pg_catalog.lower(email) = any ($2::text[])`,
  [userId, textArray(verifiedEmails)],
];

/** Removes everything by which another person could sign in to the account (GoTrue, `RemoveUnconfirmedIdentities`). */
const removeUnproven = ({ provider, subject, data }: ExternalIdentity, userId: string): readonly SqlStatement[] => [
  ['select ninefold.remove_other_access($1::uuid, $2, $3)', [userId, provider, subject]],
  [
    `update auth.users set raw_user_meta_data = $2::jsonb, email_confirmed_at = coalesce(email_confirmed_at, pg_catalog.now())
     where id = $1::uuid`,
    [userId, JSON.stringify(data)],
  ],
];
