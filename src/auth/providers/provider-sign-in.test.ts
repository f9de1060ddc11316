import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { type OpenIdServer, startOpenIdProvider, throughProvider } from '../../../test/support/openid-provider.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../../test/support/scripted-provider.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';
import { readSignInCounts } from '../../accounts/passwords/sign-in-counts.ts';

const CALLBACK = 'http://auth.localhost:8000/auth/v1/callback';
const SITE = 'https://site.example/back';

let postgres: TestPostgres;
let app: AuthApp;
let openId: OpenIdServer;
let plain: ScriptedProvider;

beforeAll(async () => {
  [postgres, openId, plain] = await Promise.all([
    startPostgres('auth-providers', { seed: authSeed }),
    startOpenIdProvider(CALLBACK),
    startScriptedProvider(),
  ]);
  app = await makeAuthApp(postgres.url);
  const { error } = await app.client(app.keys.secretKey).auth.admin.customProviders.createProvider({
    provider_type: 'oidc',
    identifier: 'custom:real',
    name: 'Real',
    client_id: 'client',
    client_secret: 'secret',
    issuer: openId.issuer,
  });
  expect(error).toBeNull();
});
beforeEach(() => {
  app.reset();
  app.settings = {
    ...app.settings,
    site_url: 'https://site.example',
    mailer_autoconfirm: false,
    external_github_enabled: true,
    external_github_client_id: 'client',
    external_github_url: plain.url,
    security_manual_linking_enabled: true,
  };
  app.secrets = { external_github_secret: 'secret' };
});
afterAll(async () => {
  await app.close();
  await Promise.all([postgres.stop(), openId.close(), plain.close()]);
});

/** Returns the part of an address of the app that follows /auth/v1. */
const pathOf = (url: string | URL): string => {
  const { pathname, search } = new URL(url);
  return pathname.replace(/^.*\/auth\/v1/, '') + search;
};

/** Requests one of the app's addresses and returns the address to which the app redirects. */
async function follow(url: string | URL, headers: Record<string, string> = {}): Promise<URL> {
  const { redirect, status, body } = await app.call('GET', pathOf(url), { headers });
  if (redirect === undefined) throw new Error(`no redirect but ${status}: ${body}`);
  return new URL(redirect);
}

/** Signs in the member at the real provider, and returns the address to which the app redirects in the end. */
async function signInAtReal(start: string): Promise<URL> {
  return follow(await throughProvider((await follow(start)).href));
}

const clientWith = (flowType: 'pkce' | 'implicit') => app.client(app.keys.publishableKey, { flowType });

async function startOf(client: ReturnType<typeof clientWith>, provider: string): Promise<string> {
  const { data, error } = await client.auth.signInWithOAuth({
    provider: provider as 'github',
    options: { redirectTo: SITE, skipBrowserRedirect: true },
  });
  if (error) throw error;
  return data.url;
}

/** Returns from the real provider to the page that asks for consent to a link, and confirms the link. */
async function confirmLink(start: string): Promise<URL> {
  const headers = { host: 'auth.localhost:8000' };
  const { redirect, cookies } = await app.call('GET', pathOf(await throughProvider(start)), { headers });
  const browser = { ...headers, cookie: cookies?.[0]?.split(';')[0] ?? '' };
  const { body } = await app.call('GET', pathOf(redirect ?? ''), { headers: browser });
  const fields = [...String(body).matchAll(/type="hidden" name="(\w+)" value="(.*?)"/g)].map(
    ([, name = '', value = '']): [string, string] => [name, value],
  );
  const raw = Buffer.from(new URLSearchParams([...fields, ['decision', 'link']]).toString());
  const confirmed = await app.call('POST', '/user/identities/confirm', { headers: browser, raw });
  return new URL(confirmed.redirect ?? '');
}

const asMember = (id: string, email = uniqueEmail(), verified = true) => {
  openId.member = { id, email, email_verified: verified, name: 'Ada Lovelace' };
  return email;
};

