import { expect, it } from 'vitest';
import { parseExactly } from './rest.ts';

it('parseExactly parses a number that JavaScript cannot represent as a text, and leaves texts and other numbers unchanged', () => {
  const text =
    '[{"id":9007199254740993,"sum":12345678901234567.89,"price":1234567890123.50,"at":"a: 9007199254740993\\"","n":-7,"f":1e3}]';
  expect(parseExactly(text)).toEqual([
    {
      id: '9007199254740993',
      sum: '12345678901234567.89',
      price: 1234567890123.5,
      at: 'a: 9007199254740993"',
      n: -7,
      f: 1000,
    },
  ]);
  expect(parseExactly('9007199254740991001')).toBe('9007199254740991001');
  expect(parseExactly('[1,2]')).toEqual([1, 2]);
});

it('parseExactly parses the longest number of PostgreSQL in linear time', () => {
  const number = `1${'0'.repeat(131_071)}.5`;
  const from = performance.now();
  expect(parseExactly(`[{"sum":${number}}]`)).toEqual([{ sum: number }]);
  // Quadratic time is more than 5 seconds.
  expect(performance.now() - from).toBeLessThan(2000);
});
