import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, createAppWith, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { expectNoFault, expectRefusal } from '../support/refusal.ts';

/** Tokens that are signed with the app's own secret and have unusual claims. No response may be a server error. */
const node = inject('node');
let app: AppConnection;

beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table public.notes (id int primary key, owner uuid default auth.uid());
     alter table public.notes enable row level security;
     create policy own on public.notes using (owner = auth.uid() or auth.jwt() ->> 'team' = 'a');
     create function public.me() returns text language sql stable return current_user || ' ' || coalesce(auth.jwt()::text, '')`,
  );
});

const encode = (text: string) => Buffer.from(text).toString('base64url');
/** Signs claims that are given as JSON text, because JSON.stringify cannot write all of them. */
const signed = (claims: string): string => signedBy(app, claims);

function signedBy({ jwt_secret }: AppConnection, claims: string): string {
  const input = `${encode('{"alg":"HS256","typ":"JWT"}')}.${encode(claims)}`;
  return `${input}.${createHmac('sha256', jwt_secret).update(input).digest('base64url')}`;
}

const paths = ['/rest/v1/notes', '/rest/v1/rpc/me', '/rest/v1/', '/auth/v1/user', '/auth/v1/admin/users'];

const answers = (token: string) => answersOf(app, token);

async function answersOf(app: AppConnection, token: string): Promise<[string, HttpResponse][]> {
  const found: [string, HttpResponse][] = [];
  for (const path of paths) {
    const headers = { apikey: app.anon_key, authorization: `Bearer ${token}` };
    found.push([path, await send(node.url, `/apps/${app.ref}${path}`, { headers })]);
    const asKey = { apikey: token };
    found.push([`${path} as apikey`, await send(node.url, `/apps/${app.ref}${path}`, { headers: asKey })]);
  }
  return found;
}

const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);
const id = '6f1c0c9e-0000-4000-8000-000000000001';

describe('claims of a signed token', () => {
  const deep = [300, 1000, 5000, 9000];
  const odd: [string, string][] = [
    ...deep.map((n): [string, string] => [`nested ${n} deep`, `{"role":"authenticated","x":${nested(n)}}`]),
    ['objects nested 3,000 deep', `{"role":"authenticated","x":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}}`],
    ['a role nested 5,000 deep', `{"role":${nested(5000)}}`],
    ['a subject nested 5,000 deep', `{"sub":${nested(5000)}}`],
    ['a role that is an object', '{"role":{"a":1}}'],
    ['a role that is a number', '{"role":7}'],
    ['a role that is true', '{"role":true}'],
    ['an empty role', '{"role":""}'],
    ['a role of 8,000 letters', `{"role":"${'r'.repeat(8000)}"}`],
    ['a role with NUL', '{"role":"anon\\u0000"}'],
    ['a role with a lone surrogate', '{"role":"anon\\ud800"}'],
    ['a role with a line break', '{"role":"anon\\n"}'],
    ['a role with quotes', `{"role":"anon\\"; set role postgres; --"}`],
    ['a claim with NUL', '{"role":"authenticated","team":"a\\u0000"}'],
    ['a claim with a lone surrogate', '{"role":"authenticated","team":"\\udc00"}'],
    ['a key with NUL', '{"role":"authenticated","a\\u0000b":1}'],
    ['a subject that is no UUID', '{"role":"authenticated","sub":"me"}'],
    ['a subject with NUL', '{"role":"authenticated","sub":"me\\u0000"}'],
    ['a subject that is an object', '{"role":"authenticated","sub":{"a":[1]}}'],
    ['a session that is an object', `{"role":"authenticated","sub":"${id}","session_id":{"a":1}}`],
    ['an unknown session', `{"role":"authenticated","sub":"${id}","session_id":"${id}"}`],
    [
      'a session id with a subject that contains NUL',
      `{"role":"authenticated","sub":"me\\u0000","session_id":"${id}"}`,
    ],
    ['__proto__', '{"role":"authenticated","__proto__":{"role":"service_role"},"constructor":{"prototype":{}}}'],
    ['a repeated key', '{"role":"service_role","role":"authenticated"}'],
    ['a number beyond the range of doubles', '{"role":"authenticated","team":1e999}'],
    ['exp beyond the range of doubles', '{"role":"authenticated","exp":1e999}'],
    ['exp far below zero', '{"role":"authenticated","exp":-1e308}'],
    ['exp as an object', '{"role":"authenticated","exp":{"a":1}}'],
    ['aud as nested lists', '{"role":"authenticated","aud":[[["a"]]]}'],
    ['20 KB of one text', `{"role":"authenticated","team":"${'t'.repeat(14_000)}"}`],
    ['2,000 keys', `{"role":"authenticated",${Array.from({ length: 1500 }, (_, i) => `"k${i}":1`).join()}}`],
    ['a list', '[1]'],
    ['null', 'null'],
    ['an empty object', '{}'],
  ];

  it.each(odd)('cause no server error: %s', async (what, claims) => {
    const token = signed(claims);
    for (const [path, response] of await answers(token)) expectNoFault(response, `${what}: ${path}`);
  });

  it('are refused above the limit of nesting and accepted below it', async () => {
    for (const [depth, status] of [
      [250, 200],
      [257, 401],
    ] as const) {
      const token = signed(`{"role":"authenticated","x":${nested(depth)}}`);
      const response = await send(node.url, `/apps/${app.ref}/rest/v1/rpc/me`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect([depth, response.status]).toEqual([depth, status]);
      if (status === 401) expect(expectRefusal(response)).toBe('PGRST303');
    }
  });

  it('cause no server error at the path of the setting jwt_role_claim_key', async () => {
    const app = await createApp(node);
    const answers = (token: string) => answersOf(app, token);
    const signed = (claims: string) => signedBy(app, claims);
    const set = (value: string) => admin(node, 'PUT', `/apps/${app.ref}/settings/jwt_role_claim_key`, { value });
    for (const path of [
      '.a.b.c',
      '.roles[0]',
      '.roles[?(@ == "editor")]',
      '.__proto__',
      '.constructor.name',
      '.length',
    ]) {
      await set(path);
      for (const claims of [
        '{"roles":["editor",null,{}],"a":{"b":{"c":"\\u0000"}}}',
        `{"roles":[${nested(200)}],"a":{"b":{"c":${nested(200)}}}}`,
        '{"roles":{"0":"postgres"},"a":[[]],"__proto__":"service_role"}',
        '{"roles":["ninefold_server","editor"],"a":{"b":{"c":"none"}}}',
      ]) {
        for (const [where, response] of await answers(signed(claims))) {
          expectNoFault(response, `${path} ${claims.slice(0, 60)} ${where}`);
          expect(response.body).not.toMatch(/^"(ninefold_server|app_)/);
        }
      }
    }
  });
});

