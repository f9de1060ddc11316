import { expect, it } from 'vitest';
import { distinctKeys } from './distinct-keys.ts';

it('distinctKeys gives each row a unique key that depends only on its name and on how many rows before it have the same name', () => {
  const keys = distinctKeys(['two', 'two', '1 two', 'one']);
  expect(new Set(keys).size).toBe(4);
  expect(distinctKeys(['one', 'two'])).toEqual([keys[3], keys[0]]);
});
