import { hash as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { type AuthApp, type CallOptions, makeAuthApp } from '../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { uniqueEmail } from '../../test/support/unique.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-members');
  app = await makeAuthApp(postgres.url);
});
beforeEach(async () => {
  app.reset();
  await app.database.run([
    { text: `select set_config('role', 'supabase_auth_admin', true)`, params: [] },
    { text: 'truncate ninefold.sign_in_failures', params: [] },
  ]);
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const password = 'correct horse';

/** A member as the stock client signs one up. */
async function member() {
  const email = uniqueEmail();
  const client = app.client();
  const { data, error } = await client.auth.signUp({ email, password });
  if (error || !data.user || !data.session) throw error ?? new Error('no session');
  return { client, email, user: data.user, session: data.session };
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const signIn = (email: string, secret: string, options: CallOptions = {}) =>
  app.ask('POST', '/token?grant_type=password', { ...options, body: { email, password: secret } });

describe('signing up', () => {
  it('makes an account and a session with the claims that policies read', async () => {
    const email = uniqueEmail();
    const client = app.client();
    const { data } = await client.auth.signUp({
      email: ` ${email.toUpperCase()} `,
      password,
      options: { data: { full_name: 'Ada' } },
    });
    expect(data.user).toMatchObject({
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { full_name: 'Ada', email, email_verified: true, phone_verified: false, sub: data.user?.id },
      identities: [{ provider: 'email', id: data.user?.id, user_id: data.user?.id, identity_data: { email } }],
    });
    expect(data.user?.email_confirmed_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    // The stock client verifies the token with the published key.
    const { data: verified, error } = await client.auth.getClaims();
    expect(error).toBeNull();
    expect(verified?.claims).toMatchObject({
      iss: 'http://localhost/apps/auth/auth/v1',
      sub: data.user?.id,
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: expect.any(Number) }],
      app_metadata: { provider: 'email', providers: ['email'] },
      is_anonymous: false,
    });
    expect(verified?.claims.session_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(app.events).toContainEqual({
      type: 'auth',
      what: 'signed-up',
      app: 'auth',
      userId: data.user?.id,
      address: '127.0.0.1',
    });
  });

  it('stores an argon2id hash and never the password', async () => {
    const { user } = await member();
    const [row] = await app.sql('select * from auth.users where id = $1', [user.id]);
    expect(row?.encrypted_password).toMatch(/^\$argon2id\$/);
    expect(JSON.stringify(row)).not.toContain(password);
  });

  it('refuses an address that is taken, in any letter case, also one that a seed wrote', async () => {
    const { email } = await member();
    expect((await app.client().auth.signUp({ email: email.toUpperCase(), password })).error).toMatchObject({
      code: 'user_already_exists',
      status: 422,
    });
    const seeded = uniqueEmail('Seeded');
    await app.sql('insert into auth.users (id, email) values (gen_random_uuid(), $1)', [seeded]);
    expect((await app.client().auth.signUp({ email: seeded, password })).error?.code).toBe('user_already_exists');
  });

  it('makes one account of many sign-ups at once', async () => {
    const email = uniqueEmail();
    const all = await Promise.all(Array.from({ length: 8 }, () => app.client().auth.signUp({ email, password })));
    expect(all.map(({ error }) => error?.code ?? 'made').sort()).toEqual([
      'made',
      ...Array(7).fill('user_already_exists'),
    ]);
    expect(await app.sql('select from auth.users where email = $1', [email])).toHaveLength(1);
  });

  it('answers a taken address like a new one while addresses must be confirmed', async () => {
    app.settings = { ...app.settings, mailer_autoconfirm: false };
    const { email, password: secret } = { email: uniqueEmail(), password };
    const first = await app.client().auth.signUp({ email, password: secret });
    expect(first.data.session).toBeNull();
    expect(first.data.user?.email_confirmed_at).toBeUndefined();
    const second = await app.client().auth.signUp({ email, password: secret });
    expect(second.error).toBeNull();
    expect(second.data.user?.identities).toEqual([]);
    expect(second.data.user?.id).not.toBe(first.data.user?.id);
    expect((await app.client().auth.signInWithPassword({ email, password })).error).toMatchObject({
      code: 'email_not_confirmed',
      status: 400,
    });
  });

  it.each([
    [{}, 'anonymous_provider_disabled', 422],
    [{ email: 'ada@example.com' }, 'validation_failed', 400],
    [{ email: 'ada@example.com', password: 'short' }, 'weak_password', 422],
    [{ email: 'ada@example.com', password: 'x'.repeat(1025) }, 'validation_failed', 400],
    [{ email: 'ada@example.com', password: 'nul\0nul' }, 'validation_failed', 400],
    [{ email: 'no address', password }, 'validation_failed', 400],
    [{ email: 'ada@example.com', phone: '+491701234567', password }, 'validation_failed', 400],
    [{ phone: '+491701234567', password }, 'phone_provider_disabled', 400],
    [{ email: 'ada@example.com', password, data: 'x' }, 'validation_failed', 400],
    [{ email: 'ada@example.com', password, data: { big: 'x'.repeat(20_000) } }, 'validation_failed', 400],
    [{ email: ['ada@example.com'], password }, 'validation_failed', 400],
    [{ email: { toString: 'x' }, password: { length: 10 } }, 'validation_failed', 400],
  ])('refuses %j with %s', async (body, code, status) => {
    expect(await app.ask('POST', '/signup', { body })).toMatchObject({ status, body: { code } });
  });

  it('can be switched off', async () => {
    app.settings = { ...app.settings, disable_signup: true };
    expect((await app.client().auth.signUp({ email: uniqueEmail(), password })).error?.code).toBe('signup_disabled');
    app.settings = { ...app.settings, disable_signup: false, external_email_enabled: false };
    expect((await app.client().auth.signUp({ email: uniqueEmail(), password })).error?.code).toBe(
      'email_provider_disabled',
    );
  });

  it('works without an address where visitors may, and the account can get one', async () => {
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    const client = app.client();
    const { data } = await client.auth.signInAnonymously({ options: { data: { theme: 'dark' } } });
    expect(data.user).toMatchObject({
      is_anonymous: true,
      email: '',
      identities: [],
      user_metadata: { theme: 'dark' },
    });
    expect((await client.auth.updateUser({ password })).error).toMatchObject({
      code: 'validation_failed',
      status: 422,
    });
    const email = uniqueEmail();
    const { data: known } = await client.auth.updateUser({ email, password });
    expect(known.user).toMatchObject({
      id: data.user?.id,
      email,
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
    });
    expect((await app.client().auth.signInWithPassword({ email, password })).error).toBeNull();
  });
});

describe('signing in', () => {
  it('answers a wrong password and an unknown address alike, and after the same time', async () => {
    const { email } = await member();
    const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
    const answers = new Set<string>();
    for (let i = 0; i < 11; i++) {
      for (const [name, address] of [
        ['known', email],
        ['unknown', uniqueEmail()],
      ] as const) {
        const started = performance.now();
        const { status, body } = await signIn(address, 'wrong', { address: `198.51.100.${i}` });
        times[name].push(performance.now() - started);
        answers.add(JSON.stringify([status, body]));
      }
    }
    expect([...answers]).toEqual(['[400,{"code":"invalid_credentials","message":"Invalid login credentials"}]']);
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[5] ?? 0;
    expect(median(times.unknown) / median(times.known)).toBeGreaterThan(0.6);
    expect(median(times.unknown) / median(times.known)).toBeLessThan(1.6);
  });

  it('takes a hash from elsewhere once and replaces it', async () => {
    const email = uniqueEmail();
    await app.sql(
      'insert into auth.users (id, email, encrypted_password, email_confirmed_at) values (gen_random_uuid(), $1, $2, now())',
      [email, await bcrypt(password, 4)],
    );
    expect((await signIn(email, password)).status).toBe(200);
    const [row] = await app.sql('select encrypted_password from auth.users where email = $1', [email]);
    expect(row?.encrypted_password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await signIn(email, password)).status).toBe(200);
  });

  it('finds an address that a seed wrote in other letter case', async () => {
    const email = uniqueEmail('Seeded');
    await app.sql(
      `insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, created_at, updated_at)
       values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated', $1,
         extensions.crypt($2, extensions.gen_salt('bf', 4)), now(), now(), now())`,
      [email, password],
    );
    const { data, error } = await app.client().auth.signInWithPassword({ email, password });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email, app_metadata: {}, user_metadata: {}, identities: [] });
  });

  it('does not say that an account is banned to who does not know its password', async () => {
    const { email, user } = await member();
    await app.sql(`update auth.users set banned_until = 'infinity' where id = $1`, [user.id]);
    expect((await signIn(email, 'wrong')).body.code).toBe('invalid_credentials');
    expect(await signIn(email, password)).toMatchObject({ status: 400, body: { code: 'user_banned' } });
  });

  it('never matches an account without a password', async () => {
    const email = uniqueEmail();
    await app.sql(
      `insert into auth.users (id, email, encrypted_password, email_confirmed_at) values (gen_random_uuid(), $1, '', now())`,
      [email],
    );
    for (const secret of ['', 'x', '$argon2id$']) {
      expect((await signIn(email, secret)).body.code).toBe('invalid_credentials');
    }
  });

  it.each([
    ['/token', {}, 'invalid_credentials', 400],
    ['/token?grant_type=pkce', {}, 'invalid_credentials', 400],
    ['/token?grant_type=password', {}, 'validation_failed', 400],
    ['/token?grant_type=password', { email: 'a@b.c', phone: '+491701234567', password }, 'validation_failed', 400],
    ['/token?grant_type=password', { phone: '+491701234567', password }, 'phone_provider_disabled', 422],
    ['/token?grant_type=password', { email: "' or 1=1 --", password }, 'invalid_credentials', 400],
    ['/token?grant_type=password', { email: 'a@b.c', password: 'x'.repeat(2000) }, 'validation_failed', 400],
    ['/token?grant_type=password', { email: 'a@b.c', password: ['x'] }, 'validation_failed', 400],
  ])('refuses %s %j with %s', async (path, body, code, status) => {
    expect(await app.ask('POST', path, { body })).toMatchObject({ status, body: { code } });
  });

  it('warns of a password that has become too short', async () => {
    const { email } = await member();
    app.settings = { ...app.settings, password_min_length: 40 };
    const { data } = await app.client().auth.signInWithPassword({ email, password });
    expect(data.weakPassword ?? (data as { weak_password?: unknown }).weak_password).toMatchObject({
      reasons: ['length'],
    });
  });
});

