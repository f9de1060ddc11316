import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-sessions', { seed: authSeed });
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
  user: { id: string; email: string };
}

const PASSWORD = 'correct horse battery';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

async function signUp(): Promise<Session> {
  const reply = await app.ask('POST', '/signup', { body: { email: uniqueEmail(), password: PASSWORD } });
  return reply.body as unknown as Session;
}

async function signIn({ user }: Session, headers: Record<string, string> = {}): Promise<Session> {
  const body = { email: user.email, password: PASSWORD };
  return (await app.ask('POST', '/token?grant_type=password', { body, headers })).body as unknown as Session;
}

const sessionId = ({ access_token }: Session): string =>
  JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()).session_id;
const asMember = ({ access_token }: Session) => ({ headers: { authorization: `Bearer ${access_token}` } });
const asAdmin = () => ({ headers: { apikey: app.keys.secretKey, authorization: `Bearer ${app.keys.secretKey}` } });
const whoAmI = async (session: Session) => (await app.ask('GET', '/user', asMember(session))).status;
const refresh = (session: Session) =>
  app.ask('POST', '/token?grant_type=refresh_token', { body: { refresh_token: session.refresh_token } });

/** Stores a setting in the database, where the trigger on sessions reads it. */
const store = (key: string, value: unknown) =>
  app.sql(
    'insert into ninefold.settings (key, value) values ($1, $2::jsonb) on conflict (key) do update set value = excluded.value',
    [key, JSON.stringify(value)],
  );

describe('a session past its time limit', () => {
  it.each([
    ['sessions_timebox', `created_at = now() - interval '1 hour', refreshed_at = now()`, 'Session Expired'],
    [
      'sessions_inactivity_timeout',
      `created_at = now() - interval '1 day', refreshed_at = (now() - interval '1 hour') at time zone 'utc'`,
      'Session Expired (Inactivity)',
    ],
    ['sessions_inactivity_timeout', `created_at = now() - interval '1 hour'`, 'Session Expired (Inactivity)'],
  ] as const)(
    'is refused by the limit %s after the change %s, with its access token and with its refresh token',
    async (setting, change, words) => {
      const session = await signUp();
      const other = await signUp();
      await app.sql(`update auth.sessions set ${change} where id = $1`, [sessionId(session)]);
      app.settings = { ...app.settings, [setting]: 3700 };
      expect(await whoAmI(session)).toBe(200);
      // Makes the worker read the session from the database again, as it does after a change of a setting.
      const forgotten = app.heard((payload) => payload.includes(sessionId(session)));
      await app.sql('update auth.sessions set aal = null where id = $1', [sessionId(session)]);
      await forgotten;
      app.settings = { ...app.settings, [setting]: 3500 };
      expect(await whoAmI(session)).toBe(403);
      expect(await whoAmI(other)).toBe(200);
      expect(await refresh(session)).toMatchObject({
        status: 400,
        body: { code: 'session_expired', message: `Invalid Refresh Token: ${words}` },
      });
    },
  );

  it('is not listed', async () => {
    const session = await signUp();
    const second = await signIn(session);
    app.settings = { ...app.settings, sessions_timebox: 3600 };
    await app.sql(`update auth.sessions set created_at = now() - interval '2 hours' where id = $1`, [
      sessionId(session),
    ]);
    const { body } = await app.ask('GET', '/sessions', asMember(second));
    expect(body.sessions).toMatchObject([{ id: sessionId(second) }]);
  });

  it('ends a cached access token without another query', async () => {
    app.settings = { ...app.settings, sessions_timebox: 3600 };
    const session = await signUp();
    const headers = { authorization: `Bearer ${session.access_token}` };
    expect((await app.identify(headers)).sessionId).toBe(sessionId(session));
    app.clockOffset = 3_590_000;
    expect(await whoAmI(session)).toBe(200);
    app.clockOffset = 3_601_000;
    expect(await whoAmI(session)).toBe(403);
  });
});

