import { describe, expect, it } from 'vitest';
import type { PortalEntity } from '../../../../contract/portal.ts';
import { addDays, dayIn, dayOf, firstDayOfWeek, weekOf, weeksOf } from './days.ts';
import { entriesOf, joinEntries, spanValues } from './entries.ts';
import {
  dragBetween,
  hoursIn,
  hoursOf,
  isInBand,
  joined,
  lengthenedBy,
  minutesIn,
  movedBy,
  partsOn,
  placeInBand,
  placeOnDay,
  stepAt,
} from './layout.ts';

const day = new Date(2026, 10, 24);
const at = (hour: number, minute = 0) => new Date(2026, 10, 24, hour, minute);
const period = (from: number, to: number) => ({ start: at(0, from * 60), end: at(0, to * 60) });
const clock = (one: { start: Date; end: Date } | null) =>
  one &&
  [one.start, one.end].map((time) => `${time.getHours()}:${String(time.getMinutes()).padStart(2, '0')}`).join('-');

describe('weeksOf', () => {
  it('returns complete weeks from the first day of a locale, also across the end of a year', () => {
    const shown = (month: string, first: number) =>
      weeksOf(dayIn(month, day), first).map((week) => [week[0], week[6]].map((one) => one && dayOf(one)).join(' '));
    expect(shown('2027-02-10', 1)).toEqual([
      '2027-02-01 2027-02-07',
      '2027-02-08 2027-02-14',
      '2027-02-15 2027-02-21',
      '2027-02-22 2027-02-28',
    ]);
    expect(shown('2026-12-31', 1).at(-1)).toBe('2026-12-28 2027-01-03');
    expect(shown('2026-11-01', 1)).toHaveLength(6);
    expect(shown('2026-11-01', 0)[0]).toBe('2026-11-01 2026-11-07');
    expect(weekOf(day, 6).map(dayOf)[0]).toBe('2026-11-21');
    expect(['de-DE', 'en-US', 'ar-EG'].map(firstDayOfWeek)).toEqual([1, 0, 6]);
  });

  it('uses the current day if the address contains no valid day', () => {
    for (const text of [undefined, 'x', '2026-13-01', '2026-02-30', '2026-1-1'])
      expect(dayOf(dayIn(text, day))).toBe('2026-11-24');
  });
});

describe('placeOnDay', () => {
  it('places periods that overlap side by side, and gives later periods the full width', () => {
    const placed = placeOnDay([period(9, 11), period(10, 12), period(11, 13), period(13, 14)], day);
    expect(placed.map(({ from, lane, lanes }) => [from / 60, lane, lanes])).toEqual([
      [9, 0, 2],
      [10, 1, 2],
      [11, 0, 2],
      [13, 0, 1],
    ]);
  });

  it('cuts a period to the day, and draws a short one as high as its words', () => {
    const over = { start: at(22), end: addDays(day, 1) };
    const before = { start: addDays(day, -1), end: at(1) };
    expect(placeOnDay([over, before, period(5, 5)], day).map(({ from, to }) => [from, to])).toEqual([
      [0, 60],
      [300, 325],
      [1320, 1440],
    ]);
    expect(placeOnDay([{ start: at(20), end: day }], addDays(day, 1))).toEqual([]);
  });

  it('places a period by the clock on a day on which the clock changes', () => {
    const change = new Date(2026, 2, 29);
    expect(minutesIn(new Date(2026, 2, 29, 10, 30), change)).toBe(630);
    expect(minutesIn(addDays(change, 1), change)).toBe(1440);
  });
});

describe('placeInBand', () => {
  it('places periods of several days over their columns, in the first free line', () => {
    const days = weekOf(day, 1);
    const of = (from: number, to: number) => ({ start: addDays(day, from), end: addDays(day, to) });
    expect(
      placeInBand([of(-9, 0), of(-1, 2), of(2, 3), of(9, 10)], days).map(({ first, last, lane }) => [
        first,
        last,
        lane,
      ]),
    ).toEqual([
      [0, 0, 0],
      [0, 2, 1],
      [3, 3, 0],
    ]);
    expect([isInBand(of(0, 1)), isInBand(period(0, 23))]).toEqual([true, false]);
  });
});

