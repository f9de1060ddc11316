import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, type CallOptions, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-members', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => app.reset());
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const password = 'correct horse';

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const signIn = (email: string, secret: string, options: CallOptions = {}) =>
  app.ask('POST', '/token?grant_type=password', { ...options, body: { email, password: secret } });

describe('GET and PUT /user', () => {
  it('read and change the attributes of the member who calls', async () => {
    const { client, email, user } = await app.member(password);
    expect((await client.auth.getUser()).data.user).toMatchObject({ id: user.id, email });
    const { data } = await client.auth.updateUser({ data: { theme: 'dark', list: [1, { a: null }] } });
    expect(data.user?.user_metadata).toMatchObject({ theme: 'dark', list: [1, { a: null }] });
    const { data: without } = await client.auth.updateUser({ data: { theme: null } });
    expect(without.user?.user_metadata).not.toHaveProperty('theme');
    expect(without.user?.user_metadata).toHaveProperty('list');
  });

  it('store a new address as new_email until it is confirmed', async () => {
    const { client, email } = await app.member(password);
    const next = uniqueEmail();
    const { data } = await client.auth.updateUser({ email: next.toUpperCase() });
    expect(data.user).toMatchObject({ email, new_email: next });
  });

  it('refuse the address of another account', async () => {
    const [one, two] = [await app.member(password), await app.member(password)];
    expect((await two.client.auth.updateUser({ email: one.email })).error).toMatchObject({
      code: 'email_exists',
      status: 422,
    });
  });

  it('let the member change neither the role nor app_metadata, and refuse metadata that exceeds the limit', async () => {
    const { client, session } = await app.member(password);
    const headers = bearer(session.access_token);
    const call = (body: unknown) => app.ask('PUT', '/user', { headers, body });
    expect(await call({ app_metadata: { admin: true } })).toMatchObject({ status: 403, body: { code: 'not_admin' } });
    expect(await call({ role: 'service_role' })).toMatchObject({ status: 200, body: { role: 'authenticated' } });
    expect((await client.auth.updateUser({ data: { a: 'x'.repeat(9000) } })).error).toBeNull();
    expect((await client.auth.updateUser({ data: { b: 'x'.repeat(9000) } })).error?.code).toBe('validation_failed');
  });

  it('end the other sessions when the password changes, and keep the session of the request', async () => {
    const { client, email, session } = await app.member(password);
    const other = app.client();
    const { data: second } = await other.auth.signInWithPassword({ email, password });
    expect((await client.auth.updateUser({ password })).error).toMatchObject({ code: 'same_password', status: 422 });
    expect((await client.auth.updateUser({ password: 'short' })).error?.code).toBe('weak_password');
    expect((await client.auth.updateUser({ password: 'another secret' })).error).toBeNull();
    expect((await app.ask('GET', '/user', { headers: bearer(session.access_token) })).status).toBe(200);
    expect(await app.ask('GET', '/user', { headers: bearer(second.session?.access_token ?? '') })).toMatchObject({
      status: 403,
      body: { code: 'session_not_found' },
    });
    expect((await signIn(email, password)).status).toBe(400);
    expect((await signIn(email, 'another secret')).status).toBe(200);
  });

  it.each([
    ['no token', {}, 401, 'no_authorization'],
    ['another scheme', { authorization: 'Basic YTpi' }, 401, 'no_authorization'],
    ['no scheme', { authorization: 'x' }, 401, 'no_authorization'],
    ['a blank in the token', { authorization: 'Bearer a b' }, 401, 'no_authorization'],
    ['an empty token', { authorization: 'Bearer ' }, 401, 'no_authorization'],
    ['a broken token', { authorization: 'Bearer a.b.c' }, 403, 'bad_jwt'],
  ])('refuse a caller with %s', async (_, headers, status, code) => {
    expect(await app.ask('GET', '/user', { headers })).toMatchObject({ status, body: { code } });
  });

  it('refuse an expired access token, and accept the token that a refresh returned', async () => {
    const { session } = await app.member(password);
    expect((await app.ask('GET', '/user', { headers: bearer(session.access_token) })).status).toBe(200);
    app.clockOffset = 3_600_000;
    expect(await app.ask('GET', '/user', { headers: bearer(session.access_token) })).toMatchObject({
      status: 403,
      body: { code: 'bad_jwt', message: expect.stringContaining('token is expired') },
    });
    const { body } = await app.ask('POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: session.refresh_token },
    });
    expect((await app.ask('GET', '/user', { headers: bearer(String(body.access_token)) })).status).toBe(200);
  });

  it('refuse a key as bearer token', async () => {
    for (const key of [app.keys.publishableKey, app.keys.anonKey, app.keys.serviceRoleKey]) {
      expect(await app.ask('GET', '/user', { headers: bearer(key) })).toMatchObject({
        status: 403,
        body: { code: 'bad_jwt' },
      });
    }
  });
});

describe('POST /logout', () => {
  const works = async (token: string) => (await app.ask('GET', '/user', { headers: bearer(token) })).status === 200;

  async function threeSessions() {
    const { email, session } = await app.member(password);
    const more = await Promise.all([1, 2].map(() => app.client().auth.signInWithPassword({ email, password })));
    const tokens = [session.access_token, ...more.map(({ data }) => data.session?.access_token ?? '')];
    expect(await Promise.all(tokens.map(works))).toEqual([true, true, true]);
    return tokens as [string, string, string];
  }

  it.each([
    ['local', [false, true, true]],
    ['others', [true, false, false]],
    ['global', [false, false, false]],
    ['', [false, false, false]],
  ])('ends the sessions of the scope %j with their access tokens', async (scope, expected) => {
    const tokens = await threeSessions();
    const ended = app.heard((payload) => payload.includes('revoked'));
    const reply = await app.call('POST', `/logout?scope=${scope}`, { headers: bearer(tokens[0]) });
    expect([reply.status, reply.body]).toEqual([204, null]);
    await ended;
    expect(await Promise.all(tokens.map(works))).toEqual(expected);
  });

  it('refuses an unknown scope and a session that has ended', async () => {
    const { client, session } = await app.member(password);
    const headers = bearer(session.access_token);
    expect(await app.ask('POST', '/logout?scope=mine', { headers })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
    const ended = app.heard((payload) => payload.includes('revoked'));
    expect((await client.auth.signOut()).error).toBeNull();
    await ended;
    expect(await app.ask('POST', '/logout', { headers })).toMatchObject({
      status: 403,
      body: { code: 'session_not_found' },
    });
  });
});
