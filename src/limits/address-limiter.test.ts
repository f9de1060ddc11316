import { describe, expect, it } from 'vitest';
import { AddressBank } from './address-bank.ts';
import { AddressLimiter } from './address-limiter.ts';

const LIMIT = 100;

/** Returns limiters of several workers that share one bank. Its clock stands still. */
function workersOf(count: number, perSecond = LIMIT): AddressLimiter[] {
  const bank = new AddressBank(perSecond, count);
  const ask = (network: string) => Promise.resolve(bank.take(network, 0));
  return Array.from({ length: count }, () => new AddressLimiter(perSecond, ask));
}

describe('AddressLimiter', () => {
  it('allows all workers together never more than the limit, and one worker alone all of it', async () => {
    const workers = workersOf(4);
    const calls = Array.from({ length: 4 * LIMIT }, (_, i) => workers[i % 4]?.take('203.0.113.7'));
    const waits = await Promise.all(calls);
    expect(waits.filter((wait) => wait === 0)).toHaveLength(LIMIT);
    expect(new Set(waits)).toEqual(new Set([0, 1]));
    const [single] = workersOf(4);
    const alone = await Promise.all(Array.from({ length: 2 * LIMIT }, () => single?.take('203.0.113.7')));
    expect(alone.filter((wait) => wait === 0)).toHaveLength(LIMIT);
  });

  it('counts each client network for itself; the addresses of one IPv6 network are one', async () => {
    const [limiter] = workersOf(1, 1);
    expect(await limiter?.take('203.0.113.1')).toBe(0);
    expect(await limiter?.take('203.0.113.2')).toBe(0);
    expect(await limiter?.take('2001:db8::1')).toBe(0);
    expect(await limiter?.take('2001:db8::2')).toBe(1);
  });

  it('has no limit if the number is 0', async () => {
    const limiter = new AddressLimiter(0, () => Promise.reject(new Error('asked')));
    for (let i = 0; i < 1000; i++) expect(limiter.take('203.0.113.1')).toBe(0);
  });
});

describe('AddressBank', () => {
  it('refills with time, up to the requests of one second', () => {
    const bank = new AddressBank(10, 8);
    const drain = (now: number) => {
      let sum = 0;
      for (;;) {
        const { requests } = bank.take('203.0.113.1', now);
        if (requests === 0) return sum;
        sum += requests;
      }
    };
    expect([drain(0), drain(0), drain(500), drain(60_000)]).toEqual([10, 0, 5, 10]);
  });
});