describe('too many failed sign-ins', () => {
  const failures = limits.signInFailures.default;
  const perAccount = limits.signInFailuresPerAccount.default;
  const rateLimited = { status: 429, body: { code: 'over_request_rate_limit' } };

  it('of one address make it wait, not others, and not for accounts that were not meant', async () => {
    const { email } = await member();
    for (let i = 0; i < failures; i++) await signIn(uniqueEmail(), 'wrong', { address: '203.0.113.1' });
    const refused = await signIn(email, password, { address: '203.0.113.1' });
    expect(refused).toMatchObject(rateLimited);
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThan(limits.signInWindowSeconds.default - 60);
    expect(wait).toBeLessThanOrEqual(limits.signInWindowSeconds.default);
    expect((await signIn(email, password, { address: '203.0.113.2' })).status).toBe(200);
  });

  it('for one account make it wait from every address, also when they come all at once', async () => {
    const { email } = await member();
    const guesses = Array.from({ length: perAccount + 10 }, (_, i) =>
      signIn(email, 'wrong', { address: `192.0.2.${i}` }),
    );
    await Promise.all(guesses);
    expect(await signIn(email, password, { address: '192.0.2.200' })).toMatchObject(rateLimited);
    expect((await signIn(uniqueEmail(), 'wrong', { address: '192.0.2.200' })).status).toBe(400);
  });

  it('hide the right guess among many that come at once', async () => {
    const { email } = await member();
    const wrong = Array.from({ length: 40 }, (_, i) => signIn(email, 'wrong', { address: `192.0.2.${i}` }));
    const right = signIn(email, password, { address: '192.0.2.100' });
    await Promise.all(wrong);
    expect(await right).toMatchObject(rateLimited);
  });

  it('are forgotten by a sign-in, and after the window', async () => {
    const { email } = await member();
    for (let i = 0; i < perAccount - 1; i++) await signIn(email, 'wrong', { address: `192.0.2.${i}` });
    expect((await signIn(email, password, { address: '192.0.2.100' })).status).toBe(200);
    for (let i = 0; i < perAccount; i++) await signIn(email, 'wrong', { address: `192.0.2.${i}` });
    expect(await signIn(email, password, { address: '192.0.2.100' })).toMatchObject(rateLimited);
    await app.database.run([
      { text: `select set_config('role', 'supabase_auth_admin', true)`, params: [] },
      { text: `update ninefold.sign_in_failures set window_start = window_start - interval '10 minutes'`, params: [] },
    ]);
    expect((await signIn(email, password, { address: '192.0.2.100' })).status).toBe(200);
    await signIn(uniqueEmail(), 'wrong', { address: '192.0.2.101' });
    const [left] = await app.database
      .run([
        { text: `select set_config('role', 'supabase_auth_admin', true)`, params: [] },
        { text: 'select count(*) from ninefold.sign_in_failures', params: [] },
      ])
      .then((results) => results.slice(1));
    expect(Number(left?.rows[0]?.[0])).toBeLessThan(10);
  });
});

