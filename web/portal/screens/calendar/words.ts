import { dateFormat, numberText } from '../../../language/messages.ts';
import { addDays, dayOf } from './days.ts';
import type { Period } from './layout.ts';

/** Formats the times of a period: "10:00 – 11:30". A period without length is one time. */
export const clockWords = ({ start, end }: Period): string =>
  dateFormat({ timeStyle: 'short' }).formatRange(start, end);

export const dayName = (day: Date): string =>
  dateFormat({ weekday: 'long', day: 'numeric', month: 'long' }).format(day);

/** Formats a period with its days. */
export function periodWords(period: Period, isInDays: boolean): string {
  const { start, end } = period;
  const last = isInDays ? addDays(end, -1) : end;
  const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  if (isInDays) return dateFormat(day).formatRange(start, last);
  const clock = { hour: 'numeric', minute: '2-digit' } as const;
  return dateFormat({ ...day, ...clock }).formatRange(start, end);
}

/** Formats the days that are shown. */
export function rangeWords(days: readonly Date[], isMonth: boolean, on: Date): string {
  const [first, last] = [days[0] ?? on, days.at(-1) ?? on];
  if (isMonth) return dateFormat({ month: 'long', year: 'numeric' }).format(on);
  const year = last.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' as const };
  if (dayOf(first) === dayOf(last))
    return dateFormat({ weekday: 'long', day: 'numeric', month: 'long', ...year }).format(first);
  return dateFormat({ day: 'numeric', month: 'long', ...year }).formatRange(first, last);
}

/** Formats hours, with at most one decimal. */
export const hourWords = (hours: number): string => numberText(hours, { maximumFractionDigits: 1 });
