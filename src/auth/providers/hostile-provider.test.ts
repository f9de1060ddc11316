import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../../test/support/scripted-provider.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';
import { Origins } from '../../apps/registry/origins.ts';

let postgres: TestPostgres;
let app: AuthApp;
let provider: ScriptedProvider;
let discovery: Record<string, unknown>;

beforeAll(async () => {
  [postgres, provider] = await Promise.all([
    startPostgres('auth-hostile', { seed: authSeed }),
    startScriptedProvider(),
  ]);
  app = await makeAuthApp(postgres.url);
  discovery = { ...(provider.answers.get('/.well-known/openid-configuration') as Record<string, unknown>) };
  await add('custom:scripted');
});
beforeEach(() => {
  app.reset();
  app.settings = { ...app.settings, site_url: 'https://site.example', security_manual_linking_enabled: true };
});
afterAll(async () => {
  await app.close();
  await Promise.all([postgres.stop(), provider.close()]);
});

const add = async (identifier: string, change: Record<string, unknown> = {}) => {
  const { error } = await app.client(app.keys.secretKey).auth.admin.customProviders.createProvider({
    provider_type: 'oidc',
    identifier: identifier as 'custom:scripted',
    name: 'Scripted',
    client_id: 'client',
    client_secret: 'a secret that is long enough for HS256',
    issuer: provider.url,
    ...change,
  });
  return error;
};

const local = { url: 'http://127.0.0.1:8000', isNamed: true, domain: null, defaultApp: null };

const person = () => ({ sub: uniqueEmail(), email: uniqueEmail(), email_verified: true });

const signIn = (token: string, more: Record<string, unknown> = {}) =>
  app.ask('POST', '/token?grant_type=id_token', { body: { provider: 'custom:scripted', id_token: token, ...more } });

const sha256 = (text: string) => createHash('sha256').update(text).digest();

