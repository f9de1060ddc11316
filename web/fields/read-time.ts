const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** A time that was typed. `hasClock` is false if the text contained only a day. */
export interface TypedTime {
  readonly time: Date;
  readonly hasClock: boolean;
}

interface Clock {
  hour: number;
  minute: number;
  second: number;
}

/** Units of steps of a day or more. They leave the time of day unchanged; smaller units change it. */
const dayUnits: Readonly<Record<string, 'day' | 'week' | 'month' | 'year'>> = {
  d: 'day',
  w: 'week',
  mo: 'month',
  y: 'year',
};

/**
 * Reads a date or time as a person types it, in the time zone of the browser: "2026-11-24 16:30", "24 Nov 16:30",
 * "24.11.2026", "fri 9am", "mon 9", "tomorrow", "in 3 days", "+2d", "+90min", "now". A day of the week is the next one after today. Days and
 * months without a year are in the current year. Returns null for every other string and for days that do not exist.
 * Pure.
 */
export function readTime(text: string, now: Date): TypedTime | null {
  const typed = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (typed === '') return null;
  const iso = /^(\d{4})-(\d\d)-(\d\d)[ t](\d\d?:\d\d(?::\d\d)?)(?:\.\d+)?(z|[+-]\d\d(?::?\d\d)?)$/.exec(typed);
  if (iso) return readWithZone(iso);
  if (typed === 'now') return { time: now, hasClock: true };
  const ahead = /^in (\d{1,5}) ?(minutes?|min|hours?|h|days?|d|weeks?|w|months?|mo|years?|y)$/.exec(typed);
  if (ahead) return readTime(`+${ahead[1]}${unitOf(ahead[2] ?? '')}`, now);
  const step = /^([+-]\d{1,6}) ?(min|h)$/.exec(typed);
  if (step) return after(now, Number(step[1]) * (step[2] === 'h' ? 60 : 1));
  const clockFirst = readClock(typed);
  if (clockFirst) return { time: at(startOf(now), clockFirst), hasClock: true };
  // Splits the text into a day and a time of day after it. Tries the longest beginning as the day first: "24 nov 16:30".
  const words = typed.replace(/(\d)t(\d)/, '$1 $2').split(' ');
  for (let used = words.length; used > 0; used--) {
    const day = readDay(words.slice(0, used).join(' '), now);
    const rest = words.slice(used).join(' ').replace(/^at /, '');
    if (!day) continue;
    if (rest === '') return { time: day, hasClock: false };
    const clock = readClock(rest) ?? (isNamedDay(words[used - 1]) ? readHour(rest) : null);
    return clock && { time: at(day, clock), hasClock: true };
  }
  return null;
}

/** Formats a date for the reader, for example "24 Nov 2026". Pure. */
export const dayText = (time: Date): string =>
  `${time.getDate()} ${capitalised(monthNames[time.getMonth()]?.slice(0, 3) ?? '')} ${time.getFullYear()}`;

/** Formats a time of day, for example "16:30". Seconds are included if they are not 0. Pure. */
export const clockText = (time: Date): string =>
  [time.getHours(), time.getMinutes(), ...(time.getSeconds() === 0 ? [] : [time.getSeconds()])].map(two).join(':');

/** Formats a day for PostgreSQL, for example "2026-11-24". Pure. */
export const isoDay = (time: Date): string =>
  `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;

/** Formats a time without a zone for PostgreSQL, for example "2026-11-24 16:30:00". Pure. */
export const isoTime = (time: Date): string =>
  `${isoDay(time)} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;

const two = (value: number): string => String(value).padStart(2, '0');
const capitalised = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

function readWithZone([, year, month, day, clock = '', zone = '']: RegExpExecArray): TypedTime | null {
  const hours = clock.length < 5 || clock.indexOf(':') === 1 ? `0${clock}` : clock;
  const offset = zone === 'z' ? 'Z' : /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const time = new Date(`${year}-${month}-${day}T${hours}${offset}`);
  return Number.isNaN(time.getTime()) ? null : { time, hasClock: true };
}

const startOf = (time: Date): Date => new Date(time.getFullYear(), time.getMonth(), time.getDate());
const at = (day: Date, { hour, minute, second }: Clock): Date =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute, second);

