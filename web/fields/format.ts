import type { PortalField } from '../../contract/portal.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const dateOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' });
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const number = new Intl.NumberFormat();
const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2 });

/**
 * Formats the age of a time: "just now", "6 min", "4 h", "yesterday", "3 days", then the date. Times in the future are
 * dates.
 */
export function ago(time: Date, now: Date): string {
  const passed = now.getTime() - time.getTime();
  if (passed < -MINUTE) return short.format(time);
  if (passed < MINUTE) return 'just now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h`;
  if (passed < 2 * DAY) return 'yesterday';
  if (passed < 7 * DAY) return `${Math.floor(passed / DAY)} days`;
  return dateOnly.format(time);
}

/** Formats a complete time, for tooltips. */
export const fullTime = (time: Date): string => full.format(time);

/** Formats a time without the day of the week. */
export const shortTime = (time: Date): string => short.format(time);

/** Parses a time of PostgreSQL; null for `infinity` and other texts. */
export function timeOf(value: unknown): Date | null {
  const time = new Date(String(value));
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Formats a value. Components show references, states and members. */
export function textOf(field: Pick<PortalField, 'editor' | 'values'>, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  switch (field.editor) {
    case 'boolean':
      return value === true ? 'Yes' : 'No';
    case 'enum':
      return field.values?.find((one) => one.value === value)?.label ?? String(value);
    case 'number':
      // A number that JavaScript cannot represent arrives as text.
      return typeof value === 'number' ? number.format(value) : String(value);
    case 'money':
      return Number.isFinite(Number(value)) ? money.format(Number(value)) : String(value);
    case 'date': {
      const time = timeOf(`${String(value)}T00:00:00`);
      return time ? dateOnly.format(time) : String(value);
    }
    case 'date and time': {
      const time = timeOf(value);
      return time ? short.format(time) : String(value);
    }
    case 'duration':
      return durationText(String(value));
    case 'array':
      return Array.isArray(value) ? value.map(String).join(', ') : String(value);
    case 'json':
      return JSON.stringify(value);
    default:
      return String(value);
  }
}

const units: readonly (readonly [RegExp, string, string])[] = [
  [/(-?\d+) years?/, 'year', 'years'],
  [/(-?\d+) mons?/, 'month', 'months'],
  [/(-?\d+) days?/, 'day', 'days'],
  [/(-?\d+):\d\d:\d\d/, 'h', 'h'],
  [/-?\d+:(\d\d):\d\d/, 'min', 'min'],
  [/-?\d+:\d\d:(\d\d(?:\.\d+)?)/, 's', 's'],
];

/** Formats an interval that PostgreSQL wrote as `1 day 02:30:00`: "1 day 2 h 30 min". */
function durationText(value: string): string {
  const parts = units.flatMap(([pattern, one, many]) => {
    const amount = Number(pattern.exec(value)?.[1] ?? 0);
    return amount === 0 ? [] : [`${number.format(amount)} ${amount === 1 ? one : many}`];
  });
  return parts.length > 0 ? parts.join(' ') : value === '00:00:00' ? '0 min' : value;
}

/** PostgreSQL estimates counts above this number: "12 of 46", "about 12,000". */
const COUNTED = 1000;

export const countWords = (total: number): string =>
  total > COUNTED ? `about ${number.format(total)}` : number.format(total);

/** Returns the initials of a name. */
export const initials = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => [...word].slice(0, 1))
    .slice(0, 2)
    .join('')
    .toUpperCase();