describe('POST /token?grant_type=id_token', () => {
  it('creates no account that the hook before_user_created refuses, and signs in an account that exists', async () => {
    const known = person();
    expect((await signIn(await provider.idToken(known))).status).toBe(200);
    await app.sql(`create or replace function public.refuse(event jsonb) returns jsonb language sql as $$
      select jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', event #>> '{user,app_metadata,provider}')) $$`);
    await app.sql('grant execute on function public.refuse to supabase_auth_admin');
    app.settings = {
      ...app.settings,
      hook_before_user_created_enabled: true,
      hook_before_user_created_uri: 'pg-functions://postgres/public/refuse',
    };
    const refused = await signIn(await provider.idToken(person()));
    expect(refused).toMatchObject({ status: 403, body: { code: 'unknown', message: 'custom:scripted' } });
    expect((await signIn(await provider.idToken(known))).status).toBe(200);
  });

  it('signs in with the stock client, with nonce and at_hash', async () => {
    const claims = person();
    const at_hash = sha256('the access token').subarray(0, 16).toString('base64url');
    const token = await provider.idToken({ ...claims, nonce: sha256('a nonce').toString('hex'), at_hash });
    const { data, error } = await app.client().auth.signInWithIdToken({
      provider: 'custom:scripted',
      token,
      nonce: 'a nonce',
      access_token: 'the access token',
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({ email: claims.email, app_metadata: { provider: 'custom:scripted' } });
  });

  it('adds the identity to the account of the member who calls', async () => {
    const { client, user } = await app.member('correct horse');
    const token = await provider.idToken(person());
    const { data, error } = await client.auth.linkIdentity({ provider: 'custom:scripted', token });
    expect(error).toBeNull();
    expect(data.user?.id).toBe(user.id);
    expect(await signIn(token, { link_identity: true })).toMatchObject({ status: 400, body: { code: 'bad_id_token' } });
    const again = await client.auth.linkIdentity({ provider: 'custom:scripted', token });
    expect(again.error).toMatchObject({ code: 'identity_already_exists', message: 'Identity is already linked' });
  });

  const unclean: [string, (text: string) => unknown][] = [
    ['NUL', (text) => `${text}\0`],
    ['half of a surrogate pair', (text) => `${text}\ud800`],
    ['a control character', (text) => `${text}\u0085`],
    ['a line break', (text) => `\n${text}`],
    ['a blank at the start', (text) => ` ${text}`],
    ['a no-break space at the end', (text) => `${text}\u00a0`],
    ['a zero-width space', (text) => `${text.slice(0, 3)}\u200b${text.slice(3)}`],
    ['a mark of direction', (text) => `\u202e${text}`],
    ['a variation selector', (text) => `${text}\ufe0f`],
    ['a character for invalid bytes', (text) => `${text}\ufffd`],
    ['too many characters', (text) => text + 'a'.repeat(limits.claimCharacters.default)],
  ];
  it.each(unclean.flatMap((one) => (['sub', 'email'] as const).map((name) => [name, one[0], one[1]] as const)))(
    'refuses a token whose %s has %s, and gives it no account of another person',
    async (name, _what, change) => {
      const known = person();
      const { body } = await signIn(await provider.idToken(known));
      const claims = { ...(name === 'email' ? person() : known), [name]: change(known[name]) };
      const refused = await signIn(await provider.idToken(claims));
      expect(refused).toMatchObject({ status: 422, body: { code: 'provider_identity_refused' } });
      const { id } = body.user as { id: string };
      const rows = await app.sql(
        `select user_id from auth.identities where provider = 'custom:scripted' and user_id = $1`,
        [id],
      );
      expect(rows).toHaveLength(1);
      expect((await signIn(await provider.idToken(known))).body.user).toMatchObject({ id });
    },
  );

  it('refuses ids that JSON rounds, names with control characters, and a kelvin sign in place of a letter', async () => {
    const changes: readonly Record<string, unknown>[] = [
      { sub: 2 ** 53 },
      { sub: 1e21 },
      { sub: 1.5 },
      { name: 'Ada\0' },
      { nickname: 'a\u001b[31m' },
    ];
    for (const change of changes) {
      const refused = await signIn(await provider.idToken({ ...person(), ...change }));
      expect(refused).toMatchObject({ status: 422, body: { code: 'provider_identity_refused' } });
    }
    const victim = { ...person(), email: uniqueEmail('kim') };
    const { body } = await signIn(await provider.idToken(victim));
    const lookalike = { ...person(), email: victim.email.replace('k', '\u212a') };
    const stranger = await signIn(await provider.idToken(lookalike));
    expect((stranger.body.user as { id?: string } | undefined)?.id).not.toBe((body.user as { id: string }).id);
    const named = { ...person(), name: 'Ådá \u200d O’Neil ' };
    const known = await signIn(await provider.idToken(named));
    expect(known.body.user).toMatchObject({ user_metadata: { name: named.name } });
  });

  const past = Math.floor(Date.now() / 1000) - 3600;
  const refusedTokens: [string, () => Promise<string>, Record<string, unknown>?][] = [
    ['of another issuer', () => provider.idToken({ ...person(), iss: 'https://evil.example' })],
    ['for another audience', () => provider.idToken({ ...person(), aud: 'another' })],
    ['for several audiences without a party', () => provider.idToken({ ...person(), aud: ['client', 'another'] })],
    ['issued to another party', () => provider.idToken({ ...person(), aud: ['client', 'another'], azp: 'another' })],
    ['that has expired', () => provider.idToken({ ...person(), iat: past, exp: past + 60 })],
    ['without a subject', () => provider.idToken({ ...person(), sub: '' })],
    ['with a nonce that nobody shows', () => provider.idToken({ ...person(), nonce: 'x' })],
    ['with another nonce', () => provider.idToken({ ...person(), nonce: 'x' }), { nonce: 'a nonce' }],
    ['without the nonce that is shown', () => provider.idToken(person()), { nonce: 'a nonce' }],
    ['with the plain nonce', () => provider.idToken({ ...person(), nonce: 'a nonce' }), { nonce: 'a nonce' }],
    ['of another access token', () => provider.idToken({ ...person(), at_hash: 'x' }), { access_token: 'stolen' }],
    ['that is an access token', () => provider.idToken(person(), { typ: 'at+jwt' })],
    ['with an unknown key', () => provider.idToken(person(), { kid: 'two' })],
    [
      'with alg none',
      async () => new UnsecuredJWT({ ...person(), iss: provider.url, aud: 'client' }).setExpirationTime('5m').encode(),
    ],
    [
      'signed with the public key as a shared secret',
      () => provider.idToken(person(), { alg: 'HS256', key: Buffer.from(JSON.stringify(provider.jwk)) }),
    ],
    [
      'signed with the client secret',
      () => provider.idToken(person(), { alg: 'HS256', key: Buffer.from('a secret that is long enough for HS256') }),
    ],
    ['of another app', async () => app.member('correct horse').then(({ session }) => session.access_token)],
    ['that is no token', async () => 'a.b.c'],
    ['that is too long', async () => 'x'.repeat(limits.idTokenCharacters.default + 1)],
  ];
  it.each(refusedTokens)('refuses a token %s', async (_, make, more) => {
    const before = await app.sql('select count(*) from auth.identities where provider = $1', ['custom:scripted']);
    const { status, body } = await signIn(await make(), more);
    expect({ status, code: body.code }).toEqual({
      status: 400,
      code: expect.stringMatching(/^(bad_id_token|validation_failed)$/),
    });
    expect(await app.sql('select count(*) from auth.identities where provider = $1', ['custom:scripted'])).toEqual(
      before,
    );
  });

  it.each([
    [{}, 'bad_id_token'],
    [{ id_token: 'x' }, 'bad_id_token'],
    [{ id_token: 'x', provider: 'google' }, 'provider_disabled'],
    [{ id_token: 'x', provider: 'unknown' }, 'validation_failed'],
    [{ id_token: 'x', issuer: 'https://evil.example', client_id: 'client' }, 'validation_failed'],
  ])('refuses the body %j', async (body, code) => {
    expect(await app.ask('POST', '/token?grant_type=id_token', { body })).toMatchObject({
      status: 400,
      body: { code },
    });
  });

  it('reads the provider’s keys once for many tokens, and does not read them more often for unknown key ids', async () => {
    await signIn(await provider.idToken(person()));
    provider.requests.length = 0;
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => signIn(await provider.idToken(person(), { kid: `unknown-${i}` }))),
    );
    expect(provider.requests.filter(({ line }) => line === 'GET /jwks').length).toBeLessThanOrEqual(1);
  });
});

