/** A setting of an app: the only place with its type, unit, range, default and words. */
export type Setting =
  | BooleanSetting
  | NumberSetting
  | ChoiceSetting
  | TextSetting
  | ListSetting
  | MapSetting
  | TranslatedSetting;

interface Common {
  readonly meaning: string;
  /** Absent if a panel or a form of the console, or chapter 9, has the control of the setting. */
  readonly row?: SettingRow;
}

/** The sections of the console that show settings. They are on the pages Settings and Sign-in methods. */
export const settingSections = [
  'addresses',
  'dataApi',
  'audit',
  'methods',
  'accounts',
  'passwords',
  'secondFactor',
  'passkeys',
  'sessions',
  'notices',
  'provider',
  'files',
  'realtime',
] as const;

type SettingSection = (typeof settingSections)[number];

/** The row of a setting on a page of the console. */
export interface SettingRow {
  readonly section: SettingSection;
  readonly label: string;
  /** A sentence about the effect of a value. The console replaces `{}` by the number with its unit. A row without `effect` shows `meaning`. */
  readonly effect?: string;
  /** Describes the effect of false, 0, null, an empty text and an empty list. The row shows `effect` without it. */
  readonly without?: string;
  /** True if the switch is on while the value is false. */
  readonly isInverted?: true;
}

interface BooleanSetting extends Common {
  readonly kind: 'boolean';
  readonly default: boolean;
}

/** A whole number. Most of these settings are limits, which `contract/limits` defines. */
export interface NumberSetting extends Common {
  readonly kind: 'number';
  readonly default: number;
  readonly unit: 'bytes' | 'seconds' | 'milliseconds' | 'hours' | 'days' | 'count' | 'characters';
  /** The counted things in the plural, if the unit is `count`. */
  readonly noun?: string;
  readonly range: readonly [number, number];
  /** True if the value can be null, which means no limit. */
  readonly isNullable?: true;
}

interface ChoiceSetting extends Common {
  readonly kind: 'choice';
  readonly default: string | null;
  readonly values: readonly (string | null)[];
}

interface TextSetting extends Common {
  readonly kind: 'text';
  /** With the default null, null is allowed. */
  readonly default: string | null;
  /** True if null is allowed although it is not the default. */
  readonly isNullable?: true;
  /** The allowed values in words. */
  readonly format: string;
  readonly pattern?: RegExp;
}

interface ListSetting extends Common {
  readonly kind: 'list';
  readonly default: readonly string[];
  readonly format: string;
  /** Pattern that each text must match. */
  readonly pattern?: RegExp;
  /** True if the list must have a text. */
  readonly isRequired?: true;
}

interface MapSetting extends Common {
  readonly kind: 'map';
  readonly default: Readonly<Record<string, string>>;
  readonly format: string;
}

/** A text for all languages, or one text for each language tag, or null. */
interface TranslatedSetting extends Common {
  readonly kind: 'translated';
  readonly default: null;
  readonly format: string;
}

/** A setting whose value no call returns. Its value is a text, or null for none. */
export interface SecretSetting {
  readonly format: string;
  readonly meaning: string;
  /** Pattern that a value of the setting must match. */
  readonly pattern?: RegExp;
}

/** One string for all languages, or one string for each language tag. */
export type Translated = string | Readonly<Record<string, string>> | null;

/** The values of settings, by key. */
export type ValuesOf<Settings> = { -readonly [K in keyof Settings]: ValueOf<Settings[K]> };

type ValueOf<S> = S extends { kind: 'boolean' }
  ? boolean
  : S extends { kind: 'number' }
    ? number | NullOf<S>
    : S extends { kind: 'choice'; values: readonly (infer Value)[] }
      ? Value
      : S extends { kind: 'text' }
        ? string | NullOf<S>
        : S extends { kind: 'list' }
          ? readonly string[]
          : S extends { kind: 'map' }
            ? Readonly<Record<string, string>>
            : S extends { kind: 'translated' }
              ? Translated
              : never;

type NullOf<S> = S extends { isNullable: true } | { default: null } ? null : never;

/** Returns the settings unchanged, with their kinds, values and defaults as literal types. */
export const defineSettings = <const Settings extends Readonly<Record<string, Setting>>>(settings: Settings) =>
  settings;

/** Returns the default values of settings. */
export const defaultsOf = <Settings extends Readonly<Record<string, Setting>>>(settings: Settings) =>
  Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting.default])) as ValuesOf<Settings>;

/** Returns the settings that change limits, by key. */
export const settingsOf = <Limits extends Readonly<Record<string, Common & { readonly setting?: string }>>>(
  limits: Limits,
) =>
  Object.fromEntries(
    Object.values(limits).flatMap((limit) =>
      limit.setting === undefined ? [] : [[limit.setting, { ...limit, kind: 'number' }]],
    ),
  ) as {
    readonly [N in keyof Limits as Limits[N] extends { setting: infer Key extends string } ? Key : never]: Limits[N] & {
      readonly kind: 'number';
    };
  };

/** Returns the settings of each name: `of(name)` returns them by the end of their key, after the prefix and the name. */
export const settingsOfEach = <Prefix extends string, Name extends string, const Ends extends object>(
  prefix: Prefix,
  names: readonly Name[],
  of: (name: Name) => Ends,
) =>
  Object.fromEntries(
    names.flatMap((name) => Object.entries(of(name)).map(([end, setting]) => [`${prefix}${name}${end}`, setting])),
  ) as { readonly [End in keyof Ends & string as `${Prefix}${Name}${End}`]: Ends[End] };

/** Describes the allowed values of a setting. */
export function valueWords(setting: Setting): string {
  switch (setting.kind) {
    case 'boolean':
      return 'true or false';
    case 'number': {
      const [min, max] = setting.range;
      const things = setting.unit === 'count' ? (setting.noun ?? '') : setting.unit;
      const number = `whole number${things === '' ? '' : ` of ${things}`}, ${min} to ${max}`;
      return setting.isNullable ? `${number}, or null for no limit` : number;
    }
    case 'choice':
      return setting.values
        .map(String)
        .join(', ')
        .replace(/, ([^,]*)$/, ' or $1');
    default:
      return setting.format;
  }
}
