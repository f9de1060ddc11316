import type { SupabaseClient } from '@supabase/supabase-js';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { jsonAsAuthAdmin, runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-factors', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => {
  app.reset();
  // All tests run within one minute and from one network, so the limits per minute and network are raised.
  app.settings = { ...app.settings, mfa_rate_limit_challenge_and_verify: 100_000 };
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const PASSWORD = 'a long password';
const STEP = 30_000;

/** Returns the code that an authenticator app shows at the app's clock. */
const codeOf = (secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + app.clockOffset });

async function enrol(client: SupabaseClient, name: string) {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: name });
  if (error) throw error;
  return { id: data.id, secret: data.totp.secret, totp: data.totp };
}

/** Returns a member with a verified factor, whose session has shown the factor. */
async function memberWithFactor() {
  const member = await app.member(PASSWORD);
  const factor = await enrol(member.client, 'phone');
  const { error } = await member.client.auth.mfa.challengeAndVerify({
    factorId: factor.id,
    code: codeOf(factor.secret),
  });
  if (error) throw error;
  return { ...member, factor };
}

const sessionOf = async (client: SupabaseClient) => {
  const { data } = await client.auth.getSession();
  if (!data.session) throw new Error('no session');
  return data.session;
};

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Signs the member in with the password only, in another client. */
async function firstFactorOnly(email: string): Promise<SupabaseClient> {
  const client = app.client();
  const { error } = await client.auth.signInWithPassword({ email, password: PASSWORD });
  if (error) throw error;
  return client;
}

