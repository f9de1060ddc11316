import { addDays, midnight } from './days.ts';

/** Length in minutes of the time that a press chooses, and by which the arrow keys move. */
export const STEP_MINUTES = 30;

/** Minutes to which the start and the end of a drag are rounded. */
export const SNAP_MINUTES = 15;

/** Shortest time in minutes as which a row is drawn, so that its words have a place. */
const SHORTEST_MINUTES = 25;

/** The hours that a calendar shows at least. */
const USUAL_HOURS = { first: 8, last: 18 } as const;

/** Length from which a row is drawn in the band above the hours, in milliseconds. */
const BAND_MILLISECONDS = 24 * 3_600_000;

const DAY_MINUTES = 24 * 60;

/** A time from a start to an end. */
export interface Period {
  readonly start: Date;
  readonly end: Date;
}

/** Returns the minutes on the clock from midnight of a day to a time. A time of another day is cut to the day. */
export function minutesIn(time: Date, day: Date): number {
  if (time <= day) return 0;
  if (time >= addDays(day, 1)) return DAY_MINUTES;
  return time.getHours() * 60 + time.getMinutes();
}

/** Returns the time so many minutes on the clock after midnight of a day. */
export const timeAt = (day: Date, minutes: number): Date =>
  new Date(day.getFullYear(), day.getMonth(), day.getDate(), 0, minutes);

/** Returns true for a period that is drawn in the band above the hours. */
export const isInBand = ({ start, end }: Period): boolean => end.getTime() - start.getTime() >= BAND_MILLISECONDS;

/** Returns true if two periods have a common moment. A period without length counts as a moment. */
export const overlaps = (a: Period, b: Period): boolean =>
  (a.start < b.end && b.start < a.end) || a.start.getTime() === b.start.getTime();

const dayPeriod = (day: Date): Period => ({ start: day, end: addDays(day, 1) });

/** A period as it is drawn on one day. */
export interface Placed<T> {
  readonly of: T;
  /** Minutes from midnight. */
  readonly from: number;
  readonly to: number;
  /** Place among periods that overlap, counted from 0, and the number of their places. */
  readonly lane: number;
  readonly lanes: number;
}

/** Places the periods of a day. Periods that overlap are side by side, each as wide as the others of its group. */
export function placeOnDay<T extends Period>(periods: readonly T[], day: Date): Placed<T>[] {
  const sorted = periods
    .filter((one) => overlaps(one, dayPeriod(day)))
    .map((of) => {
      const from = minutesIn(of.start, day);
      return { of, from, to: Math.max(minutesIn(of.end, day), Math.min(from + SHORTEST_MINUTES, DAY_MINUTES)) };
    })
    .sort((a, b) => a.from - b.from || b.to - a.to);
  const placed: Placed<T>[] = [];
  let group: (Omit<Placed<T>, 'lanes'> & { lane: number })[] = [];
  const close = () => {
    const lanes = Math.max(0, ...group.map(({ lane }) => lane)) + 1;
    placed.push(...group.map((one) => ({ ...one, lanes })));
    group = [];
  };
  for (const one of sorted) {
    if (group.every(({ to }) => to <= one.from)) close();
    const busy = new Set(group.filter(({ to }) => to > one.from).map(({ lane }) => lane));
    let lane = 0;
    while (busy.has(lane)) lane += 1;
    group.push({ ...one, lane });
  }
  close();
  return placed;
}

/** A period in the band above the hours, from one column to another. */
export interface InBand<T> {
  readonly of: T;
  readonly first: number;
  readonly last: number;
  readonly lane: number;
}

/** Places periods of several days in the band above consecutive days. */
export function placeInBand<T extends Period>(periods: readonly T[], days: readonly Date[]): InBand<T>[] {
  const placed: InBand<T>[] = [];
  const sorted = [...periods].sort(
    (a, b) => a.start.getTime() - b.start.getTime() || b.end.getTime() - a.end.getTime(),
  );
  for (const of of sorted) {
    const on = days.flatMap((day, i) => (overlaps(of, dayPeriod(day)) ? [i] : []));
    const [first, last] = [on[0], on.at(-1)];
    if (first === undefined || last === undefined) continue;
    const busy = new Set(placed.filter((one) => one.first <= last && first <= one.last).map(({ lane }) => lane));
    let lane = 0;
    while (busy.has(lane)) lane += 1;
    placed.push({ of, first, last, lane });
  }
  return placed;
}

