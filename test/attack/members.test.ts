import { beforeAll, describe, expect, it } from 'vitest';
import type { ActingToken, AppConnection } from '../../contract/admin.ts';
import { consoleHeader } from '../../contract/admin.ts';
import type { ImportSource, MemberImport, RefusedRecord } from '../../contract/member-imports.ts';
import { admin, runSql } from '../support/apps.ts';
import { type Cookie, makeBuilder, builder as ofNode, signInBuilder } from '../support/builder.ts';
import { type Member, signUpMember } from '../support/clients.ts';
import { ownNode } from '../support/own-node.ts';

const node = ownNode('attack-members');

let app: AppConnection;
let other: AppConnection;
let ada: Member;
let cookie: Cookie;

beforeAll(async () => {
  cookie = await makeBuilder(node);
  const asBuilder = async (ref: string) =>
    (await call(cookie, 'POST', '/apps', { body: { ref } })).body as unknown as AppConnection;
  [app, other] = [await asBuilder('acted'), await asBuilder('other-app')];
  await runSql(
    node,
    app.ref,
    `create table public.notes (id bigint generated always as identity primary key, owner uuid default auth.uid(), body text);
     alter table public.notes enable row level security;
     create policy own on public.notes for all to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
     grant all on public.notes to authenticated;
     insert into public.notes (owner, body) values (gen_random_uuid(), 'not theirs');`,
  );
  ada = await signUpMember(app, 'ada');
});