describe('a TOTP factor', () => {
  it('is enrolled with a secret, a URI and a QR code in a data URI', async () => {
    const { client, email } = await app.member(PASSWORD);
    const { id, totp } = await enrol(client, 'My phone');
    expect(totp.uri).toMatch(new RegExp(`^otpauth://totp/auth:${encodeURIComponent(email)}\\?`));
    expect(totp.uri).toContain(`secret=${totp.secret}`);
    expect(totp.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg[^#]*<\/svg>$/);
    const { data } = await client.auth.mfa.listFactors();
    expect(data?.all).toMatchObject([{ id, factor_type: 'totp', status: 'unverified', friendly_name: 'My phone' }]);
    expect(data?.totp).toEqual([]);
    expect(JSON.stringify(data)).not.toContain(totp.secret);
  });

  it('raises the session that verifies it and ends the other sessions', async () => {
    const { client, email, session: earlier } = await app.member(PASSWORD);
    const { access_token: otherToken } = await sessionOf(await firstFactorOnly(email));
    const { id, secret } = await enrol(client, 'phone');
    const ended = app.heard((payload) => payload.includes('session-revoked'));
    const { data, error } = await client.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret) });
    expect(error).toBeNull();
    await ended;
    const claims = claimsOf(data?.access_token ?? '');
    expect(claims).toMatchObject({ aal: 'aal2', session_id: claimsOf(earlier.access_token).session_id });
    expect(claims.amr.map(({ method }: { method: string }) => method).sort()).toEqual(['password', 'totp']);
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal2',
      nextLevel: 'aal2',
    });
    await expect(app.identify(bearer(otherToken))).rejects.toMatchObject({ code: 'session_revoked' });
    const refreshed = await client.auth.refreshSession();
    expect(claimsOf(refreshed.data.session?.access_token ?? '').aal).toBe('aal2');
  });

  it('invalidates the refresh token that the session had before it verified the factor', async () => {
    app.settings = { ...app.settings, security_refresh_token_reuse_interval: 60 };
    const { client, session } = await app.member(PASSWORD);
    const { id, secret } = await enrol(client, 'phone');
    await client.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret) });
    const stolen = await app.client().auth.refreshSession({ refresh_token: session.refresh_token });
    expect(stolen.error?.code).toBe('refresh_token_not_found');
    expect((await client.auth.refreshSession()).error).toBeNull();
  });

  it('accepts each code once, and only codes of the current and the adjacent steps', async () => {
    const { client, factor } = await memberWithFactor();
    const verify = (code: string) => client.auth.mfa.challengeAndVerify({ factorId: factor.id, code });
    expect((await verify(codeOf(factor.secret))).error?.code).toBe('mfa_verification_failed');
    app.clockOffset = -STEP;
    const before = codeOf(factor.secret);
    app.clockOffset = 0;
    expect((await verify(before)).error?.code).toBe('mfa_verification_failed');
    const stale = codeOf(factor.secret);
    app.clockOffset = 2 * STEP;
    expect((await verify(stale)).error?.code).toBe('mfa_verification_failed');
    expect((await verify(codeOf(factor.secret))).error).toBeNull();
    expect((await verify('')).error).toMatchObject({ code: 'validation_failed', status: 400 });
  });

  it('accepts one of 32 parallel responses to a challenge', async () => {
    app.settings = { ...app.settings, rate_limit_second_factor: 100 };
    const { client, factor } = await memberWithFactor();
    app.clockOffset = STEP;
    const { data } = await client.auth.mfa.challenge({ factorId: factor.id });
    const { access_token } = await sessionOf(client);
    const answers = await Promise.all(
      Array.from({ length: 32 }, () =>
        app.ask('POST', `/factors/${factor.id}/verify`, {
          headers: bearer(access_token),
          body: { challenge_id: data?.id, code: codeOf(factor.secret) },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(31);
    const tokens = await app.sql('select session_id from auth.refresh_tokens t where not revoked and session_id = $1', [
      claimsOf(access_token).session_id,
    ]);
    expect(tokens).toHaveLength(1);
  });

  it('limits wrong codes exactly when many arrive at once, and does not count right codes towards the limit', async () => {
    const { client, factor, user } = await memberWithFactor();
    const { access_token } = await sessionOf(client);
    const guess = async () => {
      const { data } = await client.auth.mfa.challenge({ factorId: factor.id });
      return app.ask('POST', `/factors/${factor.id}/verify`, {
        headers: bearer(access_token),
        body: { challenge_id: data?.id, code: '000000' },
      });
    };
    const guesses = await Promise.all(Array.from({ length: 15 }, guess));
    expect(guesses.filter(({ status }) => status === 422)).toHaveLength(10);
    expect(app.events).toContainEqual(expect.objectContaining({ what: 'second-factor-failed', userId: user.id }));
    const refused = guesses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    expect(refused[0]?.body.code).toBe('over_request_rate_limit');
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(800);
    expect(refused[0]?.headers['ratelimit-policy']).toBe('"rate_limit_second_factor";q=10;w=900');
    app.clockOffset = STEP;
    const right = await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeOf(factor.secret) });
    expect(right.error?.code).toBe('over_request_rate_limit');
    await runAsAuthAdmin(app.database, [[`update ninefold.second_factor_attempts set attempts = '{}'`, []]]);
    for (const step of [2, 3]) {
      app.clockOffset = step * STEP;
      expect(
        (await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeOf(factor.secret) })).error,
      ).toBeNull();
    }
    const [left] = await runAsAuthAdmin(app.database, [
      [`select 1 from ninefold.second_factor_attempts where attempts <> '{}' and user_id = $1`, [user.id]],
    ]);
    expect(left?.rows).toEqual([]);
  });

  it('returns GoTrue’s error for a challenge that is unknown, expired or opened from another address', async () => {
    const { client, factor } = await memberWithFactor();
    const { access_token } = await sessionOf(client);
    const verify = (challenge_id: string, address = '127.0.0.1') =>
      app.ask('POST', `/factors/${factor.id}/verify`, {
        address,
        headers: bearer(access_token),
        body: { challenge_id, code: codeOf(factor.secret) },
      });
    const challenge = async () => (await client.auth.mfa.challenge({ factorId: factor.id })).data?.id ?? '';
    expect(await verify(factor.id)).toMatchObject({ status: 422, body: { code: 'mfa_factor_not_found' } });
    expect(await verify('x')).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(await verify(await challenge(), '192.0.2.7')).toMatchObject({
      status: 422,
      body: { code: 'mfa_ip_address_mismatch' },
    });
    const old = await challenge();
    await app.sql(`update auth.mfa_challenges set created_at = now() - interval '301 seconds' where id = $1`, [old]);
    expect(await verify(old)).toMatchObject({ status: 422, body: { code: 'mfa_challenge_expired' } });
    expect(await verify(old)).toMatchObject({ status: 422, body: { code: 'mfa_factor_not_found' } });
    for (let i = 0; i < 25; i++) await challenge();
    expect(await app.sql('select id from auth.mfa_challenges where factor_id = $1', [factor.id])).toHaveLength(20);
  });

  it('cannot be challenged, verified or removed by a member who does not own it', async () => {
    const { factor } = await memberWithFactor();
    const mallory = await memberWithFactor();
    const { access_token } = await sessionOf(mallory.client);
    const { data } = await mallory.client.auth.mfa.challenge({ factorId: mallory.factor.id });
    for (const [method, path, body] of [
      ['POST', `/factors/${factor.id}/challenge`, {}],
      ['POST', `/factors/${factor.id}/verify`, { challenge_id: data?.id, code: codeOf(factor.secret) }],
      ['DELETE', `/factors/${factor.id}`, undefined],
    ] as const) {
      expect(await app.ask(method, path, { body, headers: bearer(access_token) })).toMatchObject({
        status: 404,
        body: { code: 'mfa_factor_not_found' },
      });
    }
    // A challenge to one factor must not be accepted for another factor.
    const second = await enrol(mallory.client, 'second');
    expect(
      await app.ask('POST', `/factors/${second.id}/verify`, {
        headers: bearer(access_token),
        body: { challenge_id: data?.id, code: codeOf(second.secret) },
      }),
    ).toMatchObject({ status: 422, body: { code: 'mfa_factor_not_found' } });
  });
});