/** The first hour that a calendar shows, and the hour after the last one. */
export interface Hours {
  readonly first: number;
  readonly last: number;
}

/** Returns the hours of a calendar whose periods are the only times of interest. They contain all of these periods. */
export function hoursOf(periods: readonly Period[], days: readonly Date[]): Hours {
  const found = days.flatMap((day) =>
    periods
      .filter((one) => overlaps(one, dayPeriod(day)))
      .map((one) => [minutesIn(one.start, day), minutesIn(one.end, day)] as const),
  );
  if (found.length === 0) return USUAL_HOURS;
  const first = Math.floor(Math.min(...found.map(([from]) => from)) / 60);
  const last = Math.ceil(Math.max(...found.map(([, to]) => to)) / 60);
  return { first: Math.min(first, USUAL_HOURS.first), last: Math.max(last, USUAL_HOURS.last) };
}

/** Returns the free period that contains the beginning of a step; null if the time is not free. */
const freeAround = (free: readonly Period[], time: Date): Period | null =>
  free.find(({ start, end }) => start <= time && time < end) ?? null;

/**
 * Returns the period that a press at a time chooses: one step, cut to the free time around it. Returns null if the time is
 * not free.
 * @param free The free times; null if all times may be chosen.
 */
export function stepAt(time: Date, free: readonly Period[] | null): Period | null {
  const day = midnight(time);
  const floor = Math.floor(minutesIn(time, day) / STEP_MINUTES) * STEP_MINUTES;
  const step = { start: timeAt(day, floor), end: timeAt(day, floor + STEP_MINUTES) };
  if (free === null) return step;
  const around = freeAround(free, time);
  return around && cut(step, around);
}

/** Returns the period between two times of a day, rounded and cut to the free time around the first; null without free time. */
export function dragBetween(anchor: Date, other: Date, free: readonly Period[] | null): Period | null {
  const day = midnight(anchor);
  const [from, to] = [minutesIn(anchor, day), minutesIn(other, day)].sort((a, b) => a - b);
  const start = Math.floor((from ?? 0) / SNAP_MINUTES) * SNAP_MINUTES;
  const end = Math.max(start + SNAP_MINUTES, Math.ceil((to ?? 0) / SNAP_MINUTES) * SNAP_MINUTES);
  const period = { start: timeAt(day, start), end: timeAt(day, end) };
  if (free === null) return period;
  const around = freeAround(free, anchor);
  return around && cut(period, around);
}

const cut = (period: Period, to: Period): Period => ({
  start: period.start < to.start ? to.start : period.start,
  end: period.end > to.end ? to.end : period.end,
});

/** Returns the parts of periods that are on a day. */
export const partsOn = <T extends Period>(periods: readonly T[], day: Date): (T & Period)[] => {
  const whole = dayPeriod(day);
  return periods
    .filter((one) => one.start < whole.end && whole.start < one.end)
    .map((one) => ({ ...one, ...cut(one, whole) }));
};

/** Returns the length of periods together, in hours. */
export const hoursIn = (periods: readonly Period[]): number =>
  periods.reduce((sum, { start, end }) => sum + (end.getTime() - start.getTime()) / 3_600_000, 0);

/** Joins periods that touch or overlap. */
export function joined(periods: readonly Period[]): Period[] {
  const found: Period[] = [];
  for (const one of [...periods].sort((a, b) => a.start.getTime() - b.start.getTime())) {
    const last = found.at(-1);
    if (last && one.start <= last.end)
      found[found.length - 1] = { start: last.start, end: one.end > last.end ? one.end : last.end };
    else found.push({ start: one.start, end: one.end });
  }
  return found;
}

/** Moves a period by whole days and minutes on the clock. Its length stays. */
export function movedBy({ start, end }: Period, days: number, minutes: number): Period {
  const next = new Date(start);
  next.setDate(next.getDate() + days);
  next.setMinutes(next.getMinutes() + minutes);
  return { start: next, end: new Date(next.getTime() + (end.getTime() - start.getTime())) };
}

/** Changes the end of a period by minutes. It stays at least as long as the smallest step of a drag. */
export function lengthenedBy({ start, end }: Period, minutes: number): Period {
  const least = start.getTime() + SNAP_MINUTES * 60_000;
  return { start, end: new Date(Math.max(least, end.getTime() + minutes * 60_000)) };
}
