import { describe, expect, it } from 'vitest';
import { sparklinePoints } from './sparkline.tsx';

describe('sparklinePoints', () => {
  it('spaces the points evenly, with the largest value at the top and 0 at the bottom', () => {
    expect(sparklinePoints([0, 5, 10], 100, 40)).toEqual([
      [0, 40],
      [50, 20],
      [100, 0],
    ]);
  });

  it('returns a flat line at the bottom if all values are 0', () => {
    expect(sparklinePoints([0, 0], 100, 40).map(([, y]) => y)).toEqual([40, 40]);
  });

  it('accepts a single value, and an empty list', () => {
    expect(sparklinePoints([3], 100, 40)).toEqual([[0, 0]]);
    expect(sparklinePoints([], 100, 40)).toEqual([]);
  });
});
