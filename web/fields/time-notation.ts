import { clockText, dayText, isoDay, isoTime, readTime, type TypedTime } from './read-time.ts';

/**
 * The PostgreSQL type of the field. `date` is a day; `timestamp` is a day and a time without a time zone; `timestamptz`
 * is a moment, shown in the reader's time zone.
 */
export type TimeKind = 'date' | 'timestamp' | 'timestamptz';

/** Formats a time in the way in which the field shows it. */
export const timeText = (time: Date, kind: TimeKind): string =>
  kind === 'date' ? dayText(time) : `${dayText(time)} ${clockText(time)}`;

/** How a reader types times, and how the field shows them. */
export interface TimeNotation {
  readonly read: (text: string, now: Date) => TypedTime | null;
  readonly show: (time: Date, kind: TimeKind) => string;
  /** True if the reader knows how PostgreSQL stores times. */
  readonly isForBuilders: boolean;
}

/** The notation of the console. */
export const builders: TimeNotation = { read: readTime, show: timeText, isForBuilders: true };

/** Matches times of PostgreSQL that no Date contains: `infinity`, and those before the year 1 or after 9999. */
const OUTSIDE_OF_DATE = /^([+-]?infinity|\d{4,6}-\d\d-\d\d(?:\D.*)? BC|\d{5,6}-\d\d-\d\d(?:\D.*)?)$/i;

/**
 * Converts a typed time to the text that PostgreSQL reads; null if the text is no time. A day without a time of day
 * means its beginning. A time that no Date contains is unchanged, so that a stored one stays as it is.
 */
export function timeValue(text: string, kind: TimeKind, now: Date, notation = builders): string | null {
  if (OUTSIDE_OF_DATE.test(text.trim())) return text.trim();
  const time = notation.read(text, now)?.time;
  if (!time) return null;
  return kind === 'date' ? isoDay(time) : kind === 'timestamp' ? isoTime(time) : time.toISOString();
}
