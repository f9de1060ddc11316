import { randomUUID } from 'node:crypto';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-admin-users', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => app.reset());
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const password = 'correct horse';
const admin = () => app.client(app.keys.secretKey).auth.admin;
const asAdmin = (method: string, path: string, body?: unknown) =>
  app.ask(method, path, { headers: { apikey: app.keys.secretKey }, ...(body === undefined ? {} : { body }) });

async function made(attributes: Parameters<ReturnType<typeof admin>['createUser']>[0] = {}) {
  const { data, error } = await admin().createUser({
    email: uniqueEmail(),
    password,
    email_confirm: true,
    ...attributes,
  });
  if (error) throw error;
  return data.user;
}

/** Signs an account in and returns a function that reports whether the session still works. */
async function sessionOf(email: string | undefined) {
  const { data } = await app.client().auth.signInWithPassword({ email: email ?? '', password });
  const headers = { authorization: `Bearer ${data.session?.access_token}` };
  return { status: async () => (await app.ask('GET', '/user', { headers })).status };
}

const revoked = () => app.heard((payload) => payload.includes('revoked'));

describe('requireAdmin', () => {
  it.each(['secretKey', 'serviceRoleKey'] as const)('accepts the key %s of the app', async (key) => {
    expect((await app.client(app.keys[key]).auth.admin.listUsers()).error).toBeNull();
  });

  it('refuses callers without the secret key', async () => {
    const { data } = await app.client().auth.signUp({ email: uniqueEmail(), password });
    const member = { apikey: app.keys.publishableKey, authorization: `Bearer ${data.session?.access_token}` };
    const calls: [string, string][] = [
      ['GET', '/admin/users'],
      ['POST', '/admin/users'],
      ['GET', `/admin/users/${data.user?.id}`],
      ['PUT', `/admin/users/${data.user?.id}`],
      ['DELETE', `/admin/users/${data.user?.id}`],
    ];
    for (const [method, path] of calls) {
      const raw = Buffer.from('not json');
      expect(await app.ask(method, path, { raw })).toMatchObject({ status: 401, body: { code: 'no_authorization' } });
      for (const headers of [
        member,
        { apikey: app.keys.publishableKey },
        { authorization: `Bearer ${app.keys.anonKey}` },
      ]) {
        expect(await app.ask(method, path, { raw, headers })).toMatchObject({
          status: 403,
          body: { code: 'not_admin' },
        });
      }
    }
  });
});

