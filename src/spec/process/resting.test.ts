import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Resting } from './resting.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const taking = (milliseconds: number) => () => vi.advanceTimersByTime(milliseconds);

it('a small app rests never, and a large one the longer, the more it took: its calls need the processor', () => {
  const resting = new Resting();
  resting.measure('small', taking(400));
  resting.measure('large', taking(1500));
  resting.measure('huge', taking(9000));
  expect(resting.left('small')).toBe(0);
  expect(resting.left('large')).toBe(20_000 - 9000);
  expect(resting.left('huge')).toBe(60_000);
  expect(resting.left('unknown')).toBe(0);
});

it('work that fails took its time, too', () => {
  const resting = new Resting();
  expect(() =>
    resting.measure('large', () => {
      vi.advanceTimersByTime(1500);
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(resting.left('large')).toBeGreaterThan(0);
});

it('of the workers that ask once it has rested, one records it', () => {
  const resting = new Resting();
  resting.measure('large', taking(1500));
  vi.advanceTimersByTime(resting.left('large'));
  expect(resting.left('large')).toBe(0);
  expect(resting.left('large')).toBe(15_000);
  // It may have been lost.
  vi.advanceTimersByTime(15_000);
  expect(resting.left('large')).toBe(0);
});
