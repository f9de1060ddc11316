import { expect, it } from 'vitest';
import { localNumber, plainNumber } from './read-number.ts';

it.each([
  ['1,234.5', 'en', '1234.5'],
  ['1,234', 'en', '1234'],
  ['1,5', 'en', '1.5'],
  ['.5', 'en', '.5'],
  ['1.234,5', 'de', '1234.5'],
  ['1.234', 'de', '1234'],
  ['12.5', 'de', '12.5'],
  ['1 234,5 €', 'fr', '1234.5'],
  ['1’234.5', 'de-CH', '1234.5'],
  ['١٬٢٣٤٫٥', 'ar-EG', '1234.5'],
  ['۱۲', 'en', '12'],
  ['−7', 'en', '-7'],
  ['9007199254740993', 'de', '9007199254740993'],
  ['1e20', 'en', '1e20'],
  ['1.2.3', 'de', null],
  ['1,2,3', 'en', null],
  ['twelve', 'en', null],
])('plainNumber reads the number %s in the notation of %s', (typed, locale, plain) => {
  expect(plainNumber(typed, locale)).toBe(plain);
});

it.each([
  ['1234.5', 'en', '1234.5'],
  ['-1234.5', 'de', '-1234,5'],
  ['1234.5', 'ar-EG', '١٢٣٤٫٥'],
  ['9007199254740993', 'de', '9007199254740993'],
  ['NaN', 'de', 'NaN'],
])('localNumber shows the number %s in the notation of %s, and reads it again', (plain, locale, shown) => {
  expect(localNumber(plain, locale)).toBe(shown);
  if (plain !== 'NaN') expect(plainNumber(shown, locale)).toBe(plain);
});
