import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, createTemplate, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { uniqueEmail } from '../support/unique.ts';

const node = inject('node');
let app: AppConnection;

beforeAll(async () => {
  app = await createTemplate(
    node,
    `create table notes (id bigint generated always as identity primary key, owner uuid not null default auth.uid(), body text);
     alter table notes enable row level security;
     create policy own on notes to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
     create function whoami() returns json language sql stable as
       $$ select json_build_object('user', current_user, 'uid', auth.uid(), 'role', auth.role(), 'email', auth.email()) $$;`,
  );
});

const password = 'correct horse';

/**
 * Repeats a request until the answer is as expected, for at most one second, which is how long a revocation may take.
 */
async function within1s<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const end = performance.now() + 1000;
  for (;;) {
    const answer = await ask();
    if (wanted(answer) || performance.now() > end) return answer;
  }
}

describe('the stock client', () => {
  it('signs a member up, and data requests then run with the claims of the member', async () => {
    const { client, user, email } = await signUpMember(app);
    expect((await client.rpc('whoami')).data).toEqual({
      user: 'authenticated',
      uid: user.id,
      role: 'authenticated',
      email,
    });
    expect((await clientOf(app).rpc('whoami')).data).toEqual({ user: 'anon', uid: null, role: 'anon', email: null });
  });

  it('signs in, refreshes, changes its account and signs out', async () => {
    const { email } = await signUpMember(app);
    const client = clientOf(app);
    expect((await client.auth.signInWithPassword({ email, password: 'wrong' })).error).toMatchObject({
      code: 'invalid_credentials',
      status: 400,
      message: 'Invalid login credentials',
    });
    const { data } = await client.auth.signInWithPassword({ email, password: `pass-${email}` });
    const refreshed = await client.auth.refreshSession();
    expect(refreshed.data.session?.refresh_token).not.toBe(data.session?.refresh_token);
    expect((await client.auth.getClaims()).data?.claims).toMatchObject({ iss: `${app.url}/auth/v1`, email });
    expect((await client.auth.updateUser({ password })).error).toBeNull();
    expect((await client.auth.signOut()).error).toBeNull();
    expect((await client.auth.getSession()).data.session).toBeNull();
    expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull();
  });

  it('administers accounts with the secret key, and with no other', async () => {
    const admins = clientOf(app, app.secret_key).auth.admin;
    const { data } = await admins.createUser({ email: uniqueEmail(), password, email_confirm: true });
    expect((await admins.getUserById(data.user?.id ?? '')).data.user?.email).toBe(data.user?.email);
    expect((await admins.listUsers({ page: 1, perPage: 1 })).data.users).toHaveLength(1);
    expect((await admins.deleteUser(data.user?.id ?? '')).error).toBeNull();
    expect((await clientOf(app).auth.admin.listUsers()).error).toMatchObject({ code: 'not_admin', status: 403 });
    expect((await clientOf(app, app.service_role_key).auth.admin.listUsers()).error).toBeNull();
  });
});

describe('the end of a session', () => {
  const ways: Record<string, (member: Awaited<ReturnType<typeof signUpMember>>) => Promise<unknown>> = {
    'sign-out': ({ client }) => client.auth.signOut(),
    'a ban': ({ user }) => clientOf(app, app.secret_key).auth.admin.updateUserById(user.id, { ban_duration: '1h' }),
    'deletion of the account': ({ user }) => clientOf(app, app.secret_key).auth.admin.deleteUser(user.id),
    'plain SQL': ({ user }) => runSql(node, app.ref, `delete from auth.sessions where user_id = '${user.id}'`),
    'the console': ({ user }) => admin(node, 'DELETE', `/apps/${app.ref}/sessions?user_id=${user.id}`),
  };

  it.each(Object.keys(ways))(
    'invalidates the access token on every worker within a second, also for data requests: %s',
    async (way) => {
      const member = await signUpMember(app);
      const headers = { apikey: app.publishable_key, authorization: `Bearer ${member.session.access_token}` };
      const ask = async () => {
        // Each call uses a connection of its own, so that every worker receives some.
        const calls = Array.from({ length: 8 }, () =>
          fetch(`${app.url}/rest/v1/rpc/whoami`, { headers: { ...headers, connection: 'close' } }),
        );
        return (await Promise.all(calls)).map(({ status }) => status);
      };
      expect(await ask()).toEqual(Array(8).fill(200));
      await ways[way]?.(member);
      const answers = await within1s(ask, (statuses) => statuses.every((status) => status === 401));
      expect(answers).toEqual(Array(8).fill(401));
      expect(await ask()).toEqual(Array(8).fill(401));
      const refused = await fetch(`${app.url}/rest/v1/rpc/whoami`, { headers });
      expect(await refused.json()).toMatchObject({ code: 'session_revoked' });
    },
  );
});