/** Returns the time some minutes after `now`, without seconds. */
function after(now: Date, minutes: number): TypedTime {
  const time = new Date(now.getTime() + minutes * 60_000);
  time.setSeconds(0, 0);
  return { time, hasClock: true };
}

function readClock(text: string): Clock | null {
  if (text === 'noon') return { hour: 12, minute: 0, second: 0 };
  if (text === 'midnight') return { hour: 0, minute: 0, second: 0 };
  const match = /^(\d{1,2})(?::(\d\d)(?::(\d\d)(?:\.\d+)?)?)? ?(am|pm)?$/.exec(text);
  if (!match || (match[2] === undefined && match[4] === undefined)) return null;
  const [hour, minute, second] = [match[1], match[2] ?? 0, match[3] ?? 0].map(Number) as [number, number, number];
  const half = match[4];
  if (minute > 59 || second > 59 || hour > 23 || (half !== undefined && (hour < 1 || hour > 12))) return null;
  return { hour: half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0), minute, second };
}

/** Returns the unit as it is written in a step such as `+3mo`. */
const unitOf = (word: string): string => (/^mo/.test(word) ? 'mo' : /^mi/.test(word) ? 'min' : word.slice(0, 1));

const isNamedDay = (word: string | undefined): boolean => word !== undefined && !/\d/.test(word);

/** Reads an hour without minutes. It is read only after a named day: "mon 9". */
const readHour = (text: string): Clock | null =>
  /^([01]?\d|2[0-3])$/.test(text) ? { hour: Number(text), minute: 0, second: 0 } : null;

function readDay(text: string, now: Date): Date | null {
  const today = startOf(now);
  const shifted = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() + days);
  if (text === 'today') return today;
  if (text === 'tomorrow') return shifted(1);
  if (text === 'yesterday') return shifted(-1);
  const weekday = text.length < 2 ? -1 : weekdays.findIndex((name) => name.startsWith(text));
  if (weekday >= 0) return shifted((weekday - today.getDay() + 7) % 7 || 7);
  const step = /^([+-]\d{1,5}) ?(d|w|mo|y)$/.exec(text);
  if (step) return moved(today, Number(step[1]), dayUnits[step[2] ?? ''] ?? 'day');
  return readDate(text, today.getFullYear());
}

function moved(day: Date, by: number, unit: 'day' | 'week' | 'month' | 'year'): Date {
  if (unit === 'day' || unit === 'week') {
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() + by * (unit === 'week' ? 7 : 1));
  }
  const months = by * (unit === 'year' ? 12 : 1);
  const last = new Date(day.getFullYear(), day.getMonth() + months + 1, 0).getDate();
  return new Date(day.getFullYear(), day.getMonth() + months, Math.min(day.getDate(), last));
}

/** Reads a date: "2026-11-24", "24.11.2026", "24/11", "24 nov 2026", "nov 24". In numbers, the day comes before the month and the year. */
function readDate(text: string, thisYear: number): Date | null {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (iso) return existing(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const numbers = /^(\d{1,2})[./](\d{1,2})(?:[./](\d{4})?)?$/.exec(text);
  if (numbers) return existing(Number(numbers[3] ?? thisYear), Number(numbers[2]), Number(numbers[1]));
  const named =
    /^(?<day>\d{1,2})\.? (?<month>[a-z]{3,9})(?: (?<year>\d{4}))?$/.exec(text) ??
    /^(?<month>[a-z]{3,9}) (?<day>\d{1,2})(?:,? (?<year>\d{4}))?$/.exec(text);
  const { day, month = '', year } = named?.groups ?? {};
  const place = month === '' ? -1 : monthNames.findIndex((name) => name.startsWith(month));
  return place < 0 ? null : existing(Number(year ?? thisYear), place + 1, Number(day));
}

/** Returns a day; null for a day that does not exist, such as 31 February. */
function existing(year: number, month: number, day: number): Date | null {
  const date = new Date(year, month - 1, day);
  date.setFullYear(year);
  return date.getMonth() === month - 1 && date.getDate() === day ? date : null;
}
