import { hookNames } from '../../contract/hooks.ts';
import { mailKinds } from '../../contract/mails.ts';
import { providerNames } from '../../contract/providers.ts';
import { parseDuration } from '../auth/parse-duration.ts';
import type { TomlValue } from './read-toml.ts';

/** The settings of a Supabase project that an app can import. */
export interface SupabaseSettings {
  /** Settings of the app, by their keys. */
  settings: [key: string, value: unknown][];
  /** Sentences about the parts of the project that an app does not have. */
  leftOut: string[];
}

/** The kinds of notification mails that config.toml enables and disables. */
const notices = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
];

type Take = (value: TomlValue, config: ReadonlyMap<string, TomlValue>) => [string, unknown] | null;

/**
 * For each key of config.toml, a function that converts its value to a setting of the app (key and value), or returns
 * null if the app needs no setting.
 */
const taken: Readonly<Record<string, Take>> = {
  'api.schemas': (value) => [
    'db_schemas',
    // An empty list means the default of Supabase.
    Array.isArray(value) ? exposedSchemas(value) : value,
  ],
  'api.extra_search_path': (value) => ['db_extra_search_path', value],
  'api.max_rows': (value) => ['db_max_rows', value],
  'auth.site_url': (value) => (isSetting(value) ? ['site_url', value] : null),
  'auth.jwt_expiry': (value) => ['jwt_exp', value],
  'auth.enable_signup': (value) => ['disable_signup', value === false],
  'auth.enable_anonymous_sign_ins': (value) => ['external_anonymous_users_enabled', value],
  'auth.minimum_password_length': (value) => ['password_min_length', value],
  'auth.password_requirements': (value) => {
    const sets = characterSets[String(value)];
    return sets === undefined ? null : ['password_required_characters', sets];
  },
  'auth.mfa.max_enrolled_factors': (value) => ['mfa_max_enrolled_factors', value],
  'auth.mfa.totp.enroll_enabled': (value) => ['mfa_totp_enroll_enabled', value],
  'auth.mfa.totp.verify_enabled': (value) => ['mfa_totp_verify_enabled', value],
  'auth.mfa.web_authn.enroll_enabled': (value) => ['mfa_web_authn_enroll_enabled', value],
  'auth.mfa.web_authn.verify_enabled': (value) => ['mfa_web_authn_verify_enabled', value],
  'auth.refresh_token_reuse_interval': (value) => ['security_refresh_token_reuse_interval', value],
  'auth.sessions.timebox': (value) => duration('sessions_timebox', value),
  'auth.sessions.inactivity_timeout': (value) => duration('sessions_inactivity_timeout', value),
  'auth.email.enable_signup': (value) => ['external_email_enabled', value],
  'auth.email.enable_confirmations': (value) => ['mailer_autoconfirm', value !== true],
  'auth.additional_redirect_urls': (value) => ['uri_allow_list', value],
  'auth.email.double_confirm_changes': (value) => ['mailer_secure_email_change_enabled', value],
  'auth.email.secure_password_change': (value) => ['security_update_password_require_reauthentication', value],
  'auth.email.otp_length': (value) => ['mailer_otp_length', value],
  'auth.email.otp_expiry': (value) => ['mailer_otp_exp', value],
  'auth.email.max_frequency': (value) => duration('smtp_max_frequency', value),
  'auth.enable_manual_linking': (value) => ['security_manual_linking_enabled', value],
  ...ofHooks(),
  ...ofProviders(),
  ...ofRateLimits(),
  ...ofMails(),
  'auth.oauth_server.enabled': (value) => ['oauth_server_enabled', value],
  'auth.oauth_server.allow_dynamic_registration': (value) => ['oauth_server_allow_dynamic_registration', value],
  'auth.sms.twilio.enabled': (value) => (value === true ? ['sms_provider', 'twilio'] : null),
  'auth.sms.twilio.account_sid': setText('sms_twilio_account_sid'),
  'auth.sms.twilio.message_service_sid': setText('sms_twilio_message_service_sid'),
  'auth.sms.twilio.auth_token': setText('sms_twilio_auth_token'),
  'auth.sms.enable_signup': (value) => ['external_phone_enabled', value],
  'auth.sms.enable_confirmations': (value) => ['sms_autoconfirm', value !== true],
  'auth.sms.template': (value) => ['sms_template', value],
  'auth.sms.max_frequency': (value) => duration('sms_max_frequency', value),
  'auth.mfa.phone.enroll_enabled': (value) => ['mfa_phone_enroll_enabled', value],
  'auth.mfa.phone.verify_enabled': (value) => ['mfa_phone_verify_enabled', value],
  'auth.mfa.phone.otp_length': (value) => ['mfa_phone_otp_length', value],
  'auth.mfa.phone.template': (value) => ['mfa_phone_template', value],
  'auth.mfa.phone.max_frequency': (value) => duration('mfa_phone_max_frequency', value),
};

