import { counted } from '../../format/format.ts';
import { spanWords } from './read-value.ts';

/** The name of a setting in the console, and a sentence about what its value does. */
export interface SettingWords {
  label: string;
  /** Describes what a value does. Without this function, the row shows the meaning of the setting. */
  effect?: (value: unknown) => string;
}

const onOff =
  (on: string, off: string) =>
  (value: unknown): string =>
    value === true ? on : off;
const span = (value: unknown): string => spanWords(Number(value));
const many = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** The settings that have their own row, by key. */
export const settingWords: Readonly<Record<string, SettingWords>> = {
  site_url: {
    label: 'Site address',
    effect: (value) =>
      value === null
        ? 'The app has no site. A link in a mail leads to the pages for members, on the app’s own address.'
        : 'Members return to it after a link in a mail, if the call names no other address.',
  },
  uri_allow_list: {
    label: 'Redirect addresses',
    effect: () =>
      'A sign-in may return only to the site address and these addresses, each with or without an additional slash at the end. * stands for any characters but . and /, ** for any characters.',
  },

  db_schemas: { label: 'Schemas' },
  db_extra_search_path: { label: 'Search path' },
  db_anon_role: { label: 'Role without a token' },
  db_pre_request: { label: 'Function before each call' },
  db_root_spec: { label: 'Function for the root path' },
  db_tx_end: { label: 'End of a transaction' },
  db_hoisted_tx_settings: { label: 'Settings of functions' },
  db_aggregates_enabled: {
    label: 'Aggregates',
    effect: onOff(
      'Calls may use avg(), count(), max(), min() and sum().',
      'Calls may not use aggregate functions: one call could read every row of a table.',
    ),
  },
  db_plan_enabled: {
    label: 'Execution plans',
    effect: onOff(
      'Callers can ask for the execution plan of a call. It shows names and sizes of tables: not for production.',
      'Callers cannot ask for execution plans.',
    ),
  },
  openapi_mode: { label: 'OpenAPI document' },
  openapi_security_active: { label: 'OpenAPI security' },
  openapi_server_proxy_uri: { label: 'OpenAPI address' },
  server_timing_enabled: { label: 'Server-Timing' },
  url_use_legacy_target_names: { label: 'Older target names' },
  client_error_verbosity: { label: 'Errors to clients' },
  jwt_aud: { label: 'Audience of tokens' },
  jwt_role_claim_key: { label: 'Claim of the role' },
  app_settings: { label: 'Settings for functions' },

  external_email_enabled: {
    label: 'E-mail',
    effect: onOff(
      'Members sign up and sign in with an e-mail address: by a password, or by a link or a code in a mail.',
      'Members cannot sign up or sign in with an e-mail address.',
    ),
  },
  external_anonymous_users_enabled: {
    label: 'Anonymous',
    effect: onOff(
      'Visitors get an account without a name. They can add a sign-in later.',
      'Visitors have no account until they sign up.',
    ),
  },
  external_phone_enabled: {
    label: 'Phone',
    effect: onOff(
      'Members sign up and sign in with a phone number: by a code in a text, or with a password.',
      'Members cannot sign up or sign in with a phone number.',
    ),
  },
  passkey_enabled: {
    label: 'Passkey',
    effect: onOff('Members can add a passkey, and sign in with their device.', 'Members cannot add or use passkeys.'),
  },

  disable_signup: {
    label: 'Sign-up',
    effect: onOff('Only builders create accounts.', 'Anyone can create an account.'),
  },
  mailer_autoconfirm: {
    label: 'Automatic confirmation of addresses',
    effect: onOff(
      'A new address counts as confirmed, so anyone can sign up with the address of another person.',
      'A new address must be confirmed first.',
    ),
  },
  sms_autoconfirm: {
    label: 'Automatic confirmation of numbers',
    effect: onOff(
      'A new phone number counts as confirmed, so anyone can sign up with the number of another person.',
      'A new phone number must be confirmed by the code in a text.',
    ),
  },
  security_manual_linking_enabled: {
    label: 'Adding sign-ins',
    effect: onOff(
      'Members add further sign-ins of providers to their account, and remove them.',
      'Members cannot add a sign-in to their account.',
    ),
  },
  mailer_secure_email_change_enabled: {
    label: 'Change of address',
    effect: onOff(
      'A new address counts once links at the old and the new address are confirmed.',
      'A new address counts once the link at the new address is confirmed.',
    ),
  },
  mailer_otp_exp: {
    label: 'Links and codes',
    effect: (value) => `A link or a code in a mail is valid for ${span(value)}.`,
  },
  mailer_otp_length: {
    label: 'Length of a code',
    effect: (value) => `A code in a mail has ${counted(Number(value), 'digit')}.`,
  },
  smtp_max_frequency: {
    label: 'Pause between mails',
    effect: (value) =>
      Number(value) === 0
        ? 'A mail of the same kind can be asked for at any time.'
        : `The next mail of the same kind to an address can be asked for after ${span(value)}.`,
  },

  password_min_length: {
    label: 'Length',
    effect: (value) => `A new password has at least ${counted(Number(value), 'character')}.`,
  },
  password_required_characters: {
    label: 'Required characters',
    effect: (value) =>
      value === ''
        ? 'Any characters are allowed.'
        : 'A new password must contain a character of each of these sets. Colons separate the sets.',
  },
  password_refuse_common: {
    label: 'Common passwords',
    effect: onOff(
      'The 100,000 most common passwords and the names of the app and the account are refused.',
      'Common passwords are accepted.',
    ),
  },
  password_hibp_enabled: {
    label: 'Leaked passwords',
    effect: onOff(
      'New passwords are looked up at Have I Been Pwned, which gets five digits of their hash. Leaked ones are refused.',
      'New passwords are not checked against leaks.',
    ),
  },
  security_update_password_require_reauthentication: {
    label: 'Change of a password',
    effect: onOff(
      'A new password, address, factor, passkey or identity needs the current password, a code, or a sign-in of the last 24 hours.',
      'Every session of an account can change its password and address, and add factors, passkeys and identities.',
    ),
  },

  mfa_totp_enroll_enabled: {
    label: 'Adding code apps',
    effect: onOff(
      'Members can add an authenticator app as a second factor.',
      'Members cannot add an authenticator app.',
    ),
  },
  mfa_totp_verify_enabled: {
    label: 'Using code apps',
    effect: onOff('Codes of an authenticator app are a second factor.', 'Codes of authenticator apps are refused.'),
  },
  mfa_web_authn_enroll_enabled: {
    label: 'Adding security keys',
    effect: onOff(
      'Members can add a security key or a device as a second factor.',
      'Members cannot add a security key as a second factor.',
    ),
  },
  mfa_web_authn_verify_enabled: {
    label: 'Using security keys',
    effect: onOff('A security key or a device is a second factor.', 'Security keys are refused as a second factor.'),
  },
  mfa_phone_enroll_enabled: {
    label: 'Adding phone factors',
    effect: onOff(
      'Members can add a phone number as a second factor.',
      'Members cannot add a phone number as a second factor.',
    ),
  },
  mfa_phone_verify_enabled: {
    label: 'Using phone factors',
    effect: onOff(
      'A code in a text is a second factor for members who added their number.',
      'Codes in texts are no second factor.',
    ),
  },
  mfa_max_verified_factors: {
    label: 'Factors of an account',
    effect: (value) => `An account can have ${counted(Number(value), 'second factor')}.`,
  },
  webauthn_rp_id: {
    label: 'Domain of passkeys',
    effect: (value) =>
      value === null
        ? 'Passkeys belong to the app’s own host name.'
        : 'Passkeys belong to this domain. After a change the existing ones no longer work.',
  },
  webauthn_rp_display_name: { label: 'Name on devices' },
  webauthn_rp_origins: {
    label: 'Pages with passkeys',
    effect: (value) =>
      many(value) === 0 ? 'Only pages of the app’s own origin use passkeys.' : 'Pages of these origins use passkeys.',
  },

  sessions_timebox: {
    label: 'Longest session',
    effect: (value) =>
      Number(value) === 0
        ? 'A session that is in use does not expire.'
        : `A member signs in again ${span(value)} after the sign-in, even if active.`,
  },
  sessions_inactivity_timeout: {
    label: 'Inactivity',
    effect: (value) =>
      Number(value) === 0
        ? 'A session does not end through inactivity.'
        : `A session ends after ${span(value)} without a refresh.`,
  },
  sessions_single_per_user: {
    label: 'One session per member',
    effect: onOff(
      'A new sign-in ends the other sessions of the member.',
      'A member can be signed in on several devices.',
    ),
  },
  sessions_per_user: {
    label: 'Sessions of a member',
    effect: (value) =>
      Number(value) === 0
        ? 'A member can have any number of sessions.'
        : `A member can have ${counted(Number(value), 'session')}. A further sign-in ends the one that was used the longest ago.`,
  },
  jwt_exp: {
    label: 'Access tokens',
    effect: (value) => `An access token is valid for ${span(value)}; then the client refreshes it.`,
  },
  security_refresh_token_reuse_interval: {
    label: 'Late refresh',
    effect: (value) =>
      Number(value) === 0
        ? 'The refresh token before the current one is still taken. An older one ends the session.'
        : `A replaced refresh token is still taken for ${span(value)}. Later it ends the session.`,
  },
  external_jwt_issuers: {
    label: 'Other issuers',
    effect: (value) =>
      many(value) === 0
        ? 'Data calls take tokens of this app alone.'
        : 'Data calls take tokens of these issuers too. A line is an issuer, the address of its JWKS, and its audience if it has one.',
  },

  mailer_notifications_password_changed_enabled: { label: 'Password changed' },
  mailer_notifications_email_changed_enabled: { label: 'Address changed' },
  mailer_notifications_phone_changed_enabled: { label: 'Phone number changed' },
  mailer_notifications_identity_linked_enabled: { label: 'Sign-in added' },
  mailer_notifications_identity_unlinked_enabled: { label: 'Sign-in removed' },
  mailer_notifications_mfa_factor_enrolled_enabled: { label: 'Second factor added' },
  mailer_notifications_mfa_factor_unenrolled_enabled: { label: 'Second factor removed' },
  mailer_notifications_passkey_added_enabled: { label: 'Passkey added' },
  mailer_notifications_passkey_removed_enabled: { label: 'Passkey removed' },
  mailer_notifications_new_device_enabled: { label: 'New device' },
  mailer_language: { label: 'Language of mails' },

  oauth_server_enabled: {
    label: 'OpenID provider',
    effect: onOff(
      'Other applications can sign members in with this app.',
      'No other application signs members in with this app.',
    ),
  },
  oauth_server_allow_dynamic_registration: {
    label: 'Registration',
    effect: onOff(
      'Any application can register itself. Members still decide which ones they allow.',
      'Only builders register applications.',
    ),
  },
  oauth_server_authorization_path: { label: 'Page for consent' },
  audit_log_disable_postgres: {
    label: 'Audit log in the database',
    effect: onOff('Events of members are not stored.', 'Events of members are stored in auth.audit_log_entries.'),
  },
};

