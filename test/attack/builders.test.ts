import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection, AppSummary, SetupState } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { cli } from '../support/node.ts';
import { expectRefusal } from '../support/refusal.ts';
import { uniqueEmail } from '../support/unique.ts';

/** Checks who may manage the node. Only this file of the project uses the one-time link. */
const node = inject('node');
const setupToken = new URLSearchParams(new URL(node.setupUrl ?? node.url).hash.slice(1)).get('token') ?? '';
const password = 'correct horse battery';
let app: AppConnection;
let owner: string;

const ask = (method: string, path: string, options: { token?: string; body?: unknown } = {}): Promise<HttpResponse> =>
  send(node.url, `/admin/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    ownConnection: true,
  });

const setUp = (email: string, token = setupToken) =>
  ask('POST', '/setup', { body: { token, name: 'Builder', email, password } });

async function tokenOf(email: string, secret = password): Promise<string> {
  const { publishable_key: apikey } = JSON.parse((await ask('GET', '/setup')).body) as SetupState;
  const response = await send(node.url, '/apps/console/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: secret }),
  });
  expect(response.status, response.body).toBe(200);
  return JSON.parse(response.body).access_token;
}

/** Adds a member of the console with the password of the member `like`. Only with `builder` the member is a builder. */
async function addMember(like: string, { builder }: { builder: boolean }): Promise<string> {
  const email = uniqueEmail('console');
  await withClient(await superuserUrl(node, 'app_console'), async (client) => {
    const { rows } = await client.query(
      `insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
       select gen_random_uuid(), aud, role, $1, encrypted_password, now(), raw_app_meta_data, raw_user_meta_data, now(), now()
       from auth.users where email = $2 returning id`,
      [email, like],
    );
    if (builder) await client.query(`insert into public.builders (user_id, name) values ($1, 'Second')`, [rows[0].id]);
  });
  return email;
}

beforeAll(async () => {
  app = await createApp(node);
});

describe('the one-time link', () => {
  it('creates no builder with a wrong or missing token', async () => {
    for (const token of [
      '',
      'x',
      setupToken.slice(1),
      `${setupToken}x`,
      setupToken.toUpperCase(),
      `${setupToken}\0`,
      node.operatorToken,
    ]) {
      expect(expectRefusal(await setUp(uniqueEmail(), token))).toMatch(/^(setup_token_invalid|validation_invalid)$/);
    }
    for (const body of [
      {},
      [],
      null,
      { token: setupToken },
      { token: [setupToken], name: 'a', email: 'a@example.com', password },
      { token: setupToken, name: 'a', email: 'a@example.com', password, is_owner: true },
    ]) {
      expectRefusal(await ask('POST', '/setup', { body }));
    }
    expect(JSON.parse((await ask('GET', '/setup')).body).needed).toBe(true);
  });

  it('creates exactly one builder and one account when 20 clients use it at once', async () => {
    const emails = Array.from({ length: 20 }, () => uniqueEmail('race'));
    const answers = await Promise.all(emails.map((email) => setUp(email)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const response of answers) if (response.status !== 201) expect(expectRefusal(response)).toBe('setup_done');
    owner = emails[answers.findIndex(({ status }) => status === 201)] ?? '';
    await withClient(await superuserUrl(node, 'app_console'), async (client) => {
      const { rows } = await client.query(
        'select (select count(*)::int from public.builders) as builders, (select array_agg(email) from auth.users) as users',
      );
      expect(rows).toEqual([{ builders: 1, users: [owner] }]);
    });
    expect(expectRefusal(await setUp(uniqueEmail()))).toBe('setup_done');
  });
});

describe('the management API', () => {
  const calls: [string, string, unknown?][] = [
    ['GET', '/status'],
    ['GET', '/apps'],
    ['GET', '/apps/:ref'],
    ['GET', '/apps/:ref/connection'],
    ['GET', '/apps/:ref/activity'],
    ['GET', '/apps/:ref/sign-ins'],
    ['GET', '/apps/:ref/entities'],
    ['GET', '/apps/:ref/specification'],
    ['GET', '/apps/:ref/sessions'],
    ['DELETE', '/apps/:ref/sessions'],
    ['POST', '/apps/:ref/sql', { sql: 'select 1' }],
    ['POST', '/apps/:ref/migrations', { files: [] }],
    ['POST', '/apps/:ref/clone', { ref: 'stolen' }],
    ['DELETE', '/apps/:ref', { confirm: ':ref' }],
    ['GET', '/apps/:ref/rest/v1/'],
    ['GET', '/apps/:ref/auth/v1/admin/users'],
    ['POST', '/apps', { ref: 'stolen' }],
    ['GET', '/builders'],
    ['PUT', '/builders/password', { email: 'ada@example.com', password: 'taken over by me' }],
  ];
  const tryAll = (token: string | undefined, of: [string, string, unknown?][] = calls) =>
    Promise.all(
      of.map(([method, path, body]) =>
        ask(method, path.replace(':ref', app.ref), {
          ...(token === undefined ? {} : { token }),
          ...(body === undefined ? {} : { body: JSON.parse(JSON.stringify(body).replace(':ref', app.ref)) }),
        }),
      ),
    );

  it('rejects strangers, keys of apps and members of an app', async () => {
    const member = await signUpMember(app);
    for (const token of [
      undefined,
      '',
      'wrong',
      app.secret_key,
      app.service_role_key,
      app.jwt_secret,
      member.session.access_token,
      setupToken,
    ]) {
      for (const response of await tryAll(token)) expect(expectRefusal(response)).toBe('operator_required');
    }
  });

  it('rejects a member of the console who is not a builder', async () => {
    const token = await tokenOf(await addMember(owner, { builder: false }));
    for (const response of await tryAll(token)) expect(expectRefusal(response)).toBe('operator_required');
    const listed = await send(node.url, '/apps/console/rest/v1/apps', {
      headers: {
        apikey: JSON.parse((await ask('GET', '/setup')).body).publishable_key,
        authorization: `Bearer ${token}`,
      },
    });
    expect([listed.status, listed.body]).toEqual([200, '[]']);
  });

  it('shows no apps to a builder without apps, and rejects the builder’s calls on apps', async () => {
    const token = await tokenOf(await addMember(owner, { builder: true }));
    expect(JSON.parse((await ask('GET', '/apps', { token })).body)).toEqual([]);
    const status = JSON.parse((await ask('GET', '/status', { token })).body);
    expect([status.apps, status.database_url]).toEqual([[], null]);
    for (const response of await tryAll(
      token,
      calls.filter(([, path]) => path.includes(':ref')),
    )) {
      expect(expectRefusal(response)).toBe('builder_forbidden');
    }
    for (const ref of ['console', 'Console', '%63onsole']) {
      const opened = await ask('POST', `/apps/${ref}/sql`, { token, body: { sql: 'select 1' } });
      expect(expectRefusal(opened)).toMatch(/^(app_unknown|builder_forbidden)$/);
    }
  });

  it('rejects calls on the console as an app, from its builders and from the operator', async () => {
    const token = await tokenOf(owner);
    const apps = JSON.parse((await ask('GET', '/apps', { token })).body) as AppSummary[];
    expect(apps.map(({ ref }) => ref)).toContain(app.ref);
    for (const bearer of [token, node.operatorToken]) {
      for (const [method, path, body] of calls.filter(([, each]) => each.includes(':ref'))) {
        const response = await ask(method, path.replace(':ref', 'console'), {
          token: bearer,
          ...(body === undefined ? {} : { body }),
        });
        expect([path, expectRefusal(response)]).toEqual([path, 'app_unknown']);
      }
    }
    const connection = JSON.parse((await ask('GET', `/apps/${app.ref}/connection`, { token })).body) as AppConnection;
    expect(connection.database_url).toBeNull();
  });

  it('lets only the operator set a builder’s password, which ends the builder’s sessions', async () => {
    const email = await addMember(owner, { builder: true });
    const token = await tokenOf(email);
    const mine = { email, password: 'battery staple horse' };
    for (const bearer of [token, await tokenOf(owner)]) {
      for (const [method, path, body] of [
        ['GET', '/builders'] as const,
        ['PUT', '/builders/password', mine] as const,
      ]) {
        expect(expectRefusal(await ask(method, path, { token: bearer, body }))).toBe('operator_required');
      }
    }
    expect((await cli(node, ['builders', 'list'])).stdout).toMatch(
      new RegExp(`^${owner} +Builder +owner .*20\\d\\d-`, 'm'),
    );
    const changed = await cli(node, ['builders', 'password', email.toUpperCase()], { input: `${mine.password}\n` });
    expect(changed, changed.stderr).toMatchObject({ code: 0 });
    await expect.poll(async () => (await ask('GET', '/apps', { token })).status, { timeout: 1000 }).toBe(401);
    expect(await tokenOf(email, mine.password)).toBeTruthy();
    const short = await cli(node, ['builders', 'password', email], { input: 'short\n' });
    expect([short.code, short.stderr]).toEqual([1, expect.stringContaining('characters long')]);
    const unknown = await cli(node, ['builders', 'password', uniqueEmail()], { input: mine.password });
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('(builder_unknown)')]);
    const noBuilder = await cli(node, ['builders', 'password', await addMember(owner, { builder: false })], {
      input: mine.password,
    });
    expect(noBuilder.stderr).toContain('(builder_unknown)');
  });

  it('rejects a builder whose session or whose row in builders was deleted', async () => {
    const email = await addMember(owner, { builder: true });
    const token = await tokenOf(email);
    expect((await ask('GET', '/apps', { token })).status).toBe(200);
    await withClient(await superuserUrl(node, 'app_console'), (client) =>
      client.query('delete from public.builders where user_id = (select id from auth.users where email = $1)', [email]),
    );
    expect(expectRefusal(await ask('GET', '/apps', { token }))).toBe('operator_required');
    const ended = await tokenOf(owner);
    await withClient(await superuserUrl(node, 'app_console'), (client) => client.query('delete from auth.sessions'));
    await expect.poll(async () => (await ask('GET', '/apps', { token: ended })).status, { timeout: 1000 }).toBe(401);
  });

  it('opens no app to a token of the console, and no data of the console to a key of an app', async () => {
    const token = await tokenOf(owner);
    for (const path of ['/rest/v1/', '/auth/v1/user', '/auth/v1/admin/users']) {
      expectRefusal(
        await send(node.url, `/apps/${app.ref}${path}`, {
          headers: { apikey: app.anon_key, authorization: `Bearer ${token}` },
        }),
      );
    }
    for (const key of [app.anon_key, app.service_role_key, app.secret_key]) {
      expectRefusal(await send(node.url, '/apps/console/rest/v1/apps', { headers: { apikey: key } }));
    }
    const { publishable_key: apikey } = JSON.parse((await ask('GET', '/setup')).body) as SetupState;
    for (const table of ['apps', 'builders', 'memberships']) {
      const response = await send(node.url, `/apps/console/rest/v1/${table}`, { headers: { apikey } });
      expect(expectRefusal(response)).toBe('42501');
    }
    const signedUp = await send(node.url, '/apps/console/auth/v1/signup', {
      method: 'POST',
      headers: { apikey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: uniqueEmail(), password }),
    });
    expect(expectRefusal(signedUp)).toBe('signup_disabled');
  });

  it('issues no link and no redirect below the path of the console, to builders and to strangers alike', async () => {
    const { publishable_key: apikey } = JSON.parse((await ask('GET', '/setup')).body) as SetupState;
    const bearer = await tokenOf(owner);
    const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
      send(node.url, `/apps/console/auth/v1${path}`, {
        method,
        headers: { apikey, accept: 'text/html', 'content-type': 'application/json', ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const own = { authorization: `Bearer ${bearer}` };
    const answers = [
      await call('GET', '/verify?token=0123456789abcdef&type=magiclink&redirect_to=http://localhost:5173'),
      await call('POST', '/verify', { type: 'magiclink', token: '0123456789abcdef' }, form),
      await call('GET', '/authorize?provider=github', undefined, { 'sec-fetch-mode': 'navigate' }),
      await call('GET', '/authorize?provider=custom:ninefold'),
      await call('GET', '/callback?state=x&code=y', undefined, { 'sec-fetch-mode': 'navigate' }),
      await call('GET', '/oauth/authorize?client_id=x&redirect_uri=http://localhost:5173'),
      await call('GET', '/user/identities/authorize?provider=github', undefined, own),
      await call('GET', '/user/identities/confirm?id=x'),
      await call('GET', '/reauthenticate', undefined, own),
      await call('POST', '/sessions', { redirect_to: 'http://localhost:5173' }, own),
      await call('PUT', '/user', { email: uniqueEmail() }, own),
    ];
    for (const email of [owner, uniqueEmail('stranger')]) {
      answers.push(
        await call('POST', '/otp', { email, create_user: false }),
        await call('POST', '/magiclink', { email }),
        await call('POST', '/recover', { email }),
        await call('POST', '/resend', { email, type: 'signup' }),
        await call('POST', '/invite', { email }, own),
        await call('POST', '/admin/generate_link', { email, type: 'magiclink' }, own),
      );
    }
    for (const answer of answers) {
      expect(expectRefusal(answer)).toBe('feature_disabled');
      expect([answer.headers.location, answer.body.includes('/apps/console')]).toEqual([undefined, false]);
    }
    const mails = await withClient(await superuserUrl(node, 'app_console'), (client) =>
      client.query('select data from ninefold.mails'),
    );
    expect(mails.rows).toEqual([]);
  });
});
