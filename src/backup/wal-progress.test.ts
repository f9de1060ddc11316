import { expect, it } from 'vitest';
import { WalProgress } from './wal-progress.ts';

it('reports WAL as complete until the first of two answers, once it is stored up to the end at the second one', () => {
  const progress = new WalProgress();
  expect([progress.request(), progress.request()]).toEqual([true, false]);
  expect(progress.answer(100n, 1_000_000n)).toBe(true);
  expect(progress.takeCompleteAt(100n)).toBe(null);
  progress.data(150n, 180n, 1_100_000n);
  expect(progress.answer(150n, 1_200_000n)).toBe(false);
  expect(progress.takeCompleteAt(150n)).toBe(null);
  expect(progress.takeCompleteAt(180n)).toBe(1000);
  expect(progress.takeCompleteAt(180n)).toBe(null);
  expect(progress.request()).toBe(true);
});

it('does not report the WAL of a lagging server as complete until the time of its message', () => {
  const progress = new WalProgress();
  expect(progress.data(100n, 500n, 1_000_000n)).toBe(0n);
  progress.keepalive(100n, 2_000_000n);
  expect(progress.data(400n, 500n, 3_000_000n)).toBe(0n);
  expect(progress.data(500n, 500n, 4_000_000n)).toBe(3_000_000n);
  expect(progress.data(600n, 900n, 5_000_000n)).toBe(3_000_000n);
});
