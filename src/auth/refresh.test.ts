import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, makeAuthApp } from '../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { uniqueEmail } from '../../test/support/unique.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-refresh');
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => app.reset());
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

interface Session {
  access_token: string;
  refresh_token: string;
  user: { id: string };
}

async function signUp(): Promise<Session> {
  const reply = await app.ask('POST', '/signup', { body: { email: uniqueEmail(), password: 'correct horse' } });
  return reply.body as unknown as Session;
}

async function refresh(token: unknown, headers: Record<string, string> = {}) {
  const reply = await app.ask('POST', '/token?grant_type=refresh_token', { body: { refresh_token: token }, headers });
  return { status: reply.status, code: reply.body.code, session: reply.body as unknown as Session };
}

const sessionId = (session: Session): string =>
  JSON.parse(Buffer.from(session.access_token.split('.')[1] ?? '', 'base64url').toString()).session_id;
const tokensOf = (session: Session) =>
  app.sql('select token, parent, revoked from auth.refresh_tokens where session_id = $1 order by id', [
    sessionId(session),
  ]);
/** As if the exchange of this token had happened so long ago. */
const age = (token: string, seconds: number) =>
  app.sql('update auth.refresh_tokens set updated_at = updated_at - make_interval(secs => $2::int) where token = $1', [
    token,
    String(seconds),
  ]);

