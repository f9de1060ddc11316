import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RecordingTurns } from './recording-turns.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const taking = (milliseconds: number) => () => vi.advanceTimersByTime(milliseconds);

it('never delays a small app, and delays a large app in proportion to the time that its recording took', () => {
  const turns = new RecordingTurns();
  turns.measure('small', taking(400));
  turns.measure('large', taking(1500));
  turns.measure('huge', taking(9000));
  expect(turns.take('small')).toBe(0);
  expect(turns.take('large')).toBe(20_000 - 9000);
  expect(turns.take('huge')).toBe(60_000);
  expect(turns.take('unknown')).toBe(0);
});

it('RecordingTurns counts the time of work that fails', () => {
  const turns = new RecordingTurns();
  expect(() =>
    turns.measure('large', () => {
      vi.advanceTimersByTime(1500);
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(turns.take('large')).toBeGreaterThan(0);
});

it('RecordingTurns gives one of several workers the turn, and another one after some time, because the first may have crashed', () => {
  const turns = new RecordingTurns();
  expect(turns.take('small')).toBe(0);
  expect(turns.take('small')).toBe(2000);
  expect(turns.take('other')).toBe(0);
  vi.advanceTimersByTime(2000);
  expect(turns.take('small')).toBe(0);
  turns.measure('large', taking(1500));
  vi.advanceTimersByTime(turns.take('large'));
  expect(turns.take('large')).toBe(0);
  expect(turns.take('large')).toBe(15_000);
  vi.advanceTimersByTime(15_000);
  expect(turns.take('large')).toBe(0);
});
