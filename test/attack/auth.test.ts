import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { uniqueEmail } from '../support/unique.ts';

const node = inject('node');
let app: AppConnection;
beforeAll(async () => {
  app = await createApp(node);
});

const ask = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  fetch(`${app.url}/auth/v1${path}`, init);

const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  ask(path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', apikey: app.publishable_key, ...headers },
  });

/** Expects a 4xx with a code and a request id, and without internal details. */
async function expectRefusal(reply: Response): Promise<string> {
  const text = await reply.text();
  expect(reply.status, text).toBeGreaterThanOrEqual(400);
  expect(reply.status, text).toBeLessThan(500);
  expect(reply.headers.get('x-request-id')).toBeTruthy();
  expect(text).not.toMatch(/select |insert |auth\.users|node:internal|\.ts:\d/i);
  const body = JSON.parse(text);
  expect(body.error_code ?? body.code).toMatch(/^[A-Za-z0-9_]+$/);
  return body.error_code ?? body.code;
}

describe('POST with a hostile body', () => {
  const paths = ['/signup', '/token?grant_type=password', '/token?grant_type=refresh_token', '/verify', '/resend'];
  const hostile: [string, string | Uint8Array][] = [
    ['nothing', ''],
    ['invalid JSON', '{"email":'],
    ['a list', '[]'],
    ['a number', '7'],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
    ['deep nesting', `{"email":${'['.repeat(200_000)}`],
    ['deep but well-formed nesting', `{"data":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_001)}`],
    ['wrong types', '{"email":{"a":1},"password":[1],"refresh_token":true}'],
    ['NUL', '{"email":"a\\u0000@b.c","password":"correct horse","refresh_token":"a\\u0000bcdefghijkl"}'],
    ['broken surrogates', '{"email":"a@b.c","password":"\\ud800correct","refresh_token":"\\ud800bcdefghijkl"}'],
    ['SQL', `{"email":"' or 1=1; drop table auth.users; --","password":"' or '1'='1","refresh_token":"' or '1'='1"}`],
    ['a key __proto__', '{"__proto__":{"email":"a@b.c","password":"correct horse"},"constructor":{"prototype":{}}}'],
    [
      'a line break and a header in an address',
      '{"email":"a@b.c\\r\\nx-evil: 1","password":"wrong horse","refresh_token":"x\\r\\ny"}',
    ],
    ['UTF-16', Buffer.from('{"email":"a@b.c"}', 'utf16le')],
    [
      'a body above the size limit',
      JSON.stringify({ email: 'a@b.c', password: 'x'.repeat(limits.authBodyBytes.default) }),
    ],
    [
      'a very long password',
      JSON.stringify({ email: 'a@b.c', password: 'x'.repeat(12_000), refresh_token: 'x'.repeat(12_000) }),
    ],
  ];
  it.each(hostile)('responds to the hostile body with a 4xx: %s', async (_, body) => {
    for (const path of paths) await expectRefusal(await post(path, body));
  });

  it('reaches no admin call with a member’s key', async () => {
    for (const [, body] of hostile) {
      const reply = await post('/admin/users', body);
      expect(await expectRefusal(reply)).toBe(reply.status === 413 ? 'request_entity_too_large' : 'not_admin');
    }
  });

  it('gets a 4xx from the admin calls with the secret key too', async () => {
    for (const [, body] of hostile) await expectRefusal(await post('/admin/users', body, { apikey: app.secret_key }));
  });
});

describe('requests with a hostile path or query', () => {
  it.each([
    '/admin/users/%00',
    '/admin/users/..%2f..%2fsettings',
    "/admin/users/1'%20or%20'1'='1",
    '/admin/users/%ff',
    '/admin/users/%',
    '/admin/users?page=1e99',
    '/admin/users?per_page=-1',
    '/admin/users?sort=created_at;drop%20table%20x',
    '/user/../admin/users/x',
    '/%61dmin/users/x',
    '//admin/users',
    '/.well-known/../../rest/v1/',
  ])('get a 4xx: %s', async (path) => {
    await expectRefusal(await ask(path, { headers: { apikey: app.secret_key } }));
  });

  it('find no account by SQL or wildcards in the parameter filter', async () => {
    for (const filter of ["%' or true --", '%', '_', '\\', "'; select pg_sleep(9); --", '\0']) {
      const reply = await ask(`/admin/users?filter=${encodeURIComponent(filter)}x`, {
        headers: { apikey: app.secret_key },
      });
      expect([reply.status, ((await reply.json()) as { users: unknown[] }).users]).toEqual([200, []]);
    }
  });
});

describe('forged tokens', () => {
  it('are rejected in every header', async () => {
    const { session } = await signUpMember(app);
    const [head = '', body = '', signature = ''] = session.access_token.split('.');
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    const admin = encode({ ...claims, role: 'service_role' });
    const forged = [
      `${encode({ alg: 'none', typ: 'JWT' })}.${admin}.`,
      `${encode({ alg: 'none', typ: 'JWT' })}.${admin}`,
      `${head}.${admin}.${signature}`,
      `${head}.${admin}.`,
      `${encode({ alg: 'HS256', kid: JSON.parse(Buffer.from(head, 'base64url').toString()).kid })}.${admin}.${signature}`,
      `${encode({ alg: 'ES256', jwk: { kty: 'EC' } })}.${admin}.${signature}`,
      `${encode({ alg: 'ES256', kid: '../../etc/passwd' })}.${admin}.${signature}`,
      `${head}.${body}.${'A'.repeat(86)}`,
      'a.b.c',
      '..',
      'null',
      '[object Object]',
      'x'.repeat(9000),
    ];
    for (const token of forged) {
      for (const headers of [{ authorization: `Bearer ${token}` }, { apikey: token }] as Record<string, string>[]) {
        await expectRefusal(await ask('/admin/users', { headers }));
        await expectRefusal(await ask('/user', { headers }));
        await expectRefusal(await fetch(`${app.url}/rest/v1/rpc/nothing`, { headers }));
      }
    }
  });
});

describe('a thousand failed sign-ins', () => {
  it('are stopped at the limit, and other accounts and the server work as before', async () => {
    const victim = await signUpMember(app);
    const statuses: number[] = [];
    const attempt = async () => {
      const reply = await post(
        '/token?grant_type=password',
        JSON.stringify({ email: victim.email, password: 'a wrong guess' }),
      );
      statuses.push(reply.status);
      await expectRefusal(reply);
      if (reply.status === 429) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    };
    for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 20 }, attempt));
    const answered = statuses.filter((status) => status === 400).length;
    expect(answered).toBeGreaterThanOrEqual(1);
    expect(answered).toBeLessThanOrEqual(limits.signInFailuresPerAccount.default);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1000 - answered);
    const { error } = await clientOf(app).auth.signInWithPassword({ email: victim.email, password: victim.password });
    expect(error?.code).toBe('over_request_rate_limit');
    expect((await victim.client.auth.getUser()).error).toBeNull();
    expect((await clientOf(app).auth.signUp({ email: uniqueEmail(), password: 'correct horse' })).error).toBeNull();
    const { results } = await runSql(node, app.ref, 'select count(*) from auth.users');
    expect(Number(results[0]?.rows[0]?.[0])).toBeGreaterThanOrEqual(2);
  });
});
