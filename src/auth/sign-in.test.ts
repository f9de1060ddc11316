import { hash as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../contract/limits.ts';
import { type AuthApp, type CallOptions, makeAuthApp } from '../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { uniqueEmail } from '../../test/support/unique.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-sign-in');
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

const signIn = (email: string, secret: string, options: CallOptions = {}) =>
  app.ask('POST', '/token?grant_type=password', { ...options, body: { email, password: secret } });

describe('signing in', () => {
  it('answers a wrong password and an unknown address alike, and after the same time', async () => {
    const { email } = await app.member(password);
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
    const { email, user } = await app.member(password);
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
    const { email } = await app.member(password);
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
    const { email } = await app.member(password);
    for (let i = 0; i < failures; i++) await signIn(uniqueEmail(), 'wrong', { address: '203.0.113.1' });
    const refused = await signIn(email, password, { address: '203.0.113.1' });
    expect(refused).toMatchObject(rateLimited);
    const wait = Number(refused.headers['retry-after']);
    expect(wait).toBeGreaterThan(limits.signInWindowSeconds.default - 60);
    expect(wait).toBeLessThanOrEqual(limits.signInWindowSeconds.default);
    expect((await signIn(email, password, { address: '203.0.113.2' })).status).toBe(200);
  });

  it('for one account make it wait from every address, also when they come all at once', async () => {
    const { email } = await app.member(password);
    const guesses = Array.from({ length: perAccount + 10 }, (_, i) =>
      signIn(email, 'wrong', { address: `192.0.2.${i}` }),
    );
    await Promise.all(guesses);
    expect(await signIn(email, password, { address: '192.0.2.200' })).toMatchObject(rateLimited);
    expect((await signIn(uniqueEmail(), 'wrong', { address: '192.0.2.200' })).status).toBe(400);
  });

  it('hide the right guess among many that come at once', async () => {
    const { email } = await app.member(password);
    const wrong = Array.from({ length: 40 }, (_, i) => signIn(email, 'wrong', { address: `192.0.2.${i}` }));
    // The others are let in by now, and wait for their passwords to be hashed.
    await Promise.race(wrong);
    const right = signIn(email, password, { address: '192.0.2.100' });
    await Promise.all(wrong);
    expect(await right).toMatchObject(rateLimited);
  });

  it('are forgotten by a sign-in, and after the window', async () => {
    const { email } = await app.member(password);
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
