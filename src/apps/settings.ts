import { allSettings } from '../../contract/all-settings.ts';
import { type Limit, limits } from '../../contract/limits.ts';
import type { Setting, ValuesOf } from '../../contract/setting.ts';
import { defaultRestSettings, type RestSettings, restSettings } from '../../contract/settings.ts';
import { type AuthSettings, authSettings, defaultAuthSettings } from '../../contract/settings-auth.ts';
import { defaultMailSettings, type MailSettings, mailSettings } from '../../contract/settings-mail.ts';
import { defaultRealtimeSettings, type RealtimeSettings, realtimeSettings } from '../../contract/settings-realtime.ts';
import { defaultStorageSettings, type StorageSettings, storageSettings } from '../../contract/settings-storage.ts';
import type { Statement } from '../database/statement.ts';

/** Factor of a default with `wideOnLoopback`. */
const WIDER = 10;

/** The complete settings of an app. */
export interface Settings {
  readonly rest: RestSettings;
  readonly auth: AuthSettings;
  readonly mail: MailSettings;
  readonly storage: StorageSettings;
  readonly realtime: RealtimeSettings;
}

/** Statement that reads the stored settings as one JSON object; values larger than settingBytes are ignored. */
export const storedSettings: Statement = {
  text: `select json_object_agg(key, value) from ninefold.settings
         where key = any ($1::text[]) and pg_catalog.octet_length(value::text) <= $2::int`,
  params: [`{${Object.keys(allSettings).join(',')}}`, String(limits.settingBytes.default)],
};

/** Returns a number within the range of its setting, and any other value unchanged. */
function withinRange(setting: Setting, value: unknown): unknown {
  if (setting.kind !== 'number' || typeof value !== 'number') return value;
  const [min, max] = setting.range;
  return Math.min(Math.max(value, min), max);
}

/**
 * Returns the defaults of all settings. On a node that other machines cannot reach, some rate limits are ten times as
 * high.
 */
export function defaultSettings(isLoopback: boolean): Settings {
  const same = {
    rest: defaultRestSettings,
    mail: defaultMailSettings,
    storage: defaultStorageSettings,
    realtime: defaultRealtimeSettings,
  };
  if (!isLoopback) return { ...same, auth: defaultAuthSettings };
  const wide = Object.values(wideDefaults).map(({ setting, value }) => [setting, value]);
  return { ...same, auth: { ...defaultAuthSettings, ...Object.fromEntries(wide) } };
}

/** Limits with a higher default on a node that other machines cannot reach, by name. */
export const wideDefaults: Readonly<Record<string, { readonly setting: string; readonly value: number }>> =
  Object.fromEntries(
    Object.entries<Limit>(limits)
      .filter(([, limit]) => limit.wideOnLoopback)
      .map(([name, limit]) => [name, { setting: limit.setting ?? '', value: limit.default * WIDER }]),
  );

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
    storage: merge(storageSettings, defaults.storage, stored),
    realtime: merge(realtimeSettings, defaults.realtime, stored),
  };
}

function merge<Known extends Readonly<Record<string, Setting>>>(
  known: Known,
  defaults: ValuesOf<Known>,
  stored: Readonly<Record<string, unknown>>,
): ValuesOf<Known> {
  const fitting = Object.entries(known)
    .filter(([key, setting]) => Object.hasOwn(stored, key) && hasKind(setting, stored[key]))
    .map(([key, setting]) => [key, withinRange(setting, stored[key])]);
  return { ...defaults, ...Object.fromEntries(fitting) };
}

/** Returns true if a value is valid for a setting. */
export const isValidValue = (setting: Setting, value: unknown): boolean =>
  hasKind(setting, value) && withinRange(setting, value) === value;

/** Returns true if a value is of the kind of a setting. A number may be outside of the setting's range. */
export function hasKind(setting: Setting, value: unknown): boolean {
  switch (setting.kind) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return value === null ? setting.isNullable === true : isWholeNumber(value, setting.range[1]);
    case 'choice':
      return typeof value !== 'string' && value !== null ? false : setting.values.includes(value);
    case 'text':
      if (value === null) return setting.default === null || setting.isNullable === true;
      return typeof value === 'string' && (setting.pattern?.test(value) ?? true);
    case 'list':
      return (
        Array.isArray(value) &&
        (value.length > 0 || setting.isRequired !== true) &&
        value.every((each) => typeof each === 'string' && each !== '' && (setting.pattern?.test(each) ?? true))
      );
    case 'map':
      return isMapOfTexts(value);
    case 'translated':
      return value === null || typeof value === 'string' || isMapOfTexts(value);
  }
}

const isMapOfTexts = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((each) => typeof each === 'string');

/**
 * Returns true for an integer that PostgreSQL's type integer can store, or up to the maximum of the setting if that is
 * larger. All numeric settings are counts.
 */
const isWholeNumber = (value: unknown, max: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= Math.max(max, 2 ** 31 - 1);
