import type { FigurePeriod } from '../../../contract/portal.ts';

/** The days for which figures are computed, as PostgreSQL writes dates: `2026-03-29`. */
export interface Period {
  /** The first day of the period before, which has the same number of days. */
  readonly before: string;
  readonly from: string;
  readonly to: string;
  /** The day after `to`. */
  readonly end: string;
  /** The days of the points of a line; for a period of a year, the Mondays of its weeks. */
  readonly at: readonly string[];
  readonly step: 'day' | 'week';
}

/** Duration of a day in ms. Dates have no time zone, so that each day has this duration. */
const DAY = 24 * 60 * 60 * 1000;
const DAYS_OF_WEEK = 7;

/** Number of days from which a line has a point for each week. */
const WEEKLY_DAYS = 365;

/** Returns the date `days` days after a date. */
const plusDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().replace(/T.*$/, '');

const mondayOf = (date: string): string => plusDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7));

/** Returns the period of `days` days that ends today. Pure. */
export function periodOf(today: string, days: FigurePeriod): Period {
  const from = plusDays(today, 1 - days);
  const isWeekly = days >= WEEKLY_DAYS;
  const first = isWeekly ? mondayOf(from) : from;
  const at: string[] = [];
  for (let day = first; day <= today; day = plusDays(day, isWeekly ? DAYS_OF_WEEK : 1)) at.push(day);
  return {
    before: plusDays(from, -days),
    from,
    to: today,
    end: plusDays(today, 1),
    at,
    step: isWeekly ? 'week' : 'day',
  };
}
