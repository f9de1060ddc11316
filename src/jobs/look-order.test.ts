import { describe, expect, it } from 'vitest';
import { byUrgency, countWrites } from './look-order.ts';

const NOW = 1_000_000;
const never = Number.POSITIVE_INFINITY;

describe('byUrgency', () => {
  it('puts apps with due work first, and then the apps that wrote most', () => {
    const apps = [
      { ref: 'idle', due: never, newWrites: 0 },
      { ref: 'busy', due: never, newWrites: 900 },
      { ref: 'due', due: NOW - 10, newWrites: 0 },
      { ref: 'due later', due: NOW + 60_000, newWrites: 5 },
      { ref: 'long overdue', due: NOW - 5000, newWrites: 0 },
    ];
    expect(apps.sort(byUrgency(NOW)).map(({ ref }) => ref)).toEqual([
      ...['long overdue', 'due', 'busy', 'due later', 'idle'],
    ]);
  });
});

describe('countWrites', () => {
  it('counts from 0 if the counter is lower than before, because the server has crashed', () => {
    expect(countWrites('100', '130')).toBe(30);
    expect(countWrites('100', '7')).toBe(7);
    expect(countWrites(null, '7')).toBe(7);
    expect(countWrites('100', null)).toBe(0);
  });
});
