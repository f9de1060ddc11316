/** Formats a day in the browser's time zone, for example `2026-11-24`. */
export const dayOf = (day: Date): string =>
  `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, '0')}-${String(day.getDate()).padStart(2, '0')}`;

/** Returns the midnight before a time. */
export const midnight = (time: Date): Date => new Date(time.getFullYear(), time.getMonth(), time.getDate());

/** Returns midnight of the day so many days after a day. Days with a change of the clock have no 24 hours. */
export const addDays = (day: Date, days: number): Date =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate() + days);

/** Reads the day in an address. Returns the current day if the address contains no valid day. */
export function dayIn(text: unknown, today: Date): Date {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(String(text)) ?? [];
  const read = new Date(Number(year), Number(month) - 1, Number(day));
  return dayOf(read) === text ? read : midnight(today);
}

/** The first day of the week for browsers that do not know that of a locale (`Intl.Locale`): Monday. */
const MONDAY = 1;

/** Returns the first day of the week of a locale, as `Date.getDay` counts: Sunday is 0. */
export function firstDayOfWeek(locale: string): number {
  const known = new Intl.Locale(locale) as Intl.Locale & {
    getWeekInfo?: () => { firstDay: number };
    weekInfo?: { firstDay: number };
  };
  return (known.getWeekInfo?.() ?? known.weekInfo ?? { firstDay: MONDAY }).firstDay % 7;
}

/** Returns the seven days of the week that contains a day. */
export function weekOf(day: Date, first: number): Date[] {
  const before = (day.getDay() - first + 7) % 7;
  return Array.from({ length: 7 }, (_, i) => addDays(day, i - before));
}

/** Returns the weeks of the month of a day. The first and the last week include days of the neighbouring months. */
export function weeksOf(day: Date, first: number): Date[][] {
  const [year, month] = [day.getFullYear(), day.getMonth()];
  const [begin] = weekOf(new Date(year, month), first);
  const weeks: Date[][] = [];
  for (let start = begin ?? day; start < new Date(year, month + 1); start = addDays(start, 7))
    weeks.push(weekOf(start, first));
  return weeks;
}
