import type { SupabaseClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import {
  basicOf,
  CALLBACK,
  claimsOf,
  makeOAuthApp,
  type OAuthApp,
  type RegisteredClient,
} from '../support/oauth-app.ts';
import { uniqueEmail } from '../support/unique.ts';

/** Applications that attack the app as their provider, its members and other applications. */
const node = inject('node');
let oauth: OAuthApp;
let ada: SupabaseClient;
let evil: RegisteredClient;

beforeAll(async () => {
  oauth = await makeOAuthApp(node, {
    oauth_server_allow_dynamic_registration: true,
    external_anonymous_users_enabled: true,
  });
  [ada, evil] = await Promise.all([
    oauth.member(),
    oauth.register({ client_name: 'Evil', redirect_uris: ['https://evil.example/callback'] }),
  ]);
});

describe('POST /oauth/introspect and POST /oauth/revoke', () => {
  it('reveal and end no token of another application or of the app itself', async () => {
    const { access_token = '', refresh_token = '' } = await oauth.tokensFor(ada);
    const session = (await ada.auth.getSession()).data.session;
    const foreign = [
      access_token,
      refresh_token,
      session?.access_token ?? '',
      session?.refresh_token ?? '',
      'a.b.c',
      '{',
    ];
    for (const token of foreign) {
      expect((await oauth.post('introspect', { token }, basicOf(evil))).body).toBe('{"active":false}');
      expect((await oauth.post('revoke', { token }, basicOf(evil))).status).toBe(200);
    }
    expect(JSON.parse((await oauth.post('introspect', { token: access_token })).body)).toMatchObject({ active: true });
    expect((await ada.auth.getUser()).error).toBeNull();
  });

  it('need the authentication method that the client is registered for, and introspection needs a secret', async () => {
    const asPublic = { client_id: oauth.publicClient.client_id, token: 'x' };
    const answers = [
      await oauth.post('introspect', { token: 'x' }, {}),
      await oauth.post('revoke', { token: 'x' }, {}),
      await oauth.post('introspect', { token: 'x', client_id: oauth.photos.client_id }, {}),
      await oauth.post('revoke', { token: 'x' }, basicOf({ ...oauth.photos, client_secret: 'guess' })),
      await oauth.post('introspect', asPublic, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect((await oauth.post('revoke', asPublic, {})).status).toBe(200);
    expect((await oauth.post('introspect', { token: 'x', client_secret: 'x' })).status).toBe(400);
    expect((await oauth.post('introspect', {})).status).toBe(400);
  });

  it('report a token of a banned member as inactive', async () => {
    const member = await oauth.member();
    const { refresh_token = '' } = await oauth.tokensFor(member);
    const { data } = await member.auth.getUser();
    await runSql(
      node,
      oauth.app.ref,
      `update auth.users set banned_until = now() + interval '1 day' where id = '${data.user?.id}'`,
    );
    expect((await oauth.post('introspect', { token: refresh_token })).body).toBe('{"active":false}');
  });
});

describe('an ID token', () => {
  it('is no access token: data calls, auth calls and userinfo refuse it', async () => {
    await runSql(
      node,
      oauth.app.ref,
      `create table public.diary (owner uuid default auth.uid(), text text);
       grant select on public.diary to anon;
       alter table public.diary enable row level security;
       create policy own on public.diary using (owner = auth.uid());
       insert into public.diary select id, 'secret' from auth.users`,
    );
    const { id_token = '' } = await oauth.tokensFor(ada);
    expect(claimsOf(id_token)).toMatchObject({ aud: oauth.photos.client_id });
    const headers = { authorization: `Bearer ${id_token}`, apikey: oauth.app.publishable_key };
    for (const path of ['/rest/v1/diary', '/auth/v1/user', '/auth/v1/oauth/userinfo']) {
      const response = await oauth.ask(path, { headers });
      expect([path, response.status]).toEqual([path, path.startsWith('/rest') ? 401 : 403]);
      expect(response.body).not.toContain('secret');
    }
  });

  it('reports an address as verified only if its owner has proved it', async () => {
    const { id_token = '' } = await oauth.tokensFor(ada);
    expect(claimsOf(id_token)).toMatchObject({ email: expect.any(String), email_verified: false });
    const { sub } = claimsOf(id_token) as { sub: string };
    await runSql(node, oauth.app.ref, `update auth.users set email_confirmed_at = now() where id = '${sub}'`);
    expect(claimsOf((await oauth.tokensFor(ada)).id_token ?? '')).toMatchObject({ email_verified: true });

    const anonymous = clientOf(oauth.app);
    await anonymous.auth.signInAnonymously();
    const email = uniqueEmail('owner');
    expect((await anonymous.auth.updateUser({ email })).data.user?.email).toBe(email);
    const taken = await oauth.tokensFor(anonymous);
    expect(claimsOf(taken.id_token ?? '')).toMatchObject({ email, email_verified: false });
  });
});

describe('GET /oauth/authorize', () => {
  it('does not redirect the browser to the address of an application that registered itself', async () => {
    const registered = await vi.waitFor(async () => {
      const response = await oauth.ask('/auth/v1/oauth/clients/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Bait', redirect_uris: ['https://evil.example/bait'] }),
      });
      expect(response.status).toBe(201);
      return JSON.parse(response.body) as RegisteredClient;
    });
    const asked = { client: registered.client_id, redirect: 'https://evil.example/bait' };
    for (const change of [{ scope: 'admin' }, { prompt: 'none' }, { response_type: 'token' }, { request: 'x' }]) {
      const { status, headers } = await oauth.authorize(asked, change as Record<string, string>);
      expect([status, headers.location]).toEqual([400, undefined]);
    }
    expect((await oauth.authorize(asked)).status).toBe(302);
  });

  it('refuses a repeated client_id or redirect_uri', async () => {
    for (const [name, value] of [
      ['client_id', evil.client_id],
      ['redirect_uri', 'https://evil.example/callback'],
    ] as const) {
      const query = oauth.parametersOf({}, {});
      query.append(name, value);
      const { status, headers } = await oauth.ask(`/auth/v1/oauth/authorize?${query}`);
      expect([status, headers.location]).toEqual([400, undefined]);
    }
  });
});