describe('the stock client with an OpenID Connect provider', () => {
  it('signs in with PKCE and gets the tokens of the provider', async () => {
    const email = asMember('pkce-member');
    const client = clientWith('pkce');
    const end = await signInAtReal(await startOf(client, 'custom:real'));
    expect(end.origin + end.pathname).toBe(SITE);
    expect(end.hash).toBe('');
    const { data, error } = await client.auth.exchangeCodeForSession(end.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    expect(data.session).toMatchObject({ provider_token: expect.any(String) });
    expect(data.user).toMatchObject({
      email,
      email_confirmed_at: expect.any(String),
      app_metadata: { provider: 'custom:real', providers: ['custom:real'] },
      user_metadata: {
        email,
        email_verified: true,
        phone_verified: false,
        iss: openId.issuer,
        name: 'Ada Lovelace',
        sub: 'pkce-member',
        provider_id: 'pkce-member',
      },
    });
    expect(data.user?.identities).toMatchObject([{ provider: 'custom:real', id: 'pkce-member' }]);
    expect(await readSignInCounts(app.database)).toEqual({ 'custom:real': 1 });
    const claims = (await client.auth.getClaims()).data?.claims;
    expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'oauth' }] });
  });

  it('signs in to the same account with the implicit flow, and refreshes', async () => {
    asMember('twice');
    const first = await signInAtReal(await startOf(clientWith('implicit'), 'custom:real'));
    const again = await signInAtReal(await startOf(clientWith('implicit'), 'custom:real'));
    const [one, two] = [first, again].map((url) => new URLSearchParams(url.hash.slice(1)));
    expect(again.search).toBe('');
    expect(Object.fromEntries(two ?? [])).toMatchObject({
      token_type: 'bearer',
      provider_token: expect.any(String),
      expires_in: '3600',
    });
    const subject = (params: URLSearchParams | undefined) =>
      JSON.parse(Buffer.from(params?.get('access_token')?.split('.')[1] ?? '', 'base64url').toString()).sub;
    expect(subject(two)).toBe(subject(one));
    const { error } = await app.client().auth.refreshSession({ refresh_token: two?.get('refresh_token') ?? '' });
    expect(error).toBeNull();
  });

  it('adds an identity to the account of a member, and removes the identity', async () => {
    const { client, user } = await confirmedMember();
    asMember('linked');
    const linking = await client.auth.linkIdentity({
      provider: 'custom:real' as 'github',
      options: { redirectTo: SITE, skipBrowserRedirect: true },
    });
    expect(linking.error).toBeNull();
    const end = await confirmLink(linking.data.url ?? '');
    expect(new URLSearchParams(end.hash.slice(1)).get('access_token')).toEqual(expect.any(String));
    const identities = (await client.auth.getUserIdentities()).data?.identities ?? [];
    expect(identities.map(({ provider }) => provider)).toEqual(['email', 'custom:real']);
    const taken = await client.auth.linkIdentity({ provider: 'custom:real' as 'github' });
    const refused = await confirmLink(taken.data.url ?? '');
    expect(refused.searchParams.get('error_code')).toBe('identity_already_exists');
    const linked = identities[1];
    if (!linked) throw new Error('no identity was linked');
    expect((await client.auth.unlinkIdentity(linked)).error).toBeNull();
    const only = (await client.auth.getUserIdentities()).data?.identities[0];
    if (!only) throw new Error('no identity stayed');
    expect((await client.auth.unlinkIdentity(only)).error?.code).toBe('single_identity_not_deletable');
    expect((await client.auth.getUser()).data.user).toMatchObject({
      id: user.id,
      app_metadata: { providers: ['email'] },
    });
  });

  it('makes an anonymous account a member with the same id', async () => {
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    const client = app.client();
    const { data } = await client.auth.signInAnonymously();
    const email = asMember('was-anonymous');
    const linking = await client.auth.linkIdentity({ provider: 'custom:real' as 'github' });
    await confirmLink(linking.data.url ?? '');
    const { user } = (await client.auth.getUser()).data;
    expect(user).toMatchObject({ id: data.user?.id, email, is_anonymous: false });
  });
});