describe('secrets of one app', () => {
  let other: AppConnection;
  beforeAll(async () => {
    other = await createApp(node, { from: app.ref });
  });

  it('include no key that another app accepts', async () => {
    for (const key of [app.publishable_key, app.secret_key, app.anon_key, app.service_role_key]) {
      const client = clientOf(other, key);
      expect((await client.rpc('whoami')).status).toBe(401);
      expect((await client.auth.signUp({ email: uniqueEmail(), password })).error).toMatchObject({
        status: 401,
        code: 'key_unknown',
      });
      expect((await client.auth.admin.listUsers()).error).not.toBeNull();
    }
  });

  it('include no access token, refresh token or password that another app accepts', async () => {
    const { session, email } = await signUpMember(app);
    const headers = { apikey: other.publishable_key, authorization: `Bearer ${session.access_token}` };
    expect((await fetch(`${other.url}/rest/v1/rpc/whoami`, { headers })).status).toBe(401);
    expect((await fetch(`${other.url}/auth/v1/user`, { headers })).status).toBe(403);
    const { refresh_token } = session;
    expect((await clientOf(other).auth.refreshSession({ refresh_token })).error?.code).toBe('refresh_token_not_found');
    expect((await clientOf(other).auth.signInWithPassword({ email, password: `pass-${email}` })).error?.code).toBe(
      'invalid_credentials',
    );
  });
});

describe('an existing project with its own HS256 secret', () => {
  const secret = 'the-secret-of-an-existing-project-0123456789';
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = (claims: object) => {
    const input = `${encode({ alg: 'HS256', typ: 'JWT', kid: 'an-older-key' })}.${encode(claims)}`;
    return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
  };

  it('keeps its keys and accepts tokens that its own servers sign', async () => {
    const moved = await createApp(node, { jwt_secret: secret });
    await runSql(
      node,
      moved.ref,
      `create or replace function whoami() returns json language sql stable as
      $$ select json_build_object('user', current_user, 'uid', auth.uid()) $$`,
    );
    const exp = Math.floor(Date.now() / 1000) + 600;
    const anonKey = sign({ iss: 'supabase', ref: 'earlier', role: 'anon', iat: exp - 9999, exp });
    expect((await clientOf(moved, anonKey).rpc('whoami')).data).toMatchObject({ user: 'anon' });
    const { data, error } = await clientOf(moved, anonKey).auth.signUp({ email: uniqueEmail(), password });
    expect(error).toBeNull();
    const token = sign({ sub: data.user?.id, role: 'authenticated', exp });
    const headers = { apikey: anonKey, authorization: `Bearer ${token}` };
    const answer = await fetch(`${moved.url}/rest/v1/rpc/whoami`, { headers });
    expect(await answer.json()).toMatchObject({ user: 'authenticated', uid: data.user?.id });
    const expired = sign({ sub: data.user?.id, role: 'authenticated', exp: exp - 3600 });
    const late = await fetch(`${moved.url}/rest/v1/rpc/whoami`, {
      headers: { ...headers, authorization: `Bearer ${expired}` },
    });
    expect([late.status, await late.json()]).toMatchObject([401, { code: 'PGRST303', message: 'JWT expired' }]);
  });
});

it('pages of other origins can read the code of an error', async () => {
  const reply = await fetch(`${app.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: {
      origin: 'https://app.example',
      'x-supabase-api-version': '2024-01-01',
      'content-type': 'application/json',
    },
    body: '{}',
  });
  expect(reply.status).toBe(400);
  expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  expect(reply.headers.get('x-supabase-api-version')).toBe('2024-01-01');
  expect(reply.headers.get('access-control-expose-headers')).toBe('*');
});
