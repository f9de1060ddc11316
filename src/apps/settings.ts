import { type Limit, limits } from '../../contract/limits.ts';
import { defaultRestSettings, type RestSettings, restSettings, type Setting } from '../../contract/settings.ts';
import { type AuthSettings, authSettings, defaultAuthSettings } from '../../contract/settings-auth.ts';
import { defaultMailSettings, type MailSettings, mailSettings } from '../../contract/settings-mail.ts';
import type { Statement } from '../database/statement.ts';

/** The complete settings of an app. */
export interface Settings {
  readonly rest: RestSettings;
  readonly auth: AuthSettings;
  readonly mail: MailSettings;
}

/** All settings by the keys of `ninefold.settings`. */
export const settingsByKey: Readonly<Record<string, Setting<unknown>>> = {
  ...restSettings,
  ...authSettings,
  ...mailSettings,
};

/** Statement that reads the stored settings as one JSON object; values larger than settingBytes are ignored. */
export const storedSettings: Statement = {
  text: `select json_object_agg(key, value) from ninefold.settings
         where key = any ($1::text[]) and pg_catalog.octet_length(value::text) <= $2::int`,
  params: [`{${Object.keys(settingsByKey).join(',')}}`, String(limits.settingBytes.default)],
};

/** The limit that each setting changes. */
const limitOf: ReadonlyMap<string, Limit> = new Map(
  Object.values<Limit>(limits).map((limit) => [limit.setting ?? '', limit]),
);

/** Returns the effective value of a setting: a number is restricted to the range of its limit. */
function withinLimit(key: string, value: unknown): unknown {
  const range = limitOf.get(key)?.range;
  return range && typeof value === 'number' ? Math.min(Math.max(value, range[0]), range[1]) : value;
}

/**
 * Returns the defaults of all settings. On a node that other machines cannot reach, some rate limits are ten times as
 * high.
 */
export function defaultSettings(isLoopback: boolean): Settings {
  const mail = defaultMailSettings;
  if (!isLoopback) return { rest: defaultRestSettings, auth: defaultAuthSettings, mail };
  const wide = Object.values(wideDefaults).map(({ setting, value }) => [setting, value]);
  return { rest: defaultRestSettings, auth: { ...defaultAuthSettings, ...Object.fromEntries(wide) }, mail };
}

const WIDER = 10;

/** Limits with a higher default on a node that other machines cannot reach, by name. */
export const wideDefaults: Readonly<Record<string, { readonly setting: string; readonly value: number }>> =
  Object.fromEntries(
    Object.entries<Limit>(limits)
      .filter(([, limit]) => limit.wideOnLoopback)
      .map(([name, limit]) => [name, { setting: limit.setting ?? '', value: limit.default * WIDER }]),
  );

/** Returns true if a number is outside of the range of the limit that the setting changes. */
export const isOutOfRange = (key: string, value: unknown): boolean => withinLimit(key, value) !== value;

/**
 * Merges the stored settings with their defaults. The app's owner can write anything into the table. A value of the
 * wrong type is replaced by the default, and a number outside of its range by the nearest allowed one.
 */
export function readSettings(
  stored: Readonly<Record<string, unknown>>,
  defaults: Settings = defaultSettings(false),
): Settings {
  return {
    rest: merge(restSettings, defaults.rest, stored),
    auth: merge(authSettings, defaults.auth, stored),
    mail: merge(mailSettings, defaults.mail, stored),
  };
}

function merge<T extends object>(
  known: { readonly [K in keyof T]: Setting<T[K]> },
  defaults: T,
  stored: Readonly<Record<string, unknown>>,
): T {
  const fitting = Object.entries(stored)
    .filter(([key, value]) => Object.hasOwn(known, key) && isValidValue(known[key as keyof T], value))
    .map(([key, value]) => [key, withinLimit(key, value)]);
  return { ...defaults, ...Object.fromEntries(fitting) };
}

/** Returns true if a value is valid for a setting. */
export function isValidValue(setting: Setting<unknown>, value: unknown): boolean {
  if (setting.values) return setting.values.includes(value);
  const { default: standard } = setting;
  if (value === null) return standard === null || / null\b/.test(setting.type);
  if (setting.isTranslated && typeof value === 'object' && !Array.isArray(value)) {
    return Object.values(value).every((each) => typeof each === 'string');
  }
  if (standard === null) return typeof value === 'string' && (setting.item?.test(value) ?? true);
  if (typeof standard === 'number') return isWholeNumber(value);
  if (Array.isArray(standard)) {
    const { item } = setting;
    const isTexts =
      Array.isArray(value) &&
      value.every((each) => typeof each === 'string' && each !== '' && (item === undefined || item.test(each)));
    return isTexts && (value.length > 0 || !setting.type.includes('at least one'));
  }
  if (typeof standard === 'object') {
    return (
      typeof value === 'object' &&
      !Array.isArray(value) &&
      Object.values(value).every((each) => typeof each === 'string')
    );
  }
  return typeof value === typeof standard;
}

/** Returns true for an integer that PostgreSQL's type integer can store. All numeric settings are counts. */
const isWholeNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
