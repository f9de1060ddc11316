import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { ApiKeyEntry, AppConnection, CreatedApiKey, SigningKeyEntry } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { admin, createApp, createAppWith } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { send } from '../support/http.ts';

/**
 * The server's key determines how a token is verified. No token can choose its key or algorithm to impersonate another
 * caller.
 */
const node = inject('node');
const ME = 'create function public.me() returns text language sql stable return auth.role()';

const keysOf = (ref: string) => admin<SigningKeyEntry[]>(node, 'GET', `/apps/${ref}/keys`);
const add = (ref: string, body: object) => admin<SigningKeyEntry[]>(node, 'POST', `/apps/${ref}/keys`, body);
const rotate = (ref: string, kid?: string) =>
  admin<SigningKeyEntry[]>(node, 'POST', `/apps/${ref}/keys/rotate`, kid === undefined ? {} : { kid });
const revoke = (ref: string, kid: string) =>
  admin<SigningKeyEntry[]>(node, 'POST', `/apps/${ref}/keys/${encodeURIComponent(kid)}/revoke`, {});
/** Returns the error code of a refused call. */
const refusalOf = (call: Promise<unknown>): Promise<string | undefined> =>
  call.then(
    () => 'done',
    (error: Error) => /"code":"(\w+)"/.exec(error.message)?.[1],
  );
const stateOf = (keys: readonly SigningKeyEntry[], kid: string) => keys.find((key) => key.kid === kid)?.state;

/** Returns the statuses of four calls with the token, spread over the workers. */
const statuses = (app: AppConnection, token: string, apikey = app.publishable_key): Promise<number[]> =>
  Promise.all(
    Array.from({ length: 4 }, async () => {
      const headers = { apikey, authorization: `Bearer ${token}` };
      return (await send(node.url, `/apps/${app.ref}/rest/v1/rpc/me`, { headers, ownConnection: true })).status;
    }),
  );
const works = [200, 200, 200, 200];
const refused = [401, 401, 401, 401];
const within = (read: () => Promise<unknown>) => expect.poll(read, { timeout: 1000, interval: 50 });

const jwksOf = async (app: AppConnection): Promise<Record<string, string>[]> =>
  JSON.parse((await send(node.url, `/apps/${app.ref}/auth/v1/.well-known/jwks.json`, {})).body).keys;
const headOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = (role = 'service_role') => {
  const now = Math.floor(Date.now() / 1000);
  return { role, aud: 'authenticated', iat: now, exp: now + 600 };
};
const hs256 = (header: object, secret: string | Buffer, role?: string) => {
  const input = `${encode(header)}.${encode(claims(role))}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
};
const signed = (alg: string, kid: string | undefined, key: KeyObject, role?: string) => {
  const input = `${encode({ alg, kid, typ: 'JWT' })}.${encode(claims(role))}`;
  const options = { key, ...(key.asymmetricKeyType === 'ec' && { dsaEncoding: 'ieee-p1363' as const }) };
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return `${input}.${sign(digest, Buffer.from(input), options).toString('base64url')}`;
};

const apiKeysPath = (ref: string) => `/apps/${ref}/api-keys`;
const listApiKeys = (ref: string) => admin<ApiKeyEntry[]>(node, 'GET', apiKeysPath(ref));
const createApiKey = (ref: string, name: string) => admin<CreatedApiKey>(node, 'POST', apiKeysPath(ref), { name });

/**
 * An app of which two keys are used at the start. Workers write their counts every few seconds, and the last test reads
 * them.
 */
let counted: { app: AppConnection; made: CreatedApiKey };
beforeAll(async () => {
  const app = await createAppWith(node, ME);
  const made = await createApiKey(app.ref, 'Worker');
  expect(await listApiKeys(app.ref)).toContainEqual(
    expect.objectContaining({ id: made.id, last_used_on: null, uses: 0 }),
  );
  await vi.waitFor(async () => expect(await statuses(app, made.key, made.key)).toEqual(works));
  await signUpMember(app);
  counted = { app, made };
});

const pairs = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: generateKeyPairSync('ed25519'),
} as const;
const privateJwk = (alg: keyof typeof pairs, kid?: string) => ({
  ...pairs[alg].privateKey.export({ format: 'jwk' }),
  ...(kid && { kid }),
});

describe('POST /apps/:ref/keys/rotate', () => {
  it('signs new tokens with the standby key on every worker, and the previous key still verifies its tokens', async () => {
    const app = await createAppWith(node, ME);
    const member = await signUpMember(app);
    const [first] = await jwksOf(app);
    expect(headOf(member.session.access_token)).toMatchObject({ alg: 'ES256', kid: first?.kid });

    const [standby] = await add(app.ref, {});
    await within(async () => (await jwksOf(app)).map(({ kid }) => kid)).toEqual([standby?.kid, first?.kid]);
    expect(stateOf(await rotate(app.ref), standby?.kid ?? '')).toBe('current');
    expect(stateOf(await keysOf(app.ref), first?.kid ?? '')).toBe('previous');
    await within(async () => headOf((await signUpMember(app)).session.access_token).kid).toBe(standby?.kid);
    expect(await statuses(app, member.session.access_token)).toEqual(works);

    await revoke(app.ref, first?.kid ?? '');
    await within(() => statuses(app, member.session.access_token)).toEqual(refused);
    expect((await jwksOf(app)).map(({ kid }) => kid)).toEqual([standby?.kid]);
    // The session continues: its refresh token gets an access token that is signed with the current key.
    const { data, error } = await clientOf(app).auth.refreshSession(member.session);
    expect(error).toBeNull();
    expect(headOf(data.session?.access_token ?? '').kid).toBe(standby?.kid);
    expect(await statuses(app, data.session?.access_token ?? '')).toEqual(works);
  });

  it('creates a key if there is no standby key, and parallel rotations leave one current key', async () => {
    const app = await createApp(node);
    await Promise.all(Array.from({ length: 5 }, () => rotate(app.ref)));
    const keys = await keysOf(app.ref);
    expect(keys.filter(({ state }) => state === 'current')).toHaveLength(1);
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length);
  });

  it('makes a previous key current but not a revoked one, and refuses to revoke the current key', async () => {
    const app = await createApp(node);
    const [first] = await keysOf(app.ref);
    await rotate(app.ref);
    expect(stateOf(await rotate(app.ref, first?.kid), first?.kid ?? '')).toBe('current');
    expect(await refusalOf(revoke(app.ref, first?.kid ?? ''))).toBe('signing_key_current');
    const second = (await keysOf(app.ref)).find(({ alg, state }) => alg === 'ES256' && state === 'previous');
    await revoke(app.ref, second?.kid ?? '');
    expect(await refusalOf(rotate(app.ref, second?.kid))).toBe('signing_key_revoked');
    expect(await refusalOf(rotate(app.ref, 'nobody'))).toBe('signing_key_unknown');
  });
});

describe('an API key', () => {
  const end = (ref: string, id: string) => admin<ApiKeyEntry[]>(node, 'POST', `${apiKeysPath(ref)}/${id}/revoke`);
  const replace = (ref: string, id: string) => admin<CreatedApiKey>(node, 'POST', `${apiKeysPath(ref)}/${id}/rotate`);
  /** Returns the roles that the workers give to a key in either header, or the error codes. */
  const rolesOf = async (app: AppConnection, key: string): Promise<string[]> => {
    const headers = [
      { apikey: key },
      { authorization: `Bearer ${key}` },
      { apikey: key, authorization: `Bearer ${key}` },
    ];
    const answers = await Promise.all(
      headers.map((each) => send(node.url, `/apps/${app.ref}/rest/v1/rpc/me`, { headers: each, ownConnection: true })),
    );
    return answers.map(({ status, body }) => (status === 200 ? JSON.parse(body) : JSON.parse(body).code));
  };
  const thrice = (text: string) => [text, text, text];

  it('gives access to all rows until a builder revokes it, on every worker within a second, and other keys keep working', async () => {
    const app = await createAppWith(node, ME);
    const [one, two] = [await createApiKey(app.ref, 'Worker'), await createApiKey(app.ref, 'Reports')];
    await within(() => rolesOf(app, one.key)).toEqual(thrice('service_role'));
    await end(app.ref, one.id);
    await within(() => rolesOf(app, one.key)).toEqual(thrice('key_revoked'));
    expect(await rolesOf(app, two.key)).toEqual(thrice('service_role'));
    expect(await rolesOf(app, app.secret_key)).toEqual(thrice('service_role'));
    expect(await refusalOf(end(app.ref, one.id))).toBe('api_key_unknown');

    const fresh = await replace(app.ref, two.id);
    expect(fresh.name).toBe('Reports');
    await within(() => rolesOf(app, two.key)).toEqual(thrice('key_revoked'));
    expect(await rolesOf(app, fresh.key)).toEqual(thrice('service_role'));
  });

  it.each([
    ['secret', 'secret_key'],
    ['service_role', 'service_role_key'],
    ['anon', 'anon_key'],
  ] as const)('is rejected after it was revoked, also if the app was created with it: %s', async (id, field) => {
    const app = await createAppWith(node, ME);
    const key = app[field];
    expect((await rolesOf(app, key))[0]).toBe(id === 'anon' ? 'anon' : 'service_role');
    await end(app.ref, id);
    await within(() => rolesOf(app, key)).toEqual(thrice('key_revoked'));
    const auth = await send(node.url, `/apps/${app.ref}/auth/v1/settings`, { headers: { apikey: key } });
    expect(auth.status).toBe(401);
    expect(await refusalOf(admin(node, 'POST', `${apiKeysPath(app.ref)}/${id}/reveal`))).toBe('api_key_unknown');
    const connection = await admin<AppConnection>(node, 'GET', `/apps/${app.ref}/connection`);
    expect(JSON.stringify(connection)).not.toContain(key);
    expect(await rolesOf(app, app.publishable_key)).toEqual(thrice('anon'));
  });

  it('cannot be revoked if it is publishable, but can be rotated', async () => {
    const app = await createAppWith(node, ME);
    expect(await refusalOf(end(app.ref, 'publishable'))).toBe('api_key_needed');
    expect(await refusalOf(replace(app.ref, 'anon'))).toBe('api_key_older_kind');
    const fresh = await replace(app.ref, 'publishable');
    await within(() => rolesOf(app, app.publishable_key)).toEqual(thrice('key_revoked'));
    expect(await rolesOf(app, fresh.key)).toEqual(thrice('anon'));
    const connection = await admin<AppConnection>(node, 'GET', `/apps/${app.ref}/connection`);
    expect(connection.publishable_key).toBe(fresh.key);
    expect(await refusalOf(end(app.ref, fresh.id))).toBe('api_key_needed');
  });
});

describe('the revoked shared secret', () => {
  it('verifies no token, and the legacy keys anon and service_role, which it signed, are rejected', async () => {
    const app = await createAppWith(node, ME);
    const token = hs256({ alg: 'HS256', typ: 'JWT' }, app.jwt_secret);
    for (const good of [token, app.service_role_key, app.anon_key]) expect(await statuses(app, good)).toEqual(works);
    await revoke(app.ref, 'jwt-secret');
    for (const gone of [token, app.service_role_key, app.anon_key]) {
      await within(() => statuses(app, gone)).toEqual(refused);
    }
    expect(await statuses(app, hs256({ alg: 'HS256', kid: 'jwt-secret' }, app.jwt_secret))).toEqual(refused);
    expect(await statuses(app, hs256({ alg: 'HS256' }, ''))).toEqual(refused);
    expect(await statuses(app, app.secret_key)).toEqual(works);
    expect((await signUpMember(app)).session.access_token).toBeTruthy();
  });
});

describe('an imported key', () => {
  let app: AppConnection;
  let other: AppConnection;
  const secret = randomBytes(32);
  beforeAll(async () => {
    [app, other] = await Promise.all([createAppWith(node, ME), createAppWith(node, ME)]);
    await add(app.ref, {
      jwk: {
        keys: [
          privateJwk('ES256', 'es'),
          privateJwk('RS256', 'rs'),
          privateJwk('EdDSA', 'ed'),
          { kty: 'oct', k: secret.toString('base64url'), kid: 'hs' },
        ],
      },
    });
    await vi.waitFor(async () => expect(await jwksOf(app)).toHaveLength(4));
  });

  it.each([
    ['ES256', () => signed('ES256', 'es', pairs.ES256.privateKey)],
    ['RS256', () => signed('RS256', 'rs', pairs.RS256.privateKey)],
    ['EdDSA', () => signed('EdDSA', 'ed', pairs.EdDSA.privateKey)],
    ['HS256', () => hs256({ alg: 'HS256', kid: 'hs' }, secret)],
  ])('of %s verifies its tokens, and no other app accepts them', async (_, token) => {
    expect(await statuses(app, token())).toEqual(works);
    expect(await statuses(other, token())).toEqual(refused);
  });

  it.each(['es', 'rs', 'ed', 'hs'])('signs new tokens when it is current: %s', async (kid) => {
    await rotate(app.ref, kid);
    await within(async () => headOf((await signUpMember(app)).session.access_token).kid).toBe(kid);
    expect(await statuses(app, (await signUpMember(app)).session.access_token)).toEqual(works);
  });

  const spki = (alg: keyof typeof pairs, format: 'pem' | 'der') =>
    pairs[alg].publicKey.export({ type: 'spki', format: format as 'pem' });
  it.each<[string, () => string]>([
    [
      'HS256 with the public key of an RS256 key, in PEM, under its id',
      () => hs256({ alg: 'HS256', kid: 'rs' }, spki('RS256', 'pem')),
    ],
    [
      'HS256 with the public key of an RS256 key, in DER, under its id',
      () => hs256({ alg: 'HS256', kid: 'rs' }, spki('RS256', 'der')),
    ],
    ['HS256 with the public key of an ES256 key under no id', () => hs256({ alg: 'HS256' }, spki('ES256', 'pem'))],
    ['HS256 with the id of the key as secret', () => hs256({ alg: 'HS256', kid: 'hs' }, 'hs')],
    [
      'HS256 with the shared secret under the id of another key',
      () => hs256({ alg: 'HS256', kid: 'hs' }, app.jwt_secret),
    ],
    ['HS256 with an imported secret under no id', () => hs256({ alg: 'HS256' }, secret)],
    [
      'HS256 with an imported secret under the id of the shared one',
      () => hs256({ alg: 'HS256', kid: 'jwt-secret' }, secret),
    ],
    ['an RS256 token that says ES256', () => signed('ES256', 'rs', pairs.RS256.privateKey)],
    ['an RS256 token that says PS256', () => signed('PS256', 'rs', pairs.RS256.privateKey)],
    ['an EdDSA token under the id of an ES256 key', () => signed('EdDSA', 'es', pairs.EdDSA.privateKey)],
    ['an ES256 token under the id of an EdDSA key', () => signed('ES256', 'ed', pairs.ES256.privateKey)],
    ['an ES256 token under no id', () => signed('ES256', undefined, pairs.ES256.privateKey)],
    ['an ES256 token under an unknown id', () => signed('ES256', 'es2', pairs.ES256.privateKey)],
    ['an ES256 token under its id in another letter case', () => signed('ES256', 'ES', pairs.ES256.privateKey)],
    ['a key id that is a path', () => signed('ES256', '../es', pairs.ES256.privateKey)],
    [
      'a key id that is a property of every JavaScript object',
      () => signed('ES256', '__proto__', pairs.ES256.privateKey),
    ],
    ['no algorithm', () => `${encode({ alg: 'none', kid: 'es' })}.${encode(claims())}.`],
  ])('does not verify a token that names another key or another algorithm: %s', async (_, token) => {
    expect(await statuses(app, token())).toEqual(refused);
  });

  it('is refused if it is not a private key, weak or inconsistent', async () => {
    const { d: _, ...publicOnly } = privateJwk('ES256');
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });
    const mixed = {
      ...privateJwk('ES256'),
      d: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }).d,
    };
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' });
    for (const jwk of [
      publicOnly,
      weak,
      mixed,
      curve,
      {},
      { keys: [] },
      { keys: [privateJwk('RS256', 'fine'), publicOnly] },
      { kty: 'oct', k: randomBytes(16).toString('base64url') },
      { ...privateJwk('ES256'), alg: 'HS256' },
      { ...privateJwk('ES256'), use: 'enc' },
      { ...privateJwk('ES256'), kid: 'jwt-secret' },
      { ...privateJwk('ES256'), kid: 'a"b' },
      { ...privateJwk('ES256'), x: 'AAAA' },
    ]) {
      expect(await refusalOf(add(app.ref, { jwk })), JSON.stringify(Object.keys(jwk))).toBe('signing_key_invalid');
    }
    expect(await refusalOf(add(app.ref, { jwk: privateJwk('RS256', 'es') }))).toBe('signing_key_exists');
    expect((await keysOf(app.ref)).map(({ kid }) => kid)).not.toContain('fine');
  });

  it('is shown only by its public half, and only to owners of the app', async () => {
    const shown = JSON.stringify([await keysOf(app.ref), await jwksOf(app)]);
    const privateParts = [privateJwk('ES256').d, privateJwk('RS256').d, privateJwk('RS256').p, privateJwk('EdDSA').d];
    for (const part of [...privateParts, secret.toString('base64url')]) expect(shown).not.toContain(part);
    expect(
      (await jwksOf(app)).flatMap((key) => Object.keys(key)).filter((name) => /^(d|p|q|dp|dq|qi|k)$/.test(name)),
    ).toEqual([]);
    const headers = { apikey: app.secret_key, authorization: `Bearer ${app.secret_key}` };
    expect((await send(node.url, `/admin/v1/apps/${app.ref}/keys`, { headers })).status).toBe(401);
  });
});

it('an app limits the number of its signing keys, and a new key replaces a revoked one', async () => {
  const app = await createApp(node);
  const max = limits.signingKeys.default;
  for (let count = 2; count < max; count++) await add(app.ref, {});
  expect(await refusalOf(add(app.ref, {}))).toBe('signing_keys_full');
  const [newest] = await keysOf(app.ref);
  await revoke(app.ref, newest?.kid ?? '');
  await add(app.ref, {});
  expect(await keysOf(app.ref)).toHaveLength(max);
});

it('the list of API keys contains the day of their last use, and no key', async () => {
  const { app, made } = counted;
  const today = new Date().toISOString().slice(0, 10);
  const days = async () =>
    Object.fromEntries((await listApiKeys(app.ref)).map(({ id, last_used_on: day }) => [id, day]));
  await expect
    .poll(days, { timeout: 4 * limits.observationFlushMilliseconds.default })
    .toEqual({ publishable: today, secret: null, anon: null, service_role: null, [made.id]: today });
  const listed = JSON.stringify(await listApiKeys(app.ref));
  for (const key of [made.key, app.secret_key, app.service_role_key]) expect(listed).not.toContain(key);
});
