import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-sign-up', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => app.reset());
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const password = 'correct horse';

describe('POST /signup', () => {
  it('copies the metadata to the identity, but ignores a claim that the address is verified', async () => {
    const data = { full_name: 'Ada', email_verified: true, email: 'other@example.com', sub: 'x' };
    const signUp = async () => {
      const email = uniqueEmail();
      const { body } = await app.ask('POST', '/signup', { body: { email, password, data } });
      const user = (body.user ?? body) as { id: string; identities: { identity_data: object }[] };
      return { email, id: user.id, identity: user.identities[0]?.identity_data };
    };
    const confirmed = await signUp();
    const expected = ({ email, id }: { email: string; id: string }) => ({ full_name: 'Ada', email, sub: id });
    expect(confirmed.identity).toEqual({ ...expected(confirmed), email_verified: true, phone_verified: false });
    app.settings = { ...app.settings, mailer_autoconfirm: false };
    const unconfirmed = await signUp();
    expect(unconfirmed.identity).toEqual({ ...expected(unconfirmed), email_verified: false, phone_verified: false });
  });

  it.each([
    [{ code_challenge_method: 's256' }, 'PKCE flow requires code_challenge_method and code_challenge'],
    [{ code_challenge: 'a'.repeat(43) }, 'PKCE flow requires code_challenge_method and code_challenge'],
    [{ code_challenge: 'x', code_challenge_method: 's256' }, 'code challenge has to be between 43 and 128 characters'],
    [{ code_challenge: 'é'.repeat(50), code_challenge_method: 's256' }, 'code challenge can only contain'],
  ])('refuses %j with validation_failed', async (challenge, message) => {
    const reply = await app.ask('POST', '/signup', { body: { email: uniqueEmail(), password, ...challenge } });
    expect(reply).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(reply.body.message).toContain(message);
  });

  it('refuses to create an anonymous account if the body names an address field in another letter case', async () => {
    const email = uniqueEmail();
    const { body } = await app.ask('POST', '/signup', { body: { Email: email, PASSWORD: password } });
    expect(body.user).toMatchObject({ email, is_anonymous: false });
  });

  it('creates an account and a session with the claims that policies read', async () => {
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
    // The stock client verifies the token with the published public key.
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

  it('stores an argon2id hash and not the password', async () => {
    const { user } = await app.member(password);
    const [row] = await app.sql('select * from auth.users where id = $1', [user.id]);
    expect(row?.encrypted_password).toMatch(/^\$argon2id\$/);
    expect(JSON.stringify(row)).not.toContain(password);
  });

  it('refuses an address that an account has in any letter case, also if a seed wrote it', async () => {
    const { email } = await app.member(password);
    expect((await app.client().auth.signUp({ email: email.toUpperCase(), password })).error).toMatchObject({
      code: 'user_already_exists',
      status: 422,
    });
    const seeded = uniqueEmail('Seeded');
    await app.sql('insert into auth.users (id, email) values (gen_random_uuid(), $1)', [seeded]);
    expect((await app.client().auth.signUp({ email: seeded, password })).error?.code).toBe('user_already_exists');
  });

  it('creates one account for many parallel sign-ups', async () => {
    const email = uniqueEmail();
    const all = await Promise.all(Array.from({ length: 8 }, () => app.client().auth.signUp({ email, password })));
    expect(all.map(({ error }) => error?.code ?? 'made').sort()).toEqual([
      'made',
      ...Array(7).fill('user_already_exists'),
    ]);
    expect(await app.sql('select from auth.users where email = $1', [email])).toHaveLength(1);
  });

  it('gives a taken address the response of a new one if addresses must be confirmed', async () => {
    app.settings = { ...app.settings, mailer_autoconfirm: false };
    const { email, password: secret } = { email: uniqueEmail(), password };
    const first = await app.client().auth.signUp({ email, password: secret });
    expect(first.data.session).toBeNull();
    expect(first.data.user?.email_confirmed_at).toBeUndefined();
    const second = await app.client().auth.signUp({ email, password: secret });
    expect(second.error).toBeNull();
    expect(second.data.user?.identities).toMatchObject([{ provider: 'email', identity_data: { email } }]);
    expect(second.data.user?.id).not.toBe(first.data.user?.id);
    const { id, created_at, updated_at, confirmation_sent_at, identities, user_metadata, ...rest } =
      second.data.user ?? ({} as never);
    expect(first.data.user).toMatchObject(rest);
    expect({ ...user_metadata, sub: null }).toEqual({ ...first.data.user?.user_metadata, sub: null });
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
    [{ email: 'ada@example.com', password, data: 'x' }, 'bad_json', 400],
    [{ email: 'ada@example.com', password, data: { big: 'x'.repeat(20_000) } }, 'validation_failed', 400],
    [{ email: ['ada@example.com'], password }, 'bad_json', 400],
    [{ email: { toString: 'x' }, password: { length: 10 } }, 'bad_json', 400],
  ])('refuses %j with %s', async (body, code, status) => {
    expect(await app.ask('POST', '/signup', { body })).toMatchObject({ status, body: { code } });
  });

  it('can be disabled', async () => {
    app.settings = { ...app.settings, disable_signup: true };
    expect((await app.client().auth.signUp({ email: uniqueEmail(), password })).error?.code).toBe('signup_disabled');
    app.settings = { ...app.settings, disable_signup: false, external_email_enabled: false };
    expect((await app.client().auth.signUp({ email: uniqueEmail(), password })).error?.code).toBe(
      'email_provider_disabled',
    );
  });

  it('creates an account without an address if anonymous users are allowed, and accepts an address for it later', async () => {
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

describe('errors of the app’s own database', () => {
  it('return the message of RAISE, the status of PTxyz and the name of a constraint to the client', async () => {
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

  it('return no details if a trigger fails with an error that it did not raise itself', async () => {
    await app.sql('create table public.hidden_ledger (id int)');
    await app.sql(`create function public.after_sign_up() returns trigger language plpgsql as $$
      begin
        if new.email like '%@forbidden.example.com' then insert into public.hidden_ledger values (1); end if;
        if new.email like '%@missing.example.com' then insert into public.no_such_ledger values (1); end if;
        if new.email like '%@own.example.com' then
          raise exception using errcode = 'BX001', message = 'The book is shut.';
        end if;
        return new;
      end $$`);
    await app.sql(
      'create trigger after_sign_up after insert on auth.users for each row execute function public.after_sign_up()',
    );
    for (const [domain, sqlstate] of [
      ['forbidden', '42501'],
      ['missing', '42P01'],
    ]) {
      const email = `ada@${domain}.example.com`;
      const { status, body } = await app.ask('POST', '/signup', { body: { email, password } });
      expect([status, body.code]).toEqual([500, 'database_refused']);
      expect(body.message).toContain(`A trigger of this app failed for a reason of its own (${sqlstate})`);
      expect(JSON.stringify(body)).not.toMatch(/ledger|after_sign_up/);
      const { error } = await app.client().auth.signInWithPassword({ email, password });
      expect(error?.code).toBe('invalid_credentials');
    }
    const own = await app.ask('POST', '/signup', { body: { email: 'ada@own.example.com', password } });
    expect(own).toMatchObject({ status: 400, body: { code: 'database_refused', message: 'The book is shut.' } });
  });
});
