import { type HookSettings, hookSecrets, hookSettings } from './hooks.ts';
import { limits } from './limits.ts';
import { type ProviderSettings, providerSecrets, providerSettings } from './providers.ts';
import type { Setting } from './settings.ts';
import { type PhoneSettings, phoneSecrets, phoneSettings } from './settings-phone.ts';

/**
 * The settings of an app's `/auth/v1`. Names and meanings are those of GoTrue's configuration
 * (https://supabase.com/docs/guides/self-hosting/auth/config, the GOTRUE_ variables in lower case). The settings
 * `rate_limit_sign_in_…` have another meaning: GoTrue counts all calls, Ninefold only failed sign-ins.
 */
export interface AuthSettings extends ProviderSettings, HookSettings, PhoneSettings {
  site_url: string | null;
  disable_signup: boolean;
  external_email_enabled: boolean;
  external_anonymous_users_enabled: boolean;
  mailer_autoconfirm: boolean;
  password_min_length: number;
  jwt_exp: number;
  security_refresh_token_reuse_interval: number;
  rate_limit_sign_in_address: number;
  rate_limit_sign_in_account: number;
  rate_limit_sign_in_window: number;

  sessions_timebox: number;
  sessions_inactivity_timeout: number;
  sessions_single_per_user: boolean;
  sessions_per_user: number;
  external_jwt_issuers: readonly string[];

  rate_limit_sign_up: number;
  rate_limit_sign_up_app: number;
  rate_limit_oauth_registration: number;
  rate_limit_anonymous_users: number;
  rate_limit_anonymous_users_app: number;
  rate_limit_token_refresh: number;
  rate_limit_verify: number;
  rate_limit_verify_account: number;
  rate_limit_otp: number;
  rate_limit_otp_account: number;
  rate_limit_otp_app: number;
  mfa_rate_limit_challenge_and_verify: number;
  rate_limit_provider: number;
  rate_limit_passkey: number;

  uri_allow_list: readonly string[];

  security_manual_linking_enabled: boolean;

  mailer_otp_exp: number;
  mailer_otp_length: number;
  mailer_secure_email_change_enabled: boolean;
  smtp_max_frequency: number;
  security_update_password_require_reauthentication: boolean;

  password_required_characters: string;
  password_refuse_common: boolean;
  password_hibp_enabled: boolean;
  mfa_totp_enroll_enabled: boolean;
  mfa_totp_verify_enabled: boolean;
  mfa_max_enrolled_factors: number;
  mfa_max_verified_factors: number;
  mfa_factor_expiry_duration: number;
  mfa_challenge_expiry_duration: number;
  mfa_web_authn_enroll_enabled: boolean;
  mfa_web_authn_verify_enabled: boolean;
  passkey_enabled: boolean;
  passkey_max_passkeys_per_user: number;
  webauthn_rp_id: string | null;
  webauthn_rp_display_name: string | null;
  webauthn_rp_origins: readonly string[];
  webauthn_challenge_expiry_duration: number;
  rate_limit_second_factor: number;
  rate_limit_second_factor_window: number;
  audit_log_disable_postgres: boolean;
  audit_log_retention: number;

  rate_limit_email_sent: number;
  mailer_notifications_password_changed_enabled: boolean;
  mailer_notifications_email_changed_enabled: boolean;
  mailer_notifications_phone_changed_enabled: boolean;
  mailer_notifications_identity_linked_enabled: boolean;
  mailer_notifications_identity_unlinked_enabled: boolean;
  mailer_notifications_mfa_factor_enrolled_enabled: boolean;
  mailer_notifications_mfa_factor_unenrolled_enabled: boolean;
  mailer_notifications_passkey_added_enabled: boolean;
  mailer_notifications_passkey_removed_enabled: boolean;
  mailer_notifications_new_device_enabled: boolean;

  oauth_server_enabled: boolean;
  oauth_server_allow_dynamic_registration: boolean;
  oauth_server_authorization_path: string | null;
}

const notification = (what: string): Setting<boolean> => ({
  default: true,
  type: 'true or false',
  meaning: `Whether members get a mail which says that ${what}.`,
});