describe('POST /admin/users', () => {
  it('stores every attribute that the stock client can send', async () => {
    const id = randomUUID();
    const email = uniqueEmail();
    const { data, error } = await admin().createUser({
      id,
      email,
      phone: '+49 170 1234567',
      password,
      email_confirm: true,
      phone_confirm: true,
      user_metadata: { name: 'Ada' },
      app_metadata: { plan: 'pro' },
      role: 'editor',
      ban_duration: '1h',
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      id,
      email,
      phone: '491701234567',
      role: 'editor',
      user_metadata: { name: 'Ada', email_verified: true },
      app_metadata: { plan: 'pro', provider: 'email', providers: ['email', 'phone'] },
      email_confirmed_at: expect.any(String),
      phone_confirmed_at: expect.any(String),
      banned_until: expect.any(String),
    });
    expect(data.user?.identities?.map(({ provider }) => provider).sort()).toEqual(['email', 'phone']);
  });

  it('creates an account while sign-up is disabled, and stores no password if the body has none', async () => {
    app.settings = { ...app.settings, disable_signup: true };
    const user = await made({ password: '' });
    expect((await app.client().auth.signInWithPassword({ email: user.email ?? '', password })).error?.code).toBe(
      'invalid_credentials',
    );
    const [row] = await app.sql('select encrypted_password from auth.users where id = $1', [user.id]);
    expect(row?.encrypted_password).toBeNull();
  });

  it('stores the hash of a password instead of a password', async () => {
    const email = uniqueEmail();
    const body = { email, email_confirm: true, password_hash: await bcrypt(password, 4) };
    expect((await asAdmin('POST', '/admin/users', body)).status).toBe(200);
    expect((await app.client().auth.signInWithPassword({ email, password })).error).toBeNull();
  });

  it('refuses an address, a number or an id that belongs to another account', async () => {
    const phone = '491700000001';
    const user = await made({ phone });
    expect((await admin().createUser({ email: user.email?.toUpperCase() ?? '' })).error).toMatchObject({
      code: 'email_exists',
      status: 422,
    });
    expect((await admin().createUser({ phone })).error).toMatchObject({ code: 'phone_exists', status: 422 });
    expect((await admin().createUser({ id: user.id, email: uniqueEmail() })).error?.code).toBe('user_already_exists');
  });

  it.each([
    [{}, 'email or phone'],
    [{ email: 'x' }, 'email'],
    [{ phone: 'x' }, 'phone'],
    [{ email: 'a@b.c', id: 'x' }, 'ID'],
    [{ email: 'a@b.c', id: '00000000-0000-0000-0000-000000000000' }, 'ID'],
    [{ email: 'a@b.c', password, password_hash: '$2b$04$' }, 'Only a password'],
    [{ email: 'a@b.c', password_hash: 'plain' }, 'password_hash'],
    [{ email: 'a@b.c', ban_duration: '1 day' }, 'ban duration'],
    [{ email: 'a@b.c', role: 'r'.repeat(256) }, 'role'],
    [{ email: 'a@b.c', app_metadata: { big: 'x'.repeat(5000) } }, 'app metadata'],
    [{ email: 'a@b.c', email_confirm: 'yes' }, 'email_confirm', 'bad_json'],
  ])('refuses the body %j', async (body, words, code = 'validation_failed') => {
    const reply = await asAdmin('POST', '/admin/users', body);
    expect(reply).toMatchObject({ status: 400, body: { code } });
    expect(reply.body.message).toContain(words);
  });
});

