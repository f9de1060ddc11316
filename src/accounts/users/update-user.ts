import { limits } from '../../../contract/limits.ts';
import type { Executor } from '../../database/database.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AuditCaller, auditAddress, auditInsert } from '../audit/audit.ts';
import { isMissing } from '../messages/one-time-tokens.ts';
import { accountJson, runAsAuthAdmin, type SqlStatement } from '../run-as-auth-admin.ts';
import type { User } from './user.ts';
import { asConflict, SELECT_USER, tooLarge } from './users.ts';

/** Changes of an account. A field that is absent here does not change. */
export interface UserChange {
  readonly role?: string;
  readonly email?: string;
  readonly phone?: string;
  /**
   * The hash of the new password; null removes the password. If the field is present, the account's sessions end,
   * except `keepSession`.
   */
  readonly passwordHash?: string | null;
  readonly keepSession?: string;
  /** New values for the user metadata, merged key by key; a null value removes the key. */
  readonly userMetadata?: Readonly<Record<string, unknown>>;
  readonly appMetadata?: Readonly<Record<string, unknown>>;
  readonly confirmEmail?: boolean;
  readonly confirmPhone?: boolean;
  /** The duration of a ban in seconds, counted from now; 0 lifts a ban. */
  readonly banSeconds?: number;
  /** The caller, for the audit log. */
  readonly caller: AuditCaller;
  /** Present to notify the member of a new password or address by mail, at the address that the account had before. */
  readonly notify?: { readonly acceptLanguage: string | undefined };
}

/**
 * Returns SQL text for the metadata of a column, in which the keys of `set` are overwritten and the keys of `remove`
 * are removed.
 */
const merged = (column: string, name: string): string =>
  `(case when pg_catalog.jsonb_typeof(${column}) = 'object' then ${column} else '{}' end
    || coalesce(c.${name}_set, '{}')) - coalesce(c.${name}_remove, '{}')`;

/** Returns SQL text that updates the identity of a provider after a change of the address. */
const identity = (provider: 'email' | 'phone', column: string): string => `kept_${provider} as (
  update auth.identities i set updated_at = pg_catalog.now(),
    identity_data = i.identity_data || pg_catalog.jsonb_build_object(
      '${provider}', c.${column}, '${provider}_verified', c.confirm_${provider})
  from c, changed where c.${column} is not null and i.user_id = changed.id and i.provider = '${provider}'
),
new_${provider} as (
  insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
  select changed.id::text, changed.id, pg_catalog.jsonb_build_object(
      'sub', changed.id, '${provider}', c.${column}, 'email_verified', false, 'phone_verified', false
    ) || pg_catalog.jsonb_build_object('${provider}_verified', c.confirm_${provider}),
    '${provider}', pg_catalog.now(), pg_catalog.now(), pg_catalog.now()
  from c, changed where c.${column} is not null
    and not exists (select from auth.identities i where i.user_id = changed.id and i.provider = '${provider}')
)`;

/** Returns SQL text for the app metadata, to which a provider is added that the account did not have. */
const withProvider = (metadata: string, provider: 'email' | 'phone', column: string): string =>
  `(select case
      when c.${column} is null or m -> 'providers' @> '["${provider}"]' then m
      else m || pg_catalog.jsonb_build_object(
        'provider', coalesce(m -> 'provider', '"${provider}"'),
        'providers', coalesce(m -> 'providers', '[]') || '["${provider}"]')
    end from (select ${metadata} as m) as metadata)`;

/** The row of the change, for the audit log. */
const AUDITED = {
  userId: 'by.id',
  address: 'by.address',
  isAdmin: 'by.is_admin',
  from: '(select changed.id, c.* from c, changed) as by',
} as const;