export const authSettings: { readonly [K in keyof AuthSettings]: Setting<AuthSettings[K]> } = {
  site_url: {
    default: null,
    type: 'absolute URL, such as https://app.example, or null while there is no site',
    item: /^[a-z][a-z0-9+.-]*:\/\/\S*$/i,
    meaning: 'Where the app’s web site is: links in mails lead there.',
  },
  disable_signup: {
    default: false,
    type: 'true or false',
    meaning: 'Whether nobody can make an account for themselves; builders still can make accounts.',
  },
  external_email_enabled: {
    default: true,
    type: 'true or false',
    meaning: 'Whether members can sign up and sign in with an e-mail address and a password.',
  },
  external_anonymous_users_enabled: {
    default: false,
    type: 'true or false',
    meaning: 'Whether a visitor can get an account without an address or a password.',
  },
  mailer_autoconfirm: {
    default: true,
    type: 'true or false',
    meaning:
      'Whether the e-mail address of a new account counts as confirmed at once. When it does not, the account waits for the link or the code in a mail.',
  },
  password_min_length: {
    default: limits.passwordMinCharacters.default,
    type: 'whole number of characters, at least 6',
    meaning: 'The shortest password that a new account or a change of password may have.',
  },
  jwt_exp: {
    default: limits.accessTokenSeconds.default,
    type: 'whole number of seconds, 30 to 604800',
    meaning: 'How long an access token is valid.',
  },
  security_refresh_token_reuse_interval: {
    default: limits.refreshReuseSeconds.default,
    type: 'whole number of seconds, 0 to 3600',
    meaning:
      'How long a refresh token older than the one before the active one may still be exchanged. Later it ends the session. The one before the active one may always be: its client lost the answer.',
  },
  rate_limit_sign_in_address: {
    default: limits.signInFailures.default,
    type: 'whole number of sign-ins, 1 to 10000',
    meaning: 'How many sign-ins from one client network may fail in any window, before it must wait.',
  },
  rate_limit_sign_in_account: {
    default: limits.signInFailuresPerAccount.default,
    type: 'whole number of sign-ins, 1 to 10000',
    meaning:
      'How many sign-ins for one account may fail in any window, from all networks that it has not signed in from. A quarter is reserved for networks that have tried little.',
  },
  rate_limit_sign_in_window: {
    default: limits.signInWindowSeconds.default,
    type: 'whole number of seconds, 1 to 86400',
    meaning: 'The length of the window in which failed sign-ins are counted; it slides.',
  },

  sessions_timebox: {
    default: limits.sessionTimeboxSeconds.default,
    type: 'whole number of seconds, 0 to 315360000',
    meaning: 'How long after its sign-in a session ends, its access tokens included. 0 is never.',
  },
  sessions_inactivity_timeout: {
    default: limits.sessionInactivitySeconds.default,
    type: 'whole number of seconds, 0 to 315360000',
    meaning: 'How long after its last refresh a session ends, its access tokens included. 0 is never.',
  },
  sessions_single_per_user: {
    default: false,
    type: 'true or false',
    meaning: 'Whether a sign-in ends all earlier sessions of the same account.',
  },
  sessions_per_user: {
    default: limits.sessionsPerUser.default,
    type: 'whole number of sessions, 0 to 1000',
    meaning:
      'How many sessions one account may have. A sign-in beyond ends those that were used the longest ago. 0 is any number.',
  },
  external_jwt_issuers: {
    default: [],
    type: 'list of texts, each an issuer, the https address of its JWKS and an audience or none, with blanks between',
    item: /^\S{1,500} https?:\/\/\S{1,500}(?: \S{1,200})?$/,
    meaning:
      'The third parties whose access tokens the data calls accept, such as Clerk, Auth0 or Firebase. Keys are fetched from public addresses. Such a token may have any role but service_role.',
  },

  rate_limit_sign_up: {
    default: limits.signUpsPerNetwork.default,
    type: 'whole number of sign-ups, 1 to 1000000000',
    meaning: limits.signUpsPerNetwork.meaning,
  },
  rate_limit_sign_up_app: {
    default: limits.signUpsPerApp.default,
    type: 'whole number of sign-ups, 1 to 1000000000',
    meaning: limits.signUpsPerApp.meaning,
  },
  rate_limit_oauth_registration: {
    default: limits.oauthRegistrationsPerNetwork.default,
    type: 'whole number of applications, 1 to 1000000000',
    meaning: limits.oauthRegistrationsPerNetwork.meaning,
  },
  rate_limit_anonymous_users: {
    default: limits.anonymousPerNetwork.default,
    type: 'whole number of accounts, 1 to 1000000000',
    meaning: limits.anonymousPerNetwork.meaning,
  },
  rate_limit_anonymous_users_app: {
    default: limits.anonymousPerApp.default,
    type: 'whole number of accounts, 1 to 1000000000',
    meaning: limits.anonymousPerApp.meaning,
  },
  rate_limit_token_refresh: {
    default: limits.refreshesPerNetwork.default,
    type: 'whole number of calls, 1 to 1000000000',
    meaning: limits.refreshesPerNetwork.meaning,
  },
  rate_limit_verify: {
    default: limits.verificationsPerNetwork.default,
    type: 'whole number of calls, 1 to 1000000000',
    meaning: limits.verificationsPerNetwork.meaning,
  },
  rate_limit_verify_account: {
    default: limits.verificationsPerAccount.default,
    type: 'whole number of calls, 1 to 1000000000',
    meaning: limits.verificationsPerAccount.meaning,
  },
  rate_limit_otp: {
    default: limits.messagesPerNetwork.default,
    type: 'whole number of calls, 1 to 1000000000',
    meaning: limits.messagesPerNetwork.meaning,
  },
  rate_limit_otp_account: {
    default: limits.messagesPerAccount.default,
    type: 'whole number of calls, 1 to 1000000000',
    meaning: limits.messagesPerAccount.meaning,
  },
  rate_limit_otp_app: {
    default: limits.messagesPerApp.default,
    type: 'whole number of calls, 1 to 1000000000',
    meaning: limits.messagesPerApp.meaning,
  },
  mfa_rate_limit_challenge_and_verify: {
    default: limits.factorAttemptsPerNetwork.default,
    type: 'whole number of calls, 1 to 1000000000',
    meaning: limits.factorAttemptsPerNetwork.meaning,
  },
  rate_limit_provider: {
    default: limits.providerSignInsPerNetwork.default,
    type: 'whole number of calls, 1 to 1000000000',
    meaning: limits.providerSignInsPerNetwork.meaning,
  },
  rate_limit_passkey: {
    default: limits.passkeySignInsPerNetwork.default,
    type: 'whole number of calls, 1 to 1000000000',
    meaning: limits.passkeySignInsPerNetwork.meaning,
  },

  uri_allow_list: {
    default: [],
    type: 'list of absolute URLs; * stands for any characters but . and /, ** for any characters',
    meaning: 'Where links in mails and sign-ins may lead beside site_url and the app’s own address.',
  },

  security_manual_linking_enabled: {
    default: false,
    type: 'true or false',
    meaning: 'Whether members who are signed in can add further sign-ins of providers to their account.',
  },
  ...providerSettings,

  mailer_otp_exp: {
    default: limits.oneTimeTokenSeconds.default,
    type: 'whole number of seconds, 60 to 86400',
    meaning: 'How long a link or a code in a mail is valid.',
  },
  mailer_otp_length: {
    default: limits.oneTimeCodeDigits.default,
    type: 'whole number of digits, 6 to 10',
    meaning: 'How many digits a code in a mail has.',
  },
  mailer_secure_email_change_enabled: {
    default: true,
    type: 'true or false',
    meaning: 'Whether a change of address must be confirmed at the old address too, not only at the new one.',
  },
  smtp_max_frequency: {
    default: limits.mailPauseSeconds.default,
    type: 'whole number of seconds, 0 to 3600',
    meaning: 'How long after a mail to an address the next one of its kind can be asked for.',
  },
  security_update_password_require_reauthentication: {
    default: true,
    type: 'true or false',
    meaning:
      'Whether a new password, address, factor, passkey or identity needs a sign-in of the last 24 hours, the current password, or a code that GET /reauthenticate mails.',
  },

  password_required_characters: {
    default: '',
    type: 'sets of characters with colons between them, such as abc…:ABC…:0123456789; none when empty',
    meaning: 'Sets of characters of each of which a new password must hold one.',
  },
  password_refuse_common: {
    default: true,
    type: 'true or false',
    meaning:
      'Whether the 100,000 most common passwords, and the names of the app and the account, are refused for new accounts and changes of password.',
  },
  password_hibp_enabled: {
    default: false,
    type: 'true or false',
    meaning:
      'Whether new passwords are looked up at Have I Been Pwned, which receives the first five digits of their SHA-1. Leaked passwords are refused.',
  },
  mfa_totp_enroll_enabled: {
    default: true,
    type: 'true or false',
    meaning: 'Whether members can add an authenticator app (TOTP) as a second factor.',
  },
  mfa_totp_verify_enabled: {
    default: true,
    type: 'true or false',
    meaning: 'Whether members can use the codes of an authenticator app.',
  },
  mfa_max_enrolled_factors: {
    default: limits.enrolledFactors.default,
    type: 'whole number of factors, 1 to 100',
    meaning: 'How many second factors an account may have, verified or not.',
  },
  mfa_max_verified_factors: {
    default: limits.verifiedFactors.default,
    type: 'whole number of factors, 1 to 100',
    meaning: 'How many verified second factors an account may have.',
  },
  mfa_factor_expiry_duration: {
    default: limits.factorExpirySeconds.default,
    type: 'whole number of seconds, 300 to 86400',
    meaning: 'After how long an enrolment of a second factor that was not completed is removed.',
  },
  mfa_challenge_expiry_duration: {
    default: limits.challengeSeconds.default,
    type: 'whole number of seconds, 30 to 86400',
    meaning: 'How long a challenge to a second factor can be answered.',
  },
  mfa_web_authn_enroll_enabled: {
    default: true,
    type: 'true or false',
    meaning: 'Whether members can add a security key or a device (WebAuthn) as a second factor.',
  },
  mfa_web_authn_verify_enabled: {
    default: true,
    type: 'true or false',
    meaning: 'Whether members can use a security key or a device as a second factor.',
  },
  passkey_enabled: {
    default: true,
    type: 'true or false',
    meaning: 'Whether members can add passkeys and sign in with them.',
  },
  passkey_max_passkeys_per_user: {
    default: limits.passkeys.default,
    type: 'whole number of passkeys, 1 to 100',
    meaning: 'How many passkeys an account may have.',
  },
  webauthn_rp_id: {
    default: null,
    type: 'domain, or null for the app’s own host name',
    meaning: 'The domain that passkeys and security keys belong to. After a change the existing ones no longer work.',
  },
  webauthn_rp_display_name: {
    default: null,
    type: 'text, or null for the app’s ref',
    meaning: 'The name that a device shows when a passkey is made.',
  },
  webauthn_rp_origins: {
    default: [],
    type: 'list of origins, such as https://app.example.org; the app’s own origin when empty',
    meaning: 'The origins of the pages that may use passkeys and security keys.',
  },
  webauthn_challenge_expiry_duration: {
    default: limits.webauthnChallengeSeconds.default,
    type: 'whole number of seconds, 30 to 3600',
    meaning: 'How long a challenge to a passkey can be answered.',
  },
  rate_limit_second_factor: {
    default: limits.secondFactorFailures.default,
    type: 'whole number of codes, 1 to 100',
    meaning: 'How many wrong codes of second factors one account may send in any window, before it must wait.',
  },
  rate_limit_second_factor_window: {
    default: limits.secondFactorWindowSeconds.default,
    type: 'whole number of seconds, 1 to 86400',
    meaning: 'The length of the window in which wrong codes of second factors are counted; it slides.',
  },

  rate_limit_email_sent: {
    default: limits.mailsPerHour.default,
    type: 'whole number of mails, 1 to 10000',
    meaning: 'How many mails the app’s mail server gets in any hour. Further ones wait.',
  },
  mailer_notifications_password_changed_enabled: notification('their password was changed'),
  mailer_notifications_email_changed_enabled: notification('their e-mail address was changed, at the old address'),
  mailer_notifications_phone_changed_enabled: notification('their phone number was changed'),
  mailer_notifications_identity_linked_enabled: notification('an account of a provider was linked'),
  mailer_notifications_identity_unlinked_enabled: notification('an account of a provider was unlinked'),
  mailer_notifications_mfa_factor_enrolled_enabled: notification('a second factor was added'),
  mailer_notifications_mfa_factor_unenrolled_enabled: notification('a second factor was removed'),
  mailer_notifications_passkey_added_enabled: notification('a passkey was added'),
  mailer_notifications_passkey_removed_enabled: notification('a passkey was removed'),
  mailer_notifications_new_device_enabled: notification('somebody signed in from a network that was not seen before'),

  oauth_server_enabled: {
    default: false,
    type: 'true or false',
    meaning: 'Whether the app is a provider of OpenID Connect: other applications can sign members in with it.',
  },
  oauth_server_allow_dynamic_registration: {
    default: false,
    type: 'true or false',
    meaning: 'Whether any application can register itself with the app; otherwise builders register applications.',
  },
  oauth_server_authorization_path: {
    default: null,
    type: 'path below site_url that starts with /, or null for /account/consent among the pages for members',
    meaning: 'The page where members allow an application to sign them in; it gets authorization_id in its query.',
  },
  ...hookSettings,

  ...phoneSettings,
  audit_log_disable_postgres: {
    default: false,
    type: 'true or false',
    meaning: 'Whether events of accounts are left out of auth.audit_log_entries.',
  },
  audit_log_retention: {
    default: limits.auditDays.default,
    type: 'whole number of days, 1 to 3650',
    meaning: 'How long entries of the audit log are kept.',
  },
};

/** All settings with their default values. */
export const defaultAuthSettings: AuthSettings = Object.fromEntries(
  Object.entries(authSettings).map(([name, setting]) => [name, setting.default]),
) as unknown as AuthSettings;

/** A setting whose value no call returns. */
export interface SecretSetting {
  readonly type: string;
  readonly meaning: string;
  /** Pattern that a value of the setting must match. */
  readonly item?: RegExp;
}

/**
 * The settings whose values are secret, such as passwords and client secrets. The settings call writes them, the
 * database stores them encrypted with the node's master key, and no call returns them.
 */
export const authSecrets = {
  smtp_pass: {
    type: 'text, or null for none',
    meaning: 'The password for the mail server; it is never shown.',
  },
  ...providerSecrets,
  ...hookSecrets,
  ...phoneSecrets,
} as const satisfies Record<string, SecretSetting>;

export type AuthSecret = keyof typeof authSecrets;
