import { expect, it } from 'vitest';
import { distinctKeys } from './distinct-keys.ts';

it('gives no two rows one key, and a row the same key in every list that has as many of its name before it', () => {
  const keys = distinctKeys(['two', 'two', '1 two', 'one']);
  expect(new Set(keys).size).toBe(4);
  expect(distinctKeys(['one', 'two'])).toEqual([keys[3], keys[0]]);
});
