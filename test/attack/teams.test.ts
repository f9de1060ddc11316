import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiKeyEntry, type AppConnection, type CreatedApiKey, consoleHeader } from '../../contract/admin.ts';
import { leastRoles } from '../../contract/least-roles.ts';
import type { CreatedSpecificationLink, SpecificationLink } from '../../contract/specification-links.ts';
import type { AppTeam, BuilderAccess, BuilderLink } from '../../contract/team.ts';
import { createAppWith } from '../support/apps.ts';
import { Authenticator } from '../support/authenticator.ts';
import { type Cookie, makeBuilder, signInBuilder } from '../support/builder.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { cli, startNode, type TestNode } from '../support/node.ts';
import { expectRefusal } from '../support/refusal.ts';
import { readShared } from '../support/shared.ts';
import { uniqueEmail } from '../support/unique.ts';

/** A builder may only do what the role allows, and each link works once. */
const password = 'correct horse battery';
let node: TestNode;
let app: AppConnection;
let other: AppConnection;
/** The first builder, who owns the node. */
let first: Cookie;

interface Asked {
  as?: Cookie | 'operator';
  body?: unknown;
  headers?: Record<string, string>;
}

function ask(method: string, path: string, { as, body, headers }: Asked = {}): Promise<HttpResponse> {
  const who =
    as === 'operator'
      ? { authorization: `Bearer ${node.operatorToken}` }
      : as === undefined
        ? {}
        : { cookie: `${as.name}=${as.value}` };
  return send(node.url, `/admin/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', [consoleHeader]: '1', ...who, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ownConnection: true,
  });
}

const secretOf = (link: BuilderLink): string => new URL(link.url).hash.replace('#token=', '');

async function invite(path: string, as: Cookie | 'operator', body: object): Promise<string> {
  const response = await ask('POST', `${path}/invitations`, { as, body });
  expect(response.status, response.body).toBe(201);
  return secretOf(JSON.parse(response.body));
}

const accept = (secret: string, more: object = { name: 'New', password }, as?: Cookie) =>
  ask('POST', '/invitations/accept', { body: { secret, ...more }, ...(as && { as }) });

/** Returns a builder who has accepted an invitation to an app and is signed in. */
async function join(ref: string, role: string): Promise<{ email: string; id: string; session: Cookie }> {
  const email = uniqueEmail(role);
  const response = await accept(await invite(`/apps/${ref}/team`, 'operator', { email, role }));
  expect(response.status, response.body).toBe(204);
  const session = await signInBuilder(node, { email, password });
  return { email, id: (await teamOf(ref, session)).own_id ?? '', session };
}

const teamOf = async (ref: string, as: Cookie | 'operator'): Promise<AppTeam> =>
  JSON.parse((await ask('GET', `/apps/${ref}/team`, { as })).body);

beforeAll(async () => {
  node = await startNode();
  first = await makeBuilder(node);
  app = await createAppWith(node, 'create table public.things (id int); insert into public.things values (1)');
  other = await createAppWith(node, '');
});
afterAll(() => node.stop());

describe('roles of builders', () => {
  const ranks = ['reader', 'developer', 'owner'];
  const refusals = ['role_insufficient', 'builder_forbidden', 'operator_required'];
  const codeOf = ({ body }: HttpResponse): string | undefined => /"code":"(\w+)"/.exec(body)?.[1];

  it('allow each call only to its least role and higher roles, and refuse builders of another app', async () => {
    const holders = {
      reader: await join(app.ref, 'reader'),
      developer: await join(app.ref, 'developer'),
      owner: await join(app.ref, 'owner'),
      stranger: await join(other.ref, 'owner'),
    };
    for (const [route, min] of Object.entries(leastRoles)) {
      const [method = '', pattern = ''] = route.split(' ');
      const path = pattern
        .replace(':ref', app.ref)
        .replace(':key', 'no_setting')
        .replace(/:\w+/g, '00000000-0000-4000-8000-000000000000');
      const ofApp = ranks.indexOf(min);
      for (const [role, { session }] of Object.entries(holders)) {
        const may = ofApp >= 0 ? ranks.indexOf(role) >= ofApp : min === 'builder';
        // The probe reads the whole app for a while, a copy needs the privilege to create apps, and leaving ends the
        // role.
        if (may && /^POST .*(probe|clone|leave)$/.test(route)) continue;
        const response = await ask(method, path, { as: session, ...(method === 'GET' ? {} : { body: {} }) });
        const refusal =
          min === 'operator'
            ? 'operator_required'
            : role === 'stranger' && ofApp >= 0
              ? 'builder_forbidden'
              : 'role_insufficient';
        if (may) expect(refusals, `${route} as ${role}`).not.toContain(codeOf(response));
        else expect([route, role, codeOf(response)]).toEqual([route, role, refusal]);
      }
    }
  });

  it('end the links to a specification with the role of their creator', async () => {
    const { id, session } = await join(app.ref, 'developer');
    const made = await ask('POST', `/apps/${app.ref}/specification/links`, {
      as: session,
      body: { version: null, days: null },
    });
    const path = new URL((JSON.parse(made.body) as CreatedSpecificationLink).url).pathname;
    const ended = async () =>
      (
        JSON.parse(
          (await ask('GET', `/apps/${app.ref}/specification/links`, { as: session })).body,
        ) as SpecificationLink[]
      )[0]?.ended;
    expect([(await readShared(node, path)).status, await ended()]).toEqual([200, null]);
    await ask('PUT', `/apps/${app.ref}/team/${id}`, { as: 'operator', body: { role: 'reader' } });
    expect([(await readShared(node, path)).status, await ended()]).toEqual([404, 'creator']);
  });

  it('hide rows, members and secrets from a reader, and secrets from a developer', async () => {
    const reader = await join(app.ref, 'reader');
    const developer = await join(app.ref, 'developer');
    for (const path of ['/rest/v1/things', '/auth/v1/admin/users', '/portal/v1/screens', '/portal/v1/app']) {
      const own = `/apps/${app.ref}${path}`;
      expect(expectRefusal(await ask('GET', own, { as: reader.session }))).toBe('role_insufficient');
      for (const caller of ['anon', '00000000-0000-0000-0000-000000000000']) {
        const asCaller = { as: reader.session, headers: { 'x-ninefold-as': caller } };
        expect(expectRefusal(await ask('GET', own, asCaller))).toBe('role_insufficient');
      }
      expect((await ask('GET', own, { as: developer.session })).status).toBe(200);
      expectRefusal(await ask('GET', `/apps/${other.ref}${path}`, { as: developer.session }));
    }
    for (const session of [reader.session, developer.session, first]) {
      const { body } = await ask('GET', `/apps/${app.ref}/connection`, { as: session });
      for (const secret of [app.secret_key, app.service_role_key, app.jwt_secret]) expect(body).not.toContain(secret);
      expect(JSON.parse(body).publishable_key).toBe(app.publishable_key);
    }
  });

  it('let only owners create, revoke and reveal API keys, while developers see a list without keys and readers no list', async () => {
    const [reader, developer, owner] = await Promise.all(
      ['reader', 'developer', 'owner'].map(async (role) => (await join(app.ref, role)).session),
    );
    const keys = `/apps/${app.ref}/api-keys`;
    const make = (as: Cookie | undefined) => ask('POST', keys, { ...(as && { as }), body: { name: 'Worker' } });
    const reveal = (as: Cookie | undefined) => ask('POST', `${keys}/secret/reveal`, { ...(as && { as }), body: {} });
    for (const as of [reader, developer]) {
      expect(expectRefusal(await make(as))).toBe('role_insufficient');
      expect(expectRefusal(await reveal(as))).toBe('role_insufficient');
      expect(expectRefusal(await ask('POST', `${keys}/secret/revoke`, { ...(as && { as }) }))).toBe(
        'role_insufficient',
      );
    }
    expect(expectRefusal(await ask('GET', keys, { ...(reader && { as: reader }) }))).toBe('role_insufficient');

    const created: CreatedApiKey = JSON.parse((await make(owner)).body);
    expect(created.key).toMatch(/^sb_secret_/);
    for (const as of [developer, owner]) {
      const { body } = await ask('GET', keys, { ...(as && { as }) });
      expect(JSON.parse(body).map(({ id }: ApiKeyEntry) => id)).toContain(created.id);
      for (const secret of [created.key, app.secret_key, app.service_role_key, app.jwt_secret]) {
        expect(body).not.toContain(secret);
      }
    }
    // The page of an owner contains no secret until the owner requests it, and the log records that.
    const { body } = await ask('GET', `/apps/${app.ref}/connection`, { ...(owner && { as: owner }) });
    for (const secret of [app.secret_key, app.service_role_key, app.jwt_secret]) expect(body).not.toContain(secret);
    expect(JSON.parse(body).reveals).toEqual(['secret', 'service_role', 'jwt-secret']);
    expect(JSON.parse((await reveal(owner)).body)).toEqual({ key: app.secret_key });
    const events = (await ask('GET', `/apps/${app.ref}/audit?kind=builders`, { ...(owner && { as: owner }) })).body;
    expect(events).toContain('api_key_revealed');
    expect(events).toContain('api_key_created');
    for (const secret of [created.key, app.secret_key]) expect(events).not.toContain(secret);
    expect(expectRefusal(await ask('POST', `${keys}/${created.id}/reveal`, { ...(owner && { as: owner }) }))).toBe(
      'api_key_unknown',
    );
  });

  it('show the keys and sessions of a builder to owners of the app, and name no app that the caller cannot open', async () => {
    const owner = await join(app.ref, 'owner');
    const { email, id } = await join(app.ref, 'reader');
    const stranger = await join(other.ref, 'reader');
    const secret = await invite(`/apps/${other.ref}/team`, 'operator', { email, role: 'developer' });
    expect((await accept(secret, {}, await signInBuilder(node, { email, password }))).status).toBe(204);
    const appsOf = async (as: Cookie | 'operator') =>
      (await teamOf(app.ref, as)).builders.find((one) => one.id === id)?.apps;
    expect(await appsOf(owner.session)).toEqual({ [app.ref]: 'reader' });
    expect(await appsOf(first)).toEqual({ [app.ref]: 'reader', [other.ref]: 'developer' });

    const response = await ask('GET', `/apps/${app.ref}/team/${id}`, { as: owner.session });
    expect(response.status, response.body).toBe(200);
    const access: BuilderAccess = JSON.parse(response.body);
    expect(access).toMatchObject({ factors: [], passkeys: [] });
    expect(access.sessions.map((one) => Object.keys(one))).toEqual([
      ['id', 'device', 'created_at'],
      ['id', 'device', 'created_at'],
    ]);
    for (const unknown of [stranger.id, '00000000-0000-4000-8000-000000000000']) {
      expect(expectRefusal(await ask('GET', `/apps/${app.ref}/team/${unknown}`, { as: owner.session }))).toBe(
        'builder_unknown',
      );
    }
  });

  it('cannot be changed by a field of a body, and a changed role applies from the next call on', async () => {
    const { email, id, session } = await join(app.ref, 'developer');
    const own = { as: session };
    for (const [method, path, body] of [
      ['PUT', `/apps/${app.ref}/team/${id}`, { role: 'owner' }],
      ['PUT', `/team/${id}`, { role: 'owner', creates_apps: true }],
      ['POST', `/apps/${app.ref}/team/invitations`, { email: uniqueEmail(), role: 'owner' }],
      ['POST', '/apps', { ref: 'by-a-member' }],
    ] as const) {
      expect(expectRefusal(await ask(method, path, { ...own, body }))).toBe('role_insufficient');
    }
    for (const body of [
      { email: uniqueEmail(), role: 'operator' },
      { email: uniqueEmail(), role: 'reader', app: other.ref },
      { email: uniqueEmail(), role: 'reader', is_owner: true },
    ]) {
      const response = await ask('POST', `/apps/${app.ref}/team/invitations`, { as: first, body });
      expect(expectRefusal(response)).toBe('validation_invalid');
    }
    const smuggled = { name: 'x', password, role: 'owner', is_owner: true };
    const secret = await invite(`/apps/${app.ref}/team`, first, { email: uniqueEmail(), role: 'reader' });
    expect(expectRefusal(await accept(secret, smuggled))).toBe('validation_invalid');
    expect((await ask('PUT', `/apps/${app.ref}/team/${id}`, { as: first, body: { role: 'reader' } })).status).toBe(204);
    expect(expectRefusal(await ask('POST', `/apps/${app.ref}/sql`, { ...own, body: { sql: 'select 1' } }))).toBe(
      'role_insufficient',
    );
    expect((await ask('DELETE', `/apps/${app.ref}/team/${id}`, { as: first })).status).toBe(204);
    expect(expectRefusal(await ask('GET', `/apps/${app.ref}`, own))).toBe('builder_forbidden');
    expect((await ask('DELETE', `/team/${id}`, { as: first })).status).toBe(204);
    await expect.poll(async () => (await ask('GET', '/apps', own)).status, { timeout: 1000 }).toBe(401);
    await expect(signInBuilder(node, { email, password })).rejects.toThrow('400');
  });

  it('keep an owner for the app and the node when two owners remove each other at once', async () => {
    const own = await createAppWith(node, '');
    const [a, b] = [await join(own.ref, 'owner'), await join(own.ref, 'owner')];
    const path = (id: string) => `/apps/${own.ref}/team/${id}`;
    const answers = await Promise.all([
      ask('DELETE', path(a.id), { as: b.session }),
      ask('PUT', path(b.id), { as: a.session, body: { role: 'reader' } }),
    ]);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    const owners = (await teamOf(own.ref, 'operator')).builders.filter(
      (each) => !each.owns_node && each.role === 'owner',
    );
    expect(owners).toHaveLength(1);
    const [last] = owners;
    expect(expectRefusal(await ask('DELETE', path(last?.id ?? ''), { as: 'operator' }))).toBe('last_owner');
    expect(expectRefusal(await ask('DELETE', `/team/${last?.id}`, { as: first }))).toBe('last_owner');
    const owner = (await teamOf(own.ref, first)).own_id ?? '';
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PUT', { role: 'member', creates_apps: true }],
    ] as const) {
      expect(expectRefusal(await ask(method, `/team/${owner}`, { as: first, body }))).toBe('last_owner');
    }
  });
});

describe('the link of an invitation', () => {
  it('creates one builder when 10 clients open it at once, and works once', async () => {
    const email = uniqueEmail('race');
    const secret = await invite('/team', first, { email, role: 'member', creates_apps: false });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => accept(secret, { name: `n${i}`, password })),
    );
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(expectRefusal(await accept(secret))).toBe('invitation_invalid');
    await withClient(await superuserUrl(node, 'app_console'), async (client) => {
      const { rows } = await client.query(
        'select count(b.*)::int as builders, count(*)::int as users from auth.users u left join public.builders b on b.user_id = u.id where u.email = $1',
        [email],
      );
      expect(rows).toEqual([{ builders: 1, users: 1 }]);
      const stored = await client.query('select i::text as row from node.invitations i');
      expect(stored.rows.filter(({ row }) => row.includes(secret))).toEqual([]);
    });
  });

  it('is invalid if it was withdrawn, replaced or expired, or if its inviter is no longer an owner', async () => {
    const path = `/apps/${app.ref}/team`;
    const body = { email: uniqueEmail('void'), role: 'reader' };
    const inviter = await join(app.ref, 'owner');
    const secrets = [await invite(path, inviter.session, body), await invite(path, inviter.session, body)];
    expect(expectRefusal(await accept(secrets[0] ?? ''))).toBe('invitation_invalid');
    await ask('PUT', `${path}/${inviter.id}`, { as: first, body: { role: 'developer' } });
    expect(expectRefusal(await accept(secrets[1] ?? ''))).toBe('invitation_invalid');
    const taken = await invite(path, first, body);
    const [open] = (await teamOf(app.ref, first)).invitations.filter(({ email }) => email === body.email);
    const wrongApp = `/apps/${other.ref}/team/invitations/${open?.id}`;
    expect(expectRefusal(await ask('DELETE', wrongApp, { as: first }))).toBe('invitation_invalid');
    expect((await ask('DELETE', `${path}/invitations/${open?.id}`, { as: first })).status).toBe(204);
    expect(expectRefusal(await accept(taken))).toBe('invitation_invalid');
    const old = await invite(path, first, body);
    await withClient(await superuserUrl(node, 'app_console'), (client) =>
      client.query('update node.invitations set expires_at = now() where email = $1', [body.email]),
    );
    expect(expectRefusal(await accept(old))).toBe('invitation_invalid');
  });

  it('works for a builder only in that builder’s own session, and only from the console', async () => {
    const { email, session } = await join(other.ref, 'reader');
    const thief = await join(other.ref, 'reader');
    const secret = await invite(`/apps/${app.ref}/team`, first, { email: email.toUpperCase(), role: 'developer' });
    for (const as of [undefined, thief.session]) {
      expect(expectRefusal(await accept(secret, { name: 'x', password: 'another password' }, as))).toBe(
        'builder_sign_in_needed',
      );
    }
    const outside = await ask('POST', '/invitations/accept', {
      as: session,
      body: { secret },
      headers: { [consoleHeader]: '0' },
    });
    expect(expectRefusal(outside)).toBe('console_required');
    expect((await accept(secret, {}, session)).status).toBe(204);
    expect((await teamOf(app.ref, session)).own_role).toBe('developer');
    const again = { email, role: 'owner' };
    const response = await ask('POST', `/apps/${app.ref}/team/invitations`, { as: first, body: again });
    expect(expectRefusal(response)).toBe('builder_exists');
  });
});

describe('PUT /account/password', () => {
  it('needs the current password, and ends every other session', async () => {
    const { email, session } = await join(other.ref, 'reader');
    const elsewhere = await signInBuilder(node, { email, password });
    const change = (as: Cookie, current: string, more: object = {}) =>
      ask('PUT', '/account/password', { as, body: { current, password: 'a new long password', ...more } });
    expect(expectRefusal(await change(elsewhere, 'a guess'))).toBe('invalid_credentials');
    expect(expectRefusal(await change(elsewhere, password, { email: 'ines@northwind.example' }))).toBe(
      'validation_invalid',
    );
    expect((await change(session, password)).status).toBe(204);
    await expect.poll(async () => (await ask('GET', '/apps', { as: elsewhere })).status, { timeout: 1000 }).toBe(401);
    const devices = JSON.parse((await ask('GET', '/account/sessions', { as: session })).body);
    expect(devices).toMatchObject([{ is_current: true }]);
    const path = `/account/sessions/${devices[0].id}`;
    expect(expectRefusal(await ask('DELETE', path, { as: first }))).toBe('not_found');
    expect(expectRefusal(await ask('GET', '/account/sessions', { as: 'operator' }))).toBe('builder_unknown');
    expect((await ask('DELETE', path, { as: session })).status).toBe(204);
    await expect.poll(async () => (await ask('GET', '/apps', { as: session })).status, { timeout: 1000 }).toBe(401);
    await expect(signInBuilder(node, { email, password })).rejects.toThrow('400');
  });
});

describe('a recovery link', () => {
  it('sets the password of its builder once and ends the sessions, and a new link replaces it', async () => {
    const { email, session } = await join(app.ref, 'developer');
    const links = [
      await cli(node, ['builders', 'recover', email]),
      await cli(node, ['builders', 'recover', email.toUpperCase()]),
    ];
    const [old = '', secret = ''] = links.map(({ stdout }) => new URL(stdout.trim()).hash.replace('#token=', ''));
    const recover = (token: string, chosen = 'a new long password') =>
      ask('POST', '/recovery', { body: { secret: token, password: chosen } });
    expect(expectRefusal(await recover(old))).toBe('recovery_invalid');
    expect(expectRefusal(await recover(secret, 'short'))).toBe('validation_invalid');
    const answers = await Promise.all([recover(secret), recover(secret), recover(secret)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    await expect.poll(async () => (await ask('GET', '/apps', { as: session })).status, { timeout: 1000 }).toBe(401);
    expect(await signInBuilder(node, { email, password: 'a new long password' })).toBeTruthy();
    expectRefusal(await ask('POST', '/builders/recover', { as: session, body: { email } }));
    const unknown = await cli(node, ['builders', 'recover', uniqueEmail()]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('(builder_unknown)')]);
  });

  it('is created by owners of the node, not by owners of an app, and is in the log of the node', async () => {
    const [owner, { email }] = [await join(app.ref, 'owner'), await join(app.ref, 'developer')];
    const create = (as: Cookie) => ask('POST', '/builders/recover', { as, body: { email } });
    expect(expectRefusal(await create(owner.session))).toBe('role_insufficient');
    const made = await create(first);
    expect(made.status, made.body).toBe(201);
    const body = { secret: secretOf(JSON.parse(made.body)), password: 'a new long password' };
    expect((await ask('POST', '/recovery', { body })).status).toBe(204);
    const log = await ask('GET', '/audit?action=builder_recovery_begun', { as: first });
    expect(log.body).toContain(email);
    expect(log.body).not.toContain(body.secret);
  });
});

describe('a builder’s second factor', () => {
  /** Returns the cookie that a response sets, which replaces an earlier cookie. */
  const cookieOf = ({ headers }: HttpResponse, earlier: Cookie): Cookie => {
    const value = new RegExp(`^${earlier.name}=([^;]+);.*HttpOnly`).exec(String(headers['set-cookie']))?.[1];
    if (!value) throw new Error('The answer sets no cookie.');
    return { ...earlier, value };
  };
  const challenge = async (as: Cookie, id: string): Promise<string> =>
    JSON.parse((await ask('POST', `/account/factors/${id}/challenge`, { as, body: {} })).body).id;
  const show = async (as: Cookie, id: string, code: string) =>
    ask('POST', `/account/factors/${id}/verify`, { as, body: { challenge_id: await challenge(as, id), code } });

  /**
   * Returns a builder who has enrolled a TOTP factor. `before` is the cookie that enrolled the factor, `whole` the
   * cookie after the factor was shown.
   */
  async function enrolled(ref = app.ref, role = 'owner') {
    const joined = await join(ref, role);
    const body = { factor_type: 'totp', friendly_name: 'phone' };
    const response = await ask('POST', '/account/factors', { as: joined.session, body });
    const { id, totp } = JSON.parse(response.body);
    const generator = new TOTP({ secret: Secret.fromBase32(totp.secret) });
    const used = generator.generate();
    const shown = await show(joined.session, id, used);
    expect([shown.status, shown.body]).toEqual([204, '']);
    // Each code works once. The code of the current step was used above, and the code of the next step is valid already.
    const next = () => generator.generate({ timestamp: Date.now() + 30_000 });
    return { ...joined, factorId: id as string, used, next, before: joined.session, whole: cookieOf(shown, first) };
  }

  it('is required for every call, with an old cookie, a new cookie or an access token', async () => {
    const { email, factorId, before, whole } = await enrolled();
    const fresh = await signInBuilder(node, { email, password });
    const { publishable_key: apikey } = JSON.parse((await ask('GET', '/setup')).body);
    const signedIn = await send(node.url, '/apps/console/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: { apikey, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
      ownConnection: true,
    });
    const bearer = { headers: { authorization: `Bearer ${JSON.parse(signedIn.body).access_token}` } };
    const proxied = ['GET', 'POST'].map((method) => `${method} /apps/:ref/rest/v1/things`);
    const raising = /^(GET \/account\/user|POST \/account\/factors\/:id\/(challenge|verify))$/;
    for (const route of [...Object.keys(leastRoles), ...proxied].filter((name) => !raising.test(name))) {
      const [method = '', pattern = ''] = route.split(' ');
      const path = pattern.replace(':ref', app.ref).replace(/:\w+/g, factorId);
      for (const as of [{ as: before }, { as: fresh }, bearer]) {
        const response = await ask(method, path, { ...as, ...(method === 'GET' ? {} : { body: {} }) });
        expect([route, response.status, expectRefusal(response)]).toEqual([route, 403, 'second_factor_needed']);
      }
    }
    const shown = JSON.parse((await ask('GET', '/session', { as: fresh })).body);
    expect(shown).toMatchObject({ email, needs_second_factor: true });
    expect((await ask('GET', '/apps', { as: whole })).status).toBe(200);
    const invitation = await invite(`/apps/${other.ref}/team`, 'operator', { email, role: 'owner' });
    expect(expectRefusal(await accept(invitation, {}, fresh))).toBe('second_factor_needed');
  });

  it('accepts each code once, and only from its own builder', async () => {
    const { email, factorId, used, next, whole } = await enrolled();
    const stranger = await enrolled(other.ref);
    const [a, b] = [await signInBuilder(node, { email, password }), await signInBuilder(node, { email, password })];
    expect(expectRefusal(await show(a, factorId, used))).toBe('mfa_verification_failed');
    const foreign = { as: stranger.whole, body: {} };
    expect(expectRefusal(await ask('POST', `/account/factors/${factorId}/challenge`, foreign))).toBe(
      'mfa_factor_not_found',
    );
    expect(expectRefusal(await ask('DELETE', `/account/factors/${factorId}`, foreign))).toBe('mfa_factor_not_found');
    const code = next();
    const answers = await Promise.all([show(a, factorId, code), show(b, factorId, code)]);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    const made = JSON.parse((await ask('POST', '/account/factors/recovery-codes', { as: whole, body: {} })).body);
    const [one, two] = [await signInBuilder(node, { email, password }), await signInBuilder(node, { email, password })];
    const recover = (as: Cookie) =>
      ask('POST', '/account/factors/recovery-codes/verify', { as, body: { code: made.codes[0] } });
    const recovered = await Promise.all([recover(one), recover(two), recover(one), recover(two)]);
    expect(recovered.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(recovered.map(({ body }) => body).join()).not.toMatch(/access_token|refresh_token/);
  });

  it('is not required after the builder or `ninefold builders recover` removed it', async () => {
    const { email, factorId, whole } = await enrolled();
    const lost = await enrolled();
    const fresh = await signInBuilder(node, { email, password });
    expect((await ask('DELETE', `/account/factors/${factorId}`, { as: whole })).status).toBe(200);
    expect((await ask('GET', '/apps', { as: fresh })).status).toBe(200);
    await cli(node, ['builders', 'recover', lost.email]);
    const locked = await signInBuilder(node, { email: lost.email, password });
    expect(expectRefusal(await ask('GET', '/apps', { as: locked }))).toBe('second_factor_needed');
    expect((await cli(node, ['builders', 'recover', lost.email, '--remove-second-factor'])).code).toBe(0);
    expect((await ask('GET', '/apps', { as: locked })).status).toBe(200);
  });

  it('cannot be used, renamed or removed by other builders', async () => {
    const [owner, stranger] = [await join(app.ref, 'reader'), await join(other.ref, 'owner')];
    const origin = `http://localhost:${new URL(node.url).port}`;
    const device = new Authenticator();
    const options = async (path: string, as?: Cookie) => {
      const { body } = await ask('POST', path, { body: {}, ...(as && { as }) });
      const { challenge_id, options: asked } = JSON.parse(body);
      return { challenge_id, ceremony: { origin, rpId: 'localhost', challenge: asked.challenge } };
    };
    const registering = await options('/account/passkeys/registration/options', owner.session);
    const credential = device.create(registering.ceremony, owner.id);
    const register = (as: Cookie) =>
      ask('POST', '/account/passkeys/registration/verify', {
        as,
        body: { challenge_id: registering.challenge_id, credential },
      });
    expect(expectRefusal(await register(stranger.session))).toBe('webauthn_challenge_not_found');
    const registered = await register(owner.session);
    expect(registered.status, registered.body).toBe(200);
    const path = `/account/passkeys/${JSON.parse(registered.body).id}`;
    for (const method of ['PATCH', 'DELETE']) {
      const response = await ask(method, path, { as: stranger.session, body: { friendly_name: 'mine' } });
      expect([method, response.status]).toEqual([method, 404]);
    }
    const signIn = async (as: { userHandle?: string; origin?: string; headers?: Record<string, string> }) => {
      const { challenge_id, ceremony } = await options('/session/passkey/options');
      device.userHandle = as.userHandle ?? owner.id;
      const answer = device.get({ ...ceremony, origin: as.origin ?? origin });
      return ask('POST', '/session/passkey', { body: { challenge_id, credential: answer }, headers: as.headers ?? {} });
    };
    expect(expectRefusal(await signIn({ userHandle: stranger.id }))).toBe('webauthn_verification_failed');
    const ofApp = `http://${app.ref}.localhost:${new URL(node.url).port}`;
    expect(expectRefusal(await signIn({ origin: ofApp }))).toBe('webauthn_verification_failed');
    expect(expectRefusal(await signIn({ headers: { [consoleHeader]: '0' } }))).toBe('console_required');
    const response = await signIn({});
    expect(JSON.parse(response.body)).toMatchObject({ email: owner.email, needs_second_factor: false });
    expect((await ask('GET', `/apps/${app.ref}`, { as: cookieOf(response, first) })).status).toBe(200);
  });
});