async function confirmedMember(email = uniqueEmail()) {
  app.settings = { ...app.settings, mailer_autoconfirm: true };
  const client = app.client();
  const { data } = await client.auth.signUp({ email, password: 'correct horse' });
  app.settings = { ...app.settings, mailer_autoconfirm: false };
  if (!data.user) throw new Error('sign-up gave no user');
  await app.sql("update auth.users set email_confirmed_at = now() + interval '1 second' where id = $1", [data.user.id]);
  return { client, user: data.user, email };
}

describe('linking of accounts by e-mail address', () => {
  it('signs in to the account whose address both the app and the provider have verified, and keeps its password', async () => {
    const { user, email } = await confirmedMember();
    asMember('same-address', email);
    const client = clientWith('pkce');
    const end = await signInAtReal(await startOf(client, 'custom:real'));
    const { data } = await client.auth.exchangeCodeForSession(end.searchParams.get('code') ?? '');
    expect(data.user?.id).toBe(user.id);
    expect(data.user?.app_metadata.providers).toEqual(['email', 'custom:real']);
    const withPassword = await app.client().auth.signInWithPassword({ email, password: 'correct horse' });
    expect(withPassword.error).toBeNull();
  });

  it.each([
    ['unconfirmed', false],
    ['confirmed by its own sign-up', true],
  ])(
    'removes the password and the sessions of an account that a stranger created first, %s',
    async (_, autoconfirm) => {
      app.settings = { ...app.settings, mailer_autoconfirm: autoconfirm };
      const email = uniqueEmail();
      const stranger = app.client();
      await stranger.auth.signUp({ email, password: 'of the stranger' });
      asMember(`owner-${autoconfirm}`, email);
      const client = clientWith('pkce');
      const end = await signInAtReal(await startOf(client, 'custom:real'));
      const { data } = await client.auth.exchangeCodeForSession(end.searchParams.get('code') ?? '');
      expect(data.user?.identities?.map(({ provider }) => provider)).toEqual(['custom:real']);
      const withPassword = await app.client().auth.signInWithPassword({ email, password: 'of the stranger' });
      expect(withPassword.error?.code).toBe('invalid_credentials');
      expect((await stranger.auth.refreshSession()).error).not.toBeNull();
      expect(await app.sql('select count(*) from auth.sessions where user_id = $1', [data.user?.id ?? ''])).toEqual([
        { count: '1' },
      ]);
    },
  );

  it.each([false, true])(
    'never uses an address that the provider has not verified (autoconfirm %s)',
    async (confirms) => {
      const { email } = await confirmedMember();
      app.settings = { ...app.settings, mailer_autoconfirm: confirms };
      asMember(`unverified-${confirms}`, email, false);
      const end = await signInAtReal(await startOf(clientWith('pkce'), 'custom:real'));
      expect(end.searchParams.get('error_code')).toBe('provider_email_needs_verification');
      expect(end.searchParams.get('error')).toBe('access_denied');
      expect(end.hash).toContain('error_code=provider_email_needs_verification');
      expect(
        await app.sql('select count(*) from auth.identities where provider_id = $1', [`unverified-${confirms}`]),
      ).toEqual([{ count: '0' }]);
    },
  );

  it('creates one account for 12 parallel first sign-ins of one person', async () => {
    const email = asMember('at-once');
    const starts = await Promise.all(Array.from({ length: 12 }, () => startOf(clientWith('implicit'), 'custom:real')));
    const callbacks = await Promise.all(starts.map(async (start) => throughProvider((await follow(start)).href)));
    const ends = await Promise.all(callbacks.map((url) => follow(url)));
    expect(ends.filter(({ hash }) => hash.includes('access_token'))).toHaveLength(12);
    expect(await app.sql('select count(*) from auth.users where email = $1', [email])).toEqual([{ count: '1' }]);
  });

  it('refuses new people if sign-up is off, and banned members', async () => {
    app.settings = { ...app.settings, disable_signup: true };
    asMember('newcomer');
    const refused = await signInAtReal(await startOf(clientWith('pkce'), 'custom:real'));
    expect(refused.searchParams.get('error_code')).toBe('signup_disabled');
    app.settings = { ...app.settings, disable_signup: false };
    await signInAtReal(await startOf(clientWith('implicit'), 'custom:real'));
    await app.sql(
      "update auth.users set banned_until = now() + interval '1 day' where id = (select user_id from auth.identities where provider_id = 'newcomer')",
    );
    const banned = await signInAtReal(await startOf(clientWith('implicit'), 'custom:real'));
    expect(banned.searchParams.get('error_code')).toBe('user_banned');
  });
});

