import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { seal, unseal } from './seal.ts';

const key = randomBytes(32);

it('unseal decrypts an encrypted value, and encrypts it differently each time', () => {
  const value = { password: 'päss', list: [1, null] };
  expect(unseal(seal(value, key, 'app'), key, 'app')).toEqual(value);
  expect(seal(value, key, 'app')).not.toBe(seal(value, key, 'app'));
});

it('unseal decrypts nothing with another key, for another app, or after a change', () => {
  const sealed = seal('secret', key, 'app');
  expect(sealed).not.toContain('secret');
  expect(() => unseal(sealed, randomBytes(32), 'app')).toThrow();
  expect(() => unseal(sealed, key, 'other')).toThrow();
  expect(() => unseal(`${sealed.slice(0, -4)}AAAA`, key, 'app')).toThrow();
  expect(() => unseal('v2.AAAA', key, 'app')).toThrow('version');
});