describe('the member', () => {
  it('reads and changes what belongs to it', async () => {
    const { client, email, user } = await member();
    expect((await client.auth.getUser()).data.user).toMatchObject({ id: user.id, email });
    const { data } = await client.auth.updateUser({ data: { theme: 'dark', list: [1, { a: null }] } });
    expect(data.user?.user_metadata).toMatchObject({ theme: 'dark', list: [1, { a: null }] });
    const { data: without } = await client.auth.updateUser({ data: { theme: null } });
    expect(without.user?.user_metadata).not.toHaveProperty('theme');
    expect(without.user?.user_metadata).toHaveProperty('list');
  });

  it('changes its address at once while addresses count as confirmed, else keeps the new one waiting', async () => {
    const { client, user } = await member();
    const email = uniqueEmail();
    const { data } = await client.auth.updateUser({ email: email.toUpperCase() });
    expect(data.user).toMatchObject({
      id: user.id,
      email,
      identities: [{ identity_data: { email, email_verified: true } }],
    });
    app.settings = { ...app.settings, mailer_autoconfirm: false };
    const next = uniqueEmail();
    expect((await client.auth.updateUser({ email: next })).data.user).toMatchObject({ email, new_email: next });
  });

  it('cannot take the address of another', async () => {
    const [one, two] = [await member(), await member()];
    expect((await two.client.auth.updateUser({ email: one.email })).error).toMatchObject({
      code: 'email_exists',
      status: 422,
    });
  });

  it('cannot make itself an admin, nor outgrow its token', async () => {
    const { client, session } = await member();
    const headers = bearer(session.access_token);
    const call = (body: unknown) => app.ask('PUT', '/user', { headers, body });
    expect(await call({ app_metadata: { admin: true } })).toMatchObject({ status: 403, body: { code: 'not_admin' } });
    expect(await call({ role: 'service_role' })).toMatchObject({ status: 200, body: { role: 'authenticated' } });
    expect((await client.auth.updateUser({ data: { a: 'x'.repeat(9000) } })).error).toBeNull();
    expect((await client.auth.updateUser({ data: { b: 'x'.repeat(9000) } })).error?.code).toBe('validation_failed');
  });

  it('with a new password ends its other sessions, and keeps the one it calls with', async () => {
    const { client, email, session } = await member();
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
    ['another scheme', { authorization: 'Basic YTpi' }, 403, 'bad_jwt'],
    ['an empty token', { authorization: 'Bearer ' }, 403, 'bad_jwt'],
    ['a broken token', { authorization: 'Bearer a.b.c' }, 403, 'bad_jwt'],
  ])('is not known with %s', async (_, headers, status, code) => {
    expect(await app.ask('GET', '/user', { headers })).toMatchObject({ status, body: { code } });
  });

  it('is not known by an access token that has expired, and gets another for its refresh token', async () => {
    const { session } = await member();
    expect((await app.ask('GET', '/user', { headers: bearer(session.access_token) })).status).toBe(200);
    app.clockOffset = 3_631_000;
    expect(await app.ask('GET', '/user', { headers: bearer(session.access_token) })).toMatchObject({
      status: 403,
      body: { code: 'bad_jwt', message: expect.stringContaining('JWT expired') },
    });
    const { body } = await app.ask('POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: session.refresh_token },
    });
    expect((await app.ask('GET', '/user', { headers: bearer(String(body.access_token)) })).status).toBe(200);
  });

  it('is not known by a key', async () => {
    for (const key of [app.keys.publishableKey, app.keys.anonKey, app.keys.serviceRoleKey]) {
      expect(await app.ask('GET', '/user', { headers: bearer(key) })).toMatchObject({
        status: 403,
        body: { code: 'bad_jwt' },
      });
    }
  });
});