describe('a session without the second factor of its account', () => {
  it('cannot change the password, the address or the factors', async () => {
    const { client: whole, email, factor } = await memberWithFactor();
    const half = await firstFactorOnly(email);
    for (const change of [{ password: 'another password' }, { email: `new-${email}` }]) {
      expect((await half.auth.updateUser(change)).error).toMatchObject({ code: 'insufficient_aal', status: 401 });
    }
    expect((await half.auth.updateUser({ data: { name: 'Ada' } })).error).toBeNull();
    const added = await half.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'mallory' });
    expect(added.error).toMatchObject({ code: 'insufficient_aal', status: 403 });
    const removed = await half.auth.mfa.unenroll({ factorId: factor.id });
    expect(removed.error).toMatchObject({ code: 'insufficient_aal', status: 422 });
    expect((await whole.auth.updateUser({ password: 'another password' })).error).toBeNull();
    expect((await whole.auth.mfa.unenroll({ factorId: factor.id })).error).toBeNull();
  });

  it('cannot complete an enrolment that it began before the account got a second factor', async () => {
    const { client, email, session } = await app.member(PASSWORD);
    const mallory = await firstFactorOnly(email);
    const { data: planted } = await mallory.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'planted' });
    const { id, secret } = await enrol(client, 'phone');
    const early = await enrol(client, 'spare');
    await client.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret) });
    expect(await app.sql('select id from auth.mfa_factors where id = $1', [early.id])).toEqual([]);
    const half = await sessionOf(await firstFactorOnly(email));
    const { body } = await app.ask('POST', `/factors/${planted?.id}/challenge`, { headers: bearer(half.access_token) });
    for (const token of [half.access_token, session.access_token]) {
      const verified = await app.ask('POST', `/factors/${planted?.id}/verify`, {
        headers: bearer(token),
        body: { challenge_id: body.id, webauthn: { type: 'create', credential_response: {} } },
      });
      expect(verified).toMatchObject({ status: 403, body: { code: 'insufficient_aal' } });
    }
  });

  it('is not raised by an enrolment if another enrolment completes at the same time', async () => {
    const { client, email } = await app.member(PASSWORD);
    const other = await firstFactorOnly(email);
    const [mine, planted] = [await enrol(client, 'mine'), await enrol(other, 'planted')];
    const answers = await Promise.all([
      client.auth.mfa.challengeAndVerify({ factorId: mine.id, code: codeOf(mine.secret) }),
      other.auth.mfa.challengeAndVerify({ factorId: planted.id, code: codeOf(planted.secret) }),
    ]);
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    expect(
      await app.sql('select id from auth.mfa_factors where user_id = (select id from auth.users where email = $1)', [
        email,
      ]),
    ).toHaveLength(1);
  });

  it('has only aal1 rights with an access token from before the second factor', async () => {
    const { client, session } = await app.member(PASSWORD);
    const { id, secret } = await enrol(client, 'phone');
    await client.auth.mfa.challengeAndVerify({ factorId: id, code: codeOf(secret) });
    const early = bearer(session.access_token);
    expect((await app.ask('DELETE', `/factors/${id}`, { headers: early })).body.code).toBe('insufficient_aal');
    const body = { password: 'another password' };
    expect((await app.ask('PUT', '/user', { headers: early, body })).body.code).toBe('insufficient_aal');
    const enrolment = { factor_type: 'totp', friendly_name: 'x' };
    expect((await app.ask('POST', '/factors', { headers: early, body: enrolment })).body.code).toBe('insufficient_aal');
  });
});