async function call(
  who: Cookie | null,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
) {
  const answer = await fetch(`${node.url}/admin/v1${path}`, {
    method,
    headers: {
      [consoleHeader]: '1',
      ...(who && { cookie: `${who.name}=${who.value}` }),
      ...(options.body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text ? JSON.parse(text) : null) as Record<string, unknown> };
}

const act = async (who: Cookie): Promise<ActingToken> =>
  (await call(who, 'POST', `/apps/${app.ref}/members/${ada.user.id}/act`)).body as unknown as ActingToken;

const notes = (who: Cookie | null, token: string, ref = app.ref, body?: object) =>
  call(who, body ? 'POST' : 'GET', `/apps/${ref}/rest/v1/notes`, {
    headers: { 'x-ninefold-as': token, prefer: 'return=representation' },
    ...(body && { body }),
  });

describe('a token with which a builder acts as a member', () => {
  it('reads and writes the rows that the policies allow the member, and is recorded in the audit log', async () => {
    const { token, expires_at: expires } = await act(cookie);
    expect(new Date(expires).getTime() - Date.now()).toBeLessThanOrEqual(600_000);
    expect(await notes(cookie, token, app.ref, { body: 'mine' })).toMatchObject({
      status: 201,
      body: [{ owner: ada.user.id, body: 'mine' }],
    });
    expect(await notes(cookie, token)).toMatchObject({ status: 200, body: [{ body: 'mine' }] });
    const stolen = await notes(cookie, token, app.ref, { owner: crypto.randomUUID(), body: 'as another' });
    expect(stolen.body.code).toBe('42501');
    const { results } = await runSql(
      node,
      app.ref,
      `select payload ->> 'actor_username', payload #>> '{traits,user_id}' from auth.audit_log_entries where payload ->> 'action' = 'builder_acted_as'`,
    );
    expect(results.at(-1)?.rows[0]).toEqual([ofNode.name, ada.user.id]);
  });

  it('gives an edge function a token of the member, and never the service role', async () => {
    await admin(node, 'PUT', `/apps/${app.ref}/functions/echo`, {
      files: {
        'echo/index.ts': `Deno.serve((request) => {
          const claims = JSON.parse(atob(request.headers.get('authorization').split('.')[1].replaceAll('-', '+').replaceAll('_', '/')));
          return Response.json({ claims, token: request.headers.get('authorization'), as: request.headers.get('x-ninefold-as') });
        });`,
      },
      entrypoint: 'echo/index.ts',
    });
    const { token, expires_at: expires } = await act(cookie);
    const echoed = async (headers: Record<string, string>) =>
      (await call(cookie, 'POST', `/apps/${app.ref}/functions/v1/echo`, { headers, body: {} })).body as {
        claims: Record<string, unknown>;
        token: string;
        as: string | null;
      };
    const acting = await echoed({ 'x-ninefold-as': token });
    expect(acting).toMatchObject({
      claims: { role: 'authenticated', sub: ada.user.id, act: { sub: expect.any(String) } },
      as: null,
    });
    expect(acting.claims.exp).toBe(Math.floor(new Date(expires).getTime() / 1000));
    expect((await echoed({ 'x-ninefold-as': 'anon' })).claims).toMatchObject({ role: 'anon' });
    expect((await echoed({})).claims).toMatchObject({ role: 'service_role' });

    // The function reads the account and rows of the member with its token, and cannot use the account.
    const withToken = (path: string, method = 'GET') =>
      fetch(`${app.url}${path}`, { method, headers: { apikey: app.anon_key, authorization: acting.token } });
    expect(await (await withToken('/auth/v1/user')).json()).toMatchObject({ id: ada.user.id });
    expect((await withToken('/rest/v1/notes')).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/auth/v1/reauthenticate'],
      ['GET', '/auth/v1/user/identities/authorize?provider=github'],
      ['PUT', '/auth/v1/user'],
      ['POST', '/auth/v1/logout?scope=global'],
    ] as const) {
      expect([path, (await withToken(path, method)).status]).toEqual([path, 403]);
    }
  });

  it('does not use the account, and neither does the id of a member', async () => {
    const { token } = await act(cookie);
    for (const as of [token, ada.user.id]) {
      for (const path of ['reauthenticate', 'user/identities/authorize?provider=github', 'user']) {
        const answer = await call(cookie, 'GET', `/apps/${app.ref}/auth/v1/${path}`, {
          headers: { 'x-ninefold-as': as },
        });
        expect([path, answer.status]).toEqual([path, 403]);
      }
    }
    const { results } = await runSql(
      node,
      app.ref,
      `select reauthentication_sent_at from auth.users where id = '${ada.user.id}'`,
    );
    expect(results.at(-1)?.rows).toEqual([[null]]);
  });

  it('works only for its own app, builder and session', async () => {
    const { token } = await act(cookie);
    const again = await signInBuilder(node, ofNode);
    const operator = { headers: { authorization: `Bearer ${node.operatorToken}`, 'x-ninefold-as': token } };
    const ended = { status: 403, body: { code: 'acting_ended' } };
    expect(await notes(cookie, token, other.ref)).toMatchObject(ended);
    expect(await notes(again, token)).toMatchObject(ended);
    expect(await call(null, 'GET', `/apps/${app.ref}/rest/v1/notes`, operator)).toMatchObject(ended);
    expect((await notes(null, token)).status).toBe(401);
    for (const forged of [ada.session.access_token, cookie.value, `${token}x`, token.replace(/\.[^.]*$/, '.'), 'ey']) {
      expect(await notes(cookie, forged)).toMatchObject(ended);
    }
    for (const [method, path] of [
      ['GET', '/user'],
      ['PUT', '/user'],
      ['DELETE', '/user'],
      ['GET', '/sessions'],
      ['POST', '/logout'],
      ['GET', '/admin/users'],
    ] as const) {
      const options = {
        headers: { 'x-ninefold-as': token },
        ...(method !== 'GET' && { body: { password: 'taken over' } }),
      };
      const refused = await call(cookie, method, `/apps/${app.ref}/auth/v1${path}`, options);
      expect([path, refused.status, refused.body.error_code]).toEqual([path, 403, 'bad_jwt']);
    }
    for (const path of [`/apps/${app.ref}/auth/v1/user`, `/apps/${app.ref}/rest/v1/notes`]) {
      const asMember = await fetch(node.url + path, {
        headers: { apikey: app.publishable_key, authorization: `Bearer ${token}` },
      });
      expect([path, [401, 403].includes(asMember.status)]).toEqual([path, true]);
    }
  });

  it('stops working when the builder signs out, and is not issued for members of another app', async () => {
    const mine = await signInBuilder(node, ofNode);
    const { token } = await act(mine);
    expect((await notes(mine, token)).status).toBe(200);
    await call(mine, 'DELETE', '/session');
    await expect.poll(async () => (await notes(mine, token)).status).toBe(401);
    expect(await notes(cookie, token)).toMatchObject({ body: { code: 'acting_ended' } });
    expect(await call(cookie, 'POST', `/apps/${other.ref}/members/${ada.user.id}/act`)).toMatchObject({
      body: { code: 'user_not_found' },
    });
    expect((await call(null, 'POST', `/apps/${app.ref}/members/${ada.user.id}/act`)).status).toBe(401);
  });

  it('is needed for a change that is not rolled back', async () => {
    for (const prefer of ['', 'tx=commit', 'tx=commit, tx=rollback', 'tx=rollbackx']) {
      const refused = await call(cookie, 'POST', `/apps/${app.ref}/rest/v1/notes`, {
        headers: { 'x-ninefold-as': ada.user.id, prefer },
        body: { body: 'unseen' },
      });
      expect(refused).toMatchObject({ status: 403, body: { code: 'acting_required' } });
    }
    const tried = await call(cookie, 'POST', `/apps/${app.ref}/rest/v1/notes`, {
      headers: { 'x-ninefold-as': ada.user.id, prefer: 'tx=rollback' },
      body: { body: 'unseen' },
    });
    expect(tried.status).toBe(201);
    const { results } = await runSql(node, app.ref, `select count(*) from public.notes where body = 'unseen'`);
    expect(results.at(-1)?.rows).toEqual([['0']]);
    // Only the data API rolls its changes back.
    for (const [path, body] of [
      ['auth/v1/user', { data: { unseen: true } }],
      ['portal/v1/views', { route: '/notes', name: 'Unseen', search: '' }],
      ['portal/v1/notifications', { read: 'all' }],
      ['functions/v1/unseen', {}],
      ['storage/v1/object/unseen/a.txt', {}],
    ] as const) {
      const headers = { 'x-ninefold-as': ada.user.id, prefer: 'tx=rollback' };
      const refused = await call(cookie, 'PUT', `/apps/${app.ref}/${path}`, { headers, body });
      expect([path, refused.status]).toEqual([path, 403]);
    }
    // An edge function may change data with any method.
    const headers = { 'x-ninefold-as': ada.user.id };
    expect(await call(cookie, 'GET', `/apps/${app.ref}/functions/v1/unseen`, { headers })).toMatchObject({
      status: 403,
      body: { code: 'acting_required' },
    });
  });
});

describe('an import of a hostile file of members', () => {
  async function imported(source: ImportSource, name: string, parts: readonly (string | Uint8Array)[], ref = app.ref) {
    const path = `/apps/${ref}/member-imports`;
    const { id } = await admin<MemberImport>(node, 'POST', path, { source, file_name: name });
    for (const [i, part] of parts.entries()) {
      const sent = await fetch(`${node.url}/admin/v1${path}/${id}/parts/${i}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${node.operatorToken}` },
        body: part,
      });
      expect(sent.status).toBe(204);
    }
    await admin(node, 'GET', `${path}/${id}/preview`);
    await admin(node, 'POST', `${path}/${id}/run`);
    const state = await expect
      .poll(() => admin<MemberImport>(node, 'GET', `${path}/${id}`), { timeout: 20_000, interval: 50 })
      .toSatisfy((one: MemberImport) => one.state !== 'running')
      .then(() => admin<MemberImport>(node, 'GET', `${path}/${id}`));
    return {
      ...state,
      path: `${path}/${id}`,
      refusals: await admin<RefusedRecord[]>(node, 'GET', `${path}/${id}/refusals`),
    };
  }

  it('refuses lines that would cost much time or memory, or that PostgreSQL cannot store', async () => {
    const line = (user: object) => `${JSON.stringify(user)}\n`;
    const rest = 'c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    const hostile = [
      line({ user_id: 'auth0|1', email: 'a@example.com', passwordHash: `$argon2id$v=19$m=4194304,t=1,p=1$${rest}` }),
      line({
        user_id: 'auth0|2',
        email: 'b@example.com',
        passwordHash: '$2b$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
      }),
      line({
        user_id: 'auth0|3',
        email: 'c@example.com',
        passwordHash: '$fbscrypt$v=1,n=31,r=8,p=1,ss=Bw==,sk=AAAA$AAAA$AAAA',
      }),
      line({
        user_id: 'auth0|4',
        email: 'd@example.com',
        passwordHash: 'pbkdf2_sha256$99999999$salt$AAAAAAAAAAAAAAAAAAAAAAAA',
      }),
      line({ user_id: 'auth0|5', email: 'e@example.com', name: 'nul\0' }),
      line({ user_id: 'auth0|6', email: 'f@example.com', name: '\ud800' }),
      line({ user_id: 'auth0|7', email: "x'); drop table auth.users; --@example.com" }),
      line({
        user_id: 'auth0|8',
        email: 'h@example.com',
        user_metadata: JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`),
      }),
      `{"email":"i@example.com","name":"${'x'.repeat(3_000_000)}"}\n`,
      line({ user_id: 'auth0|9', email: 'good@example.com' }),
      `${'['.repeat(50_000)}\n`,
      '{"__proto__": {"email": "p@example.com"}}\n',
    ].join('');
    const middle = Math.floor(hostile.length / 2);
    const {
      state,
      imported: made,
      refusals,
    } = await imported('auth0', 'x.ndjson', [hostile.slice(0, middle), hostile.slice(middle)]);
    expect([state, made]).toEqual(['done', 1]);
    expect(refusals.map((one) => one.line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12]);
    const { results } = await runSql(
      node,
      app.ref,
      `select email from auth.users where email like '%@example.com' and raw_app_meta_data ? 'auth0_user_id'`,
    );
    expect(results.at(-1)?.rows).toEqual([['good@example.com']]);
  });

  it('refuses ids and addresses that would have to be cleaned, so that no two records become one', async () => {
    const csv = [
      'email,phone,name',
      'clean@csv.example,,One',
      ' clean@csv.example,,Two',
      'clean\u200b@csv.example,,Three',
    ];
    const rest = [
      '"clean@csv.example\n",,Four',
      ',+49 171 5550100,Five',
      ',+49 171 5550100\u00a0,Six',
      '\u212aim@csv.example,,Seven',
    ];
    const byCsv = await imported('csv', 'x.csv', [[...csv, ...rest, ''].join('\n')]);
    expect([byCsv.state, byCsv.imported, byCsv.refused]).toEqual(['done', 2, 5]);
    expect(byCsv.refusals.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('the address begins or ends with a blank'),
      expect.stringContaining('the address has a control character or an invisible character'),
      expect.stringContaining('the address has a control character'),
      expect.stringContaining('the phone number begins or ends with a blank'),
      'the address is not valid',
    ]);
    const ids = [
      'google-oauth2|7',
      'google-oauth2|7 ',
      'google-oauth2|\u20687',
      'google-oauth2|7\u0001',
      ' google-oauth2|7',
    ];
    const json = ids.map((user_id) => `${JSON.stringify({ user_id })}\n`).join('');
    const byJson = await imported('auth0', 'x.ndjson', [json]);
    expect([byJson.state, byJson.imported, byJson.refused]).toEqual(['done', 1, 4]);
    const dump = [
      'COPY auth.users (id, email) FROM stdin;',
      '00000000-0000-4000-8000-0000000000d1\tdump@csv.example',
      '\\.',
      'COPY auth.identities (user_id, provider, provider_id, identity_data) FROM stdin;',
      ...['9', '9 ', '9\u200e'].map((id) => `00000000-0000-4000-8000-0000000000d1\tgithub\t${id}\t{}`),
      '\\.',
      '',
    ];
    const byDump = await imported('supabase', 'x.sql', [dump.join('\n')]);
    expect([byDump.state, byDump.imported, byDump.refused]).toEqual(['done', 1, 2]);
  });

  it('imports nothing if the file has another format', async () => {
    const quote = `email\n"${'x'.repeat(5_000_000)}`;
    for (const [source, name, parts] of [
      ['csv', 'x.csv', [quote]],
      ['csv', 'x.csv', ['name,age\nAda,36\n']],
      ['supabase', 'x.sql', ["INSERT INTO auth.users VALUES ('x');\n"]],
      ['supabase', 'x.sql', ['COPY auth.users (id) FROM stdin;\n\\N\n']],
      ['firebase', 'x.json', [Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 256)]],
      ['firebase', 'x.json', ['{"users": [{"a": "'.padEnd(1_000_000, '{')]],
    ] as const) {
      const { state, failure, imported: made } = await imported(source, name, parts, other.ref);
      expect([name, state, made]).toEqual([name, 'failed', 0]);
      expect(failure).toBeTruthy();
    }
  });

  it('cannot be run twice, by another caller or for another app', async () => {
    const done = await imported('csv', 'x.csv', ['email\nonce@example.com\n']);
    const operator = { headers: { authorization: `Bearer ${node.operatorToken}` } };
    expect(await call(null, 'POST', `${done.path}/run`, operator)).toMatchObject({
      status: 409,
      body: { code: 'import_busy' },
    });
    expect((await call(null, 'POST', `${done.path.replace(app.ref, other.ref)}/run`, operator)).status).toBe(404);
    expect((await call(null, 'POST', `${done.path}/run`)).status).toBe(401);
    for (const id of ['x', "1' or '1'='1", '%00', crypto.randomUUID()]) {
      expect(
        (await call(null, 'GET', `/apps/${app.ref}/member-imports/${encodeURIComponent(id)}`, operator)).status,
      ).toBe(404);
    }
    for (const position of ['-1', '1e9', 'x']) {
      const refused = await call(null, 'PUT', `${done.path}/parts/${position}`, { ...operator, body: {} });
      expect([position, refused.status]).toEqual([position, 400]);
    }
  });
});
