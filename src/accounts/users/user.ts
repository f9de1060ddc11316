/** An account in the form of GoTrue's API. Times are in ISO 8601 in UTC; fields without a value are absent. */
export interface User {
  readonly id: string;
  readonly aud: string;
  readonly role: string;
  /** The e-mail address; empty if the account has none. */
  readonly email: string;
  /** The phone number; empty if the account has none. */
  readonly phone: string;
  readonly app_metadata: Readonly<Record<string, unknown>>;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly identities: readonly UserIdentity[];
  readonly factors?: readonly Factor[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly is_anonymous: boolean;
  readonly email_confirmed_at?: string;
  readonly phone_confirmed_at?: string;
  readonly confirmed_at?: string;
  readonly invited_at?: string;
  readonly confirmation_sent_at?: string;
  readonly recovery_sent_at?: string;
  readonly new_email?: string;
  readonly email_change_sent_at?: string;
  readonly new_phone?: string;
  readonly phone_change_sent_at?: string;
  readonly reauthentication_sent_at?: string;
  readonly last_sign_in_at?: string;
  readonly banned_until?: string;
  readonly deleted_at?: string;
}

/** A way in which an account can prove its identity. */
export interface UserIdentity {
  readonly identity_id: string;
  /** The id of the person at the provider. */
  readonly id: string;
  readonly user_id: string;
  readonly identity_data: Readonly<Record<string, unknown>>;
  readonly provider: string;
  readonly last_sign_in_at?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly email?: string;
}

export interface Factor {
  readonly id: string;
  readonly friendly_name?: string;
  readonly factor_type: string;
  readonly status: string;
  /** The phone number, only its digits; absent for a factor of another type than phone. */
  readonly phone?: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/**
 * Returns SQL text for a timestamptz in GoTrue's form. Times after the year 9999 and infinity become the end of that
 * year.
 */
const time = (column: string): string =>
  `pg_catalog.to_char(case when ${column} > '9999-12-31' then '9999-12-31 23:59:59+00' else ${column} end
    at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * Returns SQL text for a time that typed clients require. If there is no time, it returns Go's zero time, as GoTrue
 * does.
 */
const timeOrZero = (column: string): string => `coalesce(${time(column)}, '0001-01-01T00:00:00Z')`;

const OPTIONAL_TIMES = [
  'email_confirmed_at',
  'phone_confirmed_at',
  'confirmed_at',
  'invited_at',
  'confirmation_sent_at',
  'recovery_sent_at',
  'email_change_sent_at',
  'phone_change_sent_at',
  'reauthentication_sent_at',
  'last_sign_in_at',
  'banned_until',
  'deleted_at',
] as const;

const objectOr = (column: string): string =>
  `case when pg_catalog.jsonb_typeof(${column}) = 'object' then ${column} else '{}' end`;

/** SQL text: the row `f` of auth.mfa_factors as a Factor, jsonb. */
export const factorJson = `pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
      'id', f.id,
      'friendly_name', nullif(f.friendly_name, ''),
      'factor_type', f.factor_type,
      'status', f.status,
      'phone', f.phone,
      'created_at', ${time('f.created_at')},
      'updated_at', ${time('f.updated_at')}
    ))`;

/**
 * SQL text: the row `u` of auth.users as a User, jsonb. If the app has roles for its members, `app_metadata.roles`
 * contains the roles of the member, as its tokens do, and replaces a value that was stored there as metadata.
 */
export const userJson = `pg_catalog.jsonb_build_object(
  'id', u.id,
  'aud', coalesce(nullif(u.aud, ''), 'authenticated'),
  'role', coalesce(nullif(u.role, ''), 'authenticated'),
  'email', coalesce(u.email, ''),
  'phone', coalesce(u.phone, ''),
  'app_metadata', case when exists (select from ninefold.roles) then ${objectOr('u.raw_app_meta_data')} - 'roles' || coalesce((
    select pg_catalog.jsonb_build_object('roles', pg_catalog.jsonb_agg(r.role order by r.role))
    from ninefold.member_roles r where r.user_id = u.id having pg_catalog.count(*) > 0
  ), '{}') else ${objectOr('u.raw_app_meta_data')} end,
  'user_metadata', ${objectOr('u.raw_user_meta_data')},
  'identities', coalesce((
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'identity_id', i.id,
      'id', i.provider_id,
      'user_id', i.user_id,
      'identity_data', i.identity_data,
      'provider', i.provider,
      'created_at', ${timeOrZero('i.created_at')},
      'updated_at', ${timeOrZero('i.updated_at')}
    ) || pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
      'last_sign_in_at', ${time('i.last_sign_in_at')},
      'email', nullif(i.email, '')
    )) order by i.created_at, i.id)
    from auth.identities i where i.user_id = u.id
  ), '[]'),
  'created_at', ${timeOrZero('u.created_at')},
  'updated_at', ${timeOrZero('u.updated_at')},
  'is_anonymous', u.is_anonymous
) || pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
  ${OPTIONAL_TIMES.map((column) => `'${column}', ${time(`u.${column}`)}`).join(',\n  ')},
  'new_email', nullif(u.email_change, ''),
  'new_phone', nullif(u.phone_change, ''),
  'factors', (
    select pg_catalog.jsonb_agg(${factorJson} order by f.created_at, f.id)
    from auth.mfa_factors f where f.user_id = u.id
  )
))`;