describe('removal of a factor', () => {
  const ways: Record<string, (member: Awaited<ReturnType<typeof memberWithFactor>>) => Promise<unknown>> = {
    'the member': ({ client, factor }) => client.auth.mfa.unenroll({ factorId: factor.id }),
    'the builder': ({ user, factor }) =>
      app.client(app.keys.secretKey).auth.admin.mfa.deleteFactor({ id: factor.id, userId: user.id }),
    SQL: ({ factor }) => app.sql('delete from auth.mfa_factors where id = $1', [factor.id]),
  };

  it.each(Object.keys(ways))(
    'ends the assurance of the sessions that the factor raised, with their access tokens, if %s removes the factor',
    async (way) => {
      const member = await memberWithFactor();
      const { access_token } = await sessionOf(member.client);
      expect((await app.identify(bearer(access_token))).claims.aal).toBe('aal2');
      const notified = app.heard((payload) => payload.includes(claimsOf(access_token).session_id));
      await ways[way]?.(member);
      await notified;
      const { claims } = await app.identify(bearer(access_token));
      expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'password' }] });
      const refreshed = await member.client.auth.refreshSession();
      expect(claimsOf(refreshed.data.session?.access_token ?? '')).toMatchObject({
        aal: 'aal1',
        amr: [{ method: 'password' }],
      });
    },
  );

  it('keeps the session at aal2 if another factor of the same type was verified in it last', async () => {
    const { client, factor } = await memberWithFactor();
    const second = await enrol(client, 'second');
    await client.auth.mfa.challengeAndVerify({ factorId: second.id, code: codeOf(second.secret) });
    expect((await client.auth.mfa.unenroll({ factorId: factor.id })).error).toBeNull();
    const { data } = await client.auth.refreshSession();
    expect(claimsOf(data.session?.access_token ?? '').aal).toBe('aal2');
    expect((await client.auth.mfa.unenroll({ factorId: second.id })).error).toBeNull();
    expect(claimsOf((await client.auth.refreshSession()).data.session?.access_token ?? '').aal).toBe('aal1');
  });
});

it('the app informs the member by mail about an added or removed factor if the app enables that mail', async () => {
  const mailsOf = async (id: string) => {
    const [found] = await runAsAuthAdmin(app.database, [
      [
        `select kind, recipient, data ->> 'FactorType' from ninefold.mails where user_id = $1 order by created_at`,
        [id],
      ],
    ]);
    return found?.rows.map((row) => row.map(String));
  };
  const member = await memberWithFactor();
  await member.client.auth.mfa.unenroll({ factorId: member.factor.id });
  expect(await mailsOf(member.user.id)).toEqual([
    ['mfa_factor_enrolled_notification', member.email, 'totp'],
    ['mfa_factor_unenrolled_notification', member.email, 'totp'],
  ]);
  const off = `'mailer_notifications_mfa_factor_enrolled_enabled', 'mailer_notifications_mfa_factor_unenrolled_enabled'`;
  await app.sql(`insert into ninefold.settings (key, value) select key, 'false' from unnest(array[${off}]) key`);
  const silent = await memberWithFactor();
  await silent.client.auth.mfa.unenroll({ factorId: silent.factor.id });
  expect(await mailsOf(silent.user.id)).toEqual([]);
  await app.sql(`delete from ninefold.settings where key in (${off})`);
});