/** Statement that changes an account. $1 is the account, $2 the change as JSON. */
const UPDATE = `with c as (
  select * from pg_catalog.jsonb_to_record($2::jsonb) as c(
    role text, email text, phone text, password_changes boolean, password_hash text, keep_session uuid,
    user_set jsonb, user_remove text[], app_set jsonb, app_remove text[],
    confirm_email boolean, confirm_phone boolean, ban_seconds float8,
    notify boolean, accept_language text, address text, is_admin boolean, data_changes boolean)
),
target as (
  select u.id, u.email as old_email, u.phone as old_phone,
    ${merged('u.raw_user_meta_data', 'user')}
      || case when c.confirm_email then '{"email_verified": true}'::jsonb else '{}' end as user_metadata,
    ${withProvider(withProvider(merged('u.raw_app_meta_data', 'app'), 'email', 'email'), 'phone', 'phone')} as app_metadata,
    exists (
      select from auth.users x
      where pg_catalog.lower(x.email) = c.email and x.id <> u.id and x.is_sso_user = false
    ) as email_taken
  from auth.users u, c where u.id = $1::uuid
),
judged as (
  select *, c.password_changes or c.email is not null or c.phone is not null as voids_tokens, case
    when email_taken then 'email_exists'
    when c.user_set is not null
      and pg_catalog.octet_length(user_metadata::text) > ${limits.userMetadataBytes.default} then 'user_too_large'
    when c.app_set is not null
      and pg_catalog.octet_length(app_metadata::text) > ${limits.appMetadataBytes.default} then 'app_too_large'
    else 'ok'
  end as verdict from target, c
),
changed as (
  update auth.users u set
    role = coalesce(j.role, u.role),
    email = coalesce(j.email, u.email),
    email_change = case when j.voids_tokens then '' else u.email_change end,
    email_change_confirm_status = case when j.voids_tokens then 0 else u.email_change_confirm_status end,
    phone = coalesce(j.phone, u.phone),
    phone_change = case when j.voids_tokens then '' else u.phone_change end,
    encrypted_password = case when j.password_changes then j.password_hash else u.encrypted_password end,
    confirmation_token = case when j.voids_tokens then '' else u.confirmation_token end,
    recovery_token = case when j.voids_tokens then '' else u.recovery_token end,
    email_change_token_current = case when j.voids_tokens then '' else u.email_change_token_current end,
    email_change_token_new = case when j.voids_tokens then '' else u.email_change_token_new end,
    phone_change_token = case when j.voids_tokens then '' else u.phone_change_token end,
    reauthentication_token = case when j.voids_tokens then '' else u.reauthentication_token end,
    raw_user_meta_data = j.user_metadata,
    raw_app_meta_data = j.app_metadata,
    email_confirmed_at = case when j.confirm_email then pg_catalog.now() else u.email_confirmed_at end,
    phone_confirmed_at = case when j.confirm_phone then pg_catalog.now() else u.phone_confirmed_at end,
    is_anonymous = u.is_anonymous
      and not (j.email is not null and j.confirm_email or j.phone is not null and j.confirm_phone),
    banned_until = case
      when j.ban_seconds is null then u.banned_until
      when j.ban_seconds <= 0 then null
      else pg_catalog.now() + pg_catalog.make_interval(secs => j.ban_seconds)
    end,
    updated_at = pg_catalog.now()
  from judged j where u.id = j.id and j.verdict = 'ok'
  returning u.id
),
${identity('email', 'email')},
${identity('phone', 'phone')},
proven as (
  delete from ninefold.unproven_addresses a using c, changed where a.user_id = changed.id and c.confirm_email and c.is_admin
),
unproven as (
  insert into ninefold.unproven_addresses (user_id)
  select changed.id from c, changed where c.confirm_email and not c.is_admin
  on conflict (user_id) do nothing
),
proven_phone as (
  delete from ninefold.unproven_phones p using c, changed where p.user_id = changed.id and c.confirm_phone and c.is_admin
),
unproven_phone as (
  insert into ninefold.unproven_phones (user_id)
  select changed.id from c, changed where c.confirm_phone and not c.is_admin
  on conflict (user_id) do nothing
),
used as (
  delete from auth.one_time_tokens t using judged j, changed where t.user_id = changed.id and j.voids_tokens
),
void_codes as (
  delete from auth.flow_state f using judged j, changed
  where f.user_id = changed.id and f.auth_code is not null and j.voids_tokens
),
ended as (
  delete from auth.sessions s using c, changed
  where s.user_id = changed.id and (c.password_changes or c.notify and c.phone is not null)
    and s.id is distinct from c.keep_session
),
notified as (
  insert into ninefold.mails (kind, recipient, user_id, data, accept_language)
  select n.kind, j.old_email, changed.id, n.data, pg_catalog.left(c.accept_language, ${limits.acceptLanguageCharacters.default})
  from c, changed, judged j, lateral (values
    ('password_changed_notification', c.password_changes, '{}'::jsonb),
    ('email_changed_notification', c.email <> j.old_email, pg_catalog.jsonb_build_object('OldEmail', j.old_email)),
    ('phone_changed_notification', c.phone <> j.old_phone and j.old_phone <> '',
      pg_catalog.jsonb_build_object('OldPhone', j.old_phone, 'Phone', c.phone))
  ) n (kind, applies, data)
  where c.notify and n.applies and j.old_email <> ''
),
audited_password as (${auditInsert('user_updated_password', { ...AUDITED, where: 'by.password_changes and not by.is_admin' })}),
audited_change as (${auditInsert('user_modified', { ...AUDITED, where: 'by.is_admin or by.data_changes' })})
select pg_catalog.to_jsonb(verdict) from judged`;

