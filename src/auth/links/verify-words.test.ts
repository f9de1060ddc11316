import { expect, it } from 'vitest';
import { languageOf } from './verify-words.ts';

it.each([
  [undefined, 'en'],
  ['de-CH, fr;q=0.9', 'de'],
  ['en;q=0.2, ar;q=0.8', 'ar'],
  ['*', 'en'],
  ['__proto__, constructor', 'en'],
  ['de;q=x, ar', 'ar'],
  [`${'x,'.repeat(10_000)}de`, 'en'],
])('languageOf reads the language of Accept-Language %j', (header, language) => {
  expect(languageOf(header)).toBe(language);
});
