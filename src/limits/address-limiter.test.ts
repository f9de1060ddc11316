import { expect, it } from 'vitest';
import { AddressLimiter } from './address-limiter.ts';

it('AddressLimiter allows an address to send as many requests at once as it may send in one second, and then more as time passes', () => {
  const limiter = new AddressLimiter(2);
  expect([limiter.take('a', 0), limiter.take('a', 0), limiter.take('a', 0)]).toEqual([0, 0, 1]);
  expect(limiter.take('a', 499)).toBe(1);
  expect(limiter.take('a', 501)).toBe(0);
  expect(limiter.take('a', 502)).toBe(1);
});

it('AddressLimiter counts each address separately', () => {
  const limiter = new AddressLimiter(1);
  expect(limiter.take('a', 0)).toBe(0);
  expect(limiter.take('b', 0)).toBe(0);
  expect(limiter.take('a', 0)).toBe(1);
});

it('AddressLimiter counts the addresses of one IPv6 /64 as one client, and an IPv4-mapped address as IPv4', () => {
  const limiter = new AddressLimiter(1);
  expect([limiter.take('2001:db8::1', 0), limiter.take('2001:db8::2', 0), limiter.take('2001:db8:0:1::1', 0)]).toEqual([
    0, 1, 0,
  ]);
  expect([limiter.take('203.0.113.7', 0), limiter.take('::ffff:203.0.113.7', 0)]).toEqual([0, 1]);
});

it('AddressLimiter allows at most the requests of one second at once, even after a long pause', () => {
  const limiter = new AddressLimiter(2);
  limiter.take('a', 0);
  const answers = Array.from({ length: 3 }, () => limiter.take('a', 60_000));
  expect(answers).toEqual([0, 0, 1]);
});

it('AddressLimiter limits nothing if the rate is zero, and drops the least recently seen address if there are too many', () => {
  const none = new AddressLimiter(0);
  expect(Array.from({ length: 100 }, () => none.take('a', 0)).every((wait) => wait === 0)).toBe(true);
  const small = new AddressLimiter(1, 1);
  expect([small.take('a', 0), small.take('b', 0), small.take('a', 0)]).toEqual([0, 0, 0]);
});