describe('GET /admin/users', () => {
  it('returns pages with the total number and with links to the next and last page', async () => {
    for (let i = 0; i < 3; i++) await made();
    const { total } = (await admin().listUsers()).data as { total: number };
    const { data } = await admin().listUsers({ page: 1, perPage: 2 });
    expect(data).toMatchObject({ total, nextPage: 2, aud: 'authenticated' });
    expect(data.users).toHaveLength(2);
    const reply = await app.call('GET', '/admin/users?per_page=2&page=1&filter=a%3Db', {
      headers: { apikey: app.keys.secretKey },
    });
    expect(reply.headers.link).toBe('</admin/users?page=0&per_page=2&filter=a%3Db>; rel="last"');
    const all = (await admin().listUsers({ perPage: 1000 })).data.users;
    expect(all).toHaveLength(total);
    const byAge = all.map(({ created_at }) => created_at);
    expect(byAge).toEqual(byAge.toSorted().reverse());
    expect((await asAdmin('GET', '/admin/users?sort=created_at%20asc&per_page=1')).body.users).toMatchObject([
      { id: all.at(-1)?.id },
    ]);
    expect((await asAdmin('GET', '/admin/users?page=9999')).body.users).toEqual([]);
  });

  it('searches addresses and names, and treats % and _ as plain characters', async () => {
    const user = await made({
      email: `per_cent%${randomUUID().slice(0, 8)}@example.com`,
      user_metadata: { full_name: 'Grace Hopper' },
    });
    const found = async (filter: string) =>
      ((await asAdmin('GET', `/admin/users?filter=${encodeURIComponent(filter)}`)).body.users as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await found('PER_CENT%')).toEqual([user.id]);
    expect(await found('grace h')).toEqual([user.id]);
    expect(await found('per%cent')).toEqual([]);
    expect(await found("' or true --")).toEqual([]);
  });

  it('returns the zero time for created_at and updated_at that an import left empty', async () => {
    const { id } = await made();
    await app.sql('update auth.users set created_at = null, updated_at = null where id = $1', [id]);
    await app.sql(
      'update auth.identities set created_at = null, updated_at = null, last_sign_in_at = null where user_id = $1',
      [id],
    );
    const { body } = await asAdmin('GET', `/admin/users/${id}`);
    const zero = { created_at: '0001-01-01T00:00:00Z', updated_at: '0001-01-01T00:00:00Z' };
    expect(body).toMatchObject({ ...zero, identities: [zero] });
    expect(body).not.toHaveProperty('identities.0.last_sign_in_at');
  });

  it('returns the same pages from the front and from the back, and finds entries beyond the first pages by the index', async () => {
    const before = Number((await app.sql('select count(*) from auth.users'))[0]?.count);
    await app.sql(`insert into auth.users (id, email, raw_user_meta_data, created_at)
      select gen_random_uuid(), 'many' || i || case when i = 7 then '.needle@' else '@' end || 'example.com',
        jsonb_build_object('name', 'Crowd ' || i), timestamptz '2001-01-01' + i * interval '1 minute'
      from generate_series(1, 12000) i`);
    const total = before + 12_000;
    const get = async (query: string) => {
      const reply = await app.ask('GET', `/admin/users?${query}`, { headers: { apikey: app.keys.secretKey } });
      const emails = (reply.body.users as { email: string }[]).map(({ email }) => email);
      return { emails, count: reply.headers['x-total-count'], about: reply.headers['x-total-count-estimated'] };
    };
    const last = Math.ceil(total / 50);
    const oldestPage = await get(`page=${last}`);
    expect(oldestPage).toMatchObject({ count: String(total), about: undefined });
    expect(oldestPage.emails.at(-1)).toBe('many1@example.com');
    expect(oldestPage.emails).toHaveLength(total % 50 || 50);
    expect((await get('sort=created_at%20asc&per_page=2')).emails).toEqual(['many1@example.com', 'many2@example.com']);
    expect((await get(`per_page=1&page=${total}`)).emails).toEqual(['many1@example.com']);
    expect((await get(`per_page=1&page=${total + 1}`)).emails).toEqual([]);

    expect(await get('filter=7.NEEDLE')).toEqual({
      emails: ['many7.needle@example.com'],
      count: '1',
      about: undefined,
    });
    expect((await get('filter=crowd%207&per_page=1&sort=created_at%20asc')).emails).toEqual([
      'many7.needle@example.com',
    ]);
    const common = await get('filter=many&per_page=5');
    expect(common).toMatchObject({ about: 'true' });
    expect(Math.abs(Number(common.count) - 12_000)).toBeLessThan(200);
    expect((await get('filter=7.')).emails).toEqual(['many7.needle@example.com']);
    for (const odd of ['7_needle', '7.n%25dle', '.*needle', '\\7', '%0A%0A', 'x'.repeat(5000)]) {
      expect((await get(`filter=${odd}`)).emails).toEqual([]);
    }

    await app.sql(`delete from auth.users where email like 'many%'`);
    expect((await get('')).count).toBe(String(before));
  });

  it.each(['page=x', 'page=-1', 'per_page=1e9', 'per_page=99999999999', 'sort=email', 'sort=created_at;drop'])(
    'refuses the query %s',
    async (query) => {
      expect(await asAdmin('GET', `/admin/users?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    },
  );
});

describe('PUT /admin/users/<id>', () => {
  it('changes only the attributes that the body names', async () => {
    const user = await made({ user_metadata: { a: 1, b: 2 }, app_metadata: { plan: 'free' } });
    const email = uniqueEmail();
    const { data } = await admin().updateUserById(user.id, {
      email,
      phone: '491700000002',
      user_metadata: { a: null, c: 3 },
      app_metadata: { plan: 'pro' },
      role: 'editor',
    });
    expect(data.user).toMatchObject({
      id: user.id,
      email,
      phone: '491700000002',
      role: 'editor',
      user_metadata: { b: 2, c: 3 },
      app_metadata: { plan: 'pro', provider: 'email', providers: ['email', 'phone'] },
    });
    expect(data.user?.user_metadata).not.toHaveProperty('a');
    expect((await app.client().auth.signInWithPassword({ email, password })).error).toBeNull();
  });

  it('ends the sessions at once when it bans an account, and refuses sign-ins until the ban is lifted', async () => {
    const user = await made();
    const session = await sessionOf(user.email);
    expect(await session.status()).toBe(200);
    const ended = revoked();
    await admin().updateUserById(user.id, { ban_duration: '24h' });
    await ended;
    expect(await session.status()).toBe(403);
    const signIn = () => app.client().auth.signInWithPassword({ email: user.email ?? '', password });
    expect((await signIn()).error?.code).toBe('user_banned');
    const { data } = await admin().updateUserById(user.id, { ban_duration: 'none' });
    expect(data.user).not.toHaveProperty('banned_until');
    expect((await signIn()).error).toBeNull();
  });

  it('ends the sessions when it sets a password', async () => {
    const user = await made();
    const session = await sessionOf(user.email);
    const ended = revoked();
    expect((await admin().updateUserById(user.id, { password: 'another secret' })).error).toBeNull();
    await ended;
    expect(await session.status()).toBe(403);
  });

  it('refuses invalid attributes', async () => {
    const [user, other] = [await made({ phone: '491700000003' }), await made()];
    const change = async (body: unknown) => (await asAdmin('PUT', `/admin/users/${other.id}`, body)).body.code;
    expect(await change({ email: user.email })).toBe('email_exists');
    expect(await change({ phone: user.phone })).toBe('phone_exists');
    expect(await change({ password: 'short' })).toBe('weak_password');
    expect(await change({ ban_duration: 'forever' })).toBe('validation_failed');
    expect(await asAdmin('PUT', `/admin/users/${randomUUID()}`, {})).toMatchObject({
      status: 404,
      body: { code: 'user_not_found' },
    });
    for (const id of ['x', `${other.id}x`, '%00', "1' or '1'='1"]) {
      expect(await asAdmin('GET', `/admin/users/${encodeURIComponent(id)}`)).toMatchObject({
        status: 404,
        body: { code: 'validation_failed' },
      });
    }
  });
});

describe('DELETE /admin/users/<id>', () => {
  it('ends the sessions of the account', async () => {
    const user = await made();
    const session = await sessionOf(user.email);
    const ended = revoked();
    expect((await admin().deleteUser(user.id)).error).toBeNull();
    await ended;
    expect(await session.status()).toBe(403);
    expect((await admin().getUserById(user.id)).error).toMatchObject({ code: 'user_not_found', status: 404 });
    expect((await admin().deleteUser(user.id)).error?.code).toBe('user_not_found');
    expect(await app.sql('select from auth.identities where user_id = $1', [user.id])).toEqual([]);
  });

  it('stores the row without personal data if should_soft_delete is set', async () => {
    const user = await made({ phone: '491700000004', user_metadata: { name: 'Ada' } });
    const session = await sessionOf(user.email);
    const ended = revoked();
    expect((await admin().deleteUser(user.id, true)).error).toBeNull();
    await ended;
    expect(await session.status()).toBe(403);
    const { data } = await admin().getUserById(user.id);
    expect(data.user).toMatchObject({
      id: user.id,
      user_metadata: {},
      app_metadata: {},
      deleted_at: expect.any(String),
    });
    const everything = JSON.stringify(
      await app.sql('select u.*, i.* from auth.users u join auth.identities i on i.user_id = u.id where u.id = $1', [
        user.id,
      ]),
    );
    for (const trace of [user.email ?? '', '491700000004', 'Ada']) expect(everything).not.toContain(trace);
    expect((await made({ email: user.email ?? '' })).email).toBe(user.email);
    expect((await app.client().auth.signInWithPassword({ email: data.user?.email ?? '', password })).error?.code).toBe(
      'invalid_credentials',
    );
  });

  it('is refused while rows of the app refer to the account', async () => {
    const user = await made();
    await app.sql('create table public.orders (buyer uuid constraint orders_buyer references auth.users)');
    await app.sql('insert into public.orders values ($1)', [user.id]);
    const reply = await asAdmin('DELETE', `/admin/users/${user.id}`);
    expect(reply).toMatchObject({ status: 400, body: { code: 'database_refused' } });
    expect(reply.body.message).toContain('orders_buyer');
  });
});
