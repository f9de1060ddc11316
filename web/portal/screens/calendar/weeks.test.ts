import { describe, expect, it } from 'vitest';
import { dayOf, monthIn, monthOf, weeksOf } from './weeks.ts';

describe('weeksOf', () => {
  it('returns complete weeks from Monday to Sunday, also for a month of four weeks and across the end of a year', () => {
    const shown = (month: string) =>
      weeksOf(monthIn(month, new Date())).map((week) => [week[0], week[6]].map((day) => day && dayOf(day)));
    expect(shown('2027-02')).toEqual([
      ['2027-02-01', '2027-02-07'],
      ['2027-02-08', '2027-02-14'],
      ['2027-02-15', '2027-02-21'],
      ['2027-02-22', '2027-02-28'],
    ]);
    expect(shown('2026-12').at(-1)).toEqual(['2026-12-28', '2027-01-03']);
    expect(shown('2026-11')).toHaveLength(6);
  });
});

describe('monthIn', () => {
  it('returns the current month if the address contains no valid month', () => {
    const today = new Date(2026, 10, 24);
    for (const text of [undefined, 'x', '2026-13', '2026-1']) expect(monthOf(monthIn(text, today))).toBe('2026-11');
  });
});
