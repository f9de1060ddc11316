import { createPublicKey, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeKeys, makeSigningKey } from './make-keys.ts';
import { hs256, signEs256 } from './sign-jwt.ts';

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

it('makeKeys creates distinct keys in the formats that clients recognise', () => {
  const [one, two] = [makeKeys('one'), makeKeys('two')];
  expect(one.publishableKey).toMatch(/^sb_publishable_[A-Za-z0-9]{31}$/);
  expect(one.secretKey).toMatch(/^sb_secret_[A-Za-z0-9]{31}$/);
  expect(one.jwtSecret).toHaveLength(64);
  for (const name of ['publishableKey', 'secretKey', 'anonKey', 'serviceRoleKey', 'jwtSecret'] as const) {
    expect(one[name]).not.toBe(two[name]);
  }
  expect(one.signingKey.kid).not.toBe(two.signingKey.kid);
});

it('makeKeys signs the legacy keys with the secret of an existing project, valid for ten years', () => {
  const jwtSecret = 'the-secret-of-an-existing-project';
  const { anonKey, serviceRoleKey } = makeKeys('moved', { jwtSecret, now: 1_700_000_000_000 });
  for (const [key, role] of [
    [anonKey, 'anon'],
    [serviceRoleKey, 'service_role'],
  ] as const) {
    const [head, body, signature] = key.split('.');
    expect(signature).toBe(hs256(`${head}.${body}`, jwtSecret));
    expect(claimsOf(key)).toEqual({ iss: 'supabase', ref: 'moved', role, iat: 1_700_000_000, exp: 2_015_360_000 });
  }
});

it('makeKeys publishes only the public part of the signing key', () => {
  const { kid, privateKeyPem, publicJwk } = makeSigningKey();
  expect(Object.keys(publicJwk).sort()).toEqual(['alg', 'crv', 'key_ops', 'kid', 'kty', 'use', 'x', 'y']);
  const jwt = signEs256({ sub: 'ada' }, privateKeyPem, kid);
  const [head, body, signature] = jwt.split('.');
  const key = createPublicKey({ key: { ...publicJwk, key_ops: [...publicJwk.key_ops] }, format: 'jwk' });
  const bytes = Buffer.from(signature ?? '', 'base64url');
  expect(verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, bytes)).toBe(true);
});
