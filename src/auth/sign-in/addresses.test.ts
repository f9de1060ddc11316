import { expect, it } from 'vitest';
import { normaliseEmail, normalisePhone } from './addresses.ts';

it.each([
  ['  Ada.Lovelace+x@Example.COM ', 'ada.lovelace+x@example.com'],
  ["o'hara@mail.example", "o'hara@mail.example"],
  ['a@localhost', 'a@localhost'],
])('normaliseEmail stores %j as %j', (email, normal) => {
  expect(normaliseEmail(email)).toBe(normal);
});

it.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@@example.com',
  'ada@exa mple.com',
  'ada@-example.com',
  'ada@example..com',
  'ada@example.com\nbcc: eve@example.com',
  '<ada@example.com>',
  'ada@example.com,eve@example.com',
  'àda@example.com',
  `${'a'.repeat(250)}@example.com`,
])('normaliseEmail refuses %j', (email) => {
  expect(() => normaliseEmail(email)).toThrow(expect.objectContaining({ code: 'validation_failed', status: 400 }));
});

it('normalisePhone stores a phone number in E.164 without the plus sign', () => {
  expect(normalisePhone('+49 170 1234567')).toBe('491701234567');
  for (const phone of ['', '0170', '+', 'phone', '1234567890123456', '+49-170']) {
    expect(() => normalisePhone(phone)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  }
});
