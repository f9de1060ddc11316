import { expect, it } from 'vitest';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import { networkId, signInSubjects } from './sign-in-attempts.ts';

const subjectsOf = (address: string, email: string) => signInSubjects(address, email, defaultAuthSettings);

it('signInSubjects returns different hashes for the network, the account and both, without their plain text', () => {
  const { address, account, accountAndNetwork } = subjectsOf('203.0.113.7', '203.0.113.7');
  expect(new Set([address, account, accountAndNetwork]).size).toBe(3);
  for (const subject of [address, account, accountAndNetwork]) expect(subject).toMatch(/^[A-Za-z0-9_-]{43}$/);
});

it('networkId returns the same hash for all addresses of an IPv6 /64, and for an IPv4-mapped address and its IPv4 address', () => {
  expect(subjectsOf('2001:db8::1', 'a@example.com')).toEqual(subjectsOf('2001:db8::ffff:2', 'a@example.com'));
  expect(subjectsOf('::ffff:203.0.113.7', 'a@example.com')).toEqual(subjectsOf('203.0.113.7', 'a@example.com'));
  expect(networkId('2001:db8::1')).not.toBe(networkId('2001:db8:0:1::1'));
});
