import { expect, it } from 'vitest';
import { Suspensions } from './suspensions.ts';

it('Suspensions doubles the duration with each further suspension, up to the maximum', () => {
  const suspensions = new Suspensions(10, 30);
  expect(suspensions.record('a', 'appLocks', true, 0)).toBe(10);
  expect(suspensions.isSuspended('a', 9999)).toBe(true);
  expect(suspensions.record('a', 'appLocks', true, 5000)).toBe(0);
  expect(suspensions.isSuspended('a', 10_000)).toBe(false);
  expect(suspensions.record('a', 'appLocks', true, 10_000)).toBe(20);
  expect(suspensions.record('a', 'appLocks', true, 40_000)).toBe(30);
  expect(suspensions.isSuspended('b', 40_000)).toBe(false);
});

it('Suspensions suspends an app at its third minor breach within a minute', () => {
  const suspensions = new Suspensions(10, 30);
  expect([0, 1000, 2000].map((now) => suspensions.record('a', 'appLocks', false, now))).toEqual([0, 0, 10]);
  expect([0, 50_000, 100_000, 150_000].map((now) => suspensions.record('b', 'appLocks', false, now))).toEqual([
    0, 0, 0, 0,
  ]);
});

it('Suspensions begins with the shortest duration again after ten minutes without a breach', () => {
  const suspensions = new Suspensions(10, 30);
  suspensions.record('a', 'appLocks', true, 0);
  expect(suspensions.record('a', 'appLocks', true, 700_000)).toBe(10);
});

it('Suspensions returns the limit and the remaining seconds of each current suspension', () => {
  const suspensions = new Suspensions(10, 30);
  suspensions.record('a', 'appLocks', true, 0);
  suspensions.record('b', 'appMemoryBytes', false, 0);
  expect(suspensions.current(4000)).toEqual([{ app: 'a', limit: 'appLocks', seconds: 6 }]);
  expect(suspensions.current(10_000)).toEqual([]);
});
