import type { PortalField } from '../../contract/portal.ts';
import { dateFormat, type MessageKey, numberText, t } from '../language/messages.ts';
import { boundsIn } from './range.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const day = (time: Date): string => dateFormat({ dateStyle: 'medium' }).format(time);

/** Formats the age of a time: "just now", "6 min", "4 h", "yesterday", "3 days". Formats an older or a future time as a date. */
export function ago(time: Date, now: Date): string {
  const passed = now.getTime() - time.getTime();
  if (passed < -MINUTE) return shortTime(time);
  if (passed < MINUTE) return t('justNow');
  if (passed < HOUR) return t('minutesAgo', { count: Math.floor(passed / MINUTE) });
  if (passed < DAY) return t('hoursAgo', { count: Math.floor(passed / HOUR) });
  if (passed < 2 * DAY) return t('yesterday');
  if (passed < 7 * DAY) return t('daysAgo', { count: Math.floor(passed / DAY) });
  return day(time);
}

/** Returns true if `ago` formats a time as an age, and not as a date. */
export function isDuration(time: Date, now: Date): boolean {
  const passed = now.getTime() - time.getTime();
  return (passed >= MINUTE && passed < DAY) || (passed >= 2 * DAY && passed < 7 * DAY);
}

/** Formats a complete time, for tooltips. */
export const fullTime = (time: Date): string => dateFormat({ dateStyle: 'full', timeStyle: 'short' }).format(time);

/** Formats a time without the day of the week. */
export const shortTime = (time: Date): string => dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).format(time);

/** Parses a time as PostgreSQL prints it. Returns null for `infinity` and for any string that is no time. */
export function timeOf(value: unknown): Date | null {
  const time = new Date(String(value));
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Formats a value of a field. Components show references, states and members, so this function does not format them. */
export function textOf(
  field: Pick<PortalField, 'editor' | 'values' | 'range'> & { name?: string },
  value: unknown,
): string {
  if (value === null || value === undefined || value === '') return '–';
  if (field.range) return rangeText(field.range, String(value));
  switch (field.editor) {
    case 'boolean':
      return value === true ? t('yes') : t('no');
    case 'enum':
      return field.values?.find((one) => one.value === String(value))?.label ?? String(value);
    case 'number':
      // A number that JavaScript cannot represent arrives as a string.
      return typeof value === 'number' ? numberText(value, numberOptions(field.name)) : exactText(String(value));
    case 'money':
      return Number.isFinite(Number(value)) ? numberText(Number(value), { minimumFractionDigits: 2 }) : String(value);
    case 'date': {
      const time = timeOf(`${String(value)}T00:00:00`);
      return time ? day(time) : String(value);
    }
    case 'date and time': {
      const time = timeOf(value);
      return time ? shortTime(time) : String(value);
    }
    case 'time': {
      const time = /^\d\d:\d\d(:\d\d)?$/.test(String(value)) ? timeOf(`2000-01-01T${String(value)}`) : null;
      return time
        ? dateFormat({ timeStyle: time.getSeconds() === 0 ? 'short' : 'medium' }).format(time)
        : String(value);
    }
    case 'duration':
      return durationText(String(value));
    case 'files':
    case 'array':
      return Array.isArray(value) ? value.map(String).join(', ') : String(value);
    case 'json':
      return JSON.stringify(value);
    default:
      return String(value);
  }
}

/** Formats a range: "1 Feb 2026 – 31 Jan 2027". A bound that is missing is "…". */
function rangeText(kind: NonNullable<PortalField['range']>, range: string): string {
  const bounds = boundsIn(kind, range);
  if (bounds === null) return '–';
  const editor = kind === 'whole number' ? 'number' : kind === 'local date and time' ? 'date and time' : kind;
  return bounds.map((bound) => (bound === '' ? '…' : textOf({ editor, values: null }, bound))).join(' – ');
}

/** Digits of a fraction that a number of JavaScript can have. */
const MOST_DIGITS = 17;

/** Returns the format of a number: all its digits, and a year without a separator. */
const numberOptions = (name = ''): Intl.NumberFormatOptions => ({
  maximumFractionDigits: MOST_DIGITS,
  ...(/(^|_)years?(_|$)/i.test(name) && !/_(count|old|experience)$/i.test(name) && { useGrouping: false }),
});

/** Formats a number with more digits than JavaScript can represent. `Intl` reads its digits from a string. */
const exactText = (value: string): string =>
  /^-?\d+(\.\d+)?$/.test(value) ? numberText(value as `${number}`, { maximumFractionDigits: 20 }) : value;

const units: readonly (readonly [RegExp, MessageKey])[] = [
  [/(-?\d+) years?/, 'durationYears'],
  [/(-?\d+) mons?/, 'durationMonths'],
  [/(-?\d+) days?/, 'durationDays'],
  [/(-?\d+):\d\d:\d\d/, 'durationHours'],
  [/-?\d+:(\d\d):\d\d/, 'durationMinutes'],
  [/-?\d+:\d\d:(\d\d(?:\.\d+)?)/, 'durationSeconds'],
];

/** Formats an interval, given as PostgreSQL prints it: `1 day 02:30:00` → "1 day 2 h 30 min". */
function durationText(value: string): string {
  const parts = units.flatMap(([pattern, key]) => {
    const amount = Number(pattern.exec(value)?.[1] ?? 0);
    return amount === 0 ? [] : [t(key, { count: amount })];
  });
  return parts.length > 0 ? parts.join(' ') : value === '00:00:00' ? t('durationMinutes', { count: 0 }) : value;
}

/** Number of rows above which PostgreSQL estimates the count, which is then shown as "about 12,000" instead of "12 of 46". */
export const COUNTED = 1000;

export const countWords = (total: number): string =>
  total > COUNTED ? t('about', { count: total }) : numberText(total);

/** Properties of user_metadata with the name that the person or a provider has given, the first one preferred. */
export const givenNames = ['name', 'full_name'] as const;

/** Returns the name of a person from the user_metadata of the account; null if there is none. */
export function givenName(metadata: Readonly<Record<string, unknown>>): string | null {
  const named = givenNames.map((key) => metadata[key]).find((one) => typeof one === 'string' && one.trim() !== '');
  return typeof named === 'string' ? named : null;
}

/** Returns the words for a member: the name, or else the address or the phone number. */
export const memberName = (user: {
  user_metadata: Readonly<Record<string, unknown>>;
  email?: string | undefined;
  phone?: string | undefined;
}): string => givenName(user.user_metadata) ?? (user.email || user.phone || t('account'));

/** Returns the initials of a name. */
export const initials = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => [...word].slice(0, 1))
    .slice(0, 2)
    .join('')
    .toUpperCase();