describe('signing out', () => {
  const works = async (token: string) => (await app.ask('GET', '/user', { headers: bearer(token) })).status === 200;

  async function threeSessions() {
    const { email, session } = await member();
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
  ])('with scope %j ends the sessions it names, their access tokens included', async (scope, expected) => {
    const tokens = await threeSessions();
    const ended = app.heard((payload) => payload.includes('revoked'));
    const reply = await app.call('POST', `/logout?scope=${scope}`, { headers: bearer(tokens[0]) });
    expect([reply.status, reply.body]).toEqual([204, null]);
    await ended;
    expect(await Promise.all(tokens.map(works))).toEqual(expected);
  });

  it('refuses a scope it does not know and a session that has ended', async () => {
    const { client, session } = await member();
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

describe('what the app’s own database says against an account', () => {
  it('reaches the client: the message of RAISE, the status of PTxyz, the name of a constraint', async () => {
    await app.sql(`create function public.check_domain() returns trigger language plpgsql as $$
      begin
        if new.email like '%@raise.example.com' then raise exception 'Only staff may join.'; end if;
        if new.email like '%@teapot.example.com' then raise sqlstate 'PT418' using message = 'I am a teapot.'; end if;
        if new.email like '%@check.example.com' then
          raise exception using errcode = '23514', constraint = 'staff_only', message = 'internal words';
        end if;
        return new;
      end $$`);
    await app.sql(
      'create trigger check_domain before insert on auth.users for each row execute function public.check_domain()',
    );
    const attempt = (domain: string) =>
      app.ask('POST', '/signup', { body: { email: `ada@${domain}.example.com`, password } });
    expect(await attempt('raise')).toMatchObject({
      status: 400,
      body: { code: 'database_refused', message: 'Only staff may join.' },
    });
    expect(await attempt('teapot')).toMatchObject({
      status: 418,
      body: { code: 'database_refused', message: 'I am a teapot.' },
    });
    const refused = await attempt('check');
    expect(refused).toMatchObject({ status: 400, body: { code: 'database_refused' } });
    expect(refused.body.message).toContain('staff_only');
    expect(JSON.stringify(refused.body)).not.toContain('internal words');
    expect(app.events.filter(({ type }) => type === 'fault')).toHaveLength(3);
  });
});
