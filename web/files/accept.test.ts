import { expect, it } from 'vitest';
import { refusalOf } from './accept.ts';

const file = (name: string, type: string, size = 10) => ({ name, type, size });

it.each([
  [{ types: null, max_bytes: null }, file('a.exe', 'application/x-msdownload'), null],
  [{ types: ['image/*'], max_bytes: null }, file('a.png', 'image/png'), null],
  [{ types: ['image/*'], max_bytes: null }, file('a.png', ''), null],
  [{ types: ['image/*'], max_bytes: null }, file('a.png', 'imagex/png'), 'type'],
  [{ types: ['application/pdf'], max_bytes: null }, file('a.pdf', 'application/pdf; q=1'), null],
  [{ types: ['application/pdf'], max_bytes: null }, file('a.pdf', 'text/html'), 'type'],
  [{ types: null, max_bytes: 10 }, file('a', ''), null],
  [{ types: null, max_bytes: 9 }, file('a', ''), 'size'],
  [{ types: null, max_bytes: 9 }, file('a', '', 0), 'empty'],
] as const)('refusalOf(%j, %j) is %j', (field, given, expected) => {
  expect(refusalOf(field, given)).toBe(expected);
});
