import { expect, it } from 'vitest';
import { SlidingCounts } from './sliding-counts.ts';

const MINUTE = 60_000;

it('allows no window of any start to contain more calls than the limit', () => {
  const counts = new SlidingCounts();
  const passed: number[] = [];
  for (let now = 0; now < 10 * MINUTE; now += 137) if (counts.take('a', 50, 60, now) === 0) passed.push(now);
  const max = Math.max(...passed.map((start) => passed.filter((at) => at >= start && at < start + MINUTE).length));
  expect(max).toBe(50);
  expect(passed.length).toBeGreaterThan(400);
});

it('returns the seconds until the next allowed call, and counts subjects separately', () => {
  const counts = new SlidingCounts();
  expect(counts.take('a', 1, 60, 500)).toBe(0);
  const wait = counts.take('a', 1, 60, 30_000);
  expect(wait).toBeGreaterThan(0);
  expect(counts.take('b', 1, 60, 30_000)).toBe(0);
  expect(counts.take('a', 1, 60, 30_000 + (wait - 1) * 1000)).toBeGreaterThan(0);
  expect(counts.take('a', 1, 60, 30_000 + wait * 1000)).toBe(0);
});

it('respects a lowered limit', () => {
  const counts = new SlidingCounts();
  for (let i = 0; i < 10; i++) counts.take('a', 10, 60, i * 5000);
  const wait = counts.take('a', 3, 60, 50_000);
  expect(counts.take('a', 3, 60, 50_000 + wait * 1000)).toBe(0);
});
