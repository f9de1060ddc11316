import { createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';

/** A caller who makes the server misinterpret a token or a key reads the rows of other people. */
const node = inject('node');
let app: AppConnection;
let other: AppConnection;
let member: Member;
let kid: string;
let publicPem: string;
let publicDer: Buffer;
let publicPoint: Buffer;
let publicJwk: Record<string, string>;

beforeAll(async () => {
  [app, other] = await Promise.all([createApp(node), createApp(node)]);
  for (const each of [app, other]) {
    await runSql(
      node,
      each.ref,
      `create table public.notes (id int primary key, owner uuid default auth.uid(), body text);
       create function public.me() returns text language sql stable return auth.role();
       alter table public.notes enable row level security;
       create policy own on public.notes to authenticated using (owner = auth.uid());
       insert into public.notes values (1, null, 'nobody''s')`,
    );
  }
  member = await signUpMember(app);
  const jwks = JSON.parse((await ask('/auth/v1/.well-known/jwks.json', {})).body);
  publicJwk = jwks.keys[0];
  kid = publicJwk.kid ?? '';
  const { kty = '', crv = '', x = '', y = '' } = publicJwk;
  const publicKey = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  publicDer = publicKey.export({ type: 'spki', format: 'der' });
  publicPoint = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
});

const ask = (path: string, headers: Record<string, string>, of = app, ownConnection = false): Promise<HttpResponse> =>
  send(node.url, `/apps/${of.ref}${path}`, { headers, ownConnection });

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const now = () => Math.floor(Date.now() / 1000);
const claimsOf = (more: object = {}) => ({
  role: 'service_role',
  aud: 'authenticated',
  exp: now() + 600,
  iat: now(),
  ...more,
});
const hs256 = (header: unknown, claims: unknown, secret: string | Buffer) => {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
};
const HS = { alg: 'HS256', typ: 'JWT' };

/** Expects that the token is rejected at every place that accepts tokens. `what` describes the token in failures. */
async function expectOpensNothing(token: string, what: string): Promise<void> {
  for (const headers of [
    { apikey: app.anon_key, authorization: `Bearer ${token}` },
    { authorization: `Bearer ${token}` },
    { apikey: token },
  ]) {
    for (const path of ['/rest/v1/notes', '/auth/v1/admin/users'])
      expectRefusal(await ask(path, headers), `${what}: ${path}`);
  }
  expectRefusal(await ask('/auth/v1/user', { apikey: app.anon_key, authorization: `Bearer ${token}` }), what);
  expect(expectRefusal(await send(node.url, '/admin/v1/apps', { headers: { authorization: `Bearer ${token}` } }))).toBe(
    'operator_required',
  );
}

it('a correctly signed token has the access of its role', async () => {
  const token = hs256(HS, claimsOf(), app.jwt_secret);
  expect(await ask('/rest/v1/notes?select=id', { authorization: `Bearer ${token}` })).toMatchObject({
    status: 200,
    body: '[{"id":1}]',
  });
});

describe('forged signatures', () => {
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const es256 = (header: object, key = stranger.privateKey) => {
    const input = `${encode(header)}.${encode(claimsOf())}`;
    return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  };
  const real = () => member.session.access_token.split('.') as [string, string, string];
  const forged: [string, () => string][] = [
    ['alg none', () => `${encode({ alg: 'none' })}.${encode(claimsOf())}.`],
    ['alg None', () => `${encode({ alg: 'None', kid })}.${encode(claimsOf())}.`],
    ['alg none with a signature', () => hs256({ alg: 'none' }, claimsOf(), app.jwt_secret)],
    ['no parameter alg', () => hs256({ typ: 'JWT' }, claimsOf(), app.jwt_secret)],
    ['alg in lower case', () => hs256({ alg: 'hs256' }, claimsOf(), app.jwt_secret)],
    ['alg HS512', () => hs256({ alg: 'HS512' }, claimsOf(), app.jwt_secret)],
    ['alg as a list', () => hs256({ alg: ['HS256'] }, claimsOf(), app.jwt_secret)],
    ['the public key as HS256 secret', () => hs256({ ...HS, kid }, claimsOf(), publicPem)],
    ['the public key as HS256 secret, without kid', () => hs256(HS, claimsOf(), publicPem)],
    ['the public key in DER as HS256 secret', () => hs256({ ...HS, kid }, claimsOf(), publicDer)],
    ['the point of the public key as HS256 secret', () => hs256({ ...HS, kid }, claimsOf(), publicPoint)],
    ['the JWK as HS256 secret', () => hs256({ ...HS, kid }, claimsOf(), JSON.stringify(publicJwk))],
    ['an empty secret', () => hs256(HS, claimsOf(), '')],
    ['the secret of another app', () => hs256(HS, claimsOf(), other.jwt_secret)],
    ['an API key as the secret', () => hs256(HS, claimsOf(), app.publishable_key)],
    ['the key pair’s kid on HS256', () => hs256({ ...HS, kid }, claimsOf(), app.jwt_secret)],
    ['a stranger’s key pair', () => es256({ alg: 'ES256', kid })],
    [
      'a stranger’s key in the parameter jwk',
      () => es256({ alg: 'ES256', kid, jwk: stranger.publicKey.export({ format: 'jwk' }) }),
    ],
    ['a stranger’s key at the URL in jku', () => es256({ alg: 'ES256', kid, jku: 'http://127.0.0.1:1/jwks.json' })],
    ['a stranger’s key at x5u', () => es256({ alg: 'ES256', kid, x5u: 'http://127.0.0.1:1/x.pem', x5c: ['AAAA'] })],
    ['a kid that is a path', () => es256({ alg: 'ES256', kid: '../../../../dev/null' })],
    ['a kid that is SQL', () => es256({ alg: 'ES256', kid: `' union select 'x` })],
    ['a kid that every object has', () => es256({ alg: 'ES256', kid: '__proto__' })],
    ['a kid with a NUL', () => es256({ alg: 'ES256', kid: `${kid}\0` })],
    ['alg twice', () => hs256('{"alg":"HS256","typ":"JWT","alg":"none"}', claimsOf(), app.jwt_secret)],
    ['a kid that is a list', () => es256({ alg: 'ES256', kid: [kid] })],
    [
      'a signature of zeros',
      () => `${encode({ alg: 'ES256', kid })}.${encode(claimsOf())}.${Buffer.alloc(64).toString('base64url')}`,
    ],
    ['an empty signature', () => `${real()[0]}.${real()[1]}.`],
    ['another payload under a valid signature', () => `${real()[0]}.${encode(claimsOf())}.${real()[2]}`],
    [
      'a signature in DER',
      () => {
        const input = `${real()[0]}.${real()[1]}`;
        return `${input}.${sign('sha256', Buffer.from(input), stranger.privateKey).toString('base64url')}`;
      },
    ],
    ['a signature with padding', () => `${real().join('.')}==`],
    ['a signature with additional characters', () => `${real().join('.')}AAAA`],
    [
      'a signature in base64 instead of base64url',
      () => `${real()[0]}.${real()[1]}.${real()[2].replaceAll('-', '+').replaceAll('_', '/')}=`,
    ],
    ['crit', () => hs256({ ...HS, crit: ['exp'], exp: 1 }, claimsOf(), app.jwt_secret)],
    ['b64 false', () => hs256({ ...HS, b64: false, crit: ['b64'] }, claimsOf(), app.jwt_secret)],
    ['four parts instead of three', () => `${hs256(HS, claimsOf(), app.jwt_secret)}.x`],
    ['two parts', () => hs256(HS, claimsOf(), app.jwt_secret).split('.').slice(0, 2).join('.')],
    ['an encrypted token', () => `${encode({ alg: 'dir', enc: 'A256GCM' })}..AAAA.AAAA.AAAA`],
    ['a header of invalid JSON', () => hs256('{"alg":"HS256"', claimsOf(), app.jwt_secret)],
    ['nothing', () => '..'],
    ['a huge token', () => hs256(HS, claimsOf({ filler: 'x'.repeat(18_000) }), 'wrong')],
  ];
  it.each(forged)('are rejected at every place that accepts tokens: %s', async (what, token) => {
    await expectOpensNothing(token(), what);
  });
});

describe('signed tokens with unacceptable claims', () => {
  it.each([
    ['expired', { exp: now() - 60 }],
    ['expired long ago', { exp: -1 }],
    ['not yet valid', { nbf: now() + 600 }],
    ['issued in the future', { iat: now() + 600 }],
    ['exp as a string', { exp: '9999999999' }],
    ['exp as an object', { exp: {} }],
    ['nbf as a list', { nbf: [0] }],
  ])('are rejected at every place that accepts tokens: %s', async (what, claims) => {
    await expectOpensNothing(hs256(HS, claimsOf(claims), app.jwt_secret), what);
  });

  it.each([
    ['a list', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['a number', '1'],
    ['invalid JSON', '{"role":'],
    ['nothing', ''],
  ])('are rejected if the payload is %s', async (what, payload) => {
    await expectOpensNothing(hs256(HS, payload, app.jwt_secret), what);
  });

  it('have the last value of a repeated claim, for the server and for SQL', async () => {
    const token = hs256(HS, `{"role":"service_role","exp":${now() + 60},"role":"anon"}`, app.jwt_secret);
    const response = await ask('/rest/v1/rpc/me', { authorization: `Bearer ${token}` });
    expect([response.status, response.body]).toEqual([200, '"anon"']);
  });

  it.each([
    'ninefold',
    'postgres',
    'authenticator_',
    'pg_read_server_files',
    'pg_read_all_data',
    'nobody-at-all',
    `anon"; drop table public.notes; --`,
    `anon'; set role service_role; --`,
    'anon, service_role',
    'SERVICE_ROLE',
    ' service_role',
    'service_role\0',
    '',
    'x'.repeat(5000),
    ['service_role'],
    { role: 'service_role' },
    5,
    true,
  ])('are rejected with the role %j', async (role) => {
    const token = hs256(HS, claimsOf({ role }), app.jwt_secret);
    expectRefusal(await ask('/rest/v1/notes', { authorization: `Bearer ${token}` }), String(role).slice(0, 50));
    expectRefusal(await ask('/auth/v1/admin/users', { authorization: `Bearer ${token}` }));
  });

  it('are rejected with the roles of the app’s owner and of other apps', async () => {
    for (const role of [`app_${app.ref}`, `app_${other.ref}`, `app_${other.ref}_authenticator`, 'app_console']) {
      const token = hs256(HS, claimsOf({ role }), app.jwt_secret);
      expectRefusal(await ask('/rest/v1/notes', { authorization: `Bearer ${token}` }), role);
    }
  });

  it('are rejected with the role none', async () => {
    const token = hs256(HS, claimsOf({ role: 'none' }), app.jwt_secret);
    expectRefusal(await ask('/rest/v1/notes', { authorization: `Bearer ${token}` }));
  });
});

describe('keys and tokens of another app', () => {
  it('are rejected as keys', async () => {
    for (const key of [other.publishable_key, other.secret_key, other.anon_key, other.service_role_key]) {
      await expectOpensNothing(key, key.slice(0, 20));
    }
  });

  it('are rejected as access tokens, with or without this app’s key', async () => {
    const stranger = await signUpMember(other);
    await expectOpensNothing(stranger.session.access_token, 'a member of another app');
  });

  it('are rejected as refresh tokens, and stay valid in their own app', async () => {
    const stranger = await signUpMember(other);
    const refresh = (of: AppConnection) =>
      send(node.url, `/apps/${of.ref}/auth/v1/token?grant_type=refresh_token`, {
        method: 'POST',
        headers: { apikey: of.anon_key, 'content-type': 'application/json' },
        body: JSON.stringify({ refresh_token: stranger.session.refresh_token }),
      });
    expect(expectRefusal(await refresh(app))).toBe('refresh_token_not_found');
    expect((await refresh(other)).status).toBe(200);
  });

  it('are rejected even if the other header contains a key or token of this app', async () => {
    for (const headers of [
      { apikey: other.secret_key, authorization: `Bearer ${app.anon_key}` },
      { apikey: other.anon_key, authorization: `Bearer ${member.session.access_token}` },
      { apikey: app.anon_key, authorization: `Bearer ${other.service_role_key}` },
      { apikey: `${app.anon_key}, ${app.service_role_key}` },
    ]) {
      for (const path of ['/rest/v1/notes', '/auth/v1/settings', '/auth/v1/admin/users']) {
        if (path === '/auth/v1/settings' && headers.apikey === app.anon_key) continue;
        expectRefusal(await ask(path, headers), JSON.stringify(headers).slice(0, 60));
      }
    }
  });
});

describe('a publishable key or a member’s token', () => {
  it('is rejected by the admin calls', async () => {
    const tries: [string, string, unknown?][] = [
      ['GET', '/auth/v1/admin/users'],
      ['POST', '/auth/v1/admin/users', { email: 'x@example.com', password: 'correct horse' }],
      ['GET', `/auth/v1/admin/users/${'1'.repeat(8)}-1111-4111-8111-111111111111`],
      ['PUT', `/auth/v1/admin/users/${'1'.repeat(8)}-1111-4111-8111-111111111111`, { role: 'service_role' }],
      ['DELETE', `/auth/v1/admin/users/${'1'.repeat(8)}-1111-4111-8111-111111111111`],
    ];
    for (const [method, path, body] of tries) {
      for (const headers of [
        { apikey: app.publishable_key },
        { apikey: app.anon_key, authorization: `Bearer ${app.anon_key}` },
        { apikey: app.anon_key, authorization: `Bearer ${member.session.access_token}` },
      ]) {
        const response = await send(node.url, `/apps/${app.ref}${path}`, {
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        expect(expectRefusal(response, `${method} ${path}`)).toBe('not_admin');
      }
    }
  });
});

describe('a session that has ended', () => {
  const secondSession = async ({ email, password }: Member) => {
    const client = clientOf(app);
    expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull();
    return client;
  };
  const ends: [string, (of: Member) => Promise<unknown>][] = [
    ['by a sign-out', (of) => of.client.auth.signOut()],
    [
      'because SQL deleted the account',
      (of) => runSql(node, app.ref, `delete from auth.users where id = '${of.user.id}'`),
    ],
    [
      'by a ban that SQL set',
      (of) => runSql(node, app.ref, `update auth.users set banned_until = 'infinity' where id = '${of.user.id}'`),
    ],
    [
      'by a new password of another session',
      async (of) => {
        const own = await secondSession(of);
        expect((await own.auth.updateUser({ password: `${of.password}, changed` })).error).toBeNull();
      },
    ],
    [
      'by a second factor of another session',
      async (of) => {
        const { mfa } = (await secondSession(of)).auth;
        const { data } = await mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
        const code = new TOTP({ secret: Secret.fromBase32(data && 'totp' in data ? data.totp.secret : '') }).generate();
        expect((await mfa.challengeAndVerify({ factorId: data?.id ?? '', code })).error).toBeNull();
      },
    ],
    ['by SQL', (of) => runSql(node, app.ref, `delete from auth.sessions where user_id = '${of.user.id}'`)],
    ['by TRUNCATE', () => runSql(node, app.ref, 'truncate auth.sessions cascade')],
  ];
  it.each(ends)('rejects its access token on every worker within a second, if it ended %s', async (_, end) => {
    const ended = await signUpMember(app);
    const headers = { apikey: app.anon_key, authorization: `Bearer ${ended.session.access_token}` };
    const onAllWorkers = () => Promise.all(Array.from({ length: 8 }, () => ask('/rest/v1/notes', headers, app, true)));
    expect((await onAllWorkers()).map(({ status }) => status)).toEqual(Array(8).fill(200));
    await end(ended);
    await expect
      .poll(async () => (await onAllWorkers()).map(({ status }) => status), { timeout: 1000 })
      .toEqual(Array(8).fill(401));
    expectRefusal(await ask('/auth/v1/user', headers));
    const refreshed = await send(node.url, `/apps/${app.ref}/auth/v1/token?grant_type=refresh_token`, {
      method: 'POST',
      headers: { apikey: app.anon_key, 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token: ended.session.refresh_token }),
    });
    expectRefusal(refreshed);
  });
});
