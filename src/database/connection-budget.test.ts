import { describe, expect, it } from 'vitest';
import { type BudgetHolder, ConnectionBudget } from './connection-budget.ts';
import { PoolTimeoutError } from './database-error.ts';

/**
 * Returns a pool whose idle connections are represented by the times of their last use. When the pool closes a
 * connection, it adds this time to `closed`.
 */
function holderOf(budget: ConnectionBudget, lastUsed: number[], closed: number[]): BudgetHolder {
  return {
    oldestIdle: () => (lastUsed.length > 0 ? Math.min(...lastUsed) : null),
    closeOldest: () => {
      const oldest = Math.min(...lastUsed);
      lastUsed.splice(lastUsed.indexOf(oldest), 1);
      closed.push(oldest);
      return { slots: 1, ended: Promise.resolve().then(() => budget.give(1)) };
    },
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('ConnectionBudget', () => {
  it('closes the longest idle connections of all pools first and keeps spare slots free', async () => {
    const budget = new ConnectionBudget(20, 10);
    const closed: number[] = [];
    await budget.take(6, 1000);
    budget.register(holderOf(budget, [5, 1, 3], closed));
    budget.register(holderOf(budget, [2, 4, 6], closed));
    await budget.take(1, 1000);
    await settled();
    expect(closed).toEqual([1]);
    await budget.take(1, 1000);
    await settled();
    expect(closed).toEqual([1, 2]);
    expect(budget.taken).toBe(6);
  });

  it('opens up to `max` connections if none is idle, and then lets callers wait in order', async () => {
    const budget = new ConnectionBudget(4, 2);
    for (let i = 0; i < 4; i++) await budget.take(1, 1000);
    const order: string[] = [];
    const two = budget.take(2, 1000).then(() => order.push('two'));
    const one = budget.take(1, 1000).then(() => order.push('one'));
    expect(budget.isWanted).toBe(true);
    budget.give(1);
    await settled();
    expect(order).toEqual([]);
    budget.give(1);
    await two;
    budget.give(1);
    await one;
    expect(order).toEqual(['two', 'one']);
    expect(budget.taken).toBe(4);
  });

  it('gives a connection that becomes idle to a waiting caller', async () => {
    const budget = new ConnectionBudget(2, 2);
    await budget.take(2, 1000);
    const waiting = budget.take(1, 1000);
    const closed: number[] = [];
    budget.register(holderOf(budget, [7], closed));
    budget.serve();
    await waiting;
    expect(closed).toEqual([7]);
    expect(budget.taken).toBe(2);
  });

  it('rejects a caller after its wait time and serves the next caller', async () => {
    const budget = new ConnectionBudget(2, 2);
    await budget.take(1, 1000);
    const refused = budget.take(2, 20);
    const next = budget.take(1, 1000);
    await expect(refused).rejects.toBeInstanceOf(PoolTimeoutError);
    await next;
    expect(budget.taken).toBe(2);
  });
});
