import { describe, expect, it } from 'vitest';
import {
  aboutRows,
  age,
  ago,
  bytes,
  count,
  counted,
  duration,
  entityName,
  listed,
  milliseconds,
  percent,
  share,
  shareOf,
  shortId,
} from './format.ts';

it.each([
  [0, 'no rows'],
  [1, 'about 1 row'],
  [1240, 'about 1,240 rows'],
])('aboutRows formats %i as an estimate of rows', (rows, text) => expect(aboutRows(rows)).toBe(text));

it('share and shareOf write few items as numbers and many as a percentage', () => {
  expect([share(1, 4), share(0, 3), share(4, 20), share(19, 100)]).toEqual(['1 of 4', '0 of 3', '20%', '19%']);
  expect([shareOf(1, 4, 'request'), shareOf(1, 1, 'request'), shareOf(5, 50, 'request')]).toEqual([
    '1 of 4 requests',
    '1 of 1 request',
    '10% of the requests',
  ]);
});

describe('bytes, percent, milliseconds and counted', () => {
  it.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [1023, '1,023 bytes'],
    [8300, '8.1 kB'],
    [10_240, '10 kB'],
    [60_817_408, '58 MB'],
    [1024 ** 5, '1,024 TB'],
  ])('formats %i bytes as %s', (value, text) => expect(bytes(value)).toBe(text));

  it.each([
    [0, 100, '0%'],
    [0, 0, '0%'],
    [1, 1_000_000, '<0.01%'],
    [45, 21_438, '0.21%'],
    [3, 100, '3.0%'],
    [1, 1, '100%'],
  ])('formats %i of %i as %s', (part, all, text) => expect(percent(part, all)).toBe(text));

  it.each([
    [0.83, '0.8 ms'],
    [9.97, '10 ms'],
    [999, '999 ms'],
    [2400, '2.4 s'],
  ])('formats %d ms as %s', (value, text) => expect(milliseconds(value)).toBe(text));

  it('use singular and plural', () => {
    expect(counted(1, 'table')).toBe('1 table');
    expect(counted(0, 'table')).toBe('0 tables');
    expect(counted(2, 'policy', 'policies')).toBe('2 policies');
    expect(count(214_380)).toBe('214,380');
  });
});

describe('ago', () => {
  const now = Date.parse('2026-11-20T14:00:00Z');

  it('returns the age in the largest unit that fits', () => {
    expect(ago('2026-11-20T13:59:57Z', now)).toBe('just now');
    expect(ago('2026-11-20T13:59:00Z', now)).toBe('1 minute ago');
    expect(ago('2026-11-18T14:00:00Z', now)).toBe('2 days ago');
    expect(duration(8000)).toBe('8 seconds');
  });

  it('never returns a time in the future if a clock is ahead', () => {
    expect(ago('2026-11-20T14:00:09Z', now)).toBe('just now');
  });
});

it.each([
  ['2026-11-20T14:00:00Z', '5 s'],
  ['2026-11-20T13:58:00Z', '2 min'],
  ['2026-11-20T11:00:00Z', '3 h'],
  ['2026-11-10T14:00:00Z', '10 d'],
  ['2026-11-20T15:00:00Z', '0 s'],
])('age formats the age of %s in a column as %s', (iso, words) =>
  expect(age(iso, Date.parse('2026-11-20T14:00:05Z'))).toBe(words),
);

it('shortId omits the schema public from the id of a function', () => {
  expect(shortId('public."Order lines"')).toBe('"Order lines"');
  expect(shortId('shop.public.x')).toBe('shop.public.x');
});

it('entityName omits the schema public from the name of an entity', () => {
  expect(entityName('public', 'tickets')).toBe('tickets');
  expect(entityName('auth', 'users')).toBe('auth.users');
});

it('listed joins words with commas and “and”', () => {
  expect(listed([])).toBe('');
  expect(listed(['anon'])).toBe('anon');
  expect(listed(['anon', 'authenticated', 'service_role'])).toBe('anon, authenticated and service_role');
});