function asRefusal(error: unknown): never {
  if (isMissing(error)) {
    throw new NinefoldError('reauthentication_not_valid', { message: 'Nonce has expired or is invalid' });
  }
  return asConflict(error);
}

function split(metadata: Readonly<Record<string, unknown>> | undefined): { set?: object; remove?: string[] } {
  if (!metadata) return {};
  const entries = Object.entries(metadata);
  return {
    set: Object.fromEntries(entries.filter(([, value]) => value !== null)),
    remove: entries.filter(([, value]) => value === null).map(([key]) => key),
  };
}

/**
 * Changes an account and returns its new state; null if it does not exist. Links and codes that were mailed before a
 * change of password or address become invalid.
 *
 * @param before Statements of the same transaction; they use up the code that the change needs.
 * @throws email_exists, phone_exists, validation_failed (metadata too large), reauthentication_not_valid if the code
 * was used in the meantime, and the errors of the app's own triggers
 */
export async function updateUser(
  database: Executor,
  id: string,
  change: UserChange,
  before: readonly SqlStatement[] = [],
): Promise<User | null> {
  const user = split(change.userMetadata);
  const app = split(change.appMetadata);
  const record = JSON.stringify({
    role: change.role,
    email: change.email,
    phone: change.phone,
    password_changes: change.passwordHash !== undefined,
    password_hash: change.passwordHash,
    keep_session: change.keepSession,
    user_set: user.set,
    user_remove: user.remove,
    app_set: app.set,
    app_remove: app.remove,
    confirm_email: change.confirmEmail ?? false,
    confirm_phone: change.confirmPhone ?? false,
    ban_seconds: change.banSeconds,
    notify: change.notify !== undefined,
    accept_language: change.notify?.acceptLanguage,
    address: auditAddress(change.caller),
    is_admin: change.caller.isAdmin ?? false,
    data_changes: change.email !== undefined || change.userMetadata !== undefined,
  });
  const results = await runAsAuthAdmin(database, [...before, [UPDATE, [id, record]], [SELECT_USER, [id]]]).catch(
    asRefusal,
  );
  const [judged, stored] = [results[before.length], results.at(-1)];
  switch (accountJson<'ok' | 'email_exists' | 'user_too_large' | 'app_too_large'>(judged)) {
    case 'ok':
      return accountJson<User>(stored) ?? null;
    case 'email_exists':
      throw new NinefoldError('email_exists');
    case 'user_too_large':
      throw tooLarge('user');
    case 'app_too_large':
      throw tooLarge('app');
    default:
      return null;
  }
}
