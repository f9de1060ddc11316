import { expect, it } from 'vitest';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import { clientNetwork, signInSubjects } from './sign-in-failures.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1.2.3.4', '0:0:0:0::/64'],
])('counts %s as %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

it('names an account and an address differently, and shows neither', () => {
  const { address, account } = signInSubjects('ada@example.com', 'ada@example.com', defaultAuthSettings);
  expect(address).not.toBe(account);
  expect(account).toMatch(/^[A-Za-z0-9_-]{43}$/);
});