/** Defines what GitHub's API returns for a person. */
function githubMember(id: number, emails: readonly { email: string; primary: boolean; verified: boolean }[]): void {
  plain.answers.set('/login/oauth/access_token', { access_token: `token-${id}`, token_type: 'bearer', scope: '' });
  plain.answers.set('/api/v3/user', { id, login: 'ada', name: 'Ada', avatar_url: 'https://avatars.example/1' });
  plain.answers.set('/api/v3/user/emails', emails);
}

describe('an OAuth 2.0 provider without OpenID Connect', () => {
  it('receives the PKCE challenge, the state and the scopes, and its profile fills the new account', async () => {
    const email = uniqueEmail();
    githubMember(7, [
      { email: `other-${email}`, primary: false, verified: true },
      { email, primary: true, verified: true },
    ]);
    const client = clientWith('pkce');
    const { data } = await client.auth.signInWithOAuth({
      provider: 'github',
      options: {
        redirectTo: SITE,
        scopes: 'repo gist',
        queryParams: { prompt: 'consent', state: 'x', redirect_uri: 'y' },
      },
    });
    const page = await follow(data.url ?? '');
    expect(page.origin + page.pathname).toBe(`${plain.url}/login/oauth/authorize`);
    const asked = Object.fromEntries(page.searchParams);
    expect(asked).toMatchObject({
      client_id: 'client',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'user:email repo gist',
      code_challenge_method: 'S256',
      prompt: 'consent',
    });
    expect(asked.state).not.toBe('x');
    plain.requests.length = 0;
    const end = await follow(`${CALLBACK}?code=from-github&state=${asked.state}`);
    const { data: signedIn, error } = await client.auth.exchangeCodeForSession(end.searchParams.get('code') ?? '');
    expect(error).toBeNull();
    expect(signedIn.session?.provider_token).toBe('token-7');
    expect(signedIn.user).toMatchObject({
      email,
      user_metadata: { user_name: 'ada', preferred_username: 'ada', avatar_url: 'https://avatars.example/1', sub: '7' },
    });
    const exchanged = new URLSearchParams(plain.requests[0]?.body);
    expect(
      createHash('sha256')
        .update(exchanged.get('code_verifier') ?? '')
        .digest('base64url'),
    ).toBe(asked.code_challenge);
    expect(Object.fromEntries(exchanged)).toMatchObject({ client_secret: 'secret', redirect_uri: CALLBACK });
  });

  it.each([
    ['refuses the code', '/login/oauth/access_token', { error: 'bad_verification_code' }, 'provider_failed'],
    ['gives no profile', '/api/v3/user', { message: 'Bad credentials' }, 'provider_failed'],
    ['gives no address', '/api/v3/user/emails', [], 'unexpected_failure'],
  ])('redirects to the site with an error if it %s', async (_, path, answer, code) => {
    githubMember(8, [{ email: uniqueEmail(), primary: true, verified: true }]);
    plain.answers.set(path, answer);
    const page = await follow(await startOf(clientWith('implicit'), 'github'));
    const end = await follow(`${CALLBACK}?code=c&state=${page.searchParams.get('state')}`);
    expect(end.searchParams.get('error_code')).toBe(code);
    expect(end.href).not.toContain('token-8');
  });

  it('signs in without an address if the address is optional', async () => {
    app.settings = { ...app.settings, external_github_email_optional: true };
    githubMember(9, []);
    const page = await follow(await startOf(clientWith('implicit'), 'github'));
    const end = await follow(`${CALLBACK}?code=c&state=${page.searchParams.get('state')}`);
    expect(end.hash).toContain('access_token');
  });
});

