import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTimeOf } from '../../test/support/timing.ts';
import { addressReader, type TrustedProxies } from './client-address.ts';

const SOCKET = '10.0.0.1';

const read = (proxies: TrustedProxies, forwarded: string | undefined, socket = SOCKET): string =>
  addressReader(proxies)({
    socket: { remoteAddress: socket },
    headers: { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage);

describe('addressReader with a number of proxies', () => {
  it.each<[number, string | undefined, string]>([
    [0, '203.0.113.7', SOCKET],
    [1, undefined, SOCKET],
    [1, '203.0.113.7', '203.0.113.7'],
    [1, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [1, '198.51.100.1,203.0.113.7 ', '203.0.113.7'],
    [2, '198.51.100.1, 203.0.113.7', '198.51.100.1'],
    [2, '192.0.2.1, 198.51.100.1, 203.0.113.7', '198.51.100.1'],
    [2, '203.0.113.7', '203.0.113.7'],
    [1, '203.0.113.7:5678', '203.0.113.7'],
    [1, '[2001:db8::1]:80', '2001:db8::1'],
    [1, '[2001:db8::1]', '2001:db8::1'],
    [1, '2001:DB8::1', '2001:db8::1'],
    [1, 'fe80::1%eth0', 'fe80::1'],
    [1, '::ffff:203.0.113.7', '203.0.113.7'],
    [1, '[::ffff:203.0.113.7]:80', '203.0.113.7'],
  ])('with %s proxies reads the client’s address from the header “%s” as %s', (proxies, forwarded, address) => {
    expect(read(proxies, forwarded)).toBe(address);
  });

  it.each([
    'unknown',
    '',
    ' ',
    '_hidden',
    '203.0.113.7,',
    'x',
    '203.0.113.7 198.51.100.1',
    '1.2.3.4.5',
    '010.1.1.1',
    '[203.0.113.7]',
    '[2001:db8::1',
    '2001:db8::1]:80',
    '203.0.113.7:',
    '203.0.113.7:123456',
    '"203.0.113.7"',
    'for=203.0.113.7',
    'null',
    '%',
    '::1::2',
  ])('returns the address of the proxy if its entry is not an address: “%s”', (entry) => {
    expect(read(1, `198.51.100.1, ${entry}`)).toBe(SOCKET);
  });

  it('returns the address that the nearest proxy saw if the entry of the next proxy is not an address', () => {
    expect(read(2, '198.51.100.1, unknown, 203.0.113.7')).toBe('203.0.113.7');
  });
});

describe('addressReader with networks', () => {
  const networks = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8', '::1'];

  it.each<[string, string | undefined, string]>([
    [SOCKET, '203.0.113.7', '203.0.113.7'],
    [SOCKET, '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [SOCKET, '198.51.100.1, 203.0.113.7, 10.9.9.9, 192.0.2.1', '203.0.113.7'],
    [SOCKET, '203.0.113.7, [fd00::2]:443, ::1', '203.0.113.7'],
    [SOCKET, '203.0.113.7, ::ffff:10.9.9.9', '203.0.113.7'],
    [SOCKET, '10.1.1.1', '10.1.1.1'],
    [SOCKET, '203.0.113.7, unknown, 10.9.9.9', '10.9.9.9'],
    [SOCKET, undefined, SOCKET],
    ['::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['::ffff:203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['2001:db8::9', '198.51.100.1', '2001:db8::9'],
  ])(
    'with the trusted proxies %s reads the client’s address from the header “%s” as %s',
    (socket, forwarded, address) => {
      expect(read(networks, forwarded, socket)).toBe(address);
    },
  );

  it('accepts a trusted network that is written with the address of any host in it, such as 10.7.7.7/8', () => {
    expect(read(['10.7.7.7/8'], '203.0.113.7')).toBe('203.0.113.7');
  });

  it('stops after a limited number of entries if the header contains very many trusted addresses', () => {
    const forwarded = Array(10_000).fill('10.1.1.1').join(',');
    const readAddress = addressReader(networks);
    const request = { socket: { remoteAddress: SOCKET }, headers: { 'x-forwarded-for': forwarded } };
    const took = processorTimeOf(() => {
      for (let i = 0; i < 100; i++) readAddress(request as unknown as IncomingMessage);
    });
    expect(took).toBeLessThan(400);
  });
});

it('addressReader ignores all addresses to the left of the entry that the outermost trusted proxy added', () => {
  const anything = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('unknown', '', ',,,', '10.0.0.1, ::1'));
  const proxies = fc.constantFrom<TrustedProxies>(1, ['10.0.0.0/8'], ['10.0.0.1', 'fd00::/8']);
  fc.assert(
    fc.property(fc.array(anything), proxies, (written, trusted) => {
      expect(read(trusted, [...written, '203.0.113.7'].join(','))).toBe('203.0.113.7');
    }),
  );
});
