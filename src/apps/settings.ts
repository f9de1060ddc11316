import { type Limit, limits } from '../../contract/limits.ts';
import { defaultRestSettings, type RestSettings, restSettings, type Setting } from '../../contract/settings.ts';
import { type AuthSettings, authSettings, defaultAuthSettings } from '../../contract/settings-auth.ts';
import { defaultMailSettings, type MailSettings, mailSettings } from '../../contract/settings-mail.ts';
import type { Statement } from '../database/statement.ts';

/** An app's settings, complete. */
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

/** Reads what `ninefold.settings` holds of them, as one JSON object; values above settingBytes are not in force. */
export const storedSettings: Statement = {
  text: `select json_object_agg(key, value) from ninefold.settings
         where key = any ($1::text[]) and pg_catalog.octet_length(value::text) <= $2::int`,
  params: [`{${Object.keys(settingsByKey).join(',')}}`, String(limits.settingBytes.default)],
};

/** The limit that each setting changes. */
const limitOf: ReadonlyMap<string, Limit> = new Map(
  Object.values<Limit>(limits).map((limit) => [limit.setting ?? '', limit]),
);

/** What is in force of a setting's value: a number is kept within what the limit may be that it changes. */
function withinLimit(key: string, value: unknown): unknown {
  const range = limitOf.get(key)?.range;
  return range && typeof value === 'number' ? Math.min(Math.max(value, range[0]), range[1]) : value;
}

/** Returns every setting at its default. On a node that serves its own machine only, some rates are ten times as high. */
export function defaultSettings(isLoopback: boolean): Settings {
  const mail = defaultMailSettings;
  if (!isLoopback) return { rest: defaultRestSettings, auth: defaultAuthSettings, mail };
  const wide = Object.values(wideDefaults).map(({ setting, value }) => [setting, value]);
  return { rest: defaultRestSettings, auth: { ...defaultAuthSettings, ...Object.fromEntries(wide) }, mail };
}

const WIDER = 10;

/** The limits with a higher default on a node that serves its own machine only, by name. */
export const wideDefaults: Readonly<Record<string, { readonly setting: string; readonly value: number }>> =
  Object.fromEntries(
    Object.entries<Limit>(limits)
      .filter(([, limit]) => limit.wideOnLoopback)
      .map(([name, limit]) => [name, { setting: limit.setting ?? '', value: limit.default * WIDER }]),
  );

/** Whether a number is more or less than the limit may be that the setting changes. */
export const isBeyond = (key: string, value: unknown): boolean => withinLimit(key, value) !== value;

/**
 * The settings that `ninefold.settings` holds over their defaults. The app's owner can write anything there, so a value of
 * the wrong kind leaves the default in force, and a number beyond its limit the limit.
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
    .filter(([key, value]) => Object.hasOwn(known, key) && fits(known[key as keyof T], value))
    .map(([key, value]) => [key, withinLimit(key, value)]);
  return { ...defaults, ...Object.fromEntries(fitting) };
}

/** Whether a setting may have a value. */
export function fits(setting: Setting<unknown>, value: unknown): boolean {
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

/** Every number among the settings counts something, and goes to PostgreSQL as an integer. */
const isWholeNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
