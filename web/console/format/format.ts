/** Functions that format figures and times. They are pure. The language is English, whatever the browser's language. */

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

/** Formats a number: 12408 → "12,408". */
export const count = (value: number): string => whole.format(value);

/**
 * Formats a number with its noun: 1, "table" → "1 table"; 7, "table" → "7 tables"; 2, "policy", "policies" → "2
 * policies".
 */
export const counted = (value: number, singular: string, plural = `${singular}s`): string =>
  `${count(value)} ${value === 1 ? singular : plural}`;

/** Formats an estimated number of rows: "about 1,240 rows", "no rows". */
export const aboutRows = (estimate: number): string =>
  estimate === 0 ? 'no rows' : `about ${counted(estimate, 'row')}`;

/** Formats bytes in units of 1,024 with at most two significant digits: "58 MB", "8.1 kB". */
export function bytes(value: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(value) / Math.log(1024)));
  const scaled = value / 1024 ** step;
  const text = step > 0 && scaled < 9.95 ? scaled.toFixed(1) : count(scaled);
  return `${text} ${value === 1 ? 'byte' : units[step]}`;
}

/** Formats a ratio from 0 to 1: "0.21%", "3.4%", "12%". Returns "0%" only for exactly 0. */
export function percent(part: number, all: number): string {
  if (all === 0 || part === 0) return '0%';
  const value = (part / all) * 100;
  if (value < 0.01) return '<0.01%';
  return `${value < 1 ? value.toFixed(2) : value < 10 ? value.toFixed(1) : count(value)}%`;
}

/** Number of all items below which a share is written as two numbers, because a percentage would suggest many. */
const FEW = 20;

/** Formats a share: "19%" of many, "1 of 4" of few. */
export const share = (part: number, all: number): string =>
  all < FEW ? `${count(part)} of ${count(all)}` : percent(part, all);

/** Formats a share with its noun: 1, 4, "request" → "1 of 4 requests"; 19, 100, "request" → "19% of the requests". */
export const shareOf = (part: number, all: number, noun: string): string =>
  all < FEW ? `${count(part)} of ${counted(all, noun)}` : `${percent(part, all)} of the ${noun}s`;

/** Formats milliseconds: "0.8 ms", "18 ms", "2.4 s". */
export function milliseconds(value: number): string {
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value < 9.95 ? value.toFixed(1) : count(value)} ms`;
}

const spans: readonly (readonly [seconds: number, word: string])[] = [
  [365 * 86_400, 'year'],
  [30 * 86_400, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
];

/** Formats a duration in milliseconds in the largest unit that fits: "19 days", "4 minutes", "8 seconds". */
export function duration(value: number): string {
  const seconds = Math.max(0, Math.round(value / 1000));
  for (const [span, word] of spans) if (seconds >= span) return counted(Math.floor(seconds / span), word);
  return counted(seconds, 'second');
}

/** Formats the age of an ISO 8601 time: "2 days ago", or "just now" below five seconds. */
export function ago(iso: string, now: number): string {
  const passed = now - Date.parse(iso);
  return passed < 5000 ? 'just now' : `${duration(passed)} ago`;
}

/** Formats the age of an ISO 8601 time for a column of a table: "12 s", "2 min", "3 h", "4 d". */
export function age(iso: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${count(Math.floor(seconds / 86_400))} d`;
}

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Formats date and time in the reader's time zone: "20 Nov 2026 10:50:07". */
export const dateTime = (iso: string): string => `${day.format(new Date(iso))} ${clock.format(new Date(iso))}`;

/** Formats a date in the reader's time zone: "20 Nov 2026". */
export const dayOf = (iso: string): string => day.format(new Date(iso));

/** Formats a time in the reader's time zone: "13:58:41". */
export const timeOfDay = (iso: string): string => clock.format(new Date(iso));

/** Formats hour and minute in the reader's time zone: "14:00". */
export const hour = (iso: string): string => clock.format(new Date(iso)).slice(0, 5);

/** Returns the name of an entity, without the schema public: "public.tickets" → "tickets". */
export const entityName = (schema: string, name: string): string => (schema === 'public' ? name : `${schema}.${name}`);

/** Returns the id of an entity or a function without the schema public: `public.tickets` → `tickets`. */
export const shortId = (id: string): string => id.replace(/^public\./, '');

/** Joins words to a list: "a", "a and b", "a, b and c". */
export const listed = (words: readonly string[], joint: 'and' | 'or' = 'and'): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`;
