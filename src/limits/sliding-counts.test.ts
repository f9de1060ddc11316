import { expect, it } from 'vitest';
import { SlidingCounts } from './sliding-counts.ts';

const MINUTE = 60_000;

it('lets no window hold more calls than the bound, wherever it starts', () => {
  const counts = new SlidingCounts();
  const passed: number[] = [];
  for (let now = 0; now < 10 * MINUTE; now += 137) if (counts.take('a', 50, 60, now) === 0) passed.push(now);
  const most = Math.max(...passed.map((start) => passed.filter((at) => at >= start && at < start + MINUTE).length));
  expect(most).toBe(50);
  expect(passed.length).toBeGreaterThan(400);
});

it('says after how many seconds a call passes again, and counts subjects apart', () => {
  const counts = new SlidingCounts();
  expect(counts.take('a', 1, 60, 500)).toBe(0);
  const wait = counts.take('a', 1, 60, 30_000);
  expect(wait).toBeGreaterThan(0);
  expect(counts.take('b', 1, 60, 30_000)).toBe(0);
  expect(counts.take('a', 1, 60, 30_000 + (wait - 1) * 1000)).toBeGreaterThan(0);
  expect(counts.take('a', 1, 60, 30_000 + wait * 1000)).toBe(0);
});

it('holds when the bound is lowered', () => {
  const counts = new SlidingCounts();
  for (let i = 0; i < 10; i++) counts.take('a', 10, 60, i * 5000);
  const wait = counts.take('a', 3, 60, 50_000);
  expect(counts.take('a', 3, 60, 50_000 + wait * 1000)).toBe(0);
});