describe('a refresh token', () => {
  it('is exchanged for the next of its session, which remembers its parent', async () => {
    const first = await signUp();
    const { status, session: second } = await refresh(first.refresh_token, { 'user-agent': 'Lynx' });
    expect(status).toBe(200);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(sessionId(second)).toBe(sessionId(first));
    expect(await tokensOf(first)).toEqual([
      { token: first.refresh_token, parent: null, revoked: 't' },
      { token: second.refresh_token, parent: first.refresh_token, revoked: 'f' },
    ]);
    const [row] = await app.sql('select user_agent, host(ip) as ip, refreshed_at from auth.sessions where id = $1', [
      sessionId(first),
    ]);
    expect(row).toMatchObject({ user_agent: 'Lynx', ip: '127.0.0.1', refreshed_at: expect.any(String) });
    expect(app.events).toContainEqual(
      expect.objectContaining({ type: 'auth', what: 'refreshed', userId: first.user.id }),
    );
  });

  it('gives the active token again for the token before it, however long ago that was exchanged', async () => {
    const first = await signUp();
    const { session: second } = await refresh(first.refresh_token);
    await age(first.refresh_token, 86_400);
    const again = await refresh(first.refresh_token);
    expect(again).toMatchObject({ status: 200, session: { refresh_token: second.refresh_token } });
    expect(sessionId(again.session)).toBe(sessionId(first));
    expect(await tokensOf(first)).toHaveLength(2);
  });

  it('ends the session for a token older than that, at once', async () => {
    const first = await signUp();
    const { session: second } = await refresh(first.refresh_token);
    const { session: third } = await refresh(second.refresh_token);
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, code: 'refresh_token_already_used' });
    expect((await refresh(third.refresh_token)).code).toBe('refresh_token_not_found');
  });

  it('refuses a text that is no refresh token with validation_failed', async () => {
    for (const text of ['x', ' ', 'é', '../..', "' or 1=1", 'A'.repeat(12), 'a'.repeat(22), 'a'.repeat(1000)]) {
      expect(await refresh(text), text).toMatchObject({ status: 400, code: 'validation_failed' });
    }
    for (const text of ['a'.repeat(12), 'a'.repeat(32)]) {
      expect(await refresh(text), text).toMatchObject({ status: 400, code: 'refresh_token_not_found' });
    }
  });

  it('gives the active token for any earlier one within the reuse interval of the app', async () => {
    app.settings = { ...app.settings, security_refresh_token_reuse_interval: 10 };
    const first = await signUp();
    const { session: second } = await refresh(first.refresh_token);
    expect((await refresh(first.refresh_token)).session.refresh_token).toBe(second.refresh_token);
    const { session: third } = await refresh(second.refresh_token);
    expect((await refresh(first.refresh_token)).session.refresh_token).toBe(third.refresh_token);
    expect(await tokensOf(first)).toHaveLength(3);
  });

  it('exchanged by many at once gives them all the same one', async () => {
    const first = await signUp();
    const all = await Promise.all(Array.from({ length: 20 }, () => refresh(first.refresh_token)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(all.map(({ session }) => session.refresh_token)).size).toBe(1);
    expect(await tokensOf(first)).toHaveLength(2);
  });

  it('shown again later ends the session: its access token and its newest refresh token stop working', async () => {
    const first = await signUp();
    const { session: second } = await refresh(first.refresh_token);
    const headers = { authorization: `Bearer ${second.access_token}` };
    expect((await app.ask('GET', '/user', { headers })).status).toBe(200);
    const { session: third } = await refresh(second.refresh_token);
    const ended = app.heard((payload) => payload.includes(sessionId(first)));
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, code: 'refresh_token_already_used' });
    await ended;
    expect(await app.ask('GET', '/user', { headers })).toMatchObject({
      status: 403,
      body: { code: 'session_not_found' },
    });
    expect(await refresh(third.refresh_token)).toMatchObject({ status: 400, code: 'refresh_token_not_found' });
    expect(app.events).toContainEqual(expect.objectContaining({ what: 'reuse-detected', userId: first.user.id }));
  });

  it('is held to the app’s own reuse interval', async () => {
    app.settings = { ...app.settings, security_refresh_token_reuse_interval: 60 };
    const first = await signUp();
    const { session: second } = await refresh(first.refresh_token);
    await refresh(second.refresh_token);
    await age(first.refresh_token, 30);
    expect((await refresh(first.refresh_token)).status).toBe(200);
    app.settings = { ...app.settings, security_refresh_token_reuse_interval: 0 };
    expect((await refresh(first.refresh_token)).code).toBe('refresh_token_already_used');
  });

  it('comes with an access token that lives as long as the app says', async () => {
    const { refresh_token: token } = await signUp();
    for (const jwt_exp of [30, 60, 604_800]) {
      app.settings = { ...app.settings, jwt_exp, security_refresh_token_reuse_interval: 60 };
      expect((await refresh(token)).session).toMatchObject({ expires_in: jwt_exp });
    }
  });

  it('of a session that has ended is unknown', async () => {
    const { refresh_token: token, access_token } = await signUp();
    await app.call('POST', '/logout', { headers: { authorization: `Bearer ${access_token}` } });
    expect((await refresh(token)).code).toBe('refresh_token_not_found');
  });

  it('does not outlive its session’s end, a ban, or its account', async () => {
    const [timed, banned, deleted] = [await signUp(), await signUp(), await signUp()];
    await app.sql('update auth.sessions set not_after = now() where id = $1', [sessionId(timed)]);
    expect(await refresh(timed.refresh_token)).toMatchObject({ status: 400, code: 'session_expired' });
    await app.sql(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [banned.user.id]);
    expect((await refresh(banned.refresh_token)).code).toBe('refresh_token_not_found');
    await app.sql('delete from auth.users where id = $1', [deleted.user.id]);
    expect((await refresh(deleted.refresh_token)).code).toBe('refresh_token_not_found');
  });

  it('without a session, as very old ones are, opens none', async () => {
    await app.sql(
      `insert into auth.refresh_tokens (token, user_id, revoked) values ('orphanedtokn', gen_random_uuid(), false)`,
    );
    expect(await refresh('orphanedtokn')).toMatchObject({ status: 400, code: 'session_not_found' });
  });

  it.each([
    [undefined, 'validation_failed'],
    ['', 'validation_failed'],
    [12, 'validation_failed'],
    [{ $ne: null }, 'validation_failed'],
    ['x'.repeat(5000), 'validation_failed'],
    ['nul\0', 'validation_failed'],
    ["' or true --", 'validation_failed'],
    ['%', 'validation_failed'],
  ])('%j is refused', async (token, code) => {
    expect(await refresh(token)).toMatchObject({ status: 400, code });
  });
});

it('is what the stock client sends by itself', async () => {
  const { access_token, refresh_token } = await signUp();
  const client = app.client();
  await client.auth.setSession({ access_token, refresh_token });
  const { data, error } = await client.auth.refreshSession();
  expect(error).toBeNull();
  expect(data.session?.refresh_token).not.toBe(refresh_token);
  await client.auth.refreshSession();
  expect((await app.client().auth.refreshSession({ refresh_token })).error?.code).toBe('refresh_token_already_used');
});