describe('a pending authorization request', () => {
  it('can be declined without a session only if the request has prompt=none', async () => {
    const id = await oauth.begin();
    const decline = (of: string) => oauth.ask(`/auth/v1/oauth/authorizations/${of}/decline`, { method: 'POST' });
    expect((await decline(id)).status).toBe(404);
    expect((await decline(encodeURIComponent(`${id}' or true --`))).status).toBe(404);
    expect((await ada.auth.oauth.getAuthorizationDetails(id)).error).toBeNull();
  });

  it('is not shown to a session that has not shown the second factor of the account', async () => {
    const member = await oauth.member();
    await oauth.tokensFor(member);
    const userId = (await member.auth.getUser()).data.user?.id;
    await runSql(
      node,
      oauth.app.ref,
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
       values (gen_random_uuid(), '${userId}', 'totp', 'verified', now(), now(), 'x')`,
    );
    const id = await oauth.begin();
    expect((await member.auth.oauth.getAuthorizationDetails(id)).error?.code).toBe('insufficient_aal');
    const { error } = await member.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true });
    expect(error?.code).toBe('insufficient_aal');
  });

  it('gives no token after the member’s session that approved the request has ended', async () => {
    const member = await oauth.member();
    const code_verifier = 'v'.repeat(43);
    const code = await oauth.codeFor(member, { verifier: code_verifier });
    await member.auth.signOut();
    const { body } = await oauth.exchange({ grant_type: 'authorization_code', code, code_verifier });
    expect(body.error).toBe('invalid_grant');
  });
});

describe('responses of POST /oauth/token', () => {
  it('are not cacheable, including errors', async () => {
    const answers = [
      await oauth.exchange({ grant_type: 'authorization_code', code: 'x', code_verifier: 'x', redirect_uri: CALLBACK }),
      await oauth.post('introspect', { token: 'x' }),
      await oauth.post('revoke', { token: 'x' }),
    ];
    expect(answers.map(({ headers }) => headers['cache-control'])).toEqual(['no-store', 'no-store', 'no-store']);
  });

  it('do not refresh a token for another application', async () => {
    const { refresh_token = '' } = await oauth.tokensFor(ada);
    const fields = { grant_type: 'refresh_token', refresh_token };
    for (const more of [{}, { scope: 'openid' }]) {
      expect((await oauth.exchange({ ...fields, ...more }, basicOf(evil))).body.error).toBe('invalid_grant');
    }
    expect(claimsOf((await oauth.exchange(fields)).body.access_token ?? '').client_id).toBe(oauth.photos.client_id);
  });
});
