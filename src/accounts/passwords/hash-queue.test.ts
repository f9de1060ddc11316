import { beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { FairQueue, HashBudget, LimitedPauses } from './hash-queue.ts';

/** Runs tasks one at a time. Each task is named, and ends when the test ends it. */
function tasks() {
  const queue = new FairQueue(1);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const all: Promise<void>[] = [];
  const add = (app: string, name: string, cost = 1) => {
    all.push(
      queue.run(app, cost, () => {
        started.push(name);
        return new Promise<void>((end) => ends.push(end));
      }),
    );
  };
  const finish = async () => {
    while (started.length < all.length || ends.length > 0) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    return started;
  };
  return { queue, add, finish };
}

describe('FairQueue', () => {
  it('runs tasks up to the limit at once, and the tasks of one app in the order of their calls', async () => {
    const queue = new FairQueue(2);
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const all = Array.from({ length: 5 }, (_, i) =>
      queue.run('one', 1, () => {
        started.push(i);
        return new Promise<void>((end) => ends.push(end));
      }),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect([started, queue.waitingOf('one'), queue.waitingOf('two')]).toEqual([[0, 1], 3, 0]);
    ends[1]?.();
    await all[1];
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toEqual([0, 1, 2]);
    for (let ended = 0; ended < all.length; ) {
      if (ends[ended] === undefined) await new Promise((resolve) => setImmediate(resolve));
      else ends[ended++]?.();
    }
    await Promise.all(all);
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });

  it('lets apps take turns, however many tasks of one app wait', async () => {
    const { add, finish } = tasks();
    for (let i = 0; i < 6; i++) add('flood', `f${i}`);
    add('two', 't0');
    add('three', 'h0');
    add('two', 't1');
    expect(await finish()).toEqual(['f0', 't0', 'h0', 'f1', 't1', 'f2', 'f3', 'f4', 'f5']);
  });

  it('gives an app with costly tasks fewer turns', async () => {
    const { add, finish } = tasks();
    for (let i = 0; i < 3; i++) add('costly', `c${i}`, 4);
    for (let i = 0; i < 8; i++) add('cheap', `-${i}`, 1);
    const order = await finish();
    expect(order.indexOf('c1')).toBeGreaterThan(order.indexOf('-3'));
    expect(order.indexOf('c2')).toBeGreaterThan(order.indexOf('-7'));
  });

  it('starts tasks of the console first, but not twice in a row while others wait', async () => {
    const { add, finish } = tasks();
    for (let i = 0; i < 3; i++) add('flood', `f${i}`);
    for (let i = 0; i < 3; i++) add(CONSOLE_REF, `b${i}`);
    expect(await finish()).toEqual(['f0', 'b0', 'f1', 'b1', 'f2', 'b2']);
  });

  it('starts further tasks after a task failed', async () => {
    const queue = new FairQueue(1);
    const failed = queue.run('one', 1, () => Promise.reject(new Error('broken')));
    const next = queue.run('one', 1, () => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('next');
  });
});

describe('HashBudget', () => {
  const seconds = 30;
  let budget: HashBudget;
  beforeEach(() => {
    budget = new HashBudget(seconds, 60);
  });

  it('refuses an app that used its time, says when it may go on, and does not refuse other apps', () => {
    for (let i = 0; i < 15; i++) budget.take('one', 2000, 0);
    let refused: unknown;
    try {
      budget.take('one', 2000, 0);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({
      code: 'over_request_rate_limit',
      status: 429,
      limit: 'costlyHashSeconds',
      headers: { 'retry-after': '4' },
    });
    budget.take('two', 2000, 0);
    expect(() => budget.take('one', 2000, 3999)).toThrow();
    budget.take('one', 2000, 4000);
  });

  it('accepts further hashes after unused time was returned', () => {
    budget.take('one', seconds * 1000, 0);
    budget.giveBack('one', 2000);
    budget.take('one', 2000, 0);
    expect(() => budget.take('one', 1, 0)).toThrow();
  });
});

describe('LimitedPauses', () => {
  it('counts the waiting callers of each app', async () => {
    const pauses = new LimitedPauses(1);
    const waits = pauses.wait('one', limits.signInRefusalMilliseconds.default / 10);
    expect(await pauses.wait('one', 0)).toBe(false);
    expect(await pauses.wait('two', 0)).toBe(true);
    expect(await waits).toBe(true);
    expect(await pauses.wait('one', 0)).toBe(true);
  });
});
