import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RecordingBackoff } from './recording-backoff.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const taking = (milliseconds: number) => () => vi.advanceTimersByTime(milliseconds);

it('a small app rests never, and a large one the longer, the more it took: its calls need the processor', () => {
  const backoff = new RecordingBackoff();
  backoff.measure('small', taking(400));
  backoff.measure('large', taking(1500));
  backoff.measure('huge', taking(9000));
  expect(backoff.remainingMilliseconds('small')).toBe(0);
  expect(backoff.remainingMilliseconds('large')).toBe(20_000 - 9000);
  expect(backoff.remainingMilliseconds('huge')).toBe(60_000);
  expect(backoff.remainingMilliseconds('unknown')).toBe(0);
});

it('work that fails took its time, too', () => {
  const backoff = new RecordingBackoff();
  expect(() =>
    backoff.measure('large', () => {
      vi.advanceTimersByTime(1500);
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(backoff.remainingMilliseconds('large')).toBeGreaterThan(0);
});

it('of the workers that ask once it has rested, one records it', () => {
  const backoff = new RecordingBackoff();
  backoff.measure('large', taking(1500));
  vi.advanceTimersByTime(backoff.remainingMilliseconds('large'));
  expect(backoff.remainingMilliseconds('large')).toBe(0);
  expect(backoff.remainingMilliseconds('large')).toBe(15_000);
  // It may have been lost.
  vi.advanceTimersByTime(15_000);
  expect(backoff.remainingMilliseconds('large')).toBe(0);
});
