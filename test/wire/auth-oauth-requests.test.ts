import type { SupabaseClient } from '@supabase/supabase-js';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { send } from '../support/http.ts';
import {
  CALLBACK,
  claimsOf,
  locationOf,
  makeOAuthApp,
  type OAuthApp,
  PASSWORD,
  verifierOf,
  withCode,
} from '../support/oauth-app.ts';

/** Requests of applications with the parameters of OpenID Connect, and the tokens that they lead to. */
const node = inject('node');
let oauth: OAuthApp;
let ada: SupabaseClient;

beforeAll(async () => {
  oauth = await makeOAuthApp(node);
  ada = await oauth.member();
  await oauth.tokensFor(ada);
});

/** Opens a request as the member. Returns where the browser goes on to, or the question to the member. */
async function open(client: SupabaseClient, id: string) {
  const { data, error } = await client.auth.oauth.getAuthorizationDetails(id);
  expect(error).toBeNull();
  return data as { redirect_url?: string; needs_sign_in?: boolean; prompt?: string };
}

const answerOf = ({ redirect_url: url }: { redirect_url?: string }) => new URL(url ?? 'none:').searchParams;

/** Calls the consent endpoint as the member. */
async function decide(client: SupabaseClient, id: string, action: string) {
  const token = (await client.auth.getSession()).data.session?.access_token;
  const response = await oauth.ask(`/auth/v1/oauth/authorizations/${id}/consent`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ action }),
  });
  return { status: response.status, body: response.body === '' ? null : JSON.parse(response.body) };
}