describe('a reserved role of Ninefold or PostgreSQL', () => {
  const reserved = () => [
    ...['none', 'authenticator', 'ninefold_server', 'supabase_auth_admin', 'supabase_admin', 'supabase_storage_admin'],
    ...[
      'dashboard_user',
      'postgres',
      'ninefold_owner',
      'supabase_realtime_admin',
      'pg_monitor',
      'pg_database_owner',
      'pg_read_all_data',
    ],
    ...[`app_${app.ref}`, `app_${app.ref}_authenticator`],
  ];

  it('is refused in a token at every path', async () => {
    for (const role of reserved()) {
      for (const [path, response] of await answers(signed(JSON.stringify({ role })))) {
        // An apikey with a reserved role is not a key of the app.
        if (path.endsWith('as apikey')) {
          expect(expectRefusal(response, path)).toBe('key_unknown');
          continue;
        }
        const code = expectRefusal(response, `${role}: ${path}`);
        expect([role, path, code, response.status]).toEqual([role, path, 'role_reserved', 403]);
      }
    }
  });

  it('is refused as db_anon_role, and as the role of a member in x-ninefold-as', async () => {
    const { user, session } = await signUpMember(app);
    for (const role of reserved()) {
      await runSql(node, app.ref, `update auth.users set role = '${role}' where id = '${user.id}'`);
      const seen = await send(node.url, `/admin/v1/apps/${app.ref}/rest/v1/rpc/me`, {
        headers: { authorization: `Bearer ${node.operatorToken}`, 'x-ninefold-as': user.id },
      });
      expect([role, expectRefusal(seen)]).toEqual([role, 'role_reserved']);
      const { data } = await clientOf(app).auth.refreshSession({ refresh_token: session.refresh_token });
      if (data.session) session.refresh_token = data.session.refresh_token;
      await admin(node, 'PUT', `/apps/${app.ref}/settings/db_anon_role`, { value: role });
      const anonymous = await send(node.url, `/apps/${app.ref}/rest/v1/rpc/me`);
      expect([role, expectRefusal(anonymous)]).toEqual([role, 'role_reserved']);
    }
    await admin(node, 'DELETE', `/apps/${app.ref}/settings/db_anon_role`);
    await expect.poll(async () => (await send(node.url, `/apps/${app.ref}/rest/v1/rpc/me`)).status).toBe(200);
  });

  it('cannot be set by a function through db_hoisted_tx_settings', async () => {
    await runSql(
      node,
      app.ref,
      `create function public.hoisted() returns text language sql set role = 'ninefold_server' return current_user`,
    ).catch(() => null);
    await admin(node, 'PUT', `/apps/${app.ref}/settings/db_hoisted_tx_settings`, {
      value: ['role', 'session_authorization'],
    });
    const response = await send(node.url, `/apps/${app.ref}/rest/v1/rpc/hoisted`, {
      headers: { apikey: app.anon_key },
    });
    expect(response.body).not.toContain('ninefold_server"');
    await admin(node, 'DELETE', `/apps/${app.ref}/settings/db_hoisted_tx_settings`);
  });
});

it('the deeply nested metadata of a member causes no server error at sign-in, in lists and in x-ninefold-as', async () => {
  const member = await signUpMember(app);
  await runSql(
    node,
    app.ref,
    `update auth.users set raw_user_meta_data = ('{"x":' || repeat('[', 5500) || repeat(']', 5500) || '}')::jsonb where id = '${member.user.id}'`,
  );
  const ask = (path: string, headers: Record<string, string>, body?: object) =>
    send(node.url, path, {
      method: body ? 'POST' : 'GET',
      headers: { apikey: app.service_role_key, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  const { email, password, session } = member;
  const asMember = { authorization: `Bearer ${session.access_token}` };
  const asBuilder = { authorization: `Bearer ${node.operatorToken}`, 'x-ninefold-as': member.user.id };
  for (const [what, response] of [
    ['sign-in', await ask(`/apps/${app.ref}/auth/v1/token?grant_type=password`, {}, { email, password })],
    [
      'refresh',
      await ask(
        `/apps/${app.ref}/auth/v1/token?grant_type=refresh_token`,
        {},
        { refresh_token: session.refresh_token },
      ),
    ],
    ['user', await ask(`/apps/${app.ref}/auth/v1/user`, asMember)],
    ['users', await ask(`/apps/${app.ref}/auth/v1/admin/users`, {})],
    ['look', await ask(`/admin/v1/apps/${app.ref}/rest/v1/rpc/me`, asBuilder)],
    ['data', await ask(`/apps/${app.ref}/rest/v1/rpc/me`, asMember)],
  ] as const) {
    expectNoFault(response, what);
  }
});
