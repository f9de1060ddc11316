import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketOf, quantile } from './call-statistics.ts';

describe('bucketOf', () => {
  it('puts every duration into the bucket of its range', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 250_000, noNaN: true }), (milliseconds) => {
        const bucket = bucketOf(milliseconds);
        expect(milliseconds).toBeLessThan(2 ** (bucket - 4));
        if (bucket > 0) expect(milliseconds).toBeGreaterThanOrEqual(2 ** (bucket - 5));
      }),
    );
    expect(bucketOf(Number.MAX_VALUE)).toBe(23);
  });
});

describe('quantile', () => {
  it('returns a value in the bucket in which the given share of the requests is reached', () => {
    const histogram = new Array<number>(24).fill(0);
    histogram[bucketOf(1.2)] = 99;
    histogram[bucketOf(100)] = 1;
    expect(quantile(histogram, 0.5)).toBeGreaterThanOrEqual(1);
    expect(quantile(histogram, 0.5)).toBeLessThan(2);
    expect(quantile(histogram, 1)).toBeGreaterThan(64);
    expect(quantile(histogram, 1)).toBeLessThanOrEqual(128);
  });

  it('returns null without requests', () => {
    expect(quantile([0, 0], 0.5)).toBeNull();
    expect(quantile([], 0.99)).toBeNull();
  });
});
