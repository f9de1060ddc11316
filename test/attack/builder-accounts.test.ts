import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppConnection, consoleHeader } from '../../contract/admin.ts';
import type { NodeAuditEntry } from '../../contract/audit.ts';
import { leastRoles, sensitiveCalls } from '../../contract/least-roles.ts';
import type { AppTeam } from '../../contract/team.ts';
import { createAppWith } from '../support/apps.ts';
import { Authenticator } from '../support/authenticator.ts';
import { builder, type Cookie, makeBuilder, signInBuilder } from '../support/builder.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { expectRefusal } from '../support/refusal.ts';
import { uniqueEmail } from '../support/unique.ts';

/** A stolen session of a builder gives no access to secrets. Owners of the node control how builders sign in. */
const password = 'correct horse battery';
let node: TestNode;
let app: AppConnection;
/** The first builder, who owns the node. */
let first: Cookie;
beforeAll(async () => {
  node = await startNode();
  first = await makeBuilder(node);
  app = await createAppWith(node, 'create table public.things (id int)');
});
afterAll(() => node.stop());

type Caller = Cookie | 'operator' | { bearer: string };

function headersOf(as: Caller | undefined): Record<string, string> {
  if (as === undefined) return {};
  if (as === 'operator') return { authorization: `Bearer ${node.operatorToken}` };
  return 'bearer' in as ? { authorization: `Bearer ${as.bearer}` } : { cookie: `${as.name}=${as.value}` };
}

const ask = (method: string, path: string, as?: Caller, body?: unknown): Promise<HttpResponse> =>
  send(node.url, `/admin/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', [consoleHeader]: '1', ...headersOf(as) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ownConnection: true,
  });

async function json<T>(method: string, path: string, as?: Caller, body?: unknown): Promise<T> {
  const response = await ask(method, path, as, body);
  expect(response.status, `${method} ${path}: ${response.body}`).toBeLessThan(300);
  return response.body === '' ? (null as T) : JSON.parse(response.body);
}

/** Returns a builder who has accepted an invitation of the operator to the app and is signed in. */
async function join(role: string): Promise<{ email: string; id: string; session: Cookie }> {
  const email = uniqueEmail(role);
  const { url } = await json<{ url: string }>('POST', `/apps/${app.ref}/team/invitations`, 'operator', { email, role });
  const secret = new URL(url).hash.replace('#token=', '');
  await json('POST', '/invitations/accept', undefined, { secret, name: `The ${role}`, password });
  const session = await signInBuilder(node, { email, password });
  const { own_id } = await json<AppTeam>('GET', `/apps/${app.ref}/team`, session);
  return { email, id: own_id ?? '', session };
}

/** Makes every proof of identity of a builder's sessions 16 minutes old. */
const age = async (email: string): Promise<void> =>
  withClient(await superuserUrl(node, 'app_console'), async (client) => {
    await client.query(
      `update auth.mfa_amr_claims set updated_at = now() - interval '16 minutes'
       where session_id in (select s.id from auth.sessions s join auth.users u on u.id = s.user_id where u.email = $1)`,
      [email],
    );
  });

/** Returns the cookie that a response sets, which replaces an earlier cookie. */
const cookieOf = ({ headers }: HttpResponse, earlier: Cookie): Cookie => ({
  ...earlier,
  value: new RegExp(`^${earlier.name}=([^;]+);`).exec(String(headers['set-cookie']))?.[1] ?? '',
});

const codeOf = ({ body }: HttpResponse): string | undefined => /"code":"(\w+)"/.exec(body)?.[1];

/** Returns a passkey of a builder, with the functions of a page that uses it. */
const device = () => {
  const key = new Authenticator();
  const origin = `http://localhost:${new URL(node.url).port}`;
  const ceremony = (challenge: string) => ({ origin, rpId: 'localhost', challenge });
  return {
    register: async (as: Cookie, userId: string) => {
      const path = '/account/passkeys/registration';
      const made = await json<Challenge>('POST', `${path}/options`, as, {});
      const credential = key.create(ceremony(made.options.challenge), userId);
      await json('POST', `${path}/verify`, as, { challenge_id: made.challenge_id, credential });
    },
    answer: async () => {
      const { challenge_id, options } = await json<Challenge>('POST', '/session/passkey/options', undefined, {});
      return { challenge_id, credential: key.get(ceremony(options.challenge)) };
    },
    /** Adds the device as a security key, or shows it as a second factor. */
    show: async (as: Cookie, userId: string, factorId: string): Promise<HttpResponse> => {
      const path = `/account/factors/${factorId}`;
      const { id, webauthn } = await json<KeyChallenge>('POST', `${path}/challenge`, as, {});
      const asked = ceremony(webauthn.credential_options.publicKey.challenge);
      const credential_response = webauthn.type === 'create' ? key.create(asked, userId) : key.get(asked);
      return ask('POST', `${path}/verify`, as, {
        challenge_id: id,
        webauthn: { type: webauthn.type, credential_response },
      });
    },
  };
};

