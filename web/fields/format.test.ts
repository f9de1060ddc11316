import { expect, it } from 'vitest';
import { textOf } from './format.ts';

it('formats an interval of PostgreSQL in words', () => {
  const words = (value: string) => textOf({ editor: 'duration', values: null }, value);
  expect(['1 day 02:30:00', '00:05:00', '2 years 1 mon', '24:00:00', '00:00:00', '00:00:01.5'].map(words)).toEqual([
    '1 day 2 h 30 min',
    '5 min',
    '2 years 1 month',
    '24 h',
    '0 min',
    '1.5 s',
  ]);
});
