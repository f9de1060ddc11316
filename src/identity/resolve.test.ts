import { describe, expect, it } from 'vitest';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import { makeKeys } from '../apps/keys/make-keys.ts';
import { signEs256, signHs256 } from '../apps/keys/sign-jwt.ts';
import type { Executor } from '../database/database.ts';
import { identityOfClaims, resolveIdentity } from './resolve.ts';
import { TokenCache } from './token-cache.ts';

const app = makeKeys('mine');
const other = makeKeys('other');
const now = Date.now();
const seconds = Math.floor(now / 1000);

/** A database that must not be queried, because none of these callers has a session. */
const noDatabase: Executor = { run: () => Promise.reject(new Error('the database was asked')) };

const resolve = (headers: Record<string, string>, audience: string | null = null) =>
  resolveIdentity(
    {
      ...{ app, database: noDatabase, sessions: new TokenCache(), audience, now: () => now },
      sessionBounds: defaultAuthSettings,
    },
    headers,
  );
const es256 = (claims: object, keys = app) => signEs256(claims, keys.signingKey.privateKeyPem, keys.signingKey.kid);

describe('resolveIdentity with a key', () => {
  it.each([
    ['publishableKey', 'anon', 'publishable-key'],
    ['anonKey', 'anon', 'publishable-key'],
    ['secretKey', 'service_role', 'secret-key'],
    ['serviceRoleKey', 'service_role', 'secret-key'],
  ] as const)('accepts %s as the role %s, in either header or in both', async (name, role, source) => {
    const key = app[name];
    for (const headers of [
      { apikey: key },
      { authorization: `Bearer ${key}` },
      { apikey: key, authorization: `bearer  ${key}` },
    ]) {
      expect(await resolve(headers)).toMatchObject({ role, source, userId: null, sessionId: null, claims: { role } });
    }
  });

  it.each([
    other.publishableKey,
    other.secretKey,
    other.anonKey,
    other.serviceRoleKey,
    'sb_secret_',
    `${app.secretKey}x`,
    app.secretKey.slice(0, -1),
    app.secretKey.toUpperCase(),
    'x',
    es256({ role: 'anon' }, other),
  ])('rejects a key of another app or a guessed key: %s', async (key) => {
    await expect(resolve({ apikey: key })).rejects.toMatchObject({ code: 'key_unknown', status: 401 });
    await expect(resolve({ apikey: key, authorization: `Bearer ${app.secretKey}` })).rejects.toMatchObject({
      code: 'key_unknown',
    });
  });

  it('rejects a key of another app as a bearer token', async () => {
    await expect(resolve({ authorization: `Bearer ${other.secretKey}` })).rejects.toMatchObject({
      code: 'key_unknown',
    });
    await expect(resolve({ authorization: `Bearer ${other.serviceRoleKey}` })).rejects.toMatchObject({
      code: 'PGRST301',
    });
  });

  it('accepts a key of an imported project, with the role in the key', async () => {
    const earlier = makeKeys('earlier', { jwtSecret: app.jwtSecret, now: now - 1e10 });
    expect(await resolve({ apikey: earlier.serviceRoleKey })).toMatchObject({
      role: 'service_role',
      claims: { ref: 'earlier' },
    });
    const expired = signHs256({ role: 'service_role', exp: seconds - 60 }, app.jwtSecret);
    await expect(resolve({ apikey: expired })).rejects.toMatchObject({ code: 'key_unknown' });
  });
});

describe('resolveIdentity with a token', () => {
  it.each([{}, { apikey: '' }, { authorization: '' }, { authorization: 'Basic YTpi' }])(
    'treats a caller without credentials as anonymous: %j',
    async (headers) => {
      expect(await resolve(headers)).toMatchObject({ role: 'anon', source: 'none', claimsJson: '{"role":"anon"}' });
    },
  );

  it('uses the identity of the token if the request contains both a key and a token', async () => {
    const token = es256({ sub: 'ada', role: 'authenticated', exp: seconds + 60 });
    const identity = await resolve({ apikey: app.secretKey, authorization: `Bearer ${token}` });
    expect(identity).toMatchObject({ role: 'authenticated', userId: 'ada', sessionId: null, source: 'token' });
  });

  it("accepts any role and claims of a token that the app's own server signed, as PostgREST does", async () => {
    const claims = { role: 'editor', team: 'a "quoted" team', exp: seconds + 60 };
    const identity = await resolve({ authorization: `Bearer ${signHs256(claims, app.jwtSecret)}` });
    expect(identity).toMatchObject({ role: 'editor', userId: null });
    expect(JSON.parse(identity.claimsJson)).toEqual(claims);
    expect((await resolve({ authorization: `Bearer ${signHs256({ exp: seconds + 60 }, app.jwtSecret)}` })).role).toBe(
      'anon',
    );
    expect((await resolve({ authorization: `Bearer ${signHs256({ role: ['a'] }, app.jwtSecret)}` })).role).toBe(
      '["a"]',
    );
  });

  it('ignores the session id in a token that the app did not issue', async () => {
    for (const session_id of ['sess_123', '00000000-0000-0000-0000-000000000000', 7]) {
      const token = signHs256({ sub: 'ada', session_id }, app.jwtSecret);
      expect((await resolve({ authorization: `Bearer ${token}` })).sessionId).toBeNull();
    }
  });

  it('describes in the response what is wrong with a token (RFC 6750)', async () => {
    const token = es256({ role: 'authenticated', exp: seconds - 60 });
    await expect(resolve({ authorization: `Bearer ${token}` })).rejects.toMatchObject({
      code: 'PGRST303',
      message: 'JWT expired',
      headers: { 'www-authenticate': 'Bearer error="invalid_token", error_description="JWT expired"' },
    });
    await expect(resolve({ authorization: 'Bearer' })).rejects.toMatchObject({
      message: 'Empty JWT is sent in Authorization header',
    });
    const elsewhere = es256({ role: 'authenticated', aud: 'elsewhere' });
    await expect(resolve({ authorization: `Bearer ${elsewhere}` }, 'here')).rejects.toMatchObject({
      message: 'JWT not in audience',
    });
  });

  it('looks up the session of a token before it accepts the token', async () => {
    const session_id = '6f1c0c9e-0000-4000-8000-000000000001';
    const nobody = es256({ sub: 'ada\0', role: 'authenticated', session_id });
    await expect(resolve({ authorization: `Bearer ${nobody}` })).rejects.toMatchObject({ code: 'session_revoked' });
    const token = es256({ sub: session_id, role: 'authenticated', session_id });
    await expect(resolve({ authorization: `Bearer ${token}` })).rejects.toThrow('the database was asked');
  });
});

it('resolveIdentity sends WWW-Authenticate if the app requires a token (RFC 6750)', () => {
  const refused = expect.objectContaining({ code: 'PGRST302', headers: { 'www-authenticate': 'Bearer' } });
  expect(() => identityOfClaims({ app, anonRole: null }, {})).toThrow(refused);
});
