import { describe, expect, it } from 'vitest';
import { clockText, dayText, isoDay, isoTime, readTime } from './read-time.ts';

/** The present time of the tests, a Tuesday. */
const now = new Date(2026, 10, 24, 14, 5, 30);
const read = (text: string): string | null => {
  const found = readTime(text, now);
  return found && (found.hasClock ? isoTime(found.time) : isoDay(found.time));
};

describe('readTime', () => {
  it.each([
    ['fri 9am', '2026-11-27 09:00:00'],
    ['mon 9', '2026-11-30 09:00:00'],
    ['tomorrow 17', '2026-11-25 17:00:00'],
    ['in 3 days', '2026-11-27'],
    ['in 2 months', '2027-01-24'],
    ['in 90 min', '2026-11-24 15:35:00'],
    ['tue', '2026-12-01'],
    ['Wednesday', '2026-11-25'],
    ['mon 12am', '2026-11-30 00:00:00'],
    ['+2d', '2026-11-26'],
    ['+2d 16:30', '2026-11-26 16:30:00'],
    ['-1w', '2026-11-17'],
    ['+3mo', '2027-02-24'],
    ['+90min', '2026-11-24 15:35:00'],
    ['-2 h', '2026-11-24 12:05:00'],
    ['tomorrow noon', '2026-11-25 12:00:00'],
    ['today at 9:15 pm', '2026-11-24 21:15:00'],
    ['16:30', '2026-11-24 16:30:00'],
    ['24 Nov 16:30', '2026-11-24 16:30:00'],
    ['nov 3, 2025', '2025-11-03'],
    ['3.2.2027 8:00', '2027-02-03 08:00:00'],
    ['24/11', '2026-11-24'],
    ['2026-11-24', '2026-11-24'],
    ['2026-11-24T08:30', '2026-11-24 08:30:00'],
    ['2026-11-24 08:30:15', '2026-11-24 08:30:15'],
    ['now', '2026-11-24 14:05:30'],
  ])('reads %s', (text, time) => {
    expect(read(text)).toBe(time);
  });

  it('reads a time with a zone as the moment that it means', () => {
    for (const text of ['2026-11-24 08:30:00+00', '2026-11-24T08:30:00Z', '2026-11-24 14:00:00+05:30']) {
      expect(readTime(text, now)?.time.toISOString()).toBe('2026-11-24T08:30:00.000Z');
    }
  });

  it.each(['', 'soon', '31/2/2027', '30 feb', '25:00', '13pm', 'fri nine', '9', '2026-13-01', 't'])(
    'returns null for “%s”',
    (text) => {
      expect(read(text)).toBeNull();
    },
  );

  it('returns the last day of a month that is too short for the day when months are added', () => {
    expect(readTime('+1mo', new Date(2027, 0, 31))?.time).toEqual(new Date(2027, 1, 28));
  });
});

it('dayText and clockText format a time so that readTime reads it as the same moment', () => {
  const time = new Date(2026, 1, 3, 9, 5);
  expect([dayText(time), clockText(time)]).toEqual(['3 Feb 2026', '09:05']);
  expect(readTime(`${dayText(time)} ${clockText(time)}`, now)?.time).toEqual(time);
  expect(clockText(new Date(2026, 1, 3, 9, 5, 7))).toBe('09:05:07');
});
