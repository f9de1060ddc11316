import { describe, expect, it } from 'vitest';
import { SharedRuns } from './shared-runs.ts';

/**
 * Returns work that does not end before `end` is called. Also returns, for each run of the work, the number of its
 * callers.
 */
function heldWork() {
  const runs: number[] = [];
  const ends: (() => void)[] = [];
  const work = async (callers: number) => {
    runs.push(callers);
    await new Promise<void>((resolve) => ends.push(resolve));
    return Array.from({ length: callers }, (_, i) => `${runs.length}.${i}`);
  };
  return { runs, work, end: () => ends.shift()?.() };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('SharedRuns.run', () => {
  it('makes one run for all callers that arrive during a run, and gives each its own result', async () => {
    const shared = new SharedRuns<string>();
    const { runs, work, end } = heldWork();
    const results = Promise.all([1, 2, 3, 4].map(() => shared.run('a', work)));
    expect(runs).toEqual([1]);
    end();
    await turn();
    expect(runs).toEqual([1, 3]);
    end();
    expect(await results).toEqual(['1.0', '2.0', '2.1', '2.2']);
    void shared.run('a', work);
    expect(runs).toEqual([1, 3, 1]);
    end();
  });

  it('does not let callers of one key wait for a run of another key', () => {
    const shared = new SharedRuns<string>();
    const { runs, work, end } = heldWork();
    void shared.run('a', work);
    void shared.run('b', work);
    expect(runs).toEqual([1, 1]);
    end();
    end();
  });

  it('throws the error of a run only to the callers of this run', async () => {
    const shared = new SharedRuns<string>();
    let count = 0;
    const work = async (callers: number) => {
      await turn();
      if (++count === 1) throw new Error('lost');
      return Array.from({ length: callers }, () => 'fine');
    };
    const first = shared.run('a', work);
    const second = shared.run('a', work);
    await expect(first).rejects.toThrow('lost');
    expect(await second).toBe('fine');
  });
});
