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
  PASSWORD,
  type RegisteredClient,
  verifierOf,
  withCode,
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

describe('the scopes of an application', () => {
  const addresses = (email: string) => ({
    name: email,
    full_name: 'Ada Lovelace',
    preferred_username: `Me <${email.toUpperCase()}>`,
    nickname: 'someone.else@other.example',
    website: 'https://example.org/@ada.l',
    birthday_mail: email,
    hobby: 'hiking',
    zoneinfo: 'call +49 (171) 555-0199',
  });

  /** Returns a member with addresses in all parts of the account, and all that an application with a scope receives. */
  const seenBy = async (scope: string) => {
    const [email, phone] = [uniqueEmail('scoped'), `49171${Date.now().toString().slice(-7)}`];
    const member = clientOf(oauth.app);
    const data = {
      ...addresses(email),
      zoneinfo: `call +${phone.slice(0, 2)} (${phone.slice(2, 5)}) ${phone.slice(5)}`,
    };
    const { data: made } = await member.auth.signUp({ email, password: PASSWORD, options: { data } });
    const id = made.user?.id ?? '';
    const metadata = { tenant: 't1', contact: { mail: [email, 'desk'], [email]: true }, phone, email };
    await runSql(
      node,
      oauth.app.ref,
      `update auth.users set phone = '${phone}', phone_confirmed_at = now(),
         raw_app_meta_data = raw_app_meta_data || '${JSON.stringify(metadata)}' where id = '${id}'`,
    );
    const { access_token = '', id_token = '' } = await oauth.tokensFor(member, { scope });
    const headers = { authorization: `Bearer ${access_token}`, apikey: oauth.app.publishable_key };
    const user = await oauth.ask('/auth/v1/user', { headers });
    const info = await oauth.ask('/auth/v1/oauth/userinfo', { headers });
    expect([user.status, info.status]).toEqual([200, 200]);
    return {
      ...{ email, phone, id, access_token, headers },
      token: claimsOf(access_token),
      user: JSON.parse(user.body) as Record<string, unknown>,
      info: JSON.parse(info.body) as Record<string, unknown>,
      idToken: claimsOf(id_token),
    };
  };

  it.each(['openid', 'openid profile', 'openid phone', 'openid email', 'openid email phone profile'])(
    'bound the claims of its tokens, /user and /oauth/userinfo: %s',
    async (scope) => {
      const { email, phone, id, token, user, info, idToken } = await seenBy(scope);
      const all = [token, user, info, idToken];
      const text = all.map((one) => JSON.stringify(one).toLowerCase());
      const [hasEmail, hasPhone, hasProfile] = ['email', 'phone', 'profile'].map((one) => scope.includes(one));
      expect(text.map((one) => one.includes(email))).toEqual(Array(4).fill(hasEmail));
      expect(text.some((one) => one.includes('@other.example'))).toBe(hasEmail && hasProfile);
      expect(text.map((one) => one.replace(/[ ()+]/g, '').includes(phone))).toEqual(Array(4).fill(hasPhone));
      expect(text.slice(0, 2).map((one) => one.includes('ada lovelace'))).toEqual([hasProfile, hasProfile]);
      expect(text.filter((one) => one.includes('hiking'))).toEqual([]);
      expect(all.map((one) => one.sub ?? one.id)).toEqual(Array(4).fill(id));
      expect([token.email, user.email]).toEqual(hasEmail ? [email, email] : ['', '']);
      expect([token.phone, user.phone]).toEqual(hasPhone ? [phone, phone] : ['', '']);
      expect(token.app_metadata).toEqual(user.app_metadata);
      expect(token.app_metadata).toMatchObject({ tenant: 't1', contact: { mail: expect.arrayContaining(['desk']) } });
      expect(user.identities).toEqual([]);
    },
  );

  it('bound the claims of an access token whose scope the application narrows', async () => {
    const { refresh_token = '' } = await oauth.tokensFor(ada, { scope: 'openid email profile offline_access' });
    const { body } = await oauth.exchange({ grant_type: 'refresh_token', refresh_token, scope: 'openid' });
    const { data } = await ada.auth.getUser();
    expect(claimsOf(body.access_token ?? '')).toMatchObject({ email: '', user_metadata: {}, sub: data.user?.id });
    const headers = { authorization: `Bearer ${body.access_token}`, apikey: oauth.app.publishable_key };
    expect((await oauth.ask('/auth/v1/user', { headers })).body).not.toContain(data.user?.email);
    const [member] = [claimsOf((await ada.auth.getSession()).data.session?.access_token ?? '')];
    expect(member).toMatchObject({ email: data.user?.email, user_metadata: { name: 'Ada' } });
  });

  it('do not bound the reading of rows: policies read app_metadata of the token', async () => {
    await runSql(
      node,
      oauth.app.ref,
      `create table public.files (tenant text);
       alter table public.files enable row level security;
       create policy tenant on public.files for select to authenticated
         using (tenant = ((select auth.jwt()) -> 'app_metadata' ->> 'tenant'));
       insert into public.files values ('t1'), ('t2');`,
    );
    const { headers } = await seenBy('openid');
    const read = await oauth.ask('/rest/v1/files', { headers });
    expect([read.status, read.body]).toEqual([200, '[{"tenant":"t1"}]']);
  });
});

