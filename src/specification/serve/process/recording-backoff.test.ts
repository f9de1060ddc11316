import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RecordingBackoff } from './recording-backoff.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const taking = (milliseconds: number) => () => vi.advanceTimersByTime(milliseconds);

it('never delays a small app, and delays a large app in proportion to the time that its recording took', () => {
  const backoff = new RecordingBackoff();
  backoff.measure('small', taking(400));
  backoff.measure('large', taking(1500));
  backoff.measure('huge', taking(9000));
  expect(backoff.remainingMilliseconds('small')).toBe(0);
  expect(backoff.remainingMilliseconds('large')).toBe(20_000 - 9000);
  expect(backoff.remainingMilliseconds('huge')).toBe(60_000);
  expect(backoff.remainingMilliseconds('unknown')).toBe(0);
});

it('RecordingBackoff counts the time of work that fails', () => {
  const backoff = new RecordingBackoff();
  expect(() =>
    backoff.measure('large', () => {
      vi.advanceTimersByTime(1500);
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(backoff.remainingMilliseconds('large')).toBeGreaterThan(0);
});

it('RecordingBackoff lets one of several workers record an app after its delay', () => {
  const backoff = new RecordingBackoff();
  backoff.measure('large', taking(1500));
  vi.advanceTimersByTime(backoff.remainingMilliseconds('large'));
  expect(backoff.remainingMilliseconds('large')).toBe(0);
  expect(backoff.remainingMilliseconds('large')).toBe(15_000);
  // The worker that got the turn to record may have crashed, so another worker gets the turn after some time.
  vi.advanceTimersByTime(15_000);
  expect(backoff.remainingMilliseconds('large')).toBe(0);
});
