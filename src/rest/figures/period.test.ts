import { expect, it } from 'vitest';
import { periodOf } from './period.ts';

it('periodOf returns the days up to today and the period before, also across a leap day and the end of a year', () => {
  expect(periodOf('2028-03-02', 7)).toEqual({
    ...{ before: '2028-02-18', from: '2028-02-25', to: '2028-03-02', end: '2028-03-03', step: 'day' },
    at: ['2028-02-25', '2028-02-26', '2028-02-27', '2028-02-28', '2028-02-29', '2028-03-01', '2028-03-02'],
  });
  expect(periodOf('2027-01-03', 30)).toMatchObject({ before: '2026-11-05', from: '2026-12-05', step: 'day' });
});

it('periodOf returns the Mondays of a year, from the week of its first day', () => {
  const { from, at, step } = periodOf('2026-11-29', 365);
  expect([from, step, at.length, at[0], at.at(-1)]).toEqual(['2025-11-30', 'week', 53, '2025-11-24', '2026-11-23']);
  expect(periodOf('2026-11-30', 365).at.at(-1)).toBe('2026-11-30');
});