it('the transaction of a change of factors queues the mail about the change', async () => {
  const { client, factor } = await memberWithFactor();
  const kind = 'mfa_factor_unenrolled_notification';
  const alter = (change: string) =>
    app.serverDatabase.run([{ text: `alter table ninefold.mails ${change}`, params: [] }]);
  await alter(`add constraint refused check (kind <> '${kind}') not valid`);
  try {
    expect((await client.auth.mfa.unenroll({ factorId: factor.id })).error).not.toBeNull();
  } finally {
    await alter('drop constraint refused');
  }
  expect((await client.auth.mfa.listFactors()).data?.totp.map(({ id }) => id)).toEqual([factor.id]);
  expect((await client.auth.mfa.unenroll({ factorId: factor.id })).error).toBeNull();
});

describe('POST /factors', () => {
  it('limits the number of factors, also for parallel calls, and refuses a name that is in use', async () => {
    app.settings = { ...app.settings, mfa_max_enrolled_factors: 3 };
    const { client } = await app.member(PASSWORD);
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) => client.auth.mfa.enroll({ factorType: 'totp', friendlyName: `f${i}` })),
    );
    expect(all.filter(({ error }) => error === null)).toHaveLength(3);
    expect(all.find(({ error }) => error)?.error).toMatchObject({ code: 'too_many_enrolled_mfa_factors', status: 422 });
    const name = all.find(({ data }) => data)?.data?.friendly_name ?? '';
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: name })).error?.code).toBe(
      'mfa_factor_name_conflict',
    );
    await app.sql(`update auth.mfa_factors set created_at = now() - interval '301 seconds'`);
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: name })).error).toBeNull();
  });

  it('needs a session, an account that is not anonymous, and an enabled type of factor', async () => {
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    expect(await app.ask('POST', '/factors', { body: { factor_type: 'totp' } })).toMatchObject({
      status: 401,
      body: { code: 'no_authorization', message: expect.stringContaining('Bearer token') },
    });
    const anonymous = app.client();
    await anonymous.auth.signInAnonymously();
    expect((await anonymous.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({
      code: 'no_authorization',
      status: 403,
    });
    const { client } = await app.member(PASSWORD);
    expect((await client.auth.mfa.enroll({ factorType: 'phone', phone: '+4912345' })).error?.code).toBe(
      'mfa_phone_enroll_not_enabled',
    );
    const { id } = await enrol(client, 'phone');
    app.settings = { ...app.settings, mfa_totp_enroll_enabled: false, mfa_totp_verify_enabled: false };
    expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error?.code).toBe('mfa_totp_enroll_not_enabled');
    expect((await client.auth.mfa.challenge({ factorId: id })).error?.code).toBe('mfa_totp_verify_not_enabled');
  });
});

describe('adding or removing a factor, a passkey or recovery codes', () => {
  /** Moves the sign-in of an account's sessions two days into the past. */
  const age = (userId: string) =>
    runAsAuthAdmin(app.database, [
      ["update auth.sessions set created_at = pg_catalog.now() - interval '2 days' where user_id = $1::uuid", [userId]],
      [
        `update auth.mfa_amr_claims m set updated_at = pg_catalog.now() - interval '2 days'
         from auth.sessions s where s.id = m.session_id and s.user_id = $1::uuid`,
        [userId],
      ],
    ]);

  it('needs the second factor, the current password or a code if the session is old', async () => {
    const { user, email, session } = await app.member(PASSWORD);
    const headers = bearer(session.access_token);
    const add = (friendly_name: string, more = {}) =>
      app.ask('POST', '/factors', { headers, body: { factor_type: 'totp', friendly_name, ...more } });
    const addPasskey = (body = {}) => app.ask('POST', '/passkeys/registration/options', { headers, body });
    await age(user.id);
    const needed = { status: 400, body: { code: 'reauthentication_needed' } };
    expect(await add('one')).toMatchObject(needed);
    expect(await addPasskey()).toMatchObject(needed);
    expect(await addPasskey({ current_password: 'a wrong password' })).toMatchObject(needed);
    expect((await add('one', { current_password: PASSWORD })).status).toBe(200);
    await app.ask('GET', '/reauthenticate', { headers });
    const nonce = await jsonAsAuthAdmin<string>(
      app.database,
      "select data -> 'Token' from ninefold.mails where recipient = $1 and kind = 'reauthentication'",
      [email],
    );
    expect((await addPasskey({ nonce })).status).toBe(200);
    expect((await addPasskey({ nonce })).body.code).toBe('reauthentication_not_valid');
    app.settings = { ...app.settings, security_update_password_require_reauthentication: false };
    expect((await add('two')).status).toBe(200);
  });

  it('is possible in an old session after the member showed the second factor again', async () => {
    const { client, user, factor } = await memberWithFactor();
    const make = async (path = '') =>
      app.ask('POST', `/factors/recovery-codes${path}`, { headers: bearer((await sessionOf(client)).access_token) });
    await age(user.id);
    expect((await make()).body.code).toBe('reauthentication_needed');
    app.clockOffset = 2 * STEP;
    await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code: codeOf(factor.secret) });
    expect((await make()).status).toBe(200);
    await age(user.id);
    expect((await make('/regenerate')).body.code).toBe('reauthentication_needed');
    const headers = bearer((await sessionOf(client)).access_token);
    const remove = (path: string, body?: object) => app.ask('DELETE', `/factors/${path}`, { headers, body });
    expect((await remove('recovery-codes')).body.code).toBe('reauthentication_needed');
    expect((await remove(factor.id)).body.code).toBe('reauthentication_needed');
    expect((await remove('recovery-codes', { current_password: PASSWORD })).status).toBe(200);
    expect((await remove(factor.id, { current_password: PASSWORD })).status).toBe(200);
  });
});