describe('a hostile discovery document', () => {
  const path = '/.well-known/openid-configuration';
  const documents: [string, () => unknown][] = [
    ['that names another issuer', () => ({ ...discovery, issuer: 'https://accounts.google.com' })],
    ['without keys', () => ({ ...discovery, jwks_uri: undefined })],
    ['with keys at another scheme', () => ({ ...discovery, jwks_uri: 'file:///etc/passwd' })],
    ['that is no JSON', () => (_: unknown, response: { end(text: string): void }) => response.end('<html>')],
    [
      'that redirects',
      () => (_: unknown, response: import('node:http').ServerResponse) =>
        response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
    ],
    [
      'without an end',
      () => (_: unknown, response: import('node:http').ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = (): void => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      },
    ],
  ];
  it.each(documents)('is refused when the provider is added: %s', async (_, make) => {
    provider.answers.set(path, make());
    try {
      expect(
        (await add('custom:evil', { issuer: provider.url, client_id: `other-${uniqueEmail()}` }))?.message,
      ).toContain('OIDC discovery');
    } finally {
      provider.answers.set(path, discovery);
    }
  });

  it.each([
    ...['https://169.254.169.254', 'https://10.0.0.1', 'https://0.0.0.0', 'https://[::1]', 'https://[fd00::1]'],
    ...['https://[::ffff:10.0.0.1]', 'https://[64:ff9b::a9fe:a9fe]', 'https://0x0a000001', 'https://127.0.0.1:22'],
    ...['http://169.254.169.254', 'file:///etc/passwd', 'https://127.0.0.1.nip.invalid'],
  ])('is not requested from the address %s', async (address) => {
    const error = await add('custom:evil', { issuer: address, client_id: `other-${uniqueEmail()}` });
    expect(error?.status).toBe(400);
    // No server answered, and the error does not reveal whether there is one.
    expect(error?.message).toMatch(/no public address|Couldn't resolve|https:\/\/|must be/);
  });

  it.each(['token_endpoint', 'jwks_uri'])(
    'cannot make the node send requests to an internal address by %s',
    async (name) => {
      provider.answers.set(path, { ...discovery, [name]: 'https://169.254.169.254/latest/meta-data' });
      try {
        expect(await add('custom:pointing', { client_id: 'pointing' })).toBeNull();
        const { redirect } = await app.call('GET', '/authorize?provider=custom:pointing');
        const asked = new URL(redirect ?? '').searchParams;
        await tokenAnswer({ ...person(), aud: 'pointing', nonce: asked.get('nonce') });
        const end = await comeBack({ state: asked.get('state') ?? '', code: 'c' });
        expect(codeOf(end)).toBe('provider_failed');
        expect(decodeURIComponent(end.href)).not.toContain('169.254');
      } finally {
        provider.answers.set(path, discovery);
        await app.client(app.keys.secretKey).auth.admin.customProviders.deleteProvider('custom:pointing');
      }
    },
  );

  it.concurrent.each([
    ['does not respond', '/silent', () => undefined],
    [
      'sends a byte now and then',
      '/dripping',
      (_: unknown, response: import('node:http').ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => response.write(' '), 200);
        response.once('close', () => clearInterval(timer));
      },
    ],
  ])('causes a timeout error if the provider %s', async (_, place, answer) => {
    provider.answers.set(place + path, answer);
    const before = performance.now();
    const error = await add(`custom:${place.slice(1)}`, { issuer: provider.url + place, client_id: 'slow' });
    expect(error?.message).toContain('Timeout');
    expect(performance.now() - before).toBeLessThan(limits.providerMilliseconds.default * 4);
    expect(provider.requests.map(({ line }) => line)).toContain(`GET ${place}${path}`);
  });
});

