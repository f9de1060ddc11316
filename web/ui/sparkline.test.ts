import { describe, expect, it } from 'vitest';
import { sparklinePoints } from './sparkline.tsx';

describe('a sparkline', () => {
  it('spreads its points evenly, the most at the top, nothing at the foot', () => {
    expect(sparklinePoints([0, 5, 10], 100, 40)).toEqual([
      [0, 40],
      [50, 20],
      [100, 0],
    ]);
  });

  it('lies flat at the foot when nothing happened', () => {
    expect(sparklinePoints([0, 0], 100, 40).map(([, y]) => y)).toEqual([40, 40]);
  });

  it('survives one value and none', () => {
    expect(sparklinePoints([3], 100, 40)).toEqual([[0, 0]]);
    expect(sparklinePoints([], 100, 40)).toEqual([]);
  });
});
