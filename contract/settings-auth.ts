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
};

/** Every setting at its default. */
export const defaultAuthSettings: AuthSettings = Object.fromEntries(
  Object.entries(authSettings).map(([name, setting]) => [name, setting.default]),
) as unknown as AuthSettings;
