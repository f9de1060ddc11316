/** Formats a day in the browser's time zone, for example `2026-11-24`. */
export const dayOf = (day: Date): string => `${monthOf(day)}-${String(day.getDate()).padStart(2, '0')}`;

/** Formats the month of a day, for example `2026-11`. */
export const monthOf = (day: Date): string => `${day.getFullYear()}-${String(day.getMonth() + 1).padStart(2, '0')}`;

/** Returns the first day of the month in an address. If the address contains no valid month, returns the first day of the current month. */
export function monthIn(text: unknown, today: Date): Date {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(String(text)) ?? [];
  return year === undefined
    ? new Date(today.getFullYear(), today.getMonth())
    : new Date(Number(year), Number(month) - 1);
}

/** Returns the weeks of a month from Monday to Sunday. The first and the last week include days of the neighbouring months. */
export function weeksOf(month: Date): Date[][] {
  const [year, number] = [month.getFullYear(), month.getMonth()];
  const before = (new Date(year, number).getDay() + 6) % 7;
  const days = new Date(year, number + 1, 0).getDate();
  const weeks = Math.ceil((before + days) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_day, day) => new Date(year, number, 1 - before + week * 7 + day)),
  );
}