/** Starts a sign-in. Returns its state, and the nonce that the provider received. */
async function begin(query = ''): Promise<{ state: string; nonce: string }> {
  const { redirect } = await app.call('GET', `/authorize?provider=custom:scripted${query}`);
  const asked = new URL(redirect ?? '').searchParams;
  return { state: asked.get('state') ?? '', nonce: asked.get('nonce') ?? '' };
}

async function comeBack(query: Record<string, string>, headers: Record<string, string> = {}): Promise<URL> {
  const { redirect } = await app.call('GET', `/callback?${new URLSearchParams(query)}`, { headers });
  return new URL(redirect ?? 'none:');
}

const tokenAnswer = async (claims: Record<string, unknown>) =>
  provider.answers.set('/token', {
    access_token: 'at',
    token_type: 'bearer',
    id_token: await provider.idToken(claims),
  });

const codeOf = (url: URL) => url.searchParams.get('error_code');

describe('GET /callback', () => {
  it('accepts a state once, whatever the result is and also if 12 requests arrive at once', async () => {
    const { state, nonce } = await begin();
    await tokenAnswer({ ...person(), nonce });
    const ends = await Promise.all(Array.from({ length: 12 }, () => comeBack({ state, code: 'c' })));
    expect(ends.filter(({ hash }) => hash.includes('access_token'))).toHaveLength(1);
    const failed = await begin();
    expect(codeOf(await comeBack({ state: failed.state }))).toBe('bad_oauth_callback');
    expect(codeOf(await comeBack({ state: failed.state, code: 'c' }))).toBe('flow_state_already_used');
  });

  it.each([
    ['no state', {}, 'bad_oauth_callback'],
    ['an invented state', { state: '11111111-1111-4111-8111-111111111111' }, 'bad_oauth_state'],
    ['no UUID', { state: "' or 1=1" }, 'bad_oauth_state'],
  ])('redirects to the site with an error if the query contains %s', async (_, query, code) => {
    const end = await comeBack({ code: 'c', ...query });
    expect(end.origin).toBe('https://site.example');
    expect(codeOf(end)).toBe(code);
  });

  it('refuses as a state the id of a flow in the table, and refuses an expired state', async () => {
    const { state } = await begin();
    const [row] = await app.sql('select id from auth.flow_state order by created_at desc limit 1');
    expect(row?.id).not.toBe(state);
    expect(codeOf(await comeBack({ state: row?.id ?? '', code: 'c' }))).toBe('bad_oauth_state');
    await app.sql("update auth.flow_state set created_at = created_at - interval '601 seconds'");
    expect(codeOf(await comeBack({ state, code: 'c' }))).toBe('bad_oauth_state');
  });

  it('refuses the response of another provider, and a token with a wrong nonce or without nonce', async () => {
    const mixedUp = await begin();
    await tokenAnswer({ ...person(), nonce: mixedUp.nonce });
    expect(codeOf(await comeBack({ state: mixedUp.state, code: 'c', iss: 'https://evil.example' }))).toBe(
      'provider_failed',
    );
    for (const nonce of ['another', undefined]) {
      const { state } = await begin();
      await tokenAnswer({ ...person(), ...(nonce && { nonce }) });
      expect(codeOf(await comeBack({ state, code: 'c' }))).toBe('provider_failed');
    }
  });

  it('refuses a browser that did not start the sign-in', async () => {
    const host = { host: 'auth.localhost:8000', 'sec-fetch-mode': 'navigate' };
    const start = async () => {
      const { redirect, cookies } = await app.call('GET', '/authorize?provider=custom:scripted', { headers: host });
      const asked = new URL(redirect ?? '').searchParams;
      await tokenAnswer({ ...person(), nonce: asked.get('nonce') });
      return { state: asked.get('state') ?? '', cookie: cookies?.[0]?.split(';')[0] ?? '' };
    };
    const lured = await start();
    expect(codeOf(await comeBack({ state: lured.state, code: 'c' }, host))).toBe('bad_oauth_state');
    const forged = await start();
    const headers = { ...host, cookie: `${forged.cookie}x` };
    expect(codeOf(await comeBack({ state: forged.state, code: 'c' }, headers))).toBe('bad_oauth_state');
    const own = await start();
    const end = await comeBack({ state: own.state, code: 'c' }, { ...host, cookie: `other=1; ${own.cookie}` });
    expect(end.hash).toContain('access_token');
  });

  const shown = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const olderBrowsers: [string, Record<string, string>][] = [
    ['sends no Fetch Metadata', { accept: shown, 'user-agent': 'Mozilla/5.0 (iPhone) AppleWebKit/605.1 Safari/604.1' }],
    ['sends only Accept', { accept: shown }],
    ['opens an embedded document', { accept: '*/*', 'user-agent': 'Mozilla/5.0 (X11) Gecko/20100101 Firefox/78.0' }],
    ['loads a subresource', { 'sec-fetch-mode': 'no-cors' }],
  ];
  const nodes: [string, ConstructorParameters<typeof Origins>[0], string][] = [
    ['on the app’s own origin', { ...local, domain: null }, 'auth.localhost:8000'],
    ['over http with a domain', { ...local, url: 'http://node.test', domain: 'apps.test' }, 'auth.apps.test'],
    ['on the node’s origin, if no host name leads to the app', { ...local, url: 'https://node.test' }, 'node.test'],
    ['of the default app', { ...local, url: 'https://node.test', defaultApp: 'auth' }, 'node.test'],
  ];
  it.each(nodes.flatMap((one) => olderBrowsers.map((browser) => [one[0], browser[0], one, browser] as const)))(
    'refuses a browser that did not start the sign-in %s and %s',
    async (_where, _what, [, options, host], [, headers]) => {
      app.origins = new Origins(options);
      const asBrowser = { ...headers, host };
      const { redirect, cookies } = await app.call('GET', '/authorize?provider=custom:scripted', {
        headers: asBrowser,
      });
      const asked = new URL(redirect ?? '').searchParams;
      await tokenAnswer({ ...person(), nonce: asked.get('nonce') });
      const lured = await begin();
      expect(codeOf(await comeBack({ state: lured.state, code: 'c' }, asBrowser))).toBe('bad_oauth_state');
      const cookie = cookies?.[0]?.split(';')[0] ?? '';
      const forged = await begin();
      expect(codeOf(await comeBack({ state: forged.state, code: 'c' }, { ...asBrowser, cookie }))).toBe(
        'bad_oauth_state',
      );
      await tokenAnswer({ ...person(), nonce: asked.get('nonce') });
      const end = await comeBack({ state: asked.get('state') ?? '', code: 'c' }, { ...asBrowser, cookie });
      expect(end.hash).toContain('access_token');
    },
  );

  it('redirects a browser of another host to the host with the cookies, also with the form of a provider', async () => {
    app.origins = new Origins({ ...local, url: 'https://node.test', defaultApp: 'auth' });
    const headers = { host: 'shop.example', 'sec-fetch-mode': 'navigate' };
    const base = 'https://node.test/apps/auth/auth/v1';
    for (const [method, path, status] of [
      ['GET', '/authorize?provider=custom:scripted', 302],
      ['GET', '/callback?state=s&code=c', 303],
      ['POST', '/callback?state=s&code=c', 307],
    ] as const) {
      const reply = await app.call(method, path, { headers });
      expect([reply.status, reply.redirect]).toEqual([status, `${base}${path}`]);
    }
  });

  it('shows a confirmation page to a member who adds an identity and whose browser has no cookie', async () => {
    const { client } = await app.member('correct horse');
    const { data } = await client.auth.linkIdentity({ provider: 'custom:scripted' });
    const asked = new URL(data?.url ?? '').searchParams;
    await tokenAnswer({ ...person(), nonce: asked.get('nonce') });
    const browser = { host: 'auth.localhost:8000', 'sec-fetch-mode': 'navigate' };
    const end = await comeBack({ state: asked.get('state') ?? '', code: 'c' }, browser);
    expect(end.origin + end.pathname).toBe('http://auth.localhost:8000/auth/v1/user/identities/confirm');
    expect((await client.auth.getUserIdentities()).data?.identities).toHaveLength(1);
  });

  it('redirects a browser from the node’s origin to the app’s own origin', async () => {
    const headers = { host: '127.0.0.1:8000', 'sec-fetch-mode': 'navigate' };
    const { redirect } = await app.call('GET', '/authorize?provider=custom:scripted', { headers });
    expect(redirect).toBe('http://auth.localhost:8000/auth/v1/authorize?provider=custom:scripted');
  });

  it.each(['https://evil.example', '//evil.example', 'https://site.example.evil.example', 'javascript:alert(1)'])(
    'does not redirect to %s',
    async (address) => {
      const { state } = await begin(`&redirect_to=${encodeURIComponent(address)}`);
      const end = await comeBack({ state, error: 'access_denied', error_description: 'No' });
      expect(end.origin).toBe('https://site.example');
      expect(end.searchParams.get('error')).toBe('access_denied');
      expect(end.hash).toContain('error_description=No');
    },
  );

  it('accepts the form that Apple posts', async () => {
    const { state, nonce } = await begin();
    await tokenAnswer({ ...person(), nonce });
    const raw = Buffer.from(new URLSearchParams({ state, code: 'c', user: '{"email":"evil@example.org"}' }).toString());
    const { redirect } = await app.call('POST', '/callback', { raw });
    expect(redirect).toContain('access_token');
  });

  it('returns a code that can be exchanged only with the PKCE verifier', async () => {
    const challenge = sha256('v'.repeat(43)).toString('base64url');
    const { state, nonce } = await begin(`&code_challenge=${challenge}&code_challenge_method=s256`);
    await tokenAnswer({ ...person(), nonce });
    const code = (await comeBack({ state, code: 'c' })).searchParams.get('code');
    for (const verifier of ['', challenge, 'x'.repeat(43)]) {
      const { status } = await app.ask('POST', '/token?grant_type=pkce', {
        body: { auth_code: code, code_verifier: verifier },
      });
      expect(status).toBe(400);
    }
    const right = await app.ask('POST', '/token?grant_type=pkce', {
      body: { auth_code: code, code_verifier: 'v'.repeat(43) },
    });
    expect(right).toMatchObject({ status: 200, body: { provider_token: 'at' } });
  });

  it('does not log the token of a response that it cannot use', async () => {
    const { state } = await begin();
    provider.answers.set('/token', {
      access_token: 'a-secret-token',
      token_type: 'strange',
      id_token: 'a-secret-token',
    });
    expect(codeOf(await comeBack({ state, code: 'a-secret-code' }))).toBe('provider_failed');
    const fault = app.events.find(({ type }) => type === 'fault');
    expect(fault).toMatchObject({ requestId: 'test' });
    expect(inspect(fault, { depth: 20, showHidden: true })).not.toMatch(/a-secret-token|a-secret-code/);
  });

  it('stores the tokens of the provider in a form that a reader of the table cannot use', async () => {
    const challenge = sha256('v'.repeat(43)).toString('base64url');
    const { state, nonce } = await begin(`&code_challenge=${challenge}&code_challenge_method=s256`);
    provider.answers.set('/token', {
      access_token: 'a-visible-token',
      refresh_token: 'a-visible-refresh-token',
      token_type: 'bearer',
      id_token: await provider.idToken({ ...person(), nonce }),
    });
    await comeBack({ state, code: 'c' });
    const rows = JSON.stringify(await app.sql('select * from auth.flow_state'));
    expect(rows).not.toContain('a-visible');
    expect(rows).not.toContain(state);
  });
});