/** Signs a member in once more, in a session of its own. */
async function signedInAgain(client: SupabaseClient): Promise<SupabaseClient> {
  const email = (await client.auth.getUser()).data.user?.email ?? '';
  const again = clientOf(oauth.app);
  expect((await again.auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
  return again;
}

/** Moves the sign-in of a member's session into the past. */
async function agedSession(client: SupabaseClient, seconds: number): Promise<void> {
  const id = claimsOf((await client.auth.getSession()).data.session?.access_token ?? '').session_id;
  const sql = `update auth.sessions set created_at = created_at - make_interval(secs => ${seconds}) where id = '${id}'`;
  await runSql(node, oauth.app.ref, sql);
}

describe('an authorization request with prompt=none', () => {
  const silent = { prompt: 'none' };

  it('gets a code for a member who is signed in and has consented before', async () => {
    expect(answerOf(await open(ada, await oauth.begin({}, silent))).get('code')).toBeTruthy();
  });

  it('gets consent_required from a member who has not consented, or not to these scopes', async () => {
    const bob = await oauth.member();
    const id = await oauth.begin({}, silent);
    expect(Object.fromEntries(answerOf(await open(bob, id)))).toEqual({
      error: 'consent_required',
      error_description: 'The member must consent',
      state: 'of the application',
      iss: `http://${oauth.host}/auth/v1`,
    });
    expect((await bob.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).error?.status).toBe(400);
    const more = await oauth.begin({ scope: 'openid email phone' }, silent);
    expect(answerOf(await open(ada, more)).get('error')).toBe('consent_required');
  });

  it('gets login_required if no member is signed in or the member’s sign-in is older than max_age', async () => {
    const id = await oauth.begin({}, silent);
    const declined = await oauth.ask(`/auth/v1/oauth/authorizations/${id}/decline`, { method: 'POST' });
    expect(answerOf(JSON.parse(declined.body)).get('error')).toBe('login_required');
    const again = await oauth.ask(`/auth/v1/oauth/authorizations/${id}/decline`, { method: 'POST' });
    expect(again.status).toBe(404);
    const old = await signedInAgain(ada);
    await agedSession(old, 120);
    const aged = await open(old, await oauth.begin({}, { ...silent, max_age: '60' }));
    expect(answerOf(aged).get('error')).toBe('login_required');
    const young = await open(old, await oauth.begin({}, { ...silent, max_age: '600' }));
    expect(answerOf(young).get('code')).toBeTruthy();
  });

  it('gets interaction_required at once if the app has its own consent page', async () => {
    const own = await makeOAuthApp(node, {
      oauth_server_authorization_path: '/consent',
      site_url: 'http://localhost:5173',
    });
    const back = locationOf(await own.authorize({}, silent));
    expect([back.origin + back.pathname, back.searchParams.get('error')]).toEqual([CALLBACK, 'interaction_required']);
  });
});

describe('an authorization request that asks for a new sign-in', () => {
  it.each([{ prompt: 'login' }, { max_age: '0' }])(
    '%j is approved only in a session that began after the request',
    async (change) => {
      const member = await oauth.member();
      await oauth.tokensFor(member);
      await agedSession(member, 60);
      const verifier = verifierOf();
      const id = await oauth.begin({ verifier }, change);
      expect(await open(member, id)).toMatchObject({ needs_sign_in: true });
      expect(await decide(member, id, 'approve')).toMatchObject({ status: 404 });
      const again = await signedInAgain(member);
      const code = answerOf(await open(again, id)).get('code') ?? '';
      const { body } = await oauth.exchange(withCode(code, verifier));
      const session = claimsOf((await again.auth.getSession()).data.session?.access_token ?? '');
      const claims = claimsOf(body.id_token ?? '');
      expect(claims).toMatchObject({ acr: 'aal1', amr: ['pwd'], nonce: 'n-once' });
      expect(Math.abs(Number(claims.auth_time) - Number(session.iat))).toBeLessThanOrEqual(1);
    },
  );

  it('is refused if the sign-in exceeded max_age while the member decided', async () => {
    const member = await oauth.member();
    const id = await oauth.begin({}, { max_age: '3600' });
    expect(await open(member, id)).toMatchObject({ client: { name: 'Photos' } });
    await agedSession(member, 4000);
    expect(await decide(member, id, 'approve')).toMatchObject({
      status: 403,
      body: { error_code: 'oauth_sign_in_too_old' },
    });
    expect((await decide(member, id, 'deny')).body.redirect_url).toContain('access_denied');
  });

  it('results in an ID token whose auth_time is the time of the sign-in, not of the request', async () => {
    const member = await oauth.member();
    await agedSession(member, 5000);
    const { auth_time, iat } = claimsOf((await oauth.tokensFor(member)).id_token ?? '');
    expect(Math.abs(Number(iat) - Number(auth_time) - 5000)).toBeLessThan(30);
  });
});

describe('prompt=consent and prompt=select_account', () => {
  it.each(['consent', 'select_account'])('%s asks a member who has consented before', async (prompt) => {
    expect(await open(ada, await oauth.begin({}, { prompt }))).toMatchObject({ prompt, client: { name: 'Photos' } });
  });

  it('let another account decide after the member who opened the request gives it up', async () => {
    const [bob, id] = [await oauth.member(), await oauth.begin({}, { prompt: 'select_account' })];
    await open(ada, id);
    expect((await bob.auth.oauth.getAuthorizationDetails(id)).error?.status).toBe(404);
    expect((await decide(bob, id, 'switch_account')).status).toBe(404);
    expect((await decide(ada, id, 'switch_account')).status).toBe(204);
    expect(await open(bob, id)).toMatchObject({ client: { name: 'Photos' } });
    expect((await ada.auth.oauth.approveAuthorization(id, { skipBrowserRedirect: true })).error?.status).toBe(404);
  });
});

it('the app accepts an authorization request as a form, and redirects it as GET', async () => {
  const response = await oauth.ask('/auth/v1/oauth/authorize', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://client.example' },
    body: oauth.parametersOf({}, { login_hint: 'ada@example.com', ui_locales: 'de' }).toString(),
  });
  const page = locationOf(response);
  expect([response.status, page.origin + page.pathname]).toEqual([303, `http://${oauth.host}/account/consent`]);
  expect(page.searchParams.get('login_hint')).toBe('ada@example.com');
});

describe('scopes', () => {
  it('limit the claims of the ID token and of userinfo', async () => {
    const member = await oauth.member();
    const { id_token = '', access_token } = await oauth.tokensFor(member, { scope: 'openid profile' });
    const info = await oauth.ask('/auth/v1/oauth/userinfo', { headers: { authorization: `Bearer ${access_token}` } });
    for (const claims of [claimsOf(id_token), JSON.parse(info.body)]) {
      expect(claims).toMatchObject({ name: 'Ada', updated_at: expect.any(Number) });
      expect(claims).not.toHaveProperty('email');
      expect(claims).not.toHaveProperty('phone_number');
    }
  });

  it('include a refresh token only with offline_access, and other sessions end with their access token', async () => {
    const tokens = await oauth.tokensFor(ada, { scope: 'openid email' });
    expect(tokens).not.toHaveProperty('refresh_token');
    const id = claimsOf(tokens.access_token ?? '').session_id;
    const { results } = await runSql(
      node,
      oauth.app.ref,
      `select extract(epoch from not_after - created_at)::int as life, (select count(*) from auth.refresh_tokens t where t.session_id = s.id) as tokens
       from auth.sessions s where id = '${id}'`,
    );
    expect(results[0]?.rows).toEqual([[String(tokens.expires_in), '0']]);
  });

  it('leave offline_access out for a client that is not registered for refresh tokens', async () => {
    const once = await oauth.register({
      client_name: 'Once',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
    });
    const id = await oauth.begin({ client: once.client_id, scope: 'openid offline_access' });
    expect(await open(ada, id)).toMatchObject({ scope: 'openid' });
  });

  it('can be reduced but not extended by a refresh, and a refused refresh does not use up the token', async () => {
    const { refresh_token = '' } = await oauth.tokensFor(ada, { scope: 'openid email offline_access' });
    const refresh = (token: string, scope: string) =>
      oauth.exchange({ grant_type: 'refresh_token', refresh_token: token, scope });
    expect(await refresh(refresh_token, 'openid profile')).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
    const narrowed = await refresh(refresh_token, 'openid');
    expect(narrowed).toMatchObject({ status: 200, body: { scope: 'openid' } });
    expect(claimsOf(narrowed.body.access_token ?? '').scope).toBe('openid');
    const full = await refresh(narrowed.body.refresh_token ?? '', 'email openid');
    expect(claimsOf(full.body.access_token ?? '').scope).toBe('email openid');
  });
});

describe('tokens of an application', () => {
  it('are introspected and revoked by a library of OpenID Connect', async () => {
    const toHost: openid.CustomFetch = async (url, { method, headers, body }) => {
      const { pathname, search } = new URL(url);
      const sent = { method, headers: headers as Record<string, string>, ...(body && { body: String(body) }) };
      const response = await oauth.ask(pathname + search, sent);
      const type = { 'content-type': String(response.headers['content-type'] ?? 'text/plain') };
      return new Response(response.body, { status: response.status, headers: type });
    };
    const config = await openid.discovery(
      new URL(`http://${oauth.host}/auth/v1`),
      oauth.photos.client_id,
      oauth.photos.client_secret,
      openid.ClientSecretBasic(oauth.photos.client_secret),
      { execute: [openid.allowInsecureRequests], [openid.customFetch]: toHost },
    );
    config[openid.customFetch] = toHost;
    const { access_token = '', refresh_token = '' } = await oauth.tokensFor(ada);
    const sub = (await ada.auth.getUser()).data.user?.id;
    expect(await openid.tokenIntrospection(config, access_token)).toMatchObject({
      ...{ active: true, sub, client_id: oauth.photos.client_id, token_type: 'Bearer' },
      exp: claimsOf(access_token).exp,
    });
    expect(await openid.tokenIntrospection(config, refresh_token)).toMatchObject({ active: true, sub });
    await openid.tokenRevocation(config, refresh_token);
    expect(await openid.tokenIntrospection(config, access_token)).toEqual({ active: false });
    expect(await openid.tokenIntrospection(config, refresh_token)).toEqual({ active: false });
    await expect(openid.refreshTokenGrant(config, refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('stop on every worker within a second after the member revokes the grant', async () => {
    const bob = await oauth.member();
    const { access_token } = await oauth.tokensFor(bob);
    const headers = { host: oauth.host, authorization: `Bearer ${access_token}` };
    // A connection of its own goes to the next worker.
    const statuses = () =>
      Promise.all(
        Array.from({ length: 4 }, async () => {
          const path = '/auth/v1/oauth/userinfo';
          return (await send(node.url, path, { headers, ownConnection: true })).status;
        }),
      );
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    expect((await bob.auth.oauth.revokeGrant({ clientId: oauth.photos.client_id })).error).toBeNull();
    await expect.poll(statuses, { timeout: 1000, interval: 50 }).toEqual([403, 403, 403, 403]);
  });
});
