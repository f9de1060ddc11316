import { expect, it } from 'vitest';
import { signInMethodText } from './sign-in-method-text.ts';

it.each([
  [[{ method: 'password', timestamp: 1 }], 'password'],
  [
    [
      { method: 'totp', timestamp: 2 },
      { method: 'password', timestamp: 1 },
    ],
    'password, authenticator app',
  ],
  [[{ method: 'of a later version', timestamp: 1 }], 'of a later version'],
  [[], 'unknown'],
])('signInMethodText describes the methods of %j', (amr, expected) => {
  expect(signInMethodText({ amr })).toBe(expected);
});
