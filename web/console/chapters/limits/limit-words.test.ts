import { describe, expect, it } from 'vitest';
import { limitGroups } from '../../../../contract/limits/limit.ts';
import { amount, exactAmount, isReached, readAmount, subjectOf, subjectRank, usedShare } from './limit-words.ts';

describe('amount', () => {
  it.each([
    [10 * 1024 * 1024, 'bytes', '10 MB'],
    [3600, 'seconds', '1 hour'],
    [90, 'seconds', '90 seconds'],
    [604_800, 'seconds', '7 days'],
    [0, 'seconds', '0 seconds'],
    [8000, 'milliseconds', '8 seconds'],
    [1500, 'milliseconds', '1,500 ms'],
    [1, 'days', '1 day'],
    [1000, 'count', '1,000'],
    [null, 'count', 'no limit'],
  ] as const)('formats %s %s as %s', (value, unit, words) => expect(amount(value, unit)).toBe(words));
});

it('exactAmount formats the number in the unit of its setting', () => {
  expect(exactAmount(3600, 'seconds')).toBe('3,600 seconds');
  expect(exactAmount(3600, 'count')).toBe('3,600');
});

describe('readAmount', () => {
  const limit = { range: [30, 604_800] as [number, number], unit: 'seconds' as const };
  const read = (text: string) => readAmount(text, limit as Parameters<typeof readAmount>[1]);

  it.each([
    ['1800', 1800],
    [' 1,800 ', 1800],
    ['1 800', 1800],
  ])('reads %j as a number', (text, value) => expect(read(text)).toEqual({ value }));

  it.each(['', 'an hour', '1.5', '1e3', '9'.repeat(20)])('rejects %j', (text) =>
    expect(read(text)).toHaveProperty('wrong'),
  );

  it('accepts only numbers within the range, including its ends', () => {
    expect(read('30')).toEqual({ value: 30 });
    expect(read('29')).toEqual({ wrong: 'Write a number from 30 to 604,800.' });
    expect(read('-30')).toHaveProperty('wrong');
  });
});

it('isReached is true for a limit that a request exceeded within 7 days, or of which the app uses 80% or more', () => {
  const figures = { hour: 0, day: 0, week: 0, hours: [], last_at: null, last_requests: [], last_caller: null };
  const line = (week: number, used: number | null, value: number | null = 100) => ({
    value,
    figures: { ...figures, week, used },
  });
  expect([line(1, null), line(0, 80), line(0, 79), line(0, null), line(0, 5, null)].map(isReached)).toEqual([
    ...[true, true, false, false, false],
  ]);
  expect(isReached({ value: 1 })).toBe(false);
  expect(usedShare(line(0, 250))).toBe(1);
});

it('subjectOf groups every limit by a name, and the groups have an order', () => {
  const subjects = Object.keys(limitGroups).map((group) => subjectOf({ group }));
  expect(subjects.filter((name) => name in limitGroups)).toEqual([]);
  expect(subjectRank({ group: 'answers' })).toBe(0);
  expect(subjectRank({ group: 'builders' })).toBeGreaterThan(subjectRank({ group: 'storage' }));
});
