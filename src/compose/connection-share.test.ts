import { describe, expect, it } from 'vitest';
import { connectionShare } from './connection-share.ts';

describe('connectionShare', () => {
  it('includes the connections for scheduled work in the connections of the node', () => {
    for (const [nodeConnections, workers] of [
      [320, 2],
      [320, 16],
      [64, 2],
      [24, 2],
    ] as const) {
      const { max, scheduled } = connectionShare(1000, nodeConnections, workers, 1);
      expect(scheduled).toBeGreaterThanOrEqual(2);
      expect(workers * max + scheduled).toBeLessThanOrEqual(nodeConnections);
    }
  });

  it('leaves the uncounted connections free if the server allows fewer connections than the setting', () => {
    const { max, scheduled } = connectionShare(120, 320, 2, 1);
    expect(2 * max + scheduled).toBeLessThanOrEqual(120 - 2 * 24);
  });

  it('leaves each node its part of the server', () => {
    const { max, scheduled } = connectionShare(600, 320, 2, 3);
    expect(3 * (2 * max + scheduled + 2 * 24)).toBeLessThanOrEqual(600);
  });
});
