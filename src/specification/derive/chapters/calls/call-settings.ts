import { createHash } from 'node:crypto';
import { type Limit, limits } from '../../../../../contract/limits.ts';
import type { Setting } from '../../../../../contract/setting.ts';
import { type RestSettings, restSettings } from '../../../../../contract/settings.ts';
import { type AuthSettings, authSettings } from '../../../../../contract/settings-auth.ts';
import type { CallSetting } from '../../../../../contract/specification-calls.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import { refusalOfPreRequest } from '../../../../access/pre-request.ts';
import type { DecisionFacts } from '../../../../catalog/facts.ts';
import { compareText, roleName } from '../../../../catalog/names.ts';
import type { ServerLimitFacts } from '../../../../catalog/server-limits.ts';
import { isSetByServer } from '../../../../database/startup-settings.ts';

/** Characters of a fingerprint. */
const FINGERPRINT_CHARACTERS = 8;

const known: Readonly<Record<string, Setting>> = { ...restSettings, ...authSettings };

/** Settings that are limits. They are left out here, because chapter 9 contains them. */
const bounding = new Set(Object.values<Limit>(limits).flatMap(({ setting }) => setting ?? []));

/**
 * Returns the settings that determine the responses to calls: the app's own settings, the settings of the database for
 * its connections, and the casts of its domains.
 */
export function callSettings(look: Lookup, settings: RestSettings & AuthSettings): CallSetting[] {
  const { facts } = look;
  const refusal = refusalOfPreRequest(facts);
  const own = Object.entries(known)
    .filter(([key]) => !bounding.has(key))
    .map(([key, setting]): CallSetting => {
      const [value, standard] = [words(settings[key as keyof typeof settings]), words(setting.default)];
      const set_in = value === standard ? 'code' : 'setting';
      const notes: Readonly<Record<string, string>> = {
        db_pre_request: refusal === null ? '' : `, ${refusal}`,
        db_schemas: missingSchemas(facts, settings.db_schemas),
      };
      const shown = `${hidesQuery.test(key) ? withoutQuery(value) : value}${notes[key] ?? ''}`;
      return { key, value: shown, default: standard, meaning: setting.meaning, set_in };
    });
  return [...own, settingsOfRoles, ...databaseSettings(facts), ...representations(look)];
}

/** Matches settings whose value is the address of a server that belongs to the builder of the app. */
const hidesQuery = /^hook_\w+_uri$/;

/** Returns an address with a fingerprint in place of its query, which may contain a secret. */
const withoutQuery = (address: string): string =>
  address.replace(/\?(.*)$/s, (_, query: string) => `?… (${fingerprint(query)})`);

/** Returns a note on the schemas that do not exist. PostgreSQL's own schemas always exist. */
function missingSchemas(facts: DecisionFacts, names: readonly string[]): string {
  const missing = names.filter(
    (name) => !/^pg_|^information_schema$/.test(name) && !facts.schemas.some((one) => one.name === name),
  );
  return missing.length === 0 ? '' : `; there is no schema ${missing.join(', ')}`;
}

/**
 * PostgREST applies the settings of roles, and Ninefold never does. The value of these settings is omitted, because
 * otherwise one app could write into the specification of another app (decision 2).
 */
const settingsOfRoles: CallSetting = {
  key: 'alter role … set',
  value: 'not applied',
  default: 'not applied',
  meaning:
    'What is set for anon, authenticated, service_role or another role that calls take on. These roles are the server’s, and code of any app could set it for all. The settings here, those of functions, of the database and of the app’s login role apply.',
  set_in: 'code',
};

/**
 * Returns the casts of domains created with CREATE CAST … AS IMPLICIT (PostgREST docs, "Domain Representations") if the
 * login role may execute their function.
 */
function representations({ facts, privileges }: Lookup): CallSetting[] {
  if (facts.representations.length === 0) return [];
  const login = privileges.membership.named(facts.authenticator)?.oid ?? -1;
  return facts.representations
    .filter(({ routine }) => privileges.refusedFunctions(login, [routine]).length === 0)
    .map(({ from, to, domain, function: routine }): CallSetting => {
      const [what, standard] =
        from === domain
          ? ['are answered', 'as PostgreSQL writes them in JSON']
          : from === 'json'
            ? ['in bodies are read', 'as PostgreSQL reads them from JSON']
            : ['in filters are read', 'as PostgreSQL reads them'];
      return {
        key: `${from} as ${to}`,
        value: `by ${routine}`,
        default: standard,
        meaning: `Values of ${domain} ${what} as that function makes them.`,
        set_in: 'database',
      };
    });
}

/**
 * Returns the settings of ALTER ROLE … SET and ALTER DATABASE … SET that apply to calls. Omits the settings of chapter
 * 9, and search_path, because each call sets its own search_path.
 */
function databaseSettings(facts: DecisionFacts): CallSetting[] {
  const listed = new Set(facts.server_settings.map(({ name }) => name));
  return facts.role_settings
    .filter(({ name }) => !listed.has(name) && !isSetByServer(name) && name !== 'search_path')
    .map((one): CallSetting => {
      const whose = whoseOf(facts, one);
      return {
        key: `${one.name} (${whose})`,
        // Names with a dot belong to the app, and their values are often secret.
        value: one.name.includes('.') ? fingerprint(one.value) : one.value,
        default: 'the server’s',
        meaning: `What PostgreSQL’s ${one.name} is for new connections of ${whose}.`,
        set_in: 'database',
      };
    })
    .sort((a, b) => compareText(a.key, b.key));
}

/**
 * Returns the connections that a setting applies to, in words that do not contain the names of the app's own roles and
 * database.
 */
export function whoseOf(facts: DecisionFacts, { role, database }: ServerLimitFacts['role_settings'][number]): string {
  if (role === null) return database ? 'everyone' : 'everyone, in every database';
  const name =
    role === facts.authenticator
      ? 'authenticator'
      : roleName(facts, facts.roles.find((one) => one.name === role)?.oid ?? -1);
  return database ? name : `${name}, in every database`;
}

function words(value: unknown): string {
  if (value === null || value === '') return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value !== 'object') return String(value);
  const members = Object.entries(value as Record<string, unknown>).sort(([a], [b]) => compareText(a, b));
  return members.length === 0
    ? 'none'
    : members.map(([name, text]) => `${name} (${fingerprint(String(text))})`).join(', ');
}

/**
 * Returns a fingerprint: a string that changes with the value but does not reveal it. More people can read the
 * specification than the settings.
 */
const fingerprint = (value: string): string =>
  `fingerprint ${createHash('sha256').update(value).digest('hex').slice(0, FINGERPRINT_CHARACTERS)}`;