/** The settings of each section, in their order on the page. */
export const sections = {
  addresses: ['site_url', 'uri_allow_list'],
  dataApi: [
    'db_schemas',
    'db_extra_search_path',
    'db_anon_role',
    'db_pre_request',
    'db_root_spec',
    'db_tx_end',
    'db_hoisted_tx_settings',
    'db_aggregates_enabled',
    'db_plan_enabled',
    'openapi_mode',
    'openapi_security_active',
    'openapi_server_proxy_uri',
    'server_timing_enabled',
    'url_use_legacy_target_names',
    'client_error_verbosity',
    'jwt_aud',
    'jwt_role_claim_key',
    'app_settings',
  ],
  methods: ['external_email_enabled', 'passkey_enabled', 'external_phone_enabled', 'external_anonymous_users_enabled'],
  accounts: [
    'disable_signup',
    'mailer_autoconfirm',
    'sms_autoconfirm',
    'security_manual_linking_enabled',
    'mailer_secure_email_change_enabled',
    'mailer_otp_exp',
    'mailer_otp_length',
    'smtp_max_frequency',
  ],
  passwords: [
    'password_min_length',
    'password_required_characters',
    'password_refuse_common',
    'password_hibp_enabled',
    'security_update_password_require_reauthentication',
  ],
  secondFactor: [
    'mfa_totp_enroll_enabled',
    'mfa_totp_verify_enabled',
    'mfa_web_authn_enroll_enabled',
    'mfa_web_authn_verify_enabled',
    'mfa_phone_enroll_enabled',
    'mfa_phone_verify_enabled',
    'mfa_max_verified_factors',
  ],
  passkeys: ['webauthn_rp_id', 'webauthn_rp_display_name', 'webauthn_rp_origins'],
  sessions: [
    'sessions_timebox',
    'sessions_inactivity_timeout',
    'sessions_single_per_user',
    'sessions_per_user',
    'jwt_exp',
    'security_refresh_token_reuse_interval',
    'external_jwt_issuers',
  ],
  notices: [
    'mailer_notifications_passkey_added_enabled',
    'mailer_notifications_passkey_removed_enabled',
    'mailer_notifications_new_device_enabled',
    'mailer_notifications_password_changed_enabled',
    'mailer_notifications_email_changed_enabled',
    'mailer_notifications_phone_changed_enabled',
    'mailer_notifications_identity_linked_enabled',
    'mailer_notifications_identity_unlinked_enabled',
    'mailer_notifications_mfa_factor_enrolled_enabled',
    'mailer_notifications_mfa_factor_unenrolled_enabled',
    'mailer_language',
  ],
  provider: ['oauth_server_enabled', 'oauth_server_allow_dynamic_registration', 'oauth_server_authorization_path'],
  audit: ['audit_log_disable_postgres'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Returns the console's name of a setting. */
export const settingLabel = (key: string): string => settingWords[key]?.label ?? key;
