import { describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { createApp, createAppWith, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';
import { areDistinguishable, timeOf } from '../support/timing.ts';
import { uniqueEmail } from '../support/unique.ts';

/** A stranger who has only the publishable key attacks the accounts of an app. */
const node = inject('node');

const post = (
  app: AppConnection,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<HttpResponse> =>
  send(node.url, `/apps/${app.ref}/auth/v1${path}`, {
    method: 'POST',
    headers: { apikey: app.publishable_key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const signIn = (app: AppConnection, email: string, password: string, headers?: Record<string, string>) =>
  post(app, '/token?grant_type=password', { email, password }, headers);
const rows = async (app: AppConnection, sql: string) => (await runSql(node, app.ref, sql)).results.at(-1)?.rows;

describe('POST /token?grant_type=password', () => {
  it('limits failed sign-ins from one address, whatever headers the client sends and however many accounts it tries', async () => {
    const app = await createApp(node);
    const answers: HttpResponse[] = [];
    for (let i = 0; i < limits.signInFailures.default + 10; i++) {
      const claims = `10.1.${i}.7`;
      answers.push(
        await signIn(app, uniqueEmail(), 'a wrong guess', {
          'x-forwarded-for': claims,
          'x-real-ip': claims,
          forwarded: `for=${claims}`,
          'cf-connecting-ip': claims,
        }),
      );
    }
    const throttled = answers.filter(({ status }) => status === 429);
    expect(throttled).toHaveLength(10);
    for (const response of throttled) {
      expect(expectRefusal(response)).toBe('over_request_rate_limit');
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it('bounds the rows of failed sign-ins and stores no address in them', async () => {
    const app = await createApp(node);
    await Promise.all(Array.from({ length: 20 }, () => signIn(app, uniqueEmail('counted'), 'a wrong guess')));
    const { length } = (await rows(app, 'select subject from ninefold.sign_in_failures')) ?? [];
    expect(length).toBeLessThanOrEqual(21);
    expect(JSON.stringify(await rows(app, 'select * from ninefold.sign_in_failures'))).not.toMatch(
      /counted|127\.0\.0\.1/,
    );
  });

  it('lets other accounts, and the same address in another app, sign in after many failed sign-ins to one account', async () => {
    const [app, other] = await Promise.all([createApp(node), createApp(node)]);
    const [victim, bystander] = [await signUpMember(app), await signUpMember(app)];
    const elsewhere = await signUpMember(other);
    for (let i = 0; i < limits.signInFailuresPerAccount.default; i++) await signIn(app, victim.email, 'a wrong guess');
    expect((await signIn(app, victim.email, victim.password)).status).toBe(429);
    expect((await signIn(app, bystander.email, bystander.password)).status).toBe(200);
    expect((await signIn(other, elsewhere.email, elsewhere.password)).status).toBe(200);
    expect((await victim.client.auth.getUser()).error).toBeNull();
  });
});

describe('PUT /user with current_password', () => {
  it('checks no more guesses than a sign-in, and then refuses the right password too', async () => {
    const app = await createApp(node);
    const member = await signUpMember(app);
    await rows(app, `update auth.sessions set created_at = now() - interval '2 days'`);
    const change = (guess: string) =>
      send(node.url, `/apps/${app.ref}/auth/v1/user`, {
        method: 'PUT',
        headers: {
          apikey: app.publishable_key,
          authorization: `Bearer ${member.session.access_token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ password: 'of the thief, only', current_password: guess }),
        ownConnection: true,
      });
    const max = limits.signInFailuresPerAccount.default;
    const answers = await Promise.all(Array.from({ length: max + 10 }, (_, i) => change(`a wrong guess ${i}`)));
    const refusals = answers.map((response) => expectRefusal(response));
    expect(refusals.filter((code) => code === 'reauthentication_needed').length).toBeLessThanOrEqual(max);
    expect(refusals).toContain('over_request_rate_limit');
    expect(expectRefusal(await change(member.password))).toBe('over_request_rate_limit');
    expect((await member.client.auth.getUser()).error).toBeNull();
  });
});

describe('sign-in and sign-up', () => {
  it('give the same status, body and time for a wrong password and for an address without an account', async () => {
    const app = await createApp(node);
    const { email } = await signUpMember(app);
    const bodies = new Set<string>();
    const fail = (address: string) =>
      timeOf(async () => {
        const response = await signIn(app, address, 'a wrong guess');
        bodies.add(`${response.status} ${response.body}`);
      });
    const times: [number, number][] = [];
    for (let i = 0; i < 10; i++) times.push([await fail(email), await fail(uniqueEmail())]);
    expect(bodies.size).toBe(1);
    expect(areDistinguishable(times), JSON.stringify(times)).toBe(false);
  });

  it('give a taken address the response of a new one where addresses must be confirmed', async () => {
    const app = await createAppWith(
      node,
      `insert into ninefold.settings (key, value) values ('mailer_autoconfirm', 'false')`,
    );
    const known = uniqueEmail();
    const first = await post(app, '/signup', { email: known, password: 'correct horse' });
    const again = await post(app, '/signup', { email: known, password: 'another horse' });
    expect([first.status, again.status]).toEqual([200, 200]);
    const shape = (response: HttpResponse) =>
      Object.keys(JSON.parse(response.body))
        .filter((key) => !/_at$/.test(key))
        .sort();
    expect(shape(again)).toEqual(shape(first));
    expect(await rows(app, 'select count(*) from auth.users')).toEqual([['1']]);
  });
});

describe('metadata of a member', () => {
  const claims = {
    id: '11111111-1111-4111-8111-111111111111',
    aud: 'admin',
    role: 'service_role',
    is_super_admin: true,
    is_anonymous: false,
    is_sso_user: true,
    raw_app_meta_data: { admin: true },
    email_confirmed_at: '2000-01-01T00:00:00Z',
    confirmed_at: '2000-01-01T00:00:00Z',
    banned_until: null,
    encrypted_password: 'x',
    created_at: '2000-01-01T00:00:00Z',
  };
  const kept = `select id <> '11111111-1111-4111-8111-111111111111', aud, role, is_super_admin is true, is_sso_user, raw_app_meta_data ? 'admin',
    created_at > now() - interval '1 day' from auth.users`;
  const plain = [['t', 'authenticated', 'authenticated', 'f', 'f', 'f', 't']];

  it('gives an account no role, no privileges and no chosen id when sent at sign-up', async () => {
    const app = await createApp(node);
    const made = await post(app, '/signup', {
      email: uniqueEmail(),
      password: 'correct horse',
      app_metadata: { admin: true },
      data: { role: 'service_role', app_metadata: { admin: true }, sub: claims.id },
      ...claims,
    });
    expect(made.status).toBe(200);
    expect(await rows(app, kept)).toEqual(plain);
    const token = JSON.parse(made.body).access_token.split('.')[1];
    const inside = JSON.parse(Buffer.from(token, 'base64url').toString());
    expect(inside).toMatchObject({ role: 'authenticated', aud: 'authenticated' });
    expect(inside.app_metadata).not.toHaveProperty('admin');
    expect(inside.sub).not.toBe(claims.id);
  });

  it('gives an account no role, no privileges and no chosen id when sent in a change', async () => {
    const app = await createApp(node);
    const member = await signUpMember(app);
    const change = (body: unknown) =>
      send(node.url, `/apps/${app.ref}/auth/v1/user`, {
        method: 'PUT',
        headers: {
          apikey: app.anon_key,
          authorization: `Bearer ${member.session.access_token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    expect((await change({ data: { role: 'service_role', sub: claims.id }, ...claims })).status).toBeLessThan(500);
    expect(expectRefusal(await change({ app_metadata: { admin: true } }))).toBe('not_admin');
    expect(await rows(app, kept)).toEqual(plain);
  });

  it('gives an account nothing when sent in calls for mails, sessions and factors', async () => {
    const app = await createApp(node);
    const victim = await signUpMember(app);
    const member = await signUpMember(app);
    const own = { authorization: `Bearer ${member.session.access_token}` };
    const planted = { ...claims, user_id: victim.user.id, session_id: victim.user.id, app_metadata: { admin: true } };
    const stranger = uniqueEmail();
    expect((await post(app, '/otp', { email: stranger, ...planted, data: { ok: true } })).status).toBe(200);
    expect((await post(app, '/recover', { email: member.email, ...planted })).status).toBe(200);
    const factor = {
      factor_type: 'totp',
      friendly_name: 'mine',
      status: 'verified',
      secret: 'A'.repeat(32),
      aal: 'aal2',
    };
    const enrolled = await post(app, '/factors', { ...planted, ...factor }, own);
    expect(enrolled.status).toBe(200);
    expect(enrolled.body).not.toContain(factor.secret);
    const refreshed = await post(app, '/token?grant_type=refresh_token', {
      refresh_token: member.session.refresh_token,
      aal: 'aal2',
      ...planted,
    });
    expect(refreshed.status).toBe(200);
    const token = JSON.parse(refreshed.body).access_token.split('.')[1];
    expect(JSON.parse(Buffer.from(token, 'base64url').toString())).toMatchObject({
      sub: member.user.id,
      aal: 'aal1',
      role: 'authenticated',
    });
    expect(await rows(app, kept)).toEqual([...plain, ...plain, ...plain]);
    expect(await rows(app, `select email_confirmed_at from auth.users where email = '${stranger}'`)).toEqual([[null]]);
    expect(await rows(app, 'select user_id, status from auth.mfa_factors')).toEqual([[member.user.id, 'unverified']]);
  });

  it('is refused above its limit, whether it grows in one step or in many', async () => {
    const app = await createApp(node);
    const member = await signUpMember(app);
    const bomb = { a: 'x'.repeat(limits.userMetadataBytes.default) };
    expectRefusal(await post(app, '/signup', { email: uniqueEmail(), password: 'correct horse', data: bomb }));
    expect((await member.client.auth.updateUser({ data: bomb })).error?.status).toBe(400);
    for (let i = 0; i < 6; i++) await member.client.auth.updateUser({ data: { [`k${i}`]: 'x'.repeat(4000) } });
    const [[size] = []] = (await rows(app, 'select max(octet_length(raw_user_meta_data::text)) from auth.users')) ?? [];
    expect(Number(size)).toBeLessThanOrEqual(limits.userMetadataBytes.default);
    const { data } = await member.client.auth.refreshSession();
    expect(data.session?.access_token.length).toBeLessThan(limits.urlBytes.default);
  });
});

describe('POST /signup', () => {
  const strange: [string, string, string][] = [
    ['an address with letters outside of ASCII', 'ünï@example.com', 'correct horse'],
    ['an address with a right-to-left override', '\u202emoc.elpmaxe@a', 'correct horse'],
    ['two addresses in one field', 'a@example.com,b@example.com', 'correct horse'],
    ['an address with a line break', 'a@example.com\r\nbcc: b@example.com', 'correct horse'],
    ['an address with a display name', 'A <a@example.com>', 'correct horse'],
    ['an address of 100,000 characters', `${'a'.repeat(100_000)}@example.com`, 'correct horse'],
    ['a password of a megabyte', 'a@example.com', 'x'.repeat(1_000_000)],
    ['a password beyond the limit', 'a@example.com', 'x'.repeat(limits.passwordMaxBytes.default + 1)],
    ['a password that is too short', 'a@example.com', 'x'],
    ['a password of NULs', 'a@example.com', '\0'.repeat(20)],
  ];
  it.each(strange)('creates no account for %s', async (what, email, password) => {
    const app = await createApp(node);
    expectRefusal(await post(app, '/signup', { email, password }), what);
    expect(await rows(app, 'select count(*) from auth.users')).toEqual([['0']]);
  });

  it('creates one account for addresses that differ in letter case only', async () => {
    const app = await createApp(node);
    const email = uniqueEmail();
    expect((await post(app, '/signup', { email, password: 'correct horse' })).status).toBe(200);
    expect(expectRefusal(await post(app, '/signup', { email: email.toUpperCase(), password: 'another horse' }))).toBe(
      'user_already_exists',
    );
    expect((await signIn(app, email.toUpperCase(), 'correct horse')).status).toBe(200);
  });
});

it('an app creates one account per address under a flood of sign-ups, and data calls still succeed', async () => {
  const app = await createAppWith(node, 'create table public.things (id int)');
  const addresses = Array.from({ length: 30 }, (_, i) => `flood-${i % 10}@example.com`);
  const flood = Promise.all(addresses.map((email) => post(app, '/signup', { email, password: 'correct horse' })));
  expect((await send(node.url, `/apps/${app.ref}/rest/v1/things`, { headers: { apikey: app.anon_key } })).status).toBe(
    200,
  );
  for (const response of await flood) {
    if (response.status !== 200) expect(expectRefusal(response)).toMatch(/user_already_exists|over_request_rate_limit/);
  }
  expect(await rows(app, 'select count(*), count(distinct email) from auth.users')).toEqual([['10', '10']]);
});

it('a member keeps one session with one valid refresh token when 20 clients send one refresh token at once', async () => {
  const app = await createApp(node);
  const member = await signUpMember(app);
  const refresh = (token: string) => post(app, '/token?grant_type=refresh_token', { refresh_token: token });
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(member.session.refresh_token)));
  const granted = answers.filter(({ status }) => status === 200);
  expect(granted.length).toBeGreaterThan(0);
  for (const response of answers) if (response.status !== 200) expectRefusal(response);
  const tokens = new Set(granted.map(({ body }) => JSON.parse(body).refresh_token as string));
  expect(tokens.size).toBe(1);
  expect(await rows(app, 'select count(*) from auth.sessions')).toEqual([['1']]);
  expect(await rows(app, 'select count(*) from auth.refresh_tokens where not revoked')).toEqual([['1']]);
  expect((await refresh([...tokens][0] ?? '')).status).toBe(200);
});