const exposedSchemas = (names: readonly TomlValue[]): readonly TomlValue[] =>
  names.length === 0 ? ['public'] : names.filter((name) => name !== 'graphql_public');

/**
 * Converts a string to a setting. Ignores the value `env(NAME)`, because the real value is only in the project's
 * environment.
 */
function setText(key: string): Take {
  return (value) => (isSetting(value) ? [key, value] : null);
}

/** Switches a feature on only if the project contains all settings that the feature needs. */
function switchOn(key: string, isComplete: (config: ReadonlyMap<string, TomlValue>) => boolean): Take {
  return (value, config) => (value === true && !isComplete(config) ? null : [key, value]);
}

/** Converts `[auth.hook.<name>]`. The secrets of hooks are usually in the project's environment, not in the file. */
function ofHooks(): Readonly<Record<string, Take>> {
  return Object.fromEntries(
    hookNames.flatMap((name): [string, Take][] => [
      [`auth.hook.${name}.uri`, setText(`hook_${name}_uri`)],
      [`auth.hook.${name}.secrets`, setText(`hook_${name}_secrets`)],
      [
        `auth.hook.${name}.enabled`,
        switchOn(`hook_${name}_enabled`, (config) => {
          const uri = config.get(`auth.hook.${name}.uri`) ?? '';
          return (
            isSetting(uri) &&
            (String(uri).startsWith('pg-functions:') || isSetting(config.get(`auth.hook.${name}.secrets`) ?? ''))
          );
        }),
      ],
    ]),
  );
}

/**
 * Converts `[auth.rate_limit]`. Limits of mails and text messages are imported only if the project sends them with its
 * own server or provider, because Supabase applies these limits only then.
 */
function ofRateLimits(): Readonly<Record<string, Take>> {
  const ofNetwork = {
    anonymous_users: 'rate_limit_anonymous_users',
    token_refresh: 'rate_limit_token_refresh',
    sign_in_sign_ups: 'rate_limit_sign_up',
    token_verifications: 'rate_limit_verify',
  };
  return {
    ...Object.fromEntries(
      Object.entries(ofNetwork).map(([name, key]): [string, Take] => [
        `auth.rate_limit.${name}`,
        (value) => [key, value],
      ]),
    ),
    'auth.rate_limit.email_sent': (value, config) =>
      config.get('auth.email.smtp.enabled') === true ? ['rate_limit_email_sent', value] : null,
    'auth.rate_limit.sms_sent': (value, config) =>
      config.get('auth.sms.twilio.enabled') === true ? ['rate_limit_sms_sent', value] : null,
  };
}

/**
 * Converts `[auth.email.smtp]` if it is enabled, the subjects in `[auth.email.template.<kind>]`, and the switches of
 * notification mails.
 */
