import { expect, it } from 'vitest';
import { LoginPace } from './login-rates.ts';

const rates = { rolePerSecond: 10, allPerSecond: 40, waitMilliseconds: 1000 };

it('LoginPace lets as many logins through at once as two seconds allow, delays the next ones evenly, and refuses those that would wait too long', () => {
  const pace = new LoginPace(rates);
  const waits = Array.from({ length: 40 }, () => pace.take('a', 5000));
  expect(waits.slice(0, 21)).toEqual(Array(21).fill(0));
  expect(waits.slice(21, 24)).toEqual([100, 200, 300]);
  expect(waits[30]).toBe(1000);
  expect(waits.slice(31)).toEqual(Array(9).fill(null));
  expect(pace.take('a', 5100)).toBe(1000);
  expect(pace.take('a', 60_000)).toBe(0);
});

it('LoginPace limits each role separately, and all roles together', () => {
  const pace = new LoginPace(rates);
  for (let i = 0; i < 40; i++) pace.take('a', 0);
  expect(pace.take('b', 0)).toBe(0);
  const waits = Array.from({ length: 5000 }, (_, i) => pace.take(`role ${i}`, 0));
  expect(waits.filter((wait) => wait === 0).length).toBeLessThan(2 * rates.allPerSecond);
  expect(waits.at(-1)).toBeNull();
});
