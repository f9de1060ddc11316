import { createHash, createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';
import { storedRefreshToken } from '../../accounts/sessions/stored-refresh-token.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-refresh', { seed: authSeed });
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
/** Moves the time at which this token was exchanged `seconds` into the past. */
const age = (token: string, seconds: number) =>
  app.sql('update auth.refresh_tokens set updated_at = updated_at - make_interval(secs => $2::int) where token = $1', [
    storedRefreshToken(token),
    String(seconds),
  ]);

describe('POST /token?grant_type=refresh_token', () => {
  it('exchanges a token for the next token of its session, and stores the exchanged token as the parent of the new one', async () => {
    const first = await signUp();
    const { status, session: second } = await refresh(first.refresh_token, { 'user-agent': 'Lynx' });
    expect(status).toBe(200);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(sessionId(second)).toBe(sessionId(first));
    expect(await tokensOf(first)).toEqual([
      { token: storedRefreshToken(first.refresh_token), parent: null, revoked: 't' },
      {
        token: storedRefreshToken(second.refresh_token),
        parent: storedRefreshToken(first.refresh_token),
        revoked: 'f',
      },
    ]);
    const [row] = await app.sql('select user_agent, host(ip) as ip, refreshed_at from auth.sessions where id = $1', [
      sessionId(first),
    ]);
    expect(row).toMatchObject({ user_agent: 'Lynx', ip: '127.0.0.1', refreshed_at: expect.any(String) });
    expect(app.events).toContainEqual(
      expect.objectContaining({ type: 'auth', what: 'refreshed', userId: first.user.id }),
    );
  });

  it('returns the active token to a client that sends the token directly before it, however late', async () => {
    const first = await signUp();
    const { session: second } = await refresh(first.refresh_token);
    await age(first.refresh_token, 86_400);
    const again = await refresh(first.refresh_token);
    expect(again).toMatchObject({ status: 200, session: { refresh_token: second.refresh_token } });
    expect(sessionId(again.session)).toBe(sessionId(first));
    expect(await tokensOf(first)).toHaveLength(2);
  });

  it('ends the session at once for a token that is older than the one before the active token', async () => {
    const first = await signUp();
    const { session: second } = await refresh(first.refresh_token);
    const { session: third } = await refresh(second.refresh_token);
    expect(await refresh(first.refresh_token)).toMatchObject({ status: 400, code: 'refresh_token_already_used' });
    expect((await refresh(third.refresh_token)).code).toBe('refresh_token_not_found');
  });

  it('refuses a string that is not a refresh token with validation_failed', async () => {
    for (const text of ['x', ' ', 'é', '../..', "' or 1=1", 'A'.repeat(12), 'a'.repeat(22), 'a'.repeat(1000)]) {
      expect(await refresh(text), text).toMatchObject({ status: 400, code: 'validation_failed' });
    }
    for (const text of ['a'.repeat(12), 'a'.repeat(32)]) {
      expect(await refresh(text), text).toMatchObject({ status: 400, code: 'refresh_token_not_found' });
    }
  });

  it('returns the active token for any earlier token within the app’s reuse interval', async () => {
    app.settings = { ...app.settings, security_refresh_token_reuse_interval: 10 };
    const first = await signUp();
    const { session: second } = await refresh(first.refresh_token);
    expect((await refresh(first.refresh_token)).session.refresh_token).toBe(second.refresh_token);
    const { session: third } = await refresh(second.refresh_token);
    expect((await refresh(first.refresh_token)).session.refresh_token).toBe(third.refresh_token);
    expect(await tokensOf(first)).toHaveLength(3);
  });

  it('returns the same token to many parallel exchanges of one token', async () => {
    const first = await signUp();
    const all = await Promise.all(Array.from({ length: 20 }, () => refresh(first.refresh_token)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(all.map(({ session }) => session.refresh_token)).size).toBe(1);
    expect(await tokensOf(first)).toHaveLength(2);
  });

  it('ends the session, its access token and its newest refresh token when an old token is shown later', async () => {
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

  it('uses the reuse interval of the app', async () => {
    app.settings = { ...app.settings, security_refresh_token_reuse_interval: 60 };
    const first = await signUp();
    const { session: second } = await refresh(first.refresh_token);
    await refresh(second.refresh_token);
    await age(first.refresh_token, 30);
    expect((await refresh(first.refresh_token)).status).toBe(200);
    app.settings = { ...app.settings, security_refresh_token_reuse_interval: 0 };
    expect((await refresh(first.refresh_token)).code).toBe('refresh_token_already_used');
  });

  it('returns an access token with the app’s lifetime', async () => {
    const { refresh_token: token } = await signUp();
    for (const jwt_exp of [30, 60, 604_800]) {
      app.settings = { ...app.settings, jwt_exp, security_refresh_token_reuse_interval: 60 };
      expect((await refresh(token)).session).toMatchObject({ expires_in: jwt_exp });
    }
  });

  it('refuses a token of a session that has ended', async () => {
    const { refresh_token: token, access_token } = await signUp();
    await app.call('POST', '/logout', { headers: { authorization: `Bearer ${access_token}` } });
    expect((await refresh(token)).code).toBe('refresh_token_not_found');
  });

  it('refuses a token after the end of its session, a ban or the deletion of its account', async () => {
    const [timed, banned, deleted] = [await signUp(), await signUp(), await signUp()];
    await app.sql('update auth.sessions set not_after = now() where id = $1', [sessionId(timed)]);
    expect(await refresh(timed.refresh_token)).toMatchObject({ status: 400, code: 'session_expired' });
    await app.sql(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [banned.user.id]);
    expect((await refresh(banned.refresh_token)).code).toBe('refresh_token_not_found');
    await app.sql('delete from auth.users where id = $1', [deleted.user.id]);
    expect((await refresh(deleted.refresh_token)).code).toBe('refresh_token_not_found');
  });

  it('refuses a token without a session, as very old projects have', async () => {
    await app.sql(
      `insert into auth.refresh_tokens (token, user_id, revoked) values ('orphanedtokn', gen_random_uuid(), false)`,
    );
    expect(await refresh('orphanedtokn')).toMatchObject({ status: 400, code: 'session_not_found' });
  });

  it.each([
    [undefined, 'validation_failed'],
    ['', 'validation_failed'],
    [12, 'bad_json'],
    [{ $ne: null }, 'bad_json'],
    ['x'.repeat(5000), 'validation_failed'],
    ['nul\0', 'validation_failed'],
    ["' or true --", 'validation_failed'],
    ['%', 'validation_failed'],
  ])('refuses the token %j', async (token, code) => {
    expect(await refresh(token)).toMatchObject({ status: 400, code });
  });
});

describe('auth.refresh_tokens', () => {
  it('contains no value by which a reader can open a session', async () => {
    const first = await signUp();
    // A token has 192 random bits, in base64url.
    expect(first.refresh_token).toMatch(/^[\w-]{32}$/);
    const { session: second } = await refresh(first.refresh_token);
    const rows = await tokensOf(first);
    for (const { token, parent } of rows) {
      for (const stolen of [token, parent, token?.replace('sha256:', '')].filter(Boolean)) {
        expect((await refresh(stolen)).status).toBe(400);
      }
    }
    const dump = JSON.stringify(await app.sql('select t.*, s.* from auth.refresh_tokens t, auth.sessions s'));
    for (const { refresh_token: secret } of [first, second]) expect(dump).not.toContain(secret);
    expect((await refresh(second.refresh_token)).status).toBe(200);
  });

  it('accepts an imported token in plain text, then stores only its hash, and returns the same next token each time', async () => {
    const session = await signUp();
    const brought = 'abcdefghij12';
    await app.sql('update auth.refresh_tokens set token = $1 where session_id = $2', [brought, sessionId(session)]);
    const { status, session: next } = await refresh(brought);
    expect(status).toBe(200);
    expect((await refresh(brought)).session.refresh_token).toBe(next.refresh_token);
    expect(JSON.stringify(await tokensOf(session))).not.toContain(brought);
    await refresh(next.refresh_token);
    expect((await refresh(brought)).code).toBe('refresh_token_already_used');
  });

  it('returns the active imported token to a client that sends the revoked token before it', async () => {
    const session = await signUp();
    await app.sql('delete from auth.refresh_tokens where session_id = $1', [sessionId(session)]);
    await app.sql(
      `insert into auth.refresh_tokens (token, parent, revoked, session_id, updated_at)
       values ('spentspent12', null, true, $1, now()), ('activeactive', 'spentspent12', false, $1, now())`,
      [sessionId(session)],
    );
    expect((await refresh('spentspent12')).session.refresh_token).toBe('activeactive');
    expect((await refresh('activeactive')).status).toBe(200);
  });
});

/** Returns a token as GoTrue's version 2 creates it (`internal/crypto/refresh_tokens.go`). */
function goTrueToken(id: string, counter: number, key: Buffer): string {
  const signed = Buffer.concat([Buffer.from([0]), Buffer.from(id.replaceAll('-', ''), 'hex'), varint(counter)]);
  const signature = createHmac('sha256', key).update(signed).digest().subarray(0, 16);
  const body = Buffer.concat([signed, signature]);
  return Buffer.concat([body, createHash('sha256').update(body).digest().subarray(0, 4)]).toString('base64url');
}

const varint = (value: number): Buffer =>
  value < 128
    ? Buffer.from([value])
    : Buffer.concat([Buffer.from([(value % 128) | 128]), varint(Math.floor(value / 128))]);

describe('a refresh token of GoTrue’s version 2', () => {
  const key = randomBytes(32);
  async function brought(counter: number): Promise<Session> {
    const session = await signUp();
    await app.sql('delete from auth.refresh_tokens where session_id = $1', [sessionId(session)]);
    await app.sql(
      'update auth.sessions set refresh_token_hmac_key = $1, refresh_token_counter = $2::bigint where id = $3',
      [key.toString('base64url'), String(counter), sessionId(session)],
    );
    return session;
  }

  it.each([0, 5, 300])(
    'continues its session if it is the active token or the token before it: counter %i',
    async (counter) => {
      for (const behind of counter === 0 ? [0] : [0, 1]) {
        const session = await brought(counter);
        const token = goTrueToken(sessionId(session), counter - behind, key);
        const next = await refresh(token);
        expect(next.status).toBe(200);
        expect(sessionId(next.session)).toBe(sessionId(session));
        expect((await refresh(token)).session.refresh_token).toBe(next.session.refresh_token);
        expect((await refresh(next.session.refresh_token)).status).toBe(200);
        expect((await refresh(token)).code).toBe('refresh_token_already_used');
      }
    },
  );

  it('is refused if it is older, signed with another key, or of another session', async () => {
    const [mine, theirs] = [await brought(5), await brought(5)];
    for (const [id, counter, secret] of [
      [sessionId(mine), 3, key],
      [sessionId(mine), 6, key],
      [sessionId(mine), 5, randomBytes(32)],
      ['aaaaaaaa-bbbb-4ccc-8ddd-6070e0000000', 5, key],
    ] as const) {
      expect((await refresh(goTrueToken(id, counter, secret))).code).toBe('refresh_token_not_found');
    }
    const forged = Buffer.from(goTrueToken(sessionId(mine), 5, key), 'base64url');
    Buffer.from(sessionId(theirs).replaceAll('-', ''), 'hex').copy(forged, 1);
    createHash('sha256')
      .update(forged.subarray(0, -4))
      .digest()
      .copy(forged, forged.length - 4, 0, 4);
    expect((await refresh(forged.toString('base64url'))).code).toBe('refresh_token_not_found');
  });

  it('is accepted once when many clients send it at once', { repeats: 10 }, async () => {
    const session = await brought(7);
    const token = goTrueToken(sessionId(session), 7, key);
    const all = await Promise.all(Array.from({ length: 12 }, () => refresh(token)));
    expect(all.map(({ code }) => code)).toEqual(all.map(() => undefined));
    expect(new Set(all.map(({ session: next }) => next.refresh_token)).size).toBe(1);
    expect(await tokensOf(session)).toHaveLength(2);
  });
});

it('the stock client exchanges a refresh token of GoTrue without further code', async () => {
  const { access_token, refresh_token } = await signUp();
  const client = app.client();
  await client.auth.setSession({ access_token, refresh_token });
  const { data, error } = await client.auth.refreshSession();
  expect(error).toBeNull();
  expect(data.session?.refresh_token).not.toBe(refresh_token);
  await client.auth.refreshSession();
  expect((await app.client().auth.refreshSession({ refresh_token })).error?.code).toBe('refresh_token_already_used');
});
