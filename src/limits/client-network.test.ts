import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clientNetwork, plainAddress } from './client-network.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['64:ff9b::203.0.113.7', '203.0.113.7'],
  ['64:ff9b:1::cb00:7107', '64:ff9b:1:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1.2.3.4', '0:0:0:0::/64'],
  ['', ''],
  ['unknown', 'unknown'],
])('clientNetwork maps %s to the network %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107%eth0', '203.0.113.7'],
  ['2001:DB8::1%eth0', '2001:db8::1'],
  ['203.0.113.07', null],
  ['1.2.3', null],
  ['', null],
])('plainAddress reads the address %s as %s', (address, plain) => {
  expect(plainAddress(address)).toBe(plain);
});

const group = fc.integer({ min: 0, max: 0xffff });
const hex = (groups: readonly number[]): string => groups.map((each) => each.toString(16)).join(':');

it('clientNetwork treats all addresses of a /64 as one network, and those of another /64 as a different one', () => {
  fc.assert(
    fc.property(
      fc.array(group, { minLength: 4, maxLength: 4 }),
      fc.array(group, { minLength: 8, maxLength: 8 }),
      group,
      (prefix, hosts, other) => {
        const [one, two] = [hosts.slice(0, 4), hosts.slice(4)];
        fc.pre(prefix.some((each) => each !== 0) && !(prefix[0] === 0x64 && prefix[1] === 0xff9b));
        expect(clientNetwork(hex([...prefix, ...one]))).toBe(clientNetwork(hex([...prefix, ...two])));
        fc.pre(other !== prefix[3]);
        expect(clientNetwork(hex([...prefix.slice(0, 3), other, ...one]))).not.toBe(
          clientNetwork(hex([...prefix, ...one])),
        );
      },
    ),
  );
});

it('clientNetwork treats an IPv4 address the same in every IPv6 representation', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const groups = hex([a * 256 + b, c * 256 + d]);
      for (const form of [`::ffff:${address}`, `::ffff:${groups}`, `64:ff9b::${groups}`]) {
        expect(clientNetwork(form)).toBe(clientNetwork(address));
      }
    }),
  );
});
