import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../test/support/receiver.ts';
import { AddressPolicy } from '../jobs/public-address.ts';
import { ExternalKeys, readIssuers, readKeys } from './external-keys.ts';

const jwk = (kid: string, more: object = {}) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
  ...more,
});

let receiver: Receiver;
let answer: { status: number; body: string };
beforeAll(async () => {
  receiver = await startReceiver((_, response) => {
    response.statusCode = answer.status;
    response.end(answer.body);
  });
});
afterAll(() => receiver.close());

const publishes = (...kids: string[]) => {
  answer = { status: 200, body: JSON.stringify({ keys: kids.map((kid) => jwk(kid)) }) };
};

function made() {
  const clock = { now: 0 };
  const policy = new AddressPolicy([{ address: '127.0.0.1', bits: 32, port: receiver.port }]);
  const before = receiver.requests.length;
  const asked = () => receiver.requests.length - before;
  return { clock, keys: new ExternalKeys(policy, () => clock.now), asked };
}

it('ExternalKeys sends one request for parallel lookups, and at most one request every 30 seconds for unknown key ids', async () => {
  const { clock, keys, asked } = made();
  publishes('a');
  const all = await Promise.all(Array.from({ length: 20 }, () => keys.find(receiver.url, 'a')));
  expect(all.every((key) => key?.alg === 'ES256')).toBe(true);
  for (let i = 0; i < 20; i++) expect(await keys.find(receiver.url, `guess-${i}`)).toBeNull();
  expect(asked()).toBe(1);
  publishes('a', 'b');
  clock.now = 29_000;
  expect(await keys.find(receiver.url, 'b')).toBeNull();
  clock.now = 31_000;
  expect(await keys.find(receiver.url, 'b')).not.toBeNull();
  expect(asked()).toBe(2);
});

it('ExternalKeys drops a key ten minutes after the issuer removed it, and keeps keys while the issuer cannot be reached', async () => {
  const { clock, keys } = made();
  publishes('a', 'b');
  expect(await keys.find(receiver.url, 'a')).not.toBeNull();
  publishes('b');
  clock.now = 601_000;
  expect(await keys.find(receiver.url, 'a')).toBeNull();
  answer = { status: 500, body: 'no' };
  clock.now = 1_300_000;
  expect(await keys.find(receiver.url, 'b')).not.toBeNull();
  answer = { status: 200, body: 'not JSON' };
  clock.now = 1_400_000;
  expect(await keys.find(receiver.url, 'b')).not.toBeNull();
});

it('ExternalKeys does not connect to non-public addresses', async () => {
  publishes('a');
  const before = receiver.requests.length;
  const keys = new ExternalKeys(new AddressPolicy([]));
  for (const url of [
    receiver.url,
    receiver.url.replace('127.0.0.1', '[::1]'),
    'http://169.254.169.254/',
    'file:///etc/passwd',
  ]) {
    expect(await keys.find(url, 'a')).toBeNull();
  }
  expect(receiver.requests.length).toBe(before);
});

it('readKeys reads from a JWKS only public signature keys of the supported types', () => {
  const rsa = (bits: number) => generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' });
  const set = [
    jwk('es'),
    { ...rsa(2048), kid: 'rs', use: 'sig', alg: 'RS256' },
    { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid: 'ed' },
    { ...rsa(1024), kid: 'weak' },
    { ...rsa(2048), kid: 'pss', alg: 'PS256' },
    jwk('enc', { use: 'enc' }),
    { kty: 'oct', k: 'AAAA', kid: 'shared' },
    jwk('broken', { x: 'AAAA' }),
    { ...jwk('x'), kid: undefined },
    null,
    'text',
  ];
  expect([...(readKeys(JSON.stringify({ keys: set }))?.keys() ?? [])]).toEqual(['es', 'rs', 'ed']);
  for (const text of ['', '[]', '{}', '{"keys":1}', 'null']) expect(readKeys(text)).toBeNull();
});

it('readIssuers parses each entry of external_jwt_issuers into issuer, JWKS URL and audience, and ignores invalid entries', () => {
  expect(readIssuers(['https://a.example https://a.example/jwks.json desk', 'b http://127.0.0.1:1/'])).toEqual([
    { issuer: 'https://a.example', jwksUrl: 'https://a.example/jwks.json', audience: 'desk' },
    { issuer: 'b', jwksUrl: 'http://127.0.0.1:1/', audience: null },
  ]);
  expect(readIssuers(['a', ''])).toEqual([]);
});
