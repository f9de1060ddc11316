import { beforeEach, expect, it } from 'vitest';
import type { Identity } from './identity.ts';
import { TokenCache } from './token-cache.ts';

const identity = (sessionId: string | null): Identity => ({
  role: 'authenticated',
  claims: {},
  claimsJson: '{}',
  userId: 'ada',
  sessionId,
  source: 'token',
});
const later = 2000;

let cache: TokenCache;
beforeEach(() => {
  cache = new TokenCache();
  cache.connected();
});
const remember = (token: string, sessionId: string | null, until = later) =>
  cache.remember(token, identity(sessionId), until, cache.epoch);

it('TokenCache caches a token until it expires', () => {
  remember('t', 's');
  expect(cache.find('t', later - 1)?.sessionId).toBe('s');
  expect(cache.find('t', later)).toBeNull();
});

it('TokenCache removes every token of a revoked session and no other token', () => {
  remember('first', 's');
  remember('second', 's');
  remember('other', 'r');
  cache.revoke(['s', 'unknown']);
  expect(cache.find('first', 0)).toBeNull();
  expect(cache.find('second', 0)).toBeNull();
  expect(cache.find('other', 0)).not.toBeNull();
});

it('TokenCache removes a revoked token that several requests looked up at the same time', () => {
  remember('t', 's');
  remember('t', 's');
  cache.revoke(['s']);
  expect(cache.find('t', 0)).toBeNull();
});

it('TokenCache does not cache the result of a lookup that started before a revocation', () => {
  const before = cache.epoch;
  cache.revoke(['s']);
  cache.remember('t', identity('s'), later, before);
  expect(cache.find('t', 0)).toBeNull();
});

it('TokenCache caches no token of a session while the listener is disconnected, and removes the tokens that it cached before', () => {
  remember('early', 's');
  cache.disconnected();
  remember('deaf', 's');
  const before = cache.epoch;
  cache.connected();
  cache.remember('late', identity('s'), later, before);
  for (const token of ['early', 'deaf', 'late']) expect(cache.find(token, 0)).toBeNull();
});

it('TokenCache caches tokens without a session while the listener is disconnected', () => {
  cache.disconnected();
  remember('key', null, Number.POSITIVE_INFINITY);
  expect(cache.find('key', Number.MAX_SAFE_INTEGER)).not.toBeNull();
});

it('TokenCache removes the least recently used token beyond its size', () => {
  const small = new TokenCache(2);
  small.connected();
  for (const token of ['a', 'b', 'c']) small.remember(token, identity(token), later, small.epoch);
  expect(['a', 'b', 'c'].map((token) => small.find(token, 0) !== null)).toEqual([false, true, true]);
});