function ofMails(): Readonly<Record<string, Take>> {
  const server = { host: 'smtp_host', user: 'smtp_user', pass: 'smtp_pass' };
  const sender = { admin_email: 'smtp_admin_email', sender_name: 'smtp_sender_name' };
  const whereOn =
    (take: Take): Take =>
    (value, config) =>
      config.get('auth.email.smtp.enabled') === true ? take(value, config) : null;
  return Object.fromEntries([
    ...Object.entries({ ...server, ...sender }).map(([name, key]): [string, Take] => [
      `auth.email.smtp.${name}`,
      whereOn(setText(key)),
    ]),
    ['auth.email.smtp.port', whereOn((value) => ['smtp_port', value])],
    ...mailKinds.map((kind): [string, Take] => [
      `auth.email.template.${kind}.subject`,
      setText(`mailer_subjects_${kind}`),
    ]),
    ...mailKinds.map((kind): [string, Take] => [
      `auth.email.template.${kind}.content`,
      setText(`mailer_templates_${kind}`),
    ]),
    ...notices.map((name): [string, Take] => [
      `auth.email.notification.${name}.enabled`,
      (value) => [`mailer_notifications_${name}_enabled`, value],
    ]),
  ]);
}

/** Reads `[auth.sms.test_otp]`, whose keys are phone numbers; null if there are none. */
function testNumbers(config: ReadonlyMap<string, TomlValue>): Record<string, string> | null {
  const prefix = 'auth.sms.test_otp.';
  const numbers = [...config].flatMap(([key, value]) =>
    key.startsWith(prefix) && typeof value === 'string' ? [[key.slice(prefix.length), value] as const] : [],
  );
  return numbers.length === 0 ? null : Object.fromEntries(numbers);
}

