import { limits } from './limits.ts';
import type { Setting } from './settings.ts';

/**
 * The settings of an app's `/auth/v1`, by the names of GoTrue's configuration
 * (https://supabase.com/docs/guides/self-hosting/auth/config, the GOTRUE_ variables in lower case), but for those of
 * `rate_limit_sign_in_…`: GoTrue counts calls, Ninefold the sign-ins that failed.
 */
export interface AuthSettings {
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
  mailer_notifications_mfa_factor_enrolled_enabled: boolean;
  mailer_notifications_mfa_factor_unenrolled_enabled: boolean;
}

export const authSettings: { readonly [K in keyof AuthSettings]: Setting<AuthSettings[K]> } = {
  site_url: {
    default: null,
    type: 'absolute http or https URL, or null while there is no site',
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
      'Whether an e-mail address counts as confirmed at once. When it does not, an account waits until a builder confirms its address.',
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

  password_required_characters: {
    default: '',
    type: 'sets of characters with colons between them, such as abc…:ABC…:0123456789; none when empty',
    meaning: 'Sets of characters of each of which a new password must hold one.',
  },
  password_refuse_common: {
    default: true,
    type: 'true or false',
    meaning: 'Whether the 100,000 most common passwords are refused for new accounts and changes of password.',
  },
  password_hibp_enabled: {
    default: false,
    type: 'true or false',
    meaning:
      'Whether new passwords are looked up at Have I Been Pwned, which is told the first five digits of their SHA-1; leaked ones are refused.',
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
  mailer_notifications_mfa_factor_enrolled_enabled: {
    default: true,
    type: 'true or false',
    meaning: 'Whether members are told by mail that a second factor was added.',
  },
  mailer_notifications_mfa_factor_unenrolled_enabled: {
    default: true,
    type: 'true or false',
    meaning: 'Whether members are told by mail that a second factor was removed.',
  },
};

/** Every setting at its default. */
export const defaultAuthSettings: AuthSettings = Object.fromEntries(
  Object.entries(authSettings).map(([name, setting]) => [name, setting.default]),
) as unknown as AuthSettings;