describe('recovery codes', () => {
  const codesOf = async (client: SupabaseClient) => {
    const { access_token } = await sessionOf(client);
    const { body } = await app.ask('POST', '/factors/recovery-codes', { headers: bearer(access_token) });
    return body as { id: string; codes: string[]; total: number };
  };
  const show = async (client: SupabaseClient, code: string) => {
    const { access_token } = await sessionOf(client);
    return app.ask('POST', '/factors/recovery-codes/verify', { headers: bearer(access_token), body: { code } });
  };

  it('are created once for an account with a second factor, and only in an aal2 session', async () => {
    const { client } = await app.member(PASSWORD);
    const make = async (by: SupabaseClient) =>
      app.ask('POST', '/factors/recovery-codes', { headers: bearer((await sessionOf(by)).access_token) });
    expect(await make(client)).toMatchObject({ status: 422, body: { code: 'mfa_recovery_codes_sole_factor' } });
    const { client: whole, email, user } = await memberWithFactor();
    const half = await firstFactorOnly(email);
    expect(await make(half)).toMatchObject({ status: 403, body: { code: 'insufficient_aal' } });
    const { body } = await make(whole);
    expect(body).toMatchObject({ type: 'recovery_code', friendly_name: 'Recovery codes', total: 10 });
    expect(new Set(body.codes as string[]).size).toBe(10);
    expect((body.codes as string[]).every((code) => /^[0-9a-hjkmnp-tv-z]{24}$/.test(code))).toBe(true);
    expect(await make(whole)).toMatchObject({ status: 422, body: { code: 'mfa_verified_factor_exists' } });
    const [stored] = await runAsAuthAdmin(app.database, [
      [
        'select c::text from ninefold.recovery_codes c join auth.mfa_factors f on f.id = c.factor_id where f.user_id = $1',
        [user.id],
      ],
    ]);
    expect(stored?.rows).toHaveLength(10);
    const text = stored?.rows.map(([row]) => row?.toString()).join() ?? '';
    expect((body.codes as string[]).filter((code) => text.includes(code))).toEqual([]);
    expect((await whole.auth.mfa.listFactors()).data?.recovery_code).toMatchObject([
      { id: body.id, status: 'verified' },
    ]);
  });

  it('raise a session to aal2, each code only once, and are accepted in any letter case and with hyphens', async () => {
    const { client, email } = await memberWithFactor();
    const { codes } = await codesOf(client);
    const half = await firstFactorOnly(email);
    const typed = (codes[0] ?? '').toUpperCase().replace(/(.{4})(?=.)/g, '$1- ');
    const answers = await Promise.all(Array.from({ length: 8 }, () => show(half, typed)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(claimsOf(String(won[0]?.body.access_token))).toMatchObject({ aal: 'aal2' });
    expect(claimsOf(String(won[0]?.body.access_token)).amr.map(({ method }: { method: string }) => method)).toContain(
      'mfa/recovery_code',
    );
    const status = async (by: SupabaseClient) =>
      (await app.ask('GET', '/factors/recovery-codes', { headers: bearer((await sessionOf(by)).access_token) })).body;
    expect(await status(client)).toMatchObject({ total: 10, remaining: 9 });
    expect((await show(half, codes[0] ?? '')).body.code).toBe('mfa_verification_failed');
  });

  it('are refused if they belong to another member, and guesses are limited', async () => {
    const { client } = await memberWithFactor();
    const mallory = await memberWithFactor();
    const { codes } = await codesOf(client);
    await codesOf(mallory.client);
    const answers = await Promise.all(Array.from({ length: 12 }, () => show(mallory.client, codes[0] ?? '')));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(10);
    expect(answers.find(({ status }) => status === 429)?.body.code).toBe('mfa_recovery_codes_locked');
    expect((await show(client, codes[0] ?? '')).status).toBe(200);
  });

  it('are replaced as a set, and are deleted with the last other factor', async () => {
    const { client, factor, user } = await memberWithFactor();
    const { id, codes } = await codesOf(client);
    const headers = bearer((await sessionOf(client)).access_token);
    const again = await app.ask('POST', '/factors/recovery-codes/regenerate', { headers });
    expect(again.body).toMatchObject({ id, friendly_name: 'Recovery codes', total: 10 });
    expect((await show(client, codes[1] ?? '')).status).toBe(422);
    const used = await show(client, (again.body.codes as string[])[1] ?? '');
    expect(used.status).toBe(200);
    const now = bearer(String(used.body.access_token));
    expect((await app.ask('DELETE', `/factors/${factor.id}`, { headers: now })).status).toBe(200);
    expect(await app.sql('select id from auth.mfa_factors where user_id = $1', [user.id])).toEqual([]);
    const [session] = await app.sql('select aal from auth.sessions where user_id = $1', [user.id]);
    expect(session?.aal).toBe('aal1');
  });
});

describe('admin calls on factors', () => {
  it('list, rename and remove factors of an account, with the secret key only', async () => {
    const { client, user, factor } = await memberWithFactor();
    const path = `/admin/users/${user.id}/factors`;
    const secretKey = { apikey: app.keys.secretKey };
    const listed = await app.ask('GET', path, { headers: secretKey });
    expect(listed.body).toMatchObject([
      { id: factor.id, factor_type: 'totp', status: 'verified', friendly_name: 'phone' },
    ]);
    expect(JSON.stringify(listed.body)).not.toContain(factor.secret);
    const renamed = await app.ask('PUT', `${path}/${factor.id}`, {
      headers: secretKey,
      body: { friendly_name: 'old' },
    });
    expect(renamed.body).toMatchObject({ id: factor.id, friendly_name: 'old' });
    const { access_token } = await sessionOf(client);
    for (const [method, at] of [
      ['GET', path],
      ['DELETE', `${path}/${factor.id}`],
    ] as const) {
      expect((await app.ask(method, at, { headers: bearer(access_token) })).body.code).toBe('not_admin');
    }
    expect((await app.ask('DELETE', `${path}/${user.id}`, { headers: secretKey })).body.code).toBe(
      'mfa_factor_not_found',
    );
    expect((await app.ask('DELETE', `${path}/${factor.id}`, { headers: secretKey })).body).toMatchObject({
      id: factor.id,
    });
    expect((await app.ask('GET', path, { headers: secretKey })).body).toEqual([]);
  });
});

it('members and anonymous callers cannot read secrets, challenges or attempts in SQL', async () => {
  for (const table of [
    'auth.mfa_factors',
    'auth.mfa_challenges',
    'ninefold.second_factor_attempts',
    'ninefold.totp_steps',
    'ninefold.recovery_codes',
  ]) {
    for (const role of ['anon', 'authenticated']) {
      const [row] = await app.sql(
        `select has_schema_privilege($1, $2, 'usage') and has_table_privilege($1, $3, 'select') as can`,
        [role, table.split('.')[0] ?? '', table],
      );
      expect(row?.can, `${role} ${table}`).toBe('f');
    }
  }
});
