import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { MigrateRequest } from '../../contract/admin.ts';
import { hookNames } from '../../contract/hooks.ts';
import { providerNames } from '../../contract/providers.ts';
import { parseDuration } from '../auth/parse-duration.ts';
import { readMigrations, readSql } from './migration-files.ts';
import { readToml, type TomlValue } from './read-toml.ts';

/** The parts of a Supabase project that an app can import. */
export interface SupabaseProject {
  migrations: MigrateRequest;
  /** Keys and values of the app's settings. */
  settings: [key: string, value: unknown][];
  /** One sentence for each part that an app does not support. */
  leftOut: string[];
}

/**
 * Reads the migrations, seed and config.toml of a project.
 * @param folder The project, its `supabase` folder, or a folder of migrations.
 * @throws CliError if there are no migrations, or a file is no text.
 */
export function readProject(folder: string): SupabaseProject {
  const migrations = readMigrations(folder);
  const place = [join(resolve(folder), 'supabase'), resolve(folder)].find((each) =>
    existsSync(join(each, 'config.toml')),
  );
  if (place === undefined) return { migrations, settings: [], leftOut: functionsOf(folder) };
  const config = readToml(readFileSync(join(place, 'config.toml'), 'utf8'));
  const seed = seedOf(place, config) ?? migrations.seed;
  const { settings, leftOut } = readSettings(config);
  return {
    migrations: { files: migrations.files, ...(seed !== undefined && { seed }) },
    settings,
    leftOut: [...leftOut, ...functionsOf(folder)],
  };
}

/** Reads the files of `[db.seed] sql_paths` in order; undefined if none of them exists. */
function seedOf(place: string, config: ReadonlyMap<string, TomlValue>): MigrateRequest['seed'] {
  const paths = config.get('db.seed.sql_paths');
  if (config.get('db.seed.enabled') === false || !Array.isArray(paths)) return undefined;
  const found = paths.flatMap((path) => (typeof path === 'string' ? matching(resolve(place, path)) : []));
  if (found.length === 0) return undefined;
  return found.map((path) => ({ name: seedName(relative(place, path)), sql: readSql(path) }));
}

/** Returns a name that cannot be a migration's: `seed.sql`, or a path with a slash. */
const seedName = (path: string): string =>
  path === 'seed.sql' || path.includes('/') ? path : `./${path.replaceAll('\\', '/')}`;

/** Returns the files of a path whose last part may contain `*`. */
function matching(path: string): string[] {
  if (!basename(path).includes('*')) return existsSync(path) ? [path] : [];
  const folder = dirname(path);
  const [start = '', ...rest] = basename(path).split('*');
  const end = rest.at(-1) ?? '';
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end))
    .sort()
    .map((name) => join(folder, name));
}

type Take = (value: TomlValue, config: ReadonlyMap<string, TomlValue>) => [string, unknown] | null;

/** Converts keys of config.toml to keys and values of settings; null if the value needs no setting. */
const taken: Readonly<Record<string, Take>> = {
  'api.schemas': (value) => [
    'db_schemas',
    Array.isArray(value) ? value.filter((name) => name !== 'graphql_public') : value,
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

/** Imports a string. A value with `env(NAME)` is not in the file, so it is skipped. */
function setText(key: string): Take {
  return (value) => (isSetting(value) ? [key, value] : null);
}

/** Imports a switch. It is enabled only if the project contains all values that the feature needs. */
function switchOn(key: string, isComplete: (config: ReadonlyMap<string, TomlValue>) => boolean): Take {
  return (value, config) => (value === true && !isComplete(config) ? null : [key, value]);
}

/** Imports `[auth.hook.<name>]`. The secrets of a hook are usually in the project's environment. */
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

/** Imports `[auth.external.<provider>]` for the providers that Ninefold supports. */
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

/** Maps values of `password_requirements` to values of password_required_characters. */
const characterSets: Readonly<Record<string, string>> = {
  letters_digits: `${letters}${letters.toUpperCase()}:${digits}`,
  lower_upper_letters_digits: `${letters}:${letters.toUpperCase()}:${digits}`,
  lower_upper_letters_digits_symbols: `${letters}:${letters.toUpperCase()}:${digits}:!@#$%^&*()_+-=[]{};'\\\\:"|<>?,./\`~`,
};

/**
 * Converts a duration in Go's notation to a setting in seconds. Other text is passed on, so that the setting's
 * validation rejects it.
 */
const duration = (key: string, value: TomlValue): [string, unknown] => [
  key,
  typeof value === 'string' ? (parseDuration(value) ?? value) : value,
];

/** Returns true for a value that does not refer to an environment variable. */
const isSetting = (value: TomlValue): boolean => typeof value === 'string' && value !== '' && !value.startsWith('env(');

/** Keys of config.toml that enable features which Ninefold does not have, with the name of the feature. */
const missing: readonly (readonly [RegExp, string])[] = [
  [/^auth\.external\.(\w+)\.enabled$/, 'Sign-in with $1'],
  [/^auth\.hook\.(\w+)\.enabled$/, 'The auth hook $1'],
  [/^auth\.third_party\.(\w+)\.enabled$/, 'Tokens of $1'],
  [/^auth\.captcha\.enabled$/, 'The captcha of sign-up'],
];

function readSettings(config: ReadonlyMap<string, TomlValue>): Pick<SupabaseProject, 'settings' | 'leftOut'> {
  const settings: [string, unknown][] = [];
  const leftOut = new Set<string>();
  for (const [key, value] of config) {
    const setting = taken[key]?.(value, config);
    if (setting) settings.push(setting);
    if (Object.hasOwn(taken, key) && typeof value === 'string' && value.startsWith('env(')) {
      leftOut.add(`${key} is in the environment of the project: set it on the app’s Sign-in methods page.`);
    }
    if (value !== true || setting) continue;
    for (const [pattern, words] of missing) {
      if (pattern.test(key)) leftOut.add(`${key.replace(pattern, words)} is not there (${key}).`);
    }
  }
  return { settings, leftOut: [...leftOut] };
}

/** Returns a sentence about the project's edge functions, which an app does not run. */
function functionsOf(folder: string): string[] {
  const place = [join(resolve(folder), 'supabase', 'functions'), join(resolve(folder), 'functions')].find((each) =>
    existsSync(each),
  );
  if (place === undefined) return [];
  const names = readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
    .map(({ name }) => name);
  return names.length === 0 ? [] : [`Edge functions are not run: ${names.sort().join(', ')}.`];
}