describe('POST /oauth/token', () => {
  it.each<[string, Record<string, string>]>([
    ['no redirect_uri', {}],
    ['an empty redirect_uri', { redirect_uri: '' }],
    ['another redirect_uri of the application', { redirect_uri: `${CALLBACK}/2` }],
    ['the redirect_uri with a slash', { redirect_uri: `${CALLBACK}/` }],
  ])('refuses a code with %s', async (_what, redirect) => {
    const photos = await oauth.register({ client_name: 'Two', redirect_uris: [CALLBACK, `${CALLBACK}/2`] });
    const verifier = verifierOf();
    const code = await oauth.codeFor(ada, { verifier, client: photos.client_id });
    const { redirect_uri: _, ...fields } = withCode(code, verifier);
    const { status, body } = await oauth.exchange({ ...fields, ...redirect }, basicOf(photos));
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
    expect((await oauth.exchange(withCode(code, verifier), basicOf(photos))).status).toBe(200);
  });

  it('refuses a repeated parameter', async () => {
    const verifier = verifierOf();
    const fields = new URLSearchParams(withCode(await oauth.codeFor(ada, { verifier }), verifier));
    fields.append('redirect_uri', 'https://evil.example/callback');
    const response = await oauth.ask('/auth/v1/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...basicOf(oauth.photos) },
      body: fields.toString(),
    });
    expect([response.status, JSON.parse(response.body).error]).toEqual([400, 'invalid_request']);
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
    const { body } = await oauth.exchange(withCode(code, code_verifier));
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

describe('POST /oauth/clients/register', () => {
  const register = (values: object = {}) =>
    oauth.ask('/auth/v1/oauth/clients/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [CALLBACK], ...values }),
    });

  it('leaves places for the builder when applications have used up theirs', async () => {
    const fill = (type: string) => `insert into auth.oauth_clients (id, registration_type, client_type,
        token_endpoint_auth_method, redirect_uris, grant_types)
      select gen_random_uuid(), '${type}', 'public', 'none', '${CALLBACK}', 'authorization_code'
      from generate_series(1, 500)`;
    await runSql(node, oauth.app.ref, fill('dynamic'));
    const refused = await register();
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([
      400,
      { error_code: 'over_oauth_client_quota', msg: expect.stringContaining('oauthSelfRegisteredClients') },
    ]);
    const own = { client_name: 'Of the builder', redirect_uris: [CALLBACK] };
    await expect(oauth.register(own)).resolves.toHaveProperty('client_id');
    await runSql(node, oauth.app.ref, `delete from auth.oauth_clients where registration_type = 'dynamic'`);
    expect((await register()).status).toBe(201);
  });

  it('limits the registrations of one network, and not those of the builder', async () => {
    await runSql(
      node,
      oauth.app.ref,
      `insert into ninefold.settings (key, value) values ('rate_limit_oauth_registration', '1')`,
    );
    const refused = await vi.waitFor(async () => {
      const response = await register({ redirect_uris: [] });
      expect(response.status).toBe(429);
      return response;
    });
    expect(JSON.parse(refused.body).error_code).toBe('over_request_rate_limit');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await expect(oauth.register({ redirect_uris: [CALLBACK] })).resolves.toHaveProperty('client_id');
  });
});