describe('stepAt', () => {
  it('chooses one step, cut to the free time around it', () => {
    const free = [period(9, 10), period(11.25, 12)];
    expect([at(9, 40), at(11, 20), at(10, 30)].map((time) => clock(stepAt(time, free)))).toEqual([
      '9:30-10:00',
      '11:15-11:30',
      null,
    ]);
    expect(clock(stepAt(at(23, 59), null))).toBe('23:30-0:00');
  });
});

describe('dragBetween', () => {
  it('rounds a drag in either direction, and cuts it to the free time of its beginning', () => {
    const free = [period(9, 10), period(11, 12)];
    expect(clock(dragBetween(at(9, 50), at(9, 10), null))).toBe('9:00-10:00');
    expect(clock(dragBetween(at(9, 20), at(11, 30), free))).toBe('9:15-10:00');
    expect(dragBetween(at(10, 20), at(11, 30), free)).toBeNull();
  });
});

it('moves and lengthens a period, and adds up free times', () => {
  expect(clock(movedBy(period(9, 10), 1, -30))).toBe('8:30-9:30');
  expect(clock(lengthenedBy(period(9, 10), -180))).toBe('9:00-9:15');
  expect(hoursIn(partsOn([period(-5, 2), period(9, 10.5)], day))).toBe(3.5);
  expect(joined([period(10, 11), period(8, 9), period(9, 9.5)]).map(clock)).toEqual(['8:00-9:30', '10:00-11:00']);
  expect(hoursOf([period(6.5, 19.25)], [day])).toEqual({ first: 6, last: 20 });
  expect(hoursOf([], [day])).toEqual({ first: 8, last: 18 });
});

describe('joinEntries', () => {
  const field = (name: string, editor: string) => ({ name, editor });
  const entity = {
    key: ['id'],
    fields: [
      field('id', 'number'),
      field('starts_on', 'date'),
      field('ends_on', 'date'),
      field('begins', 'date and time'),
      field('ends', 'date and time'),
    ],
    machine: {
      field: 'state',
      states: [
        { value: 'open', final: false },
        { value: 'gone', final: true },
      ],
    },
  } as unknown as PortalEntity;

  it('leaves out the taken times of shown rows, and rows of the future that take no time', () => {
    const span = { start: 'begins', end: 'ends' };
    const row = (id: number, hour: number, state: string) => ({
      id,
      begins: at(hour).toISOString(),
      ends: at(hour + 1).toISOString(),
      state,
      room: 1,
    });
    const rows = entriesOf(entity, span, [row(1, 9, 'open'), row(2, 10, 'gone'), row(3, 7, 'gone')], 'row');
    const taken = entriesOf({ ...entity, key: [] }, span, [row(0, 9, ''), row(0, 12, '')], 'taken');
    expect(joinEntries(rows, taken, 'room', at(8)).map(({ kind, start }) => [kind, start.getHours()])).toEqual([
      ['row', 9],
      ['row', 7],
      ['taken', 12],
    ]);
  });

  it('counts a last day as a part of the row', () => {
    const span = { start: 'starts_on', end: 'ends_on' };
    const [entry] = entriesOf(entity, span, [{ id: 1, starts_on: '2026-11-24', ends_on: '2026-11-25' }], 'row');
    expect([entry && dayOf(entry.end), entry?.isInBand]).toEqual(['2026-11-26', true]);
    expect(entry && spanValues(entity, span, entry).map(([, time]) => dayOf(time))).toEqual([
      '2026-11-24',
      '2026-11-25',
    ]);
    const [open] = entriesOf(entity, span, [{ id: 1, starts_on: '2026-11-24', ends_on: null }], 'row');
    expect(open && dayOf(open.end)).toBe('2026-11-25');
  });
});
