import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { affectedRows, type Param } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AuditCaller, auditEntry } from '../audit/audit.ts';
import { isMissing } from '../messages/one-time-tokens.ts';
import { ownWay } from '../passwords/sign-in-counts.ts';
import { accountJson, jsonAsAuthAdmin, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';
import { rememberedNetwork } from '../sessions/new-device.ts';
import { type Grant, newSession, openSession, type SessionClient } from '../sessions/sessions.ts';
import { type User, userJson } from './user.ts';

type Metadata = Readonly<Record<string, unknown>>;

/** A new account. Without the hash of a password it cannot sign in with a password. */
export interface NewUser {
  readonly id?: string;
  readonly email?: string;
  /** The phone number, only its digits. */
  readonly phone?: string;
  readonly passwordHash?: string;
  readonly userMetadata?: Metadata | undefined;
  /** Additional fields for the data of the identity. */
  readonly identityData?: Metadata;
  readonly appMetadata?: Metadata;
  readonly aud?: string;
  readonly role?: string;
  readonly isAnonymous?: boolean;
  /** True if the e-mail address counts as confirmed. */
  readonly confirmed?: boolean;
  readonly phoneConfirmed?: boolean;
  /** The duration of a ban in seconds, counted from now; 0 or absent for no ban. */
  readonly banSeconds?: number;
}

/** Returns statements for the transaction that creates the account with this id. */
export type AfterInsert = (id: string) => readonly SqlStatement[];

const nothing: AfterInsert = () => [];

/**
 * Statement that inserts an account. $1 is the account as JSON. Inserts nothing if another account has the same address
 * in other letter case.
 */
const INSERT = `with r as (
  select * from pg_catalog.jsonb_to_record($1::jsonb) as r(
    id uuid, aud text, role text, email text, phone text, password_hash text,
    user_metadata jsonb, app_metadata jsonb, is_anonymous boolean, identities jsonb)
),
made as (
  insert into auth.users (
    instance_id, id, aud, role, email, phone, encrypted_password, raw_user_meta_data, raw_app_meta_data, is_anonymous,
    created_at, updated_at, confirmation_token, recovery_token, email_change_token_new, email_change)
  select '00000000-0000-0000-0000-000000000000', id, aud, role, email, phone, password_hash, user_metadata, app_metadata,
    is_anonymous, pg_catalog.now(), pg_catalog.now(), '', '', '', ''
  from r
  where not exists (
    select from auth.users x where pg_catalog.lower(x.email) = r.email and x.is_sso_user = false)
  returning id
)
insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select made.id::text, made.id, i.value, i.key, pg_catalog.now(), pg_catalog.now(), pg_catalog.now()
from made, r, pg_catalog.jsonb_each(r.identities) i`;

/** Returns SQL text that confirms the account $1. */
const confirm = (email: boolean, phone: boolean, more = ''): string => `update auth.users u set
  ${
    email
      ? `email_confirmed_at = pg_catalog.now(),
  raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || '{"email_verified": true}',`
      : ''
  }
  ${phone ? 'phone_confirmed_at = pg_catalog.now(),' : ''}
  ${more}
  updated_at = pg_catalog.now()
  where id = $1::uuid`;

/** SQL text: the account $1 as a User. */
export const SELECT_USER = `select ${userJson} from auth.users u where u.id = $1::uuid`;

/** Returns $1 of INSERT. */
function record(id: string, user: NewUser): string {
  const email = user.email?.trim().toLowerCase();
  const providers = [...(email ? ['email'] : []), ...(user.phone ? ['phone'] : [])];
  const subject = { sub: id, email_verified: false, phone_verified: false };
  const identities = {
    ...(email && { email: { ...subject, ...user.identityData, sub: id, email } }),
    ...(user.phone && { phone: { ...subject, ...user.identityData, sub: id, phone: user.phone } }),
  };
  return JSON.stringify({
    id,
    aud: user.aud ?? 'authenticated',
    role: user.role ?? 'authenticated',
    email: email ?? null,
    phone: user.phone ?? null,
    password_hash: user.passwordHash ?? null,
    user_metadata: user.userMetadata ?? {},
    app_metadata: { ...(providers.length > 0 && { provider: providers[0], providers }), ...user.appMetadata },
    is_anonymous: user.isAnonymous ?? false,
    identities,
  });
}

/**
 * Creates an account, in one round trip.
 * @throws email_exists, phone_exists, user_already_exists (the id), and the errors of the app's own triggers
 */
export async function createUser(database: Executor, user: NewUser, after = nothing): Promise<User> {
  const id = user.id ?? randomUUID();
  const ban = user.banSeconds ? 'banned_until = pg_catalog.now() + pg_catalog.make_interval(secs => $2::float8),' : '';
  const finish = confirm(user.confirmed ?? false, user.phoneConfirmed ?? false, ban);
  const finishParams = user.banSeconds ? [id, String(user.banSeconds)] : [id];
  const needed = user.confirmed || user.phoneConfirmed || user.banSeconds;
  const results = await runAsAuthAdmin(database, [
    [INSERT, [record(id, user)]],
    ...(needed ? ([[finish, finishParams]] as const) : []),
    ...after(id),
    [SELECT_USER, [id]],
  ]).catch(asConflict);
  return made(results.at(-1));
}

/**
 * Creates an account in one round trip. If its address counts as confirmed at once, also opens a session. Otherwise the
 * session is null, and the statements of `after` run in the same transaction. The account is inserted first and
 * confirmed by an UPDATE, as triggers of apps expect.
 * @throws the errors of `createUser`
 */
export async function signUp(
  database: Executor,
  user: NewUser,
  client: SessionClient,
  after = nothing,
): Promise<{ user: User; grant: Grant | null }> {
  const id = user.id ?? randomUUID();
  const userMetadata = user.isAnonymous
    ? user.userMetadata
    : { ...user.userMetadata, sub: id, email: user.email, email_verified: false, phone_verified: false };
  const [byMail, byPhone] = [user.confirmed ?? false, user.phoneConfirmed ?? false];
  const identityData = { ...user.userMetadata, email_verified: byMail, phone_verified: byPhone };
  const insert = [INSERT, [record(id, { ...user, userMetadata, identityData })]] as const;
  if (!user.isAnonymous && !byMail && !byPhone) {
    const requested = auditEntry('user_confirmation_requested', id, client, { provider: 'email' });
    const results = await runAsAuthAdmin(database, [insert, ...after(id), requested, [SELECT_USER, [id]]]).catch(
      asConflict,
    );
    return { user: made(results.at(-1)), grant: null };
  }
  const session = newSession(id, client, user.isAnonymous ? 'anonymous' : 'password');
  const account = `${confirm(byMail, byPhone, 'last_sign_in_at = pg_catalog.now(),')} returning u.*`;
  const results = await runAsAuthAdmin(database, [
    insert,
    auditEntry('user_signedup', id, client, { provider: user.isAnonymous ? 'anonymous' : 'email' }),
    [openSession(account, ownWay(user.isAnonymous ? 'anonymous' : 'password')), session.params],
    ...(user.isAnonymous ? [] : [rememberedNetwork(session.sessionId, client)]),
    ...(byMail ? [unprovenAddress(id)] : []),
    ...(byPhone ? [unprovenPhone(id)] : []),
    [SELECT_USER, [id]],
  ]).catch(asConflict);
  const stored = made(results.at(-1));
  const opened = accountJson<Pick<Grant, 'session'>>(results[2]);
  if (!opened) throw new Error('a session was not opened for a new account');
  return { user: stored, grant: { user: stored, session: opened.session, refreshToken: session.refreshToken } };
}

function made(result: Parameters<typeof accountJson>[0] | undefined): User {
  const user = accountJson<User>(result);
  if (!user) throw new NinefoldError('email_exists');
  return user;
}

/** Throws the error code for a violated unique constraint of auth.users; rethrows any other error. */
export function asConflict(error: unknown): never {
  // The token could not refer to its account, because the account was not inserted: another account has the address.
  if (isMissing(error)) throw new NinefoldError('email_exists');
  if (error instanceof DatabaseError && error.sqlstate === '23505' && error.fields.schema === 'auth') {
    if (error.fields.constraint === 'users_email_partial_key') throw new NinefoldError('email_exists');
    if (error.fields.constraint === 'users_phone_key') throw new NinefoldError('phone_exists');
    if (error.fields.constraint === 'users_pkey') {
      throw new NinefoldError('user_already_exists', { message: 'A user with this id already exists' });
    }
  }
  throw error;
}

/** Returns an account by its id; null if it does not exist. */
export const findUser = (database: Executor, id: string): Promise<User | null> =>
  jsonAsAuthAdmin<User>(database, SELECT_USER, [id]);

/**
 * Returns the e-mail address, or else the phone number, of each account by its id. Leaves out unknown ids and accounts
 * without both.
 */
export async function userAddresses(database: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await jsonAsAuthAdmin<Record<string, string>>(
    database,
    `select pg_catalog.jsonb_object_agg(id, address) from (
       select id, coalesce(nullif(email, ''), nullif(phone, '')) as address from auth.users where id = any ($1::uuid[])
     ) u where address is not null`,
    [`{${ids.join(',')}}`],
  );
  return new Map(Object.entries(found ?? {}));
}

/**
 * Returns the statement that records that the address of a new account counts as confirmed without a proof. When the
 * owner of the address proves it, all other access to the account ends (`ninefold.confirm_email`).
 */
export const unprovenAddress = (id: string): SqlStatement => [
  `insert into ninefold.unproven_addresses (user_id) select u.id from auth.users u where u.id = $1::uuid
   on conflict (user_id) do nothing`,
  [id],
];

/**
 * Returns the statement that records that the number of a new account counts as confirmed without a proof. When the
 * owner of the number proves it, all other access to the account ends (`ninefold.use_phone_code`).
 */
const unprovenPhone = (id: string): SqlStatement => [
  `insert into ninefold.unproven_phones (user_id) select u.id from auth.users u where u.id = $1::uuid
   on conflict (user_id) do nothing`,
  [id],
];

/** Returns true if the owner of an account's phone number has proved it. The number must be confirmed. */
export const isPhoneProven = (database: Executor, id: string): Promise<boolean> =>
  isProven(database, id, 'phone_confirmed_at', 'unproven_phones');

/** Returns true if the owner of an account's e-mail address has proved it. The address must be confirmed. */
export const isAddressProven = (database: Executor, id: string): Promise<boolean> =>
  isProven(database, id, 'email_confirmed_at', 'unproven_addresses');

const isProven = async (
  database: Executor,
  id: string,
  confirmed: 'phone_confirmed_at' | 'email_confirmed_at',
  unproven: 'unproven_phones' | 'unproven_addresses',
): Promise<boolean> =>
  (await jsonAsAuthAdmin<boolean>(
    database,
    `select pg_catalog.to_jsonb(u.${confirmed} is not null
       and not exists (select from ninefold.${unproven} p where p.user_id = u.id))
     from auth.users u where u.id = $1::uuid`,
    [id],
  )) === true;

/** Returns the statement that removes the password of an unconfirmed account. */
export const droppedPassword = (id: string): SqlStatement => [
  `update auth.users set encrypted_password = null, updated_at = pg_catalog.now()
   where id = $1::uuid and email_confirmed_at is null and encrypted_password is not null`,
  [id],
];

/** Returns the statement that records that an account was invited. */
export const invitedAt = (id: string): SqlStatement => [
  'update auth.users set invited_at = pg_catalog.now(), updated_at = pg_catalog.now() where id = $1::uuid',
  [id],
];

/**
 * Deletes an account and all its rows in the schema auth. Returns false if it does not exist.
 * @param options.deletesFiles True to delete the files that the member uploaded, too.
 */
export async function deleteUser(
  database: Executor,
  id: string,
  caller?: AuditCaller,
  { deletesFiles = false }: { readonly deletesFiles?: boolean } = {},
): Promise<boolean> {
  const results = await runAsAuthAdmin(database, [
    ...(caller ? [auditEntry('user_deleted', id, caller)] : []),
    ...(deletesFiles ? [['select ninefold.delete_files_of($1::uuid)', [id]] satisfies SqlStatement] : []),
    ['delete from auth.users where id = $1::uuid', [id]],
  ]);
  const deleted = results.at(-1);
  return deleted !== undefined && affectedRows(deleted) > 0;
}

/**
 * Returns SQL text: a hash that replaces a value of the account `owner`. It is unique and does not reveal the value
 * (GoTrue's `obfuscateValue`: base64url without padding).
 */
const obscured = (owner: string, value: string): string =>
  `pg_catalog.rtrim(pg_catalog.translate(pg_catalog.encode(pg_catalog.sha256(
    pg_catalog.convert_to(${owner}::text || ${value}, 'UTF8')), 'base64'), '+/', '-_'), '=')`;

/** Returns SQL text: the hash of a phone number, cut to the length of the column in older databases. */
const obscuredPhone = (column: string): string => `pg_catalog.left(${obscured('u.id', column)}, 15)`;

/**
 * Removes the personal data of an account and ends its sessions, but keeps its row, so that references to it stay
 * valid. Returns false if the account does not exist.
 */
export async function softDeleteUser(database: Executor, id: string, caller: AuditCaller): Promise<boolean> {
  const params: Param[] = [id];
  const [found] = await runAsAuthAdmin(database, [
    ['select from auth.users where id = $1::uuid', params],
    auditEntry('user_deleted', id, caller, { soft: true }),
    [
      `update auth.users u set
         email = ${obscured('u.id', 'u.email')}, phone = ${obscuredPhone('u.phone')},
         email_change = case when u.email_change <> '' then ${obscured('u.id', 'u.email_change')} else u.email_change end,
         phone_change = case when u.phone_change <> '' then ${obscuredPhone('u.phone_change')} else u.phone_change end,
         encrypted_password = null, confirmation_token = '', recovery_token = '', email_change_token_current = '',
         email_change_token_new = '', phone_change_token = '', reauthentication_token = '',
         raw_user_meta_data = '{}', raw_app_meta_data = '{}',
         deleted_at = pg_catalog.now(), updated_at = pg_catalog.now()
       where id = $1::uuid and deleted_at is null`,
      params,
    ],
    [
      `update auth.identities i set provider_id = ${obscured('i.user_id', "i.provider || ':' || i.provider_id")},
         identity_data = '{}', updated_at = pg_catalog.now()
       from auth.users u where u.id = i.user_id and u.id = $1::uuid and i.identity_data <> '{}'`,
      params,
    ],
    ['delete from auth.mfa_factors where user_id = $1::uuid', params],
    ['delete from auth.webauthn_credentials where user_id = $1::uuid', params],
    ['delete from auth.one_time_tokens where user_id = $1::uuid', params],
  ]);
  return found !== undefined && found.rows.length > 0;
}

/**
 * Checks that an access token can carry the account's metadata.
 * @throws validation_failed if they are too large
 */
export function checkMetadata(user: Metadata, app: Metadata = {}): void {
  if (Buffer.byteLength(JSON.stringify(user)) > limits.userMetadataBytes.default) throw tooLarge('user');
  if (Buffer.byteLength(JSON.stringify(app)) > limits.appMetadataBytes.default) throw tooLarge('app');
}

export const tooLarge = (which: 'user' | 'app'): NinefoldError =>
  new NinefoldError('validation_failed', {
    message: `The ${which} metadata is larger than ${limits[`${which}MetadataBytes`].default} bytes`,
    limit: `${which}MetadataBytes`,
  });
