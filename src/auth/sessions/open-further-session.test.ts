import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-elsewhere', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => app.reset());
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const verifier = randomBytes(40).toString('base64url');
const challenge = {
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 's256',
};
const site = 'http://localhost:5173/welcome';

const open = (token: string, body: object) =>
  app.ask('POST', '/sessions', { headers: { authorization: `Bearer ${token}` }, body });
const exchange = (code: string | null) =>
  app.ask('POST', '/token?grant_type=pkce', { body: { auth_code: code, code_verifier: verifier } });
const claimsOf = (token: unknown) =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

/** Returns a member whose session began two days ago and has a second factor. */
async function olderMember() {
  const { session, user } = await app.member('correct horse');
  const { session_id: id } = claimsOf(session.access_token);
  await app.sql(
    `with changed as (update auth.sessions set aal = 'aal2', created_at = now() - interval '2 days' where id = $1)
     insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
     values (gen_random_uuid(), $1, now() - interval '1 day', now() - interval '1 day', 'totp')`,
    [String(id)],
  );
  return { token: session.access_token, refreshToken: session.refresh_token, userId: user.id, sessionId: String(id) };
}

const sessionsOf = (userId: string) =>
  app.sql(
    'select id, aal, extract(epoch from now() - created_at) > 100000 as is_old from auth.sessions where user_id = $1 order by updated_at',
    [userId],
  );

describe('a further session for a front end at another address', () => {
  it("is in the URL fragment for a client without PKCE, and has the age and the assurance of the member's first session", async () => {
    const member = await olderMember();
    const { status, body } = await open(member.token, { redirect_to: site });
    expect(status).toBe(200);
    const url = new URL(String(body.url));
    expect(`${url.origin}${url.pathname}`).toBe(site);
    const fields = new URLSearchParams(url.hash.slice(1));
    const claims = claimsOf(fields.get('access_token'));
    expect(claims).toMatchObject({ sub: member.userId, aal: 'aal2' });
    expect((claims.amr as { method: string }[]).map(({ method }) => method).sort()).toEqual(['password', 'totp']);
    expect(claims.session_id).not.toBe(member.sessionId);
    const sessions = await sessionsOf(member.userId);
    expect(sessions.map(({ aal, is_old }) => [aal, is_old])).toEqual([
      ['aal2', 't'],
      ['aal2', 't'],
    ]);
    // The further session and the first session each have a refresh token of their own.
    const refresh = (token: unknown) =>
      app.ask('POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } });
    expect((await refresh(fields.get('refresh_token'))).status).toBe(200);
    expect((await refresh(member.refreshToken)).status).toBe(200);
  });

  it('is opened by only one of many parallel exchanges of its code', async () => {
    const member = await olderMember();
    const { body } = await open(member.token, { redirect_to: `${site}?a=b`, ...challenge });
    const url = new URL(String(body.url));
    expect([url.hash, url.searchParams.get('a')]).toEqual(['', 'b']);
    const code = url.searchParams.get('code');
    const all = await Promise.all(Array.from({ length: 8 }, () => exchange(code)));
    const granted = all.filter(({ status }) => status === 200);
    expect(granted).toHaveLength(1);
    expect(claimsOf(granted[0]?.body.access_token)).toMatchObject({ sub: member.userId, aal: 'aal2' });
    expect(await sessionsOf(member.userId)).toHaveLength(2);
  });

  it('is not opened if the first session has ended before the code is exchanged', async () => {
    const member = await olderMember();
    const { body } = await open(member.token, { redirect_to: site, ...challenge });
    await app.ask('POST', '/logout', { headers: { authorization: `Bearer ${member.token}` } });
    expect((await exchange(new URL(String(body.url)).searchParams.get('code'))).status).toBe(404);
    expect(await sessionsOf(member.userId)).toEqual([]);
  });

  it('is refused for a key, for a banned member, and without a session', async () => {
    const member = await olderMember();
    expect((await app.ask('POST', '/sessions', { body: { redirect_to: site } })).status).toBe(401);
    await app.sql(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [member.userId]);
    expect((await open(member.token, { redirect_to: site })).status).toBe(403);
    expect(await sessionsOf(member.userId)).toEqual([]);
  });
});

it.each([
  undefined,
  '',
  '/welcome',
  'https://evil.example/',
  '//evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://localhost:5173@evil.example/',
  'http://localhost.evil.example:5173/',
  'https://shop.example.evil.example/',
  'https://shop.example@evil.example/',
  'https:\\\\evil.example',
])('the app sends no session to the address %s', async (redirect_to) => {
  app.settings = { ...app.settings, uri_allow_list: ['https://shop.example/**'] };
  const { session } = await app.member('correct horse');
  const refused = [400, 'redirect_not_allowed'];
  for (const more of [{}, challenge]) {
    const { status, body } = await open(session.access_token, { redirect_to, ...more });
    expect([status, body.code]).toEqual(refused);
  }
});

it('the app sends a session to an address of uri_allow_list', async () => {
  app.settings = { ...app.settings, uri_allow_list: ['https://shop.example/**'] };
  const { session } = await app.member('correct horse');
  const { status, body } = await open(session.access_token, { redirect_to: 'https://shop.example/deep/path' });
  expect([status, new URL(String(body.url)).host]).toEqual([200, 'shop.example']);
});

describe('GET /authorize with the provider custom:ninefold', () => {
  const begin = (query: Record<string, string>) =>
    app.call('GET', `/authorize?${new URLSearchParams({ provider: 'custom:ninefold', ...query })}`);

  it('leads to the pages of the app, with the allowed address and the challenge', async () => {
    const reply = await begin({ redirect_to: site, ...challenge });
    const url = new URL(String(reply.redirect));
    expect([reply.status, url.pathname]).toEqual([302, '/account/continue']);
    expect(Object.fromEntries(url.searchParams)).toEqual({ redirect_to: site, ...challenge });
  });

  it('redirects to no address that is not allowed', async () => {
    const reply = await begin({ redirect_to: 'https://evil.example/' });
    expect(String(reply.redirect)).not.toContain('evil.example');
  });
});

it('the management API refuses to add a provider with the reserved name of the pages', async () => {
  const { error } = await app.client(app.keys.secretKey).auth.admin.customProviders.createProvider({
    ...{ provider_type: 'oidc', identifier: 'custom:ninefold', name: 'Mine' },
    ...{ client_id: 'x', client_secret: 'y', issuer: 'https://id.example' },
  });
  expect(error?.message).toContain('custom:ninefold is the name');
});