interface Challenge {
  challenge_id: string;
  options: { challenge: string };
}

interface KeyChallenge {
  id: string;
  webauthn: { type: string; credential_options: { publicKey: { challenge: string } } };
}

describe('sensitive calls', () => {
  /** Returns the path of an entry, with a query or a name that makes the call sensitive. */
  const pathOf = (route: string): string =>
    `${route
      .replace(/^\w+ /, '')
      .replace(':ref', app.ref)
      .replace(':key', 'smtp_pass')
      .replace(/:\w+/g, '00000000-0000-4000-8000-000000000000')}${route.endsWith('/audit') ? '?limit=201' : ''}`;
  const call = (route: string, as: Caller): Promise<HttpResponse> => {
    const method = route.split(' ')[0] ?? '';
    // The body has an unknown field, which every call refuses, so that the call changes nothing.
    return ask(method, pathOf(route), as, method === 'GET' ? undefined : { unknown: true });
  };

  it('all exist as routes of the management API', () => {
    expect(Object.keys(sensitiveCalls).filter((route) => !Object.hasOwn(leastRoles, route))).toEqual([]);
  });

  it('are refused to a session without a recent proof of identity and allowed with one', async () => {
    await age(builder.email);
    for (const route of Object.keys(sensitiveCalls)) {
      const response = await call(route, first);
      expect([route, response.status, expectRefusal(response)]).toEqual([route, 403, 'recent_sign_in_needed']);
      expect(response.body).toContain(sensitiveCalls[route]);
    }
    expect((await ask('POST', '/account/proof', first, { password: builder.password })).status).toBe(204);
    for (const route of Object.keys(sensitiveCalls)) {
      expect([route, codeOf(await call(route, first))]).not.toEqual([route, 'recent_sign_in_needed']);
    }
    expect(await json('POST', `/apps/${app.ref}/api-keys/secret/reveal`, first)).toEqual({ key: app.secret_key });
  });

  it('need a recent proof from sessions and access tokens, but not from the operator', async () => {
    const { email, session } = await join('owner');
    const { publishable_key: apikey } = await json<{ publishable_key: string }>('GET', '/setup');
    const signedIn = await send(node.url, '/apps/console/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: { apikey, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    const token = { bearer: JSON.parse(signedIn.body).access_token };
    expect((await ask('POST', `/apps/${app.ref}/api-keys/secret/reveal`, token)).status).toBe(200);
    await age(email);
    for (const as of [token, session]) {
      expect(expectRefusal(await ask('POST', `/apps/${app.ref}/api-keys/secret/reveal`, as))).toBe(
        'recent_sign_in_needed',
      );
      for (const path of ['connection', 'audit?limit=200', 'settings']) {
        expect((await ask('GET', `/apps/${app.ref}/${path}`, as)).status).toBe(200);
      }
      expect((await ask('PUT', `/apps/${app.ref}/settings/jwt_exp`, as, { value: 600 })).status).toBe(200);
    }
    expect((await ask('POST', `/apps/${app.ref}/api-keys/secret/reveal`, 'operator')).status).toBe(200);
  });

  it('accept a proof only for the session that gave it and only by its own builder', async () => {
    const [own, stranger] = [await join('owner'), await join('owner')];
    const elsewhere = await signInBuilder(node, { email: own.email, password });
    const key = device();
    await key.register(stranger.session, stranger.id);
    await age(own.email);
    const secrets = (as: Cookie) => ask('POST', `/apps/${app.ref}/api-keys/secret/reveal`, as);
    expect(expectRefusal(await ask('POST', '/account/proof', own.session, { password: 'a guess' }))).toBe(
      'invalid_credentials',
    );
    expect(expectRefusal(await ask('POST', '/account/proof', own.session, { password, email: stranger.email }))).toBe(
      'validation_invalid',
    );
    expect(expectRefusal(await ask('POST', '/account/proof/passkey', own.session, await key.answer()))).toBe(
      'webauthn_verification_failed',
    );
    expect(expectRefusal(await secrets(own.session))).toBe('recent_sign_in_needed');
    expect((await ask('POST', '/account/proof', own.session, { password })).status).toBe(204);
    expect((await secrets(own.session)).status).toBe(200);
    expect(expectRefusal(await secrets(elsewhere))).toBe('recent_sign_in_needed');
    await age(stranger.email);
    const answer = await key.answer();
    expect((await ask('POST', '/account/proof/passkey', stranger.session, answer)).status).toBe(204);
    expect((await secrets(stranger.session)).status).toBe(200);
    expectRefusal(await ask('POST', '/account/proof/passkey', stranger.session, answer));
    expect(await json<unknown[]>('GET', '/account/sessions', own.session)).toHaveLength(2);
    expect(await json<unknown[]>('GET', '/account/sessions', stranger.session)).toHaveLength(1);
    expect(expectRefusal(await ask('POST', '/account/proof', 'operator', { password }))).toBe('builder_unknown');
    expect(expectRefusal(await ask('POST', '/account/proof', undefined, { password }))).toBe('operator_required');
  });

  it('accept the second factor as a proof', async () => {
    const { email, session } = await join('owner');
    const { id, totp } = await json<{ id: string; totp: { secret: string } }>('POST', '/account/factors', session, {
      factor_type: 'totp',
      friendly_name: 'phone',
    });
    const generator = new TOTP({ secret: Secret.fromBase32(totp.secret) });
    const show = async (as: Cookie, code: string): Promise<HttpResponse> => {
      const challenge = await json<{ id: string }>('POST', `/account/factors/${id}/challenge`, as, {});
      return ask('POST', `/account/factors/${id}/verify`, as, { challenge_id: challenge.id, code });
    };
    const whole = cookieOf(await show(session, generator.generate()), session);
    await age(email);
    const secrets = (as: Cookie) => ask('POST', `/apps/${app.ref}/api-keys/secret/reveal`, as);
    expect(expectRefusal(await secrets(whole))).toBe('recent_sign_in_needed');
    const shown = await show(whole, generator.generate({ timestamp: Date.now() + 30_000 }));
    expect(shown.status, shown.body).toBe(204);
    expect((await secrets(cookieOf(shown, session))).status).toBe(200);
  });
});

describe('PUT /node/second-factor', () => {
  const rule = (as: Caller, required: boolean, grace_days = 0) =>
    ask('PUT', '/node/second-factor', as, { required, grace_days });

  it('makes a builder without a second factor add one before any other call', async () => {
    const { email, id, session } = await join('developer');
    expect(expectRefusal(await rule(session, true))).toBe('role_insufficient');
    expect(expectRefusal(await rule(first, true))).toBe('second_factor_required');
    expect(expectRefusal(await rule('operator', true, 31))).toBe('validation_invalid');
    expect((await rule('operator', true, 7)).status).toBe(204);
    const due = (await json<{ second_factor_due: string }>('GET', '/session', session)).second_factor_due;
    expect(Date.parse(due) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect((await ask('GET', '/apps', session)).status).toBe(200);
    expect((await rule('operator', true)).status).toBe(204);
    try {
      const adding = /^\w+ \/account\/(user|proof|proof\/passkey|factors(\/.*)?)$/;
      for (const route of Object.keys(leastRoles).filter((name) => !adding.test(name))) {
        const [method = '', pattern = ''] = route.split(' ');
        const path = pattern.replace(':ref', app.ref).replace(/:\w+/g, id);
        const response = await ask(method, path, session, method === 'GET' ? undefined : {});
        expect([route, expectRefusal(response)]).toEqual([route, 'second_factor_required']);
      }
      const proxied = await ask('GET', `/apps/${app.ref}/rest/v1/things`, session);
      expect(expectRefusal(proxied)).toBe('second_factor_required');
      expect(await json('GET', '/session', session)).toMatchObject({ must_add_second_factor: true });
      await age(email);
      const body = { factor_type: 'webauthn', friendly_name: 'Blue key' };
      expect(expectRefusal(await ask('POST', '/account/factors', session, body))).toBe('recent_sign_in_needed');
      await json('POST', '/account/proof', session, { password });
      const factor = await json<{ id: string }>('POST', '/account/factors', session, body);
      const key = device();
      const added = await key.show(session, id, factor.id);
      expect(added.status, added.body).toBe(204);
      const whole = cookieOf(added, session);
      expect((await ask('GET', '/apps', whole)).status).toBe(200);
      const again = await signInBuilder(node, { email, password });
      expect(expectRefusal(await ask('GET', '/apps', again))).toBe('second_factor_needed');
      const shown = await key.show(again, id, factor.id);
      expect((await ask('GET', '/apps', cookieOf(shown, again))).status).toBe(200);
      const [own] = (await json<AppTeam>('GET', `/apps/${app.ref}/team`, 'operator')).builders.filter(
        (one) => one.id === id,
      );
      expect(own).toMatchObject({ has_second_factor: true, last_seen_at: expect.any(String) });
      expect(await json('GET', `/apps/${app.ref}/team/${id}`, 'operator')).toMatchObject({
        factors: [{ name: 'Blue key', type: 'webauthn' }],
      });
      expect((await ask('DELETE', `/account/factors/${factor.id}`, cookieOf(shown, again))).status).toBe(200);
      expect(expectRefusal(await ask('GET', '/apps', cookieOf(shown, again)))).toBe('second_factor_required');
    } finally {
      await rule('operator', false);
    }
    expect((await ask('GET', '/apps', first)).status).toBe(200);
  });
});

describe('GET /audit', () => {
  const entries = (as: Caller, query = '') => json<NodeAuditEntry[]>('GET', `/audit${query}`, as);

  it('shows sign-ins, refused sign-ins and changes of builders and apps only to owners of the node', async () => {
    const { email, id, session } = await join('owner');
    await expect(signInBuilder(node, { email, password: 'a wrong one' })).rejects.toThrow('400');
    const invited = uniqueEmail('invited');
    await json('POST', '/team/invitations', first, { email: invited, role: 'member', creates_apps: true });
    await json('PUT', `/team/${id}`, first, { role: 'member', creates_apps: true });
    const made = await json<AppConnection>('POST', '/apps', session, { ref: `made-${id.slice(0, 8)}` });
    await json('DELETE', `/apps/${made.ref}`, session, { confirm: made.ref });
    const log = await entries(first, '?limit=200');
    const has = (part: Partial<NodeAuditEntry>) => expect(log).toContainEqual(expect.objectContaining(part));
    has({ action: 'login', actor_id: id, actor: 'The owner', app: null, refused: null });
    has({ action: 'login_refused', refused: 'invalid_credentials' });
    has({ action: 'builder_invited', actor: builder.name, details: expect.objectContaining({ email: invited }) });
    has({ action: 'builder_role_changed', actor: builder.name });
    has({ action: 'second_factor_rule_changed', actor: 'operator' });
    has({ action: 'app_created', actor_id: id, app: made.ref });
    has({ action: 'app_deleted', actor_id: id, app: made.ref });
    expect(log.map(({ action }) => action)).not.toContain('sql_run');
    expect(JSON.stringify(log)).not.toContain(password);
    expect(log.map(({ at }) => at)).toEqual(
      log
        .map(({ at }) => at)
        .sort()
        .reverse(),
    );
    expect(expectRefusal(await ask('GET', '/audit', session))).toBe('role_insufficient');
  });

  it('filters by action, text and time, and its pages have no gap', async () => {
    const all = await entries(first, '?limit=200');
    const logins = await entries('operator', '?action=login&limit=200');
    expect(new Set(logins.map(({ action }) => action))).toEqual(new Set(['login']));
    const [newest] = all;
    expect(await entries(first, `?search=${encodeURIComponent(`${newest?.id}%_`)}`)).toEqual([]);
    const since = all[2]?.at ?? '';
    expect((await entries(first, `?from=${encodeURIComponent(since)}`)).at(-1)?.at).toBe(since);
    const paged: NodeAuditEntry[] = [];
    for (let after = ''; paged.length < all.length; ) {
      const page = await entries(first, `?limit=7${after}`);
      paged.push(...page);
      if (page.length < 7) break;
      after = `&after=${page.at(-1)?.at}_${page.at(-1)?.id}`;
    }
    expect(paged.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    for (const query of ['?kind=members', '?limit=1001', '?after=x', '?from=now', '?search=%00']) {
      expect(expectRefusal(await ask('GET', `/audit${query}`, first))).toBe('validation_invalid');
    }
  });
});

describe('POST /apps/:ref/team/leave', () => {
  it('removes the builder who calls from the app, except the last owner', async () => {
    const reader = await join('reader');
    expect((await ask('POST', `/apps/${app.ref}/team/leave`, reader.session, {})).status).toBe(204);
    expect(expectRefusal(await ask('GET', `/apps/${app.ref}`, reader.session))).toBe('builder_forbidden');
    const own = await json<AppConnection>('POST', '/apps', first, { ref: 'only-owner' });
    expect(expectRefusal(await ask('POST', `/apps/${own.ref}/team/leave`, first, {}))).toBe('last_owner');
  });
});
