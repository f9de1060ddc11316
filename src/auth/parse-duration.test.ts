import { expect, it } from 'vitest';
import { parseDuration } from './parse-duration.ts';

it.each([
  ['24h', 86_400],
  ['1h30m', 5400],
  ['1.5h', 5400],
  ['.5m', 30],
  ['300ms', 0.3],
  ['876000h', 3_153_600_000],
  ['0', 0],
  ['+1s', 1],
  ['-1m', -60],
])('parseDuration reads the duration %s', (text, seconds) => {
  expect(parseDuration(text)).toBeCloseTo(seconds, 9);
});

it.each(['', '24', 'h', '1d', '1h 30m', '1.2.3s', '1e3s', 'none', '9999999h', '٣h'])(
  'parseDuration returns null for %j',
  (text) => {
    expect(parseDuration(text)).toBeNull();
  },
);
