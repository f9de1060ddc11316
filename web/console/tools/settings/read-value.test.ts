import { describe, expect, it } from 'vitest';
import { bestUnit, readObject, readSpan, readWhole } from './read-value.ts';

const digits = [6, 10] as const;
const seconds = [60, 86_400] as const;

describe('readWhole, readSpan, bestUnit and readObject', () => {
  it.each([
    ['8', digits, 8],
    [' 6 ', digits, 6],
  ])('read %j as a whole number in the range %j', (text, range, value) =>
    expect(readWhole(text, range)).toEqual({ value, wrong: null }),
  );

  it.each([
    ['5', digits, 'Type 6 to 10.'],
    ['11', digits, 'Type 6 to 10.'],
    ['', digits, 'Type a whole number.'],
    ['7.5', digits, 'Type a whole number.'],
  ])('reject %j for the range %j', (text, range, wrong) => expect(readWhole(text, range).wrong).toBe(wrong));

  it('return a duration in seconds for every unit', () => {
    expect(readSpan('1.5', 'hours', seconds)).toEqual({ value: 5400, wrong: null });
    expect(readSpan('2', 'days', seconds).wrong).toBe('Type 1 minute to 1 day.');
    expect(readSpan('soon', 'days', seconds).wrong).toBe('Type a number.');
  });

  it.each([
    [0, 'seconds'],
    [90, 'seconds'],
    [120, 'minutes'],
    [7200, 'hours'],
    [2_592_000, 'days'],
  ])('show %d seconds in %s', (value, unit) => expect(bestUnit(value)).toBe(unit));

  it.each(['[]', '{"a": 1}', 'null', '{'])('reject %s, which is no object of texts', (text) =>
    expect(readObject(text).wrong).not.toBeNull(),
  );
});
