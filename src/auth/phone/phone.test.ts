import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { lastTextTo, textsTo } from '../../../test/support/auth-messages.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';
import { jsonAsAuthAdmin, runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';

let postgres: TestPostgres;
let app: AuthApp;

const WIDE = 10_000;

beforeAll(async () => {
  postgres = await startPostgres('auth-phone', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => {
  app.reset();
  app.settings = {
    ...app.settings,
    external_phone_enabled: true,
    sms_max_frequency: 0,
    mfa_phone_enroll_enabled: true,
    mfa_phone_verify_enabled: true,
    mfa_phone_max_frequency: 0,
    // All tests run within one hour and from one network, so the limits per hour and network are raised.
    ...{ rate_limit_sms_network: WIDE, rate_limit_sms_sent: WIDE, rate_limit_otp: WIDE, rate_limit_verify: WIDE },
    mfa_rate_limit_challenge_and_verify: WIDE,
  };
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const password = 'correct horse';

let numbers = 0;
const newPhone = () => `1555${String(1_000_000 + numbers++)}`;

const codeTo = async (phone: string): Promise<string> => (await lastTextTo(app, phone)).data.Token;

const post = (path: string, body: unknown, headers = {}) => app.ask('POST', path, { body, headers });
const verify = (phone: string, token: string, type = 'sms') => post('/verify', { type, phone, token });
const secret = () => ({ apikey: app.keys.secretKey, authorization: `Bearer ${app.keys.secretKey}` });
const age = (email: string, interval: string) =>
  runAsAuthAdmin(app.database, [
    [
      `update auth.sessions s set created_at = pg_catalog.now() - $2::interval from auth.users u
       where u.id = s.user_id and (u.email = $1 or u.phone = $1)`,
      [email, interval],
    ],
  ]);

/** Returns a member who signed in by a code. */
async function phoneMember(phone = newPhone()): Promise<{ phone: string; client: SupabaseClient; id: string }> {
  const client = app.client();
  expect((await client.auth.signInWithOtp({ phone })).error).toBeNull();
  const { data, error } = await client.auth.verifyOtp({ type: 'sms', phone, token: await codeTo(phone) });
  if (error || !data.user) throw error ?? new Error('no member');
  return { phone, client, id: data.user.id };
}

describe('POST /signup, /otp and /verify with a phone number', () => {
  it('sign up with a password, confirm by the code, and sign in', async () => {
    const phone = newPhone();
    const client = app.client();
    const signedUp = await client.auth.signUp({ phone: ` +${phone} `, password, options: { data: { name: 'Ada' } } });
    expect([signedUp.error, signedUp.data.session]).toEqual([null, null]);
    expect(signedUp.data.user).toMatchObject({ phone, email: '', app_metadata: { provider: 'phone' } });
    expect((await client.auth.signInWithPassword({ phone, password })).error?.code).toBe('phone_not_confirmed');
    expect((await client.auth.resend({ type: 'sms', phone })).error).toBeNull();
    const [first, second] = await textsTo(app, phone);
    expect(second?.data.Message).toBe(`Your code is ${second?.data.Token}`);
    expect((await verify(phone, first?.data.Token ?? '')).body).toMatchObject({ code: 'otp_expired' });
    const { data, error } = await client.auth.verifyOtp({ type: 'sms', phone, token: second?.data.Token ?? '' });
    expect([error, data.user?.phone_confirmed_at]).toEqual([null, expect.any(String)]);
    expect(data.user?.identities?.[0]).toMatchObject({
      provider: 'phone',
      identity_data: { phone, phone_verified: true },
    });
    expect((await client.auth.getClaims()).data?.claims).toMatchObject({
      phone,
      aal: 'aal1',
      amr: [{ method: 'otp' }],
    });
    const other = app.client();
    expect((await other.auth.signInWithPassword({ phone: `+${phone}`, password })).error).toBeNull();
    expect((await other.auth.signInWithPassword({ phone, password: 'another one' })).error?.code).toBe(
      'invalid_credentials',
    );
  });

  it('sign up at once with sms_autoconfirm, and refuse a number of another account', async () => {
    app.settings = { ...app.settings, sms_autoconfirm: true };
    const phone = newPhone();
    const { data } = await app.client().auth.signUp({ phone, password });
    expect(data).toMatchObject({ session: { user: { phone } }, user: { phone_confirmed_at: expect.any(String) } });
    expect((await app.client().auth.signUp({ phone, password })).error?.code).toBe('user_already_exists');
    expect(await textsTo(app, phone)).toEqual([]);
  });

  it.each([
    ['/otp', { phone: '12', channel: 'fax' }, 'validation_failed', /Invalid channel/],
    ['/otp', { phone: '12', channel: 'whatsapp' }, 'validation_failed', /Invalid channel/],
    ['/otp', { phone: '+0155512345678' }, 'validation_failed', /E\.164 required/],
    ['/signup', { phone: 'abc', password }, 'validation_failed', /E\.164 required/],
    ['/signup', { phone: '15550000000', password, code_challenge: 'c'.repeat(43) }, 'validation_failed', /PKCE not/],
    ['/resend', { type: 'sms' }, 'validation_failed', /requires a phone number/],
    ['/verify', { type: 'sms', phone: '1', token: '1' }, 'validation_failed', /E\.164 required/],
    ['/verify', { type: 'email', phone: '15550000000', token: '123456' }, 'otp_expired', /expired or is invalid/],
  ])('respond to POST %s with %j as GoTrue does', async (path, body, code, message) => {
    const answer = await post(path, body);
    expect(answer.body).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('refuse phone numbers while they are disabled', async () => {
    app.settings = { ...app.settings, external_phone_enabled: false };
    const body = { phone: newPhone(), password };
    expect([
      await post('/otp', body),
      await post('/signup', body),
      await post('/resend', { ...body, type: 'sms' }),
    ]).toEqual(
      Array(3).fill(
        expect.objectContaining({ status: 400, body: expect.objectContaining({ code: 'phone_provider_disabled' }) }),
      ),
    );
    expect((await post('/token?grant_type=password', body)).body).toMatchObject({ code: 'phone_provider_disabled' });
    expect((await app.ask('GET', '/settings')).body).toMatchObject({ external: { phone: false }, sms_provider: '' });
  });

  it('remove the password of a stranger who signed up with the number before its owner signed in', async () => {
    const phone = newPhone();
    await app.client().auth.signUp({ phone, password: 'of the stranger' });
    await phoneMember(phone);
    const { error } = await app.client().auth.signInWithPassword({ phone, password: 'of the stranger' });
    expect(error?.code).toBe('invalid_credentials');
  });

  it('accept the code of a test number without sending an SMS, until sms_test_otp_valid_until', async () => {
    const phone = newPhone();
    app.settings = { ...app.settings, sms_test_otp: { [`+${phone}`]: '424242' }, rate_limit_sms_sent: 0 };
    await app.client().auth.signInWithOtp({ phone });
    expect([(await verify(phone, '424242')).status, await textsTo(app, phone)]).toEqual([200, []]);
    app.settings = { ...app.settings, sms_test_otp_valid_until: '2020-01-01T00:00:00Z', rate_limit_sms_sent: WIDE };
    await app.client().auth.signInWithOtp({ phone });
    expect((await verify(phone, '424242')).status).toBe(403);
    expect(await textsTo(app, phone)).toHaveLength(1);
  });

  it('let the secret key create and change accounts with phone numbers', async () => {
    const { admin } = app.client(app.keys.secretKey).auth;
    const [phone, next] = [newPhone(), newPhone()];
    const { data } = await admin.createUser({ phone, password, phone_confirm: true });
    expect((await app.client().auth.signInWithPassword({ phone, password })).error).toBeNull();
    await admin.updateUserById(data.user?.id ?? '', { phone: `+${next}`, phone_confirm: true });
    expect((await app.client().auth.signInWithPassword({ phone: next, password })).data.user?.id).toBe(data.user?.id);
    expect((await admin.createUser({ phone: next })).error?.code).toBe('phone_exists');
  });
});

describe('codes sent by SMS', () => {
  it('give one session when a code is shown many times at once', async () => {
    const phone = newPhone();
    await app.client().auth.signInWithOtp({ phone });
    const code = await codeTo(phone);
    app.settings = { ...app.settings, rate_limit_verify_account: WIDE };
    // With more wrong codes at once, the limit of wrong codes would be reached.
    const shown = await Promise.all(Array.from({ length: 6 }, () => verify(phone, code)));
    expect(shown.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await verify(phone, code)).body).toMatchObject({ code: 'otp_expired' });
  });

  it('are refused without a comparison after the limit of wrong codes', async () => {
    const phone = newPhone();
    await app.client().auth.signInWithOtp({ phone });
    const code = await codeTo(phone);
    app.settings = { ...app.settings, rate_limit_verify_account: WIDE };
    const wrong = code === '000000' ? '000001' : '000000';
    const tries = [];
    for (let i = 0; i < 13; i++) tries.push((await verify(phone, wrong)).status);
    expect(tries.at(-1)).toBe(429);
    const refused = await verify(phone, code);
    expect([refused.status, refused.headers['ratelimit-policy']]).toEqual([429, '"oneTimeCodeTries";q=12;w=3600']);
  });

  it('sign a member in from a new network even while a stranger guesses codes', async () => {
    const phone = newPhone();
    await app.client().auth.signInWithOtp({ phone });
    const shown = (token: string, address: string) =>
      app.ask('POST', '/verify', { body: { type: 'sms', phone, token }, address });
    const code = await codeTo(phone);
    for (let i = 0; i < 15; i++) await shown('wrong', '203.0.113.50');
    expect((await shown(code, '203.0.113.50')).status).toBe(429);
    expect((await shown(code, '203.0.113.51')).status).toBe(200);
  });

  it('are refused when they have expired or are for another purpose', async () => {
    const phone = newPhone();
    await app.client().auth.signInWithOtp({ phone });
    const code = await codeTo(phone);
    expect((await verify(phone, code, 'phone_change')).body).toMatchObject({ code: 'otp_expired' });
    await runAsAuthAdmin(app.database, [
      ['update auth.one_time_tokens set created_at = created_at - $2::interval where relates_to = $1', [phone, '61 s']],
    ]);
    expect((await verify(phone, code)).body).toMatchObject({ code: 'otp_expired' });
  });

  it('get the same response for numbers with and without an account', async () => {
    const { phone: known } = await phoneMember();
    const unknown = newPhone();
    const ask = async (phone: string) => [
      await post('/otp', { phone, create_user: false }),
      await post('/resend', { type: 'sms', phone }),
      await post('/resend', { type: 'phone_change', phone }),
      await verify(phone, '12345'),
    ];
    expect(await ask(known)).toEqual(await ask(unknown));
    const fresh = newPhone();
    const shape = ({ status, body }: Awaited<ReturnType<typeof post>>) => [
      status,
      JSON.stringify(body)
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
        .replaceAll(/1555\d{7}/g, 'N'),
    ];
    const asked = { password, data: { name: 'Ada' } };
    expect(shape(await post('/signup', { ...asked, phone: known }))).toEqual(
      shape(await post('/signup', { ...asked, phone: fresh })),
    );
  });

  it('are limited by number, network, app and time', async () => {
    const phone = newPhone();
    app.settings = { ...app.settings, sms_max_frequency: 60 };
    expect((await post('/otp', { phone })).status).toBe(200);
    const soon = await post('/otp', { phone });
    expect([soon.status, soon.body.code, Number(soon.headers['retry-after']) > 0]).toEqual([
      429,
      'over_sms_send_rate_limit',
      true,
    ]);
    expect(soon.headers['ratelimit-policy']).toBe('"sms_max_frequency";q=1;w=60');
    app.settings = { ...app.settings, sms_max_frequency: 0, rate_limit_sms_number: 2 };
    expect((await post('/otp', { phone })).status).toBe(200);
    expect((await post('/otp', { phone })).body).toMatchObject({ code: 'over_sms_send_rate_limit' });
    app.settings = { ...app.settings, rate_limit_sms_network: 1 };
    const from = (address: string) => app.ask('POST', '/otp', { body: { phone: newPhone() }, address });
    const pumped = await Promise.all(Array.from({ length: 6 }, () => from('203.0.113.7')));
    expect(pumped.filter(({ status }) => status === 200)).toHaveLength(1);
    app.settings = { ...app.settings, rate_limit_sms_sent: 1 };
    expect((await from('203.0.113.8')).body).toMatchObject({
      message: expect.stringContaining('SMS rate limit exceeded'),
    });
  });
});

it('a member can request a code even while a stranger’s requests are refused', async () => {
  const { phone } = await phoneMember();
  app.settings = { ...app.settings, sms_max_frequency: 60, rate_limit_sms_number: 2 };
  const pauseEnds = () =>
    runAsAuthAdmin(app.database, [
      [`update ninefold.mail_requests set requested_at = requested_at - interval '61 s'`, []],
    ]);
  const stranger = () => app.ask('POST', '/otp', { body: { phone }, address: '203.0.113.9' });
  await pauseEnds();
  expect((await stranger()).status).toBe(200);
  await pauseEnds();
  expect((await stranger()).body).toMatchObject({ message: expect.stringContaining('SMS rate limit exceeded') });
  // The next request comes from a network in which the member has signed in before.
  expect((await post('/otp', { phone })).status).toBe(200);
});

describe('a change of phone number', () => {
  it('takes effect with the right code, ends the other sessions and sends a mail to the member’s address', async () => {
    const { client, email, user } = await app.member(password);
    const first = newPhone();
    const changed = await client.auth.updateUser({ phone: first });
    expect([changed.error, changed.data.user?.new_phone, changed.data.user?.phone]).toEqual([null, first, '']);
    expect((await client.auth.resend({ type: 'phone_change', phone: first })).error).toBeNull();
    const { data, error } = await client.auth.verifyOtp({
      type: 'phone_change',
      phone: first,
      token: await codeTo(first),
    });
    expect([error, data.user]).toMatchObject([
      null,
      { id: user.id, phone: first, app_metadata: { providers: ['email', 'phone'] } },
    ]);
    const other = app.client();
    await other.auth.signInWithPassword({ email, password });
    const second = newPhone();
    await client.auth.updateUser({ phone: second });
    const done = await client.auth.verifyOtp({ type: 'phone_change', phone: second, token: await codeTo(second) });
    expect(done.data.user?.phone).toBe(second);
    expect((await other.auth.refreshSession()).error?.code).toBe('refresh_token_not_found');
    const reported = await jsonAsAuthAdmin(
      app.database,
      `select data from ninefold.mails where kind = 'phone_changed_notification' and recipient = $1`,
      [email],
    );
    expect(reported).toEqual({ OldPhone: first, Phone: second });
  });

  it('cannot be finished, and its code cannot be sent again, after the password changed', async () => {
    const { client, email, user } = await app.member(password);
    const [planted, second] = [newPhone(), newPhone()];
    const begin = (phone: string) => client.auth.updateUser({ phone });
    const isVoid = async (phone: string) => {
      const old = await codeTo(phone);
      expect((await verify(phone, old, 'phone_change')).body).toMatchObject({ code: 'otp_expired' });
      const texts = (await textsTo(app, phone)).length;
      expect((await post('/resend', { type: 'phone_change', phone })).status).toBe(200);
      expect(await textsTo(app, phone)).toHaveLength(texts);
    };
    await begin(planted);
    expect((await client.auth.updateUser({ password: 'another horse' })).error).toBeNull();
    await isVoid(planted);
    await begin(second);
    await app.sql("update auth.users set encrypted_password = 'x', email_change = 'evil@example.com' where id = $1", [
      user.id,
    ]);
    await isVoid(second);
    const rows = await app.sql('select phone, email_change, phone_change from auth.users where email = $1', [email]);
    expect(rows).toEqual([{ phone: null, email_change: '', phone_change: '' }]);
  });

  it('reveals that a number is taken only to a caller who shows its code', async () => {
    const { phone } = await phoneMember();
    const { client } = await app.member(password);
    expect((await client.auth.updateUser({ phone })).error).toBeNull();
    const { error } = await client.auth.verifyOtp({ type: 'phone_change', phone, token: await codeTo(phone) });
    expect(error?.code).toBe('phone_exists');
  });

  it('takes a number from an account that never confirmed the number', async () => {
    const phone = newPhone();
    const squatter = await app.client().auth.signUp({ phone, password });
    const { client } = await app.member(password);
    await client.auth.updateUser({ phone });
    const { data } = await client.auth.verifyOtp({ type: 'phone_change', phone, token: await codeTo(phone) });
    expect(data.user?.phone).toBe(phone);
    const [left] = await app.sql(
      `select u.phone, (select count(*) from auth.identities i where i.user_id = u.id) as identities
       from auth.users u where u.id = $1`,
      [squatter.data.user?.id ?? ''],
    );
    expect(left).toEqual({ phone: null, identities: '0' });
  });

  it('makes an anonymous account a member with the same id', async () => {
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    const client = app.client();
    const { data } = await client.auth.signInAnonymously();
    const phone = newPhone();
    await client.auth.updateUser({ phone });
    const verified = await client.auth.verifyOtp({ type: 'phone_change', phone, token: await codeTo(phone) });
    expect(verified.data.user).toMatchObject({ id: data.user?.id, phone, is_anonymous: false });
  });

  it('needs reauthentication by a code in an SMS if the session is old', async () => {
    const { client, phone } = await phoneMember();
    await age(phone, '2 days');
    const next = newPhone();
    expect((await client.auth.updateUser({ phone: next })).error?.code).toBe('reauthentication_needed');
    expect((await client.auth.reauthenticate()).error).toBeNull();
    const nonce = await codeTo(phone);
    expect(
      (await client.auth.updateUser({ password: 'a new horse', nonce: nonce === '1' ? '2' : '1' })).error?.code,
    ).toBe('reauthentication_not_valid');
    const both = await Promise.all([0, 1].map(() => client.auth.updateUser({ password: 'a new horse', nonce })));
    expect(both.filter(({ error }) => error === null)).toHaveLength(1);
  });

  it('takes effect at once with sms_autoconfirm, except if another account has the number', async () => {
    app.settings = { ...app.settings, sms_autoconfirm: true };
    const { client } = await app.member(password);
    const phone = newPhone();
    expect((await client.auth.updateUser({ phone })).data.user).toMatchObject({
      phone,
      phone_confirmed_at: expect.any(String),
    });
    const { client: other } = await app.member(password);
    expect((await other.auth.updateUser({ phone })).error?.code).toBe('phone_exists');
  });
});

describe('a number that counts as confirmed without a proof', () => {
  const OF_THE_STRANGER = 'of the stranger';
  beforeEach(() => {
    app.settings = { ...app.settings, sms_autoconfirm: true, external_anonymous_users_enabled: true };
  });

  it.each(['with a password', 'with an address', 'anonymously'] as const)(
    'loses every way in which a stranger can sign in once its owner uses a code (the stranger began %s)',
    async (begin) => {
      const [phone, email] = [newPhone(), uniqueEmail()];
      const stranger = app.client();
      if (begin === 'anonymously') await stranger.auth.signInAnonymously();
      if (begin === 'with an address') await stranger.auth.signUp({ email, password: OF_THE_STRANGER });
      const password = OF_THE_STRANGER;
      const begun =
        begin === 'with a password'
          ? await stranger.auth.signUp({ phone, password })
          : await stranger.auth.updateUser(begin === 'anonymously' ? { phone, password } : { phone });
      expect(begun.error).toBeNull();
      const { client: owner, id } = await phoneMember(phone);
      expect(id).toBe(begun.data.user?.id);
      expect((await stranger.auth.refreshSession()).error).not.toBeNull();
      for (const login of [{ phone }, { email }]) {
        const again = await app
          .client()
          .auth.signInWithPassword({ ...login, password } as { phone: string; password: string });
        expect(again.error?.code).toBe('invalid_credentials');
      }
      const [left] = await app.sql(
        `select u.phone, u.email, (select pg_catalog.string_agg(provider, ',') from auth.identities i where i.user_id = u.id) as identities
         from auth.users u where u.id = $1`,
        [id],
      );
      expect(left).toEqual({ phone, email: null, identities: 'phone' });

      // A password that the owner sets stays, also after the owner uses a further code.
      expect((await owner.auth.updateUser({ password: 'of the owner, only' })).error).toBeNull();
      await phoneMember(phone);
      const { error } = await app.client().auth.signInWithPassword({ phone, password: 'of the owner, only' });
      expect(error).toBeNull();
      expect((await owner.auth.refreshSession()).error).toBeNull();
    },
  );

  it('keeps its password and its sessions if the builder has confirmed the number, over the API or by SQL', async () => {
    const { admin } = app.client(app.keys.secretKey).auth;
    for (const by of ['api', 'sql'] as const) {
      const phone = newPhone();
      const { data } = await app.client().auth.signUp({ phone, password });
      const id = data.user?.id ?? '';
      if (by === 'api') await admin.updateUserById(id, { phone_confirm: true });
      else await app.sql('update auth.users set phone_confirmed_at = clock_timestamp() where id = $1', [id]);
      await phoneMember(phone);
      expect((await app.client().auth.signInWithPassword({ phone, password })).error).toBeNull();
    }
  });

  it('keeps its password and its sessions if the member has sent a code for reauthentication', async () => {
    const phone = newPhone();
    const client = app.client();
    await client.auth.signUp({ phone, password });
    await age(phone, '2 days');
    expect((await client.auth.reauthenticate()).error).toBeNull();
    const changed = await client.auth.updateUser({ password: 'a new horse', nonce: await codeTo(phone) });
    expect(changed.error).toBeNull();
    await phoneMember(phone);
    expect((await app.client().auth.signInWithPassword({ phone, password: 'a new horse' })).error).toBeNull();
  });

  it('moves to the account of a member who shows the code', async () => {
    const phone = newPhone();
    const squatter = await app.client().auth.signUp({ phone, password });
    app.settings = { ...app.settings, sms_autoconfirm: false };
    const { client } = await app.member(password);
    await client.auth.updateUser({ phone });
    const { data } = await client.auth.verifyOtp({ type: 'phone_change', phone, token: await codeTo(phone) });
    expect(data.user?.phone).toBe(phone);
    expect(
      await app.sql('select phone, phone_confirmed_at from auth.users where id = $1', [squatter.data.user?.id ?? '']),
    ).toEqual([{ phone: null, phone_confirmed_at: null }]);
  });
});

describe('a phone as a second factor', () => {
  async function enrolled(phone = newPhone()) {
    const member = await app.member(password);
    const { data, error } = await member.client.auth.mfa.enroll({
      factorType: 'phone',
      phone: `+${phone}`,
      friendlyName: 'p',
    });
    if (error) throw error;
    return { ...member, phone, factorId: data.id };
  }

  it('raises the session to aal2 by the code of an SMS, and lowers it to aal1 when the factor is removed', async () => {
    const { client, phone, factorId } = await enrolled();
    const challenge = await client.auth.mfa.challenge({ factorId });
    expect(challenge.data).toMatchObject({ type: 'phone' });
    const challengeId = challenge.data?.id ?? '';
    const text = await lastTextTo(app, phone);
    expect(text.kind).toBe('sms_mfa');
    const wrong = await client.auth.mfa.verify({ factorId, challengeId, code: `${text.data.Token}0` });
    expect(wrong.error).toMatchObject({ code: 'mfa_verification_failed', message: 'Invalid MFA Phone code entered' });
    const shown = await Promise.all(
      Array.from({ length: 5 }, () => client.auth.mfa.verify({ factorId, challengeId, code: text.data.Token })),
    );
    expect(shown.filter(({ error }) => error === null)).toHaveLength(1);
    const claims = (await client.auth.getClaims()).data?.claims;
    expect([claims?.aal, claims?.amr?.[0]]).toMatchObject(['aal2', { method: 'mfa/phone' }]);
    const again = await client.auth.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'q' });
    expect(again.error?.code).toBe('mfa_verified_factor_exists');
    expect((await client.auth.mfa.listFactors()).data?.phone).toMatchObject([{ id: factorId, status: 'verified' }]);
    const recovery = await app.ask('POST', '/factors/recovery-codes', {
      body: {},
      headers: { authorization: `Bearer ${(await client.auth.getSession()).data.session?.access_token}` },
    });
    expect(recovery.status).toBe(200);
    expect((await client.auth.mfa.unenroll({ factorId })).error).toBeNull();
    const [session] = await app.sql(
      'select s.aal from auth.sessions s join auth.users u on u.id = s.user_id where u.id = $1',
      [(await client.auth.getUser()).data.user?.id ?? ''],
    );
    expect(session?.aal).toBe('aal1');
  });

  it('limits the wrong codes of an account, and the messages to a factor', async () => {
    const { client, phone, factorId } = await enrolled();
    app.settings = { ...app.settings, rate_limit_second_factor: 3, mfa_phone_max_frequency: 60 };
    const { data } = await client.auth.mfa.challenge({ factorId });
    expect((await client.auth.mfa.challenge({ factorId })).error?.code).toBe('over_sms_send_rate_limit');
    const code = await codeTo(phone);
    const challengeId = data?.id ?? '';
    for (let i = 0; i < 3; i++) await client.auth.mfa.verify({ factorId, challengeId, code: 'wrong' });
    expect((await client.auth.mfa.verify({ factorId, challengeId, code })).error?.code).toBe('over_request_rate_limit');
    await client.auth.mfa.unenroll({ factorId });
    const next = await client.auth.mfa.enroll({ factorType: 'phone', phone, friendlyName: 'again' });
    // After the factor was removed, the server still knows the time of the last text message to the number.
    const refused = await client.auth.mfa.challenge({ factorId: next.data?.id ?? '' });
    expect(refused.error?.code).toBe('over_sms_send_rate_limit');
  });

  it('is off by default', async () => {
    const { client, factorId } = await enrolled();
    app.settings = { ...app.settings, mfa_phone_enroll_enabled: false, mfa_phone_verify_enabled: false };
    const phone = newPhone();
    expect((await client.auth.mfa.enroll({ factorType: 'phone', phone })).error?.code).toBe(
      'mfa_phone_enroll_not_enabled',
    );
    expect((await client.auth.mfa.challenge({ factorId })).error?.code).toBe('mfa_phone_verify_not_enabled');
  });

  it('stores no code of a challenge in plain text', async () => {
    const { client, phone, factorId } = await enrolled();
    await client.auth.mfa.challenge({ factorId });
    const [row] = await app.sql('select otp_code from auth.mfa_challenges where factor_id = $1', [factorId]);
    expect(row?.otp_code).toMatch(/^[0-9a-f]{64}$/);
    expect(row?.otp_code).not.toContain(await codeTo(phone));
  });
});

it('the app rejects requests with phone numbers if the key belongs to another app, and admin calls without the secret key', async () => {
  expect((await post('/otp', { phone: newPhone() }, { apikey: 'sb_publishable_other' })).status).toBe(401);
  expect((await post('/admin/users', { phone: newPhone() })).status).toBe(401);
  expect((await post('/admin/users', { phone: newPhone() }, secret())).status).toBe(200);
});