describe('the limit of sessions of an account', () => {
  it.each([
    ['sessions_single_per_user', true, 1],
    ['sessions_per_user', 2, 2],
  ] as const)('keeps the newest sessions with %s = %j', async (key, value, count) => {
    const first = await signUp();
    const other = await signUp();
    await store(key, value);
    const later = [await signIn(first), await signIn(first), await signIn(first)];
    await app.sql('delete from ninefold.settings where key = $1', [key]);
    const rows = await app.sql('select id from auth.sessions where user_id = $1', [first.user.id]);
    expect(rows.map(({ id }) => id).sort()).toEqual(later.slice(-count).map(sessionId).sort());
    await expect.poll(() => whoAmI(first)).toBe(403);
    expect((await refresh(first)).body.code).toBe('refresh_token_not_found');
    expect(await whoAmI(other)).toBe(200);
  });

  it('is enforced when many sign-ins arrive at once', async () => {
    const first = await signUp();
    await store('sessions_single_per_user', true);
    await Promise.all(Array.from({ length: 8 }, () => signIn(first)));
    await app.sql(`delete from ninefold.settings where key = 'sessions_single_per_user'`);
    expect(await app.sql('select 1 from auth.sessions where user_id = $1', [first.user.id])).toHaveLength(1);
  });

  it.each(['"two"', '{}', '-1', 'null', '1e400', '0'])(
    'is not applied for the invalid value %s, which an owner may store',
    async (value) => {
      const first = await signUp();
      await app.sql(`insert into ninefold.settings (key, value) values ('sessions_per_user', $1::jsonb)`, [value]);
      const second = await signIn(first);
      await app.sql(`delete from ninefold.settings where key = 'sessions_per_user'`);
      const left = await app.sql('select 1 from auth.sessions where user_id = $1', [first.user.id]);
      expect(second.access_token).toBeTruthy();
      expect(left).toHaveLength(2);
    },
  );
});

describe('GET /sessions', () => {
  it('lists device, address, times, assurance level and method of each session, and marks the caller’s', async () => {
    const first = await signUp();
    const second = await signIn(first, { 'user-agent': FIREFOX });
    const { status, body } = await app.ask('GET', '/sessions', asMember(second));
    expect(status).toBe(200);
    expect(body.sessions).toMatchObject([
      {
        id: sessionId(second),
        device: 'Firefox on Linux',
        user_agent: FIREFOX,
        ip: '127.0.0.1',
        network: '127.0.0.1',
        aal: 'aal1',
        amr: [{ method: 'password', timestamp: expect.any(Number) }],
        is_current: true,
        ends_at: expect.stringMatching(/^\d{4}-/),
      },
      { id: sessionId(first), device: 'unknown client', is_current: false },
    ]);
    for (const key of ['refresh_token', 'user_id', 'email']) expect(JSON.stringify(body)).not.toContain(`"${key}"`);
  });

  it('shows sessions only to their member', async () => {
    await signUp();
    const other = await signUp();
    const { body } = await app.ask('GET', '/sessions', asMember(other));
    expect(body.sessions).toHaveLength(1);
    expect((await app.ask('GET', '/sessions')).body.code).toBe('no_authorization');
    const path = `/admin/users/${other.user.id}/sessions`;
    for (const [method, called] of [
      ['GET', path],
      ['DELETE', path],
      ['DELETE', `${path}/${sessionId(other)}`],
      ['POST', `/admin/users/${other.user.id}/logout`],
    ] as const) {
      expect((await app.ask(method, called, asMember(other))).body.code).toBe('not_admin');
    }
  });
});