describe('a disabled sign-in method', () => {
  it.each([
    ['GET', '/authorize?provider=google', 400, 'validation_failed', 'Unsupported provider: provider is not enabled'],
    [
      'GET',
      '/authorize?provider=none',
      400,
      'validation_failed',
      'Unsupported provider: Provider none could not be found',
    ],
    ['POST', '/sso', 404, 'saml_provider_disabled', 'SAML 2.0 is disabled'],
    ['POST', '/token?grant_type=web3', 422, 'web3_provider_disabled', 'Web3 provider is disabled'],
  ])('makes %s %s respond as GoTrue does', async (method, path, status, code, message) => {
    const answer = await app.ask(method, path, { body: {} });
    expect(answer).toMatchObject({ status, body: { code, message } });
  });

  it('refuses to add an identity to an account', async () => {
    const { client } = await confirmedMember();
    app.settings = { ...app.settings, security_manual_linking_enabled: false };
    const { error } = await client.auth.linkIdentity({ provider: 'github' });
    expect(error).toMatchObject({ status: 404, message: 'Manual linking is disabled' });
  });

  it('is reported as disabled by GET /settings, which lists all providers', async () => {
    const { body } = await app.ask('GET', '/settings');
    expect(body.external).toMatchObject({ github: true, google: false });
  });
});

describe('/admin/custom-providers', () => {
  it('lists, changes and deletes providers for the stock client, and never shows the secret', async () => {
    const { customProviders } = app.client(app.keys.secretKey).auth.admin;
    const made = await customProviders.createProvider({
      provider_type: 'oauth2',
      identifier: 'custom:plain',
      name: 'Plain',
      client_id: 'client',
      client_secret: 'very secret',
      authorization_url: `${plain.url}/authorize`,
      token_url: `${plain.url}/token`,
      userinfo_url: `${plain.url}/me`,
    });
    expect(made.error).toBeNull();
    const changed = await customProviders.updateProvider('custom:plain', { enabled: false });
    expect(changed.data).toMatchObject({ enabled: false, name: 'Plain' });
    const listed = await customProviders.listProviders();
    expect(JSON.stringify(listed.data)).toContain('custom:plain');
    expect(JSON.stringify([made, changed, listed])).not.toContain('very secret');
    const stored = await app.sql('select client_secret from auth.custom_oauth_providers').catch(() => []);
    expect(JSON.stringify(stored)).not.toContain('very secret');
    expect(await app.ask('GET', '/authorize?provider=custom:plain')).toMatchObject({ status: 400 });
    expect((await customProviders.deleteProvider('custom:plain')).error).toBeNull();
    expect((await customProviders.getProvider('custom:plain')).error?.code).toBe('custom_provider_not_found');
  });

  it.each([
    [{ issuer: 'ftp://login.example' }, 'issuer must be an https address'],
    [{ issuer: 'http://login.example' }, 'issuer must be an https address'],
    [{ issuer: 'https://127.0.0.1:1' }, 'OIDC discovery'],
    [{ issuer: 'https://169.254.169.254' }, 'OIDC discovery'],
    [{ attribute_mapping: { role: 'groups' } }, 'protected system field'],
    [{ authorization_params: { redirect_uri: 'https://evil.example' } }, 'reserved OAuth parameter'],
    [{ identifier: 'google' }, "must start with 'custom:'"],
    [{ identifier: 'custom:real' }, 'already exists'],
  ])('refuses the body %j', async (change, message) => {
    const { error } = await app.client(app.keys.secretKey).auth.admin.customProviders.createProvider({
      provider_type: 'oidc',
      identifier: 'custom:new',
      name: 'New',
      client_id: 'client',
      client_secret: 'secret',
      issuer: openId.issuer,
      ...change,
    } as never);
    expect(error?.message).toContain(message);
  });

  it('needs the secret key', async () => {
    const { error } = await app.client().auth.admin.customProviders.listProviders();
    expect(error?.code).toBe('not_admin');
  });
});