/** Converts `[auth.external.<provider>]` for the providers that an app supports. */
function ofProviders(): Readonly<Record<string, Take>> {
  return Object.fromEntries(
    providerNames.flatMap((name): [string, Take][] => [
      [
        `auth.external.${name}.enabled`,
        switchOn(`external_${name}_enabled`, (config) =>
          isSetting(config.get(`auth.external.${name}.client_id`) ?? ''),
        ),
      ],
      [`auth.external.${name}.client_id`, setText(`external_${name}_client_id`)],
      [`auth.external.${name}.secret`, setText(`external_${name}_secret`)],
      [`auth.external.${name}.url`, setText(`external_${name}_url`)],
      [`auth.external.${name}.redirect_uri`, setText(`external_${name}_redirect_uri`)],
      [`auth.external.${name}.skip_nonce_check`, (value) => [`external_${name}_skip_nonce_check`, value]],
      [`auth.external.${name}.email_optional`, (value) => [`external_${name}_email_optional`, value]],
    ]),
  );
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789';

/** Values of the setting password_required_characters for the values of `password_requirements`. */
const characterSets: Readonly<Record<string, string>> = {
  letters_digits: `${letters}${letters.toUpperCase()}:${digits}`,
  lower_upper_letters_digits: `${letters}:${letters.toUpperCase()}:${digits}`,
  lower_upper_letters_digits_symbols: `${letters}:${letters.toUpperCase()}:${digits}:!@#$%^&*()_+-=[]{};'\\\\:"|<>?,./\`~`,
};

/**
 * Converts a duration in Go's notation to a setting in seconds. Any other text stays unchanged, and the app refuses it.
 */
const duration = (key: string, value: TomlValue): [string, unknown] => [
  key,
  typeof value === 'string' ? (parseDuration(value) ?? value) : value,
];

/** Returns true for a value that is in the file, not in an environment variable. */
const isSetting = (value: TomlValue): boolean => typeof value === 'string' && value !== '' && !value.startsWith('env(');

/** Descriptions of features that an app does not have, by the keys of config.toml that switch them on. */
const missing: readonly (readonly [RegExp, string])[] = [
  [/^auth\.sms\.(\w+)\.enabled$/, 'The provider of texts $1'],
  [/^auth\.web3\.(\w+)\.enabled$/, 'Sign-in with a wallet of $1'],
  [/^auth\.external\.(\w+)\.enabled$/, 'Sign-in with $1'],
  [/^auth\.hook\.(\w+)\.enabled$/, 'The auth hook $1'],
  [/^auth\.third_party\.(\w+)\.enabled$/, 'Tokens of $1'],
  [/^auth\.captcha\.enabled$/, 'The captcha of sign-up'],
];

/**
 * Returns the settings of a provider or an auth hook that the project does not contain, usually because they are in its
 * environment; nothing for features that an app does not have.
 */
function missingParts(key: string, config: ReadonlyMap<string, TomlValue>): string[] {
  const lacks = (name: string) => !isSetting(config.get(name) ?? '');
  const [, provider] = /^auth\.external\.(\w+)\.enabled$/.exec(key) ?? [];
  if (provider !== undefined && Object.hasOwn(taken, key)) {
    const parts = { client_id: 'its client ID', secret: 'its secret' };
    return Object.entries(parts).flatMap(([part, words]) =>
      lacks(`auth.external.${provider}.${part}`) ? [`${words} (external_${provider}_${part})`] : [],
    );
  }
  const [, hook] = /^auth\.hook\.(\w+)\.enabled$/.exec(key) ?? [];
  if (hook === undefined || !Object.hasOwn(taken, key)) return [];
  const isInDatabase = String(config.get(`auth.hook.${hook}.uri`) ?? '').startsWith('pg-functions:');
  return [
    ...(lacks(`auth.hook.${hook}.uri`) ? [`its address (hook_${hook}_uri)`] : []),
    ...(!isInDatabase && lacks(`auth.hook.${hook}.secrets`) ? [`its secret (hook_${hook}_secrets)`] : []),
  ];
}

/**
 * Returns true if a value in the environment needs a sentence of its own: its section is not switched off, and is no
 * provider or hook whose missing parts are named together.
 */
function isWorthNaming(key: string, config: ReadonlyMap<string, TomlValue>): boolean {
  const enabled = key.replace(/\.\w+$/, '.enabled');
  if (config.get(enabled) === false) return false;
  const isPart = /^auth\.(?:external|hook)\.\w+\.(?:client_id|secret|secrets|uri)$/.test(key);
  return !(isPart && config.get(enabled) === true && Object.hasOwn(taken, enabled));
}

/** Returns the settings of the app that correspond to a config.toml. */
export function readSupabaseSettings(config: ReadonlyMap<string, TomlValue>): SupabaseSettings {
  const settings: [string, unknown][] = [];
  const leftOut = new Set<string>();
  for (const [key, value] of config) {
    const setting = taken[key]?.(value, config);
    if (setting) settings.push(setting);
    if (
      Object.hasOwn(taken, key) &&
      typeof value === 'string' &&
      value.startsWith('env(') &&
      isWorthNaming(key, config)
    ) {
      leftOut.add(`${key} is in the environment of the project: set it in the app’s settings.`);
    }
    const template = /^auth\.email\.(?:template|notification)\.(\w+)\.content_path$/.exec(key)?.[1];
    if (template)
      leftOut.add(`The template of the mail ${template} is a file (${key}): store its text on the page Mail.`);
    if (key === 'auth.enable_refresh_token_rotation' && value === false) {
      leftOut.add(`Refresh tokens always rotate (${key}).`);
    }
    const needs = value === true ? missingParts(key, config) : [];
    if (needs.length > 0) {
      leftOut.add(`${key.replace(/\.enabled$/, '')} needs ${needs.join(' and ')}: set them with “ninefold settings”.`);
    }
    if (value !== true || setting || Object.hasOwn(taken, key)) continue;
    for (const [pattern, words] of missing) {
      if (pattern.test(key)) leftOut.add(`${key.replace(pattern, words)} is not there (${key}).`);
    }
  }
  const numbers = testNumbers(config);
  if (numbers !== null) settings.push(['sms_test_otp', numbers]);
  return { settings, leftOut: [...leftOut] };
}