describe('DELETE /sessions/<id>', () => {
  it('ends a session of the caller with its access token and its refresh token', async () => {
    const first = await signUp();
    const second = await signIn(first);
    const ended = app.heard((payload) => payload.includes(sessionId(first)));
    expect((await app.call('DELETE', `/sessions/${sessionId(first)}`, asMember(second))).status).toBe(204);
    await ended;
    expect(await whoAmI(first)).toBe(403);
    expect(await whoAmI(second)).toBe(200);
    expect((await refresh(first)).status).toBe(400);
    expect(await app.ask('DELETE', `/sessions/${sessionId(first)}`, asMember(second))).toMatchObject({
      status: 404,
      body: { code: 'session_not_found' },
    });
  });

  it('returns the same error for a session of another member as for a session that does not exist', async () => {
    const [mine, theirs] = [await signUp(), await signUp()];
    const answer = await app.ask('DELETE', `/sessions/${sessionId(theirs)}`, asMember(mine));
    const nobodys = await app.ask('DELETE', '/sessions/aaaaaaaa-bbbb-4ccc-8ddd-6070e0000000', asMember(mine));
    expect([answer.status, answer.body]).toEqual([nobodys.status, nobodys.body]);
    expect(answer.status).toBe(404);
    expect(await whoAmI(theirs)).toBe(200);
    expect(await app.ask('DELETE', '/sessions/x', asMember(mine))).toMatchObject({
      status: 404,
      body: { code: 'validation_failed' },
    });
  });

  it('ends one session or all sessions of an account when the secret key calls', async () => {
    const first = await signUp();
    const [second, third] = [await signIn(first), await signIn(first)];
    const other = await signUp();
    const path = `/admin/users/${first.user.id}`;
    expect((await app.ask('GET', `${path}/sessions`, asAdmin())).body.sessions).toHaveLength(3);
    expect((await app.call('DELETE', `${path}/sessions/${sessionId(second)}`, asAdmin())).status).toBe(204);
    expect((await app.call('DELETE', `${path}/sessions/${sessionId(other)}`, asAdmin())).status).toBe(404);
    expect((await app.ask('GET', `${path}/sessions`, asAdmin())).body.sessions).toMatchObject([
      { id: sessionId(third) },
      { id: sessionId(first) },
    ]);
    const ended = app.heard((payload) => payload.includes(sessionId(first)));
    expect((await app.call('POST', `${path}/logout`, asAdmin())).status).toBe(204);
    await ended;
    expect(await whoAmI(first)).toBe(403);
    expect((await app.ask('GET', `${path}/sessions`, asAdmin())).body.sessions).toEqual([]);
    expect((await app.call('DELETE', `${path}/sessions`, asAdmin())).status).toBe(204);
    expect(await whoAmI(other)).toBe(200);
    const nobody = '/admin/users/aaaaaaaa-bbbb-4ccc-8ddd-6070e0000000';
    expect((await app.call('POST', `${nobody}/logout`, asAdmin())).status).toBe(404);
    expect((await app.call('GET', `${nobody}/sessions`, asAdmin())).status).toBe(404);
  });
});

describe('DELETE /user', () => {
  const remove = (session: Session) => app.ask('DELETE', '/user', asMember(session));
  const exists = async ({ user }: Session) =>
    (await app.ask('GET', `/admin/users/${user.id}`, asAdmin())).status === 200;
  const age = (session: Session) =>
    app.sql(
      `with aged as (update auth.sessions set created_at = now() - interval '16 minutes' where id = $1 returning id)
       update auth.mfa_amr_claims m set updated_at = now() - interval '16 minutes' from aged where m.session_id = aged.id`,
      [sessionId(session)],
    );

  it('deletes only the account of the member who calls, with all its sessions', async () => {
    const [mine, other] = [await signUp(), await signUp()];
    const second = await signIn(mine);
    expect((await remove(mine)).status).toBe(204);
    expect([await exists(mine), await exists(other)]).toEqual([false, true]);
    await expect.poll(() => whoAmI(second)).toBe(403);
    expect((await refresh(second)).status).toBe(400);
    expect([await whoAmI(other), (await remove(mine)).status]).toEqual([200, 403]);
    const log = (await app.ask('GET', '/admin/audit', asAdmin())).body as unknown as { payload: object }[];
    expect(log[0]?.payload).toMatchObject({ action: 'user_deleted', actor_id: mine.user.id });
  });

  it('needs a recent sign-in', async () => {
    const mine = await signUp();
    await age(mine);
    expect(await remove(mine)).toMatchObject({ status: 403, body: { code: 'account_proof_needed' } });
    expect(await exists(mine)).toBe(true);
    expect((await remove(await signIn(mine))).status).toBe(204);
    expect(await exists(mine)).toBe(false);
  });

  it('is refused with the name of the foreign key if rows of the app refer to the account', async () => {
    const mine = await signUp();
    await app.sql(
      'create table if not exists public.orders (buyer uuid constraint orders_buyer references auth.users)',
      [],
    );
    await app.sql('insert into public.orders values ($1)', [mine.user.id]);
    const refused = await remove(mine);
    expect(refused).toMatchObject({ status: 400, body: { code: 'database_refused' } });
    expect(String(refused.body.message)).toContain('orders_buyer');
    expect(await exists(mine)).toBe(true);
    await app.sql('drop table public.orders', []);
  });

  it('is refused without a session, with a key, and from a session without the second factor', async () => {
    expect((await app.ask('DELETE', '/user')).body.code).toBe('no_authorization');
    expect((await app.ask('DELETE', '/user', asAdmin())).status).toBe(403);
    const mine = await signUp();
    await app.sql(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, secret, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', 'x', now(), now())`,
      [mine.user.id],
    );
    expect(await remove(mine)).toMatchObject({ body: { code: 'insufficient_aal' } });
    expect(await exists(mine)).toBe(true);
  });
});
