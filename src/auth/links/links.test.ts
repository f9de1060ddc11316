import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { lastMailTo, openLink, pressButton, mailsTo as queuedMailsTo } from '../../../test/support/auth-messages.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-links', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => {
  app.reset();
  app.settings = {
    ...app.settings,
    mailer_autoconfirm: false,
    smtp_max_frequency: 0,
    site_url: 'https://site.example',
  };
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const password = 'correct horse';
const secret = () => ({ apikey: app.keys.secretKey, authorization: `Bearer ${app.keys.secretKey}` });

const mailsTo = (address: string) => queuedMailsTo(app, address);
const lastMail = (address: string) => lastMailTo(app, address);

const post = (path: string, body: unknown, headers = {}) => app.ask('POST', path, { body, headers });
const verify = (body: unknown) => post('/verify', body);

type Link = [link: string, headers?: Record<string, string>, button?: Record<string, string>];
const open = (...[link, headers]: Link) => openLink(app, link, headers);
const press = (...link: Link) => pressButton(app, ...link);

/** Returns an account whose address is confirmed, and its session. */
async function confirmed(): Promise<{ email: string; id: string; token: string }> {
  const email = uniqueEmail();
  await post('/signup', { email, password });
  const { body } = await verify({ type: 'signup', email, token: (await lastMail(email)).data.Token });
  return { email, id: (body.user as { id: string }).id, token: String(body.access_token) };
}

describe('POST /signup where addresses must be confirmed', () => {
  it('mails a link and a code, each of which confirms and signs in and invalidates the other', async () => {
    const email = uniqueEmail();
    const { status, body } = await post('/signup', { email, password });
    expect([status, body.email_confirmed_at, body.access_token]).toEqual([200, undefined, undefined]);
    const { kind, data } = await lastMail(email);
    expect(kind).toBe('confirmation');
    expect(data.Token).toMatch(/^\d{6}$/);
    expect(data.ConfirmationURL).toMatch(
      /^http:\/\/auth\.localhost:8000\/auth\/v1\/verify\?token=[0-9a-f]{56}&type=signup&/,
    );
    const verified = await verify({ type: 'email', email: email.toUpperCase(), token: data.Token });
    expect(verified).toMatchObject({ status: 200, body: { user: { email, email_confirmed_at: expect.any(String) } } });
    const { location } = await press(data.ConfirmationURL);
    expect(location.hash).toContain('error_code=otp_expired');
    expect((await post('/token?grant_type=password', { email, password })).status).toBe(200);
  });

  it('removes the password of the account if two sign-ups send different passwords, and stores it if both are equal', async () => {
    const [contested, repeated] = [uniqueEmail(), uniqueEmail()];
    for (const [email, second] of [
      [contested, 'the owner’s own'],
      [repeated, password],
    ] as const) {
      await post('/signup', { email, password });
      await post('/signup', { email, password: second });
      await verify({ type: 'signup', email, token: (await lastMail(email)).data.Token });
    }
    const signIn = (email: string, word: string) => post('/token?grant_type=password', { email, password: word });
    expect((await signIn(contested, password)).body.code).toBe('invalid_credentials');
    expect((await signIn(contested, 'the owner’s own')).body.code).toBe('invalid_credentials');
    expect((await signIn(repeated, password)).status).toBe(200);
  });

  it('removes a password that a stranger has set when the owner of the address uses a link from a mail', async () => {
    for (const path of ['/otp', '/magiclink', '/recover']) {
      const email = uniqueEmail();
      await post('/signup', { email, password });
      await post(path, { email });
      const { data } = await lastMail(email);
      expect(
        (await verify({ type: path === '/recover' ? 'recovery' : 'email', email, token: data.Token })).status,
      ).toBe(200);
      expect((await post('/token?grant_type=password', { email, password })).body.code, path).toBe(
        'invalid_credentials',
      );
    }
  });

  it('sends no second mail for a repeated sign-up, but sends one for POST /resend', async () => {
    const email = uniqueEmail();
    await post('/signup', { email, password });
    const first = await lastMail(email);
    expect(await post('/resend', { type: 'signup', email })).toMatchObject({ status: 200, body: {} });
    expect((await verify({ type: 'signup', token_hash: first.data.TokenHash })).body.code).toBe('otp_expired');
    expect((await verify({ type: 'signup', token_hash: (await lastMail(email)).data.TokenHash })).status).toBe(200);
    await post('/resend', { type: 'signup', email });
    expect(await mailsTo(email)).toHaveLength(2);
  });
});

describe('POST /otp', () => {
  it('signs a member in, and creates an account unless create_user is false', async () => {
    const { email, id } = await confirmed();
    await post('/otp', { email, create_user: false });
    const { kind, data } = await lastMail(email);
    expect(kind).toBe('magic_link');
    expect(await verify({ type: 'email', email, token: data.Token })).toMatchObject({
      status: 200,
      body: { user: { id } },
    });
    const [made, none] = [uniqueEmail(), uniqueEmail()];
    expect((await post('/otp', { email: made, data: { theme: 'dark' } })).body).toEqual({});
    expect((await post('/otp', { email: none, create_user: false })).body).toEqual({});
    expect(await mailsTo(none)).toEqual([]);
    const { data: link } = await lastMail(made);
    expect(await verify({ type: 'signup', token_hash: link.TokenHash })).toMatchObject({
      status: 200,
      body: { user: { user_metadata: { theme: 'dark' } } },
    });
  });

  it('confirms a new account by a magic link if sign-ups need no confirmation', async () => {
    app.settings = { ...app.settings, mailer_autoconfirm: true };
    const email = uniqueEmail();
    await post('/otp', { email });
    const { kind, data } = await lastMail(email);
    expect(kind).toBe('magic_link');
    const { body } = await verify({ type: 'magiclink', token_hash: data.TokenHash });
    expect(body.user).toMatchObject({ email, email_confirmed_at: expect.any(String) });
  });

  it.each([
    [{}, 'validation_failed', 400],
    [{ email: 'a@b.c', phone: '+491701234567' }, 'validation_failed', 400],
    [{ email: 'a@b.c', channel: 'sms' }, 'validation_failed', 400],
    [{ email: 'a@b.c', code_challenge: 'x'.repeat(43) }, 'validation_failed', 400],
    [{ phone: '+491701234567' }, 'phone_provider_disabled', 400],
    [{ email: 'no address' }, 'validation_failed', 400],
  ])('refuses %j with %s', async (body, code, status) => {
    expect(await post('/otp', body)).toMatchObject({ status, body: { code } });
  });
});

it.each([
  ['/otp', { email: 'a@b.c' }, 422],
  ['/magiclink', { email: 'a@b.c' }, 422],
  ['/recover', {}, 400],
  ['/resend', { type: 'signup', email: 'a@b.c' }, 400],
])('the app refuses POST %s %j if sign-in by e-mail address is disabled', async (path, body, status) => {
  app.settings = { ...app.settings, external_email_enabled: false };
  expect(await post(path, body)).toMatchObject({ status, body: { code: 'email_provider_disabled' } });
});

describe('the page of a link', () => {
  it('changes nothing when it is opened, and its button confirms with the session in the fragment', async () => {
    const { email, id } = await confirmed();
    await post('/recover?redirect_to=https%3A%2F%2Fsite.example%2Freset%3Fa%3D1', { email });
    const { data } = await lastMail(email);
    await open(data.ConfirmationURL);
    const { page, reply, location } = await press(data.ConfirmationURL);
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self' https:\/\/site\.example; frame-ancestors 'none'$/,
    );
    expect(String(page.body)).not.toMatch(/<script|onclick/i);
    expect([reply.status, location.origin + location.pathname + location.search]).toEqual([
      303,
      'https://site.example/reset?a=1',
    ]);
    const fragment = new URLSearchParams(location.hash.slice(1));
    expect(fragment.get('type')).toBe('recovery');
    const headers = { authorization: `Bearer ${fragment.get('access_token')}` };
    expect((await app.ask('GET', '/user', { headers })).body.id).toBe(id);
    expect((await press(data.ConfirmationURL)).location.hash).toContain('error_code=otp_expired');
  });

  it('is shown again, without a sign-in, if another site sends the form', async () => {
    const { email } = await confirmed();
    await post('/otp', { email });
    const { data } = await lastMail(email);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
    ]) {
      const { reply } = await press(data.ConfirmationURL, headers);
      expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    }
    expect((await verify({ type: 'magiclink', token_hash: data.TokenHash })).status).toBe(200);
  });

  it('confirms a sign-up without its password if the owner of the address asks for that', async () => {
    const confirmedBy = async (button: Record<string, string>, challenge = {}) => {
      const email = uniqueEmail();
      await post('/signup', { email, password, ...challenge });
      const { page, location } = await press((await lastMail(email)).data.ConfirmationURL, {}, button);
      expect(page.body).toContain('name="keep_password" value="false">Confirm without the password<');
      const signedIn = await post('/token?grant_type=password', { email, password });
      return { email, location, body: signedIn.body };
    };
    expect((await confirmedBy({})).body).toMatchObject({ access_token: expect.any(String) });
    const without = await confirmedBy({ keep_password: 'false' });
    expect(without.body).toMatchObject({ code: 'invalid_credentials' });
    // The owner has a session, and can now choose a password.
    const headers = {
      authorization: `Bearer ${new URLSearchParams(without.location.hash.slice(1)).get('access_token')}`,
    };
    expect((await app.ask('PUT', '/user', { body: { password: 'the owner’s own' }, headers })).status).toBe(200);
    expect(
      (await post('/token?grant_type=password', { email: without.email, password: 'the owner’s own' })).status,
    ).toBe(200);
    // An anonymous account, whose member takes the address of another person.
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    const email = uniqueEmail();
    const stranger = app.client();
    await stranger.auth.signInAnonymously();
    expect((await stranger.auth.updateUser({ email, password })).error).toBeNull();
    const { data } = await lastMail(email);
    const { page } = await press(data.ConfirmationURL, { 'sec-fetch-site': 'cross-site' });
    expect(page.body).toContain('name="keep_password" value="false"');
    await press(data.ConfirmationURL, {}, { keep_password: 'false' });
    const taken = await post('/token?grant_type=password', { email, password });
    expect(taken.body).toMatchObject({ code: 'invalid_credentials' });
    expect((await stranger.auth.refreshSession()).error).not.toBeNull();

    const verifier = randomBytes(40).toString('base64url');
    const flow = await confirmedBy(
      { keep_password: 'false' },
      { code_challenge: verifier, code_challenge_method: 'plain' },
    );
    expect(flow.body).toMatchObject({ code: 'invalid_credentials' });
    const exchanged = await post('/token?grant_type=pkce', {
      auth_code: flow.location.searchParams.get('code'),
      code_verifier: verifier,
    });
    expect(exchanged.status).toBe(200);
  });

  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'de', 'ltr'],
    ['ar', 'ar', 'rtl'],
    ['fr, en;q=0.1', 'en', 'ltr'],
    ['de;q=0', 'en', 'ltr'],
    ['', 'en', 'ltr'],
  ])('is in the language that Accept-Language %j prefers', async (header, code, direction) => {
    const page = await open('?type=signup&token="><script>', { 'accept-language': header });
    expect(page.body).toContain(`<html lang="${code}" dir="${direction}">`);
    expect(page.body).not.toContain('<script>');
  });

  it('is shown on the app’s own origin, to which the node’s origin redirects', async () => {
    const reply = await app.call('GET', '/verify?type=signup&token=x');
    expect([reply.status, reply.redirect]).toEqual([
      303,
      'http://auth.localhost:8000/auth/v1/verify?type=signup&token=x',
    ]);
  });

  it('leads to the page of the app that stores the session, if the app has no site', async () => {
    app.settings = { ...app.settings, site_url: null };
    const { email } = await confirmed();
    await post('/otp', { email });
    const { data } = await lastMail(email);
    expect(new URL(data.ConfirmationURL).searchParams.has('redirect_to')).toBe(false);
    const { reply } = await press(data.ConfirmationURL);
    expect([reply.status, reply.redirect]).toEqual([
      303,
      expect.stringMatching(/^http:\/\/auth\.localhost:8000\/account\/arrive#access_token=.*&type=magiclink$/),
    ]);
  });

  it('shows no form if the app has no site and another client began the flow, because only that client can finish it', async () => {
    app.settings = { ...app.settings, site_url: null };
    const { email } = await confirmed();
    const code_challenge = createHash('sha256').update('verifier').digest('base64url');
    await post('/otp', { email, code_challenge, code_challenge_method: 's256' });
    const { data } = await lastMail(email);
    const page = await open(data.ConfirmationURL);
    expect(page.body).not.toContain('<form');
    expect((await verify({ type: 'email', email, token: data.Token })).status).toBe(200);
  });
});

it('POST /verify uses up a link in one query to the database, and only one of many parallel requests succeeds', async () => {
  const { email } = await confirmed();
  await post('/recover', { email });
  const { TokenHash } = (await lastMail(email)).data;
  const run = vi.spyOn(app.database, 'run');
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => verify({ type: 'recovery', token_hash: TokenHash })),
  );
  const runs = run.mock.calls.filter(([batch]) => batch.some(({ text }) => text.includes('one_time_token'))).length;
  run.mockRestore();
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(403)]);
  expect(runs).toBe(20);
});

describe('mails of links and codes', () => {
  const german = { 'accept-language': 'de-AT' };
  const languages = async (address: string) =>
    (await mailsTo(address)).map(({ kind, language }) => `${kind} ${language ?? ''}`);

  it('are in the language of the call', async () => {
    const [fresh, invited, changed] = [uniqueEmail(), uniqueEmail(), uniqueEmail()];
    await post('/signup', { email: fresh, password }, german);
    await post('/resend', { type: 'signup', email: fresh }, german);
    expect(await languages(fresh)).toEqual(['confirmation de-AT', 'confirmation de-AT']);
    await post('/invite', { email: invited }, { ...secret(), ...german });
    expect(await languages(invited)).toEqual(['invite de-AT']);
    const { email, token } = await confirmed();
    const mine = { authorization: `Bearer ${token}`, ...german };
    await post('/otp', { email }, german);
    await post('/recover', { email }, german);
    await app.call('GET', '/reauthenticate', { headers: mine });
    await app.ask('PUT', '/user', { body: { email: changed }, headers: mine });
    expect((await languages(email)).slice(1)).toEqual(
      ['magic_link', 'recovery', 'reauthentication', 'email_change'].map((kind) => `${kind} de-AT`),
    );
    expect(await languages(changed)).toEqual(['email_change de-AT']);
  });

  it('report a new device after a link, a code or a PKCE flow, but not after the first sign-in', async () => {
    const { email } = await confirmed();
    const from = (address: string, path: string, body: unknown) =>
      app.ask('POST', path, { body, address, headers: german });
    await post('/recover', { email });
    await from('198.51.100.1', '/verify', { type: 'recovery', token_hash: (await lastMail(email)).data.TokenHash });
    await post('/otp', { email });
    await from('198.51.100.2', '/verify', { type: 'email', email, token: (await lastMail(email)).data.Token });
    const verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    await post('/otp', { email, code_challenge, code_challenge_method: 's256' });
    const { location } = await press((await lastMail(email)).data.ConfirmationURL);
    const exchange = { auth_code: location.searchParams.get('code'), code_verifier: verifier };
    expect((await from('198.51.100.3', '/token?grant_type=pkce', exchange)).status).toBe(200);
    const notices = (await languages(email)).filter((mail) => mail.startsWith('new_device'));
    expect(notices).toEqual(Array(3).fill('new_device_notification de-AT'));
    await post('/recover', { email });
    await from('198.51.100.1', '/verify', { type: 'recovery', token_hash: (await lastMail(email)).data.TokenHash });
    expect((await languages(email)).at(-1)).toBe('recovery ');
  });
});

it('the page of a link gives the code of a PKCE flow to the client that started the flow', async () => {
  const verifier = randomBytes(40).toString('base64url');
  const challenge = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 's256',
  };
  const email = uniqueEmail();
  await post('/signup', { email, password, ...challenge });
  const { data } = await lastMail(email);
  expect(data.TokenHash).toMatch(/^pkce_/);
  const { location } = await press(data.ConfirmationURL);
  expect(location.hash).toBe('');
  const auth_code = location.searchParams.get('code');
  const exchange = (code_verifier: string) => post('/token?grant_type=pkce', { auth_code, code_verifier });
  expect((await exchange('x'.repeat(43))).body.code).toBe('bad_code_verifier');
  expect(await exchange(verifier)).toMatchObject({ status: 200, body: { user: { email } } });
  await post('/recover', { email, ...challenge });
  const again = await press((await lastMail(email)).data.ConfirmationURL);
  expect(again.location.searchParams.get('code')).toBeTruthy();
});

describe('reauthentication', () => {
  it('is required if the session is older than a day: by the code of a mail, which works once, or by the current password', async () => {
    const { email, id, token } = await confirmed();
    const headers = { authorization: `Bearer ${token}` };
    const change = (body: object) => app.ask('PUT', '/user', { headers, body });
    expect((await change({ password: 'a second word' })).status).toBe(200);
    await app.sql("update auth.sessions set created_at = now() - interval '25 hours' where user_id = $1", [id]);
    expect(await change({ password: 'a third word' })).toMatchObject({
      status: 400,
      body: { code: 'reauthentication_needed' },
    });
    expect(await change({ email: uniqueEmail() })).toMatchObject({ body: { code: 'reauthentication_needed' } });
    expect((await change({ password: 'a third word', current_password: 'wrong' })).body.code).toBe(
      'reauthentication_needed',
    );
    expect((await change({ password: 'a third word', current_password: 'a second word' })).status).toBe(200);
    expect((await app.ask('GET', '/reauthenticate', { headers })).body).toEqual({});
    const { kind, data } = await lastMail(email);
    expect([kind, data.ConfirmationURL]).toEqual(['reauthentication', undefined]);
    expect(await change({ password: 'a fourth word', nonce: '000' })).toMatchObject({
      status: 422,
      body: { code: 'reauthentication_not_valid' },
    });
    expect((await change({ password: 'a fourth word', nonce: data.Token })).status).toBe(200);
    expect((await change({ password: 'a fifth word', nonce: data.Token })).body.code).toBe(
      'reauthentication_not_valid',
    );
  });

  it('is refused for an account without an address', async () => {
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    const { body } = await post('/signup', {});
    const headers = { authorization: `Bearer ${body.access_token}` };
    expect((await app.ask('GET', '/reauthenticate', { headers })).body).toMatchObject({
      message: 'Reauthentication requires the user to have an email or a phone number',
    });
  });
});

describe('POST /invite and POST /admin/generate_link', () => {
  it('mails an invitation, sets invited_at, and refuses a confirmed address', async () => {
    const email = uniqueEmail();
    expect((await post('/invite', { email })).status).toBe(401);
    expect((await post('/invite', { email, data: { team: 'red' } }, secret())).body).toMatchObject({
      email,
      invited_at: expect.any(String),
      user_metadata: { team: 'red' },
    });
    const { kind, data } = await lastMail(email);
    expect(kind).toBe('invite');
    expect((await post('/invite', { email }, secret())).status).toBe(200);
    expect((await verify({ type: 'invite', token_hash: data.TokenHash })).body.code).toBe('otp_expired');
    const { location } = await press((await lastMail(email)).data.ConfirmationURL);
    expect(new URLSearchParams(location.hash.slice(1)).get('type')).toBe('invite');
    expect(await post('/invite', { email }, secret())).toMatchObject({ status: 422, body: { code: 'email_exists' } });
  });

  it('returns a link of each type without mailing the link', async () => {
    const make = (body: object) => post('/admin/generate_link', body, secret());
    const email = uniqueEmail();
    const made = await make({ type: 'signup', email, password, redirect_to: 'https://site.example/in' });
    expect(made.body).toMatchObject({
      email,
      verification_type: 'signup',
      redirect_to: 'https://site.example/in',
      hashed_token: expect.stringMatching(/^[0-9a-f]{56}$/),
      email_otp: expect.stringMatching(/^\d{6}$/),
    });
    expect((await press(String(made.body.action_link))).location.pathname).toBe('/in');
    for (const type of ['magiclink', 'recovery']) {
      const { body } = await make({ type, email });
      expect((await verify({ type, email, token: body.email_otp })).status, type).toBe(200);
    }
    const unknown = uniqueEmail();
    expect((await make({ type: 'recovery', email: unknown })).body.code).toBe('user_not_found');
    expect((await make({ type: 'magiclink', email: unknown })).body.verification_type).toBe('signup');
    expect((await make({ type: 'invite', email: uniqueEmail() })).body.invited_at).toEqual(expect.any(String));
    const next = uniqueEmail();
    const current = await make({ type: 'email_change_current', email, new_email: next });
    const fresh = await make({ type: 'email_change_new', email, new_email: next });
    expect((await verify({ type: 'email_change', token_hash: current.body.hashed_token })).body.code).toBe('200');
    expect((await verify({ type: 'email_change', email: next, token: fresh.body.email_otp })).body.user).toMatchObject({
      email: next,
    });
    expect((await make({ type: 'sms', email })).body.code).toBe('validation_failed');
    expect((await mailsTo(email)).map(({ kind }) => kind)).toEqual(['email_changed_notification']);
  });
});

describe('limits of links and codes', () => {
  it('refuse a second mail within smtp_max_frequency, whether or not an account has the address', async () => {
    app.settings = { ...app.settings, smtp_max_frequency: 60 };
    const { email } = await confirmed();
    const answers: unknown[] = [];
    for (const address of [email, uniqueEmail()]) {
      await post('/recover', { email: address });
      const { status, headers, body } = await post('/recover', { email: address });
      answers.push([status, body.code, Number(headers['retry-after']) > 50, headers['ratelimit-policy']]);
    }
    const policy = '"smtp_max_frequency";q=1;w=60';
    expect(answers).toEqual(Array(2).fill([429, 'over_email_send_rate_limit', true, policy]));
  });

  it('refuse even the right code after too many wrong ones, except for a network of the member, and for the link', async () => {
    const { email } = await confirmed();
    await post('/otp', { email });
    const { data } = await lastMail(email);
    const guess = (token: string, address: string) =>
      app.ask('POST', '/verify', { body: { type: 'email', email, token }, address });
    const statuses = [];
    for (let i = 0; i < limits.oneTimeCodeTries.default; i++) statuses.push((await guess('x', '203.0.113.9')).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([403, 429]);
    const refused = await guess(data.Token, '203.0.113.9');
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    expect(refused.headers['ratelimit-policy']).toBe('"rate_limit_verify_account";q=10;w=300');
    await post('/otp', { email });
    const fresh = (await lastMail(email)).data;
    expect((await guess(fresh.Token, '203.0.113.9')).status).toBe(429);
    expect((await guess(fresh.Token, '127.0.0.1')).status).toBe(200);
    await post('/otp', { email });
    const { TokenHash: token_hash } = (await lastMail(email)).data;
    const body = { type: 'magiclink', token_hash };
    expect((await app.ask('POST', '/verify', { body, address: '203.0.113.9' })).status).toBe(200);
  });

  it('invalidate links and codes that are older than mailer_otp_exp', async () => {
    const { email } = await confirmed();
    await post('/otp', { email });
    await app.sql("update auth.users set recovery_sent_at = now() - interval '3601 seconds' where email = $1", [email]);
    const { data } = await lastMail(email);
    expect((await verify({ type: 'email', email, token: data.Token })).body.code).toBe('otp_expired');
    expect((await verify({ type: 'magiclink', token_hash: data.TokenHash })).body.code).toBe('otp_expired');
  });
});

it.each([
  [{ token_hash: 'x' }, 'validation_failed', 400],
  [{ type: 'email' }, 'validation_failed', 400],
  [{ type: 'email', token: '1', token_hash: 'x' }, 'validation_failed', 400],
  [{ type: 'email', token: '123456' }, 'validation_failed', 400],
  [{ type: 'email', token_hash: 'x', email: 'a@b.c' }, 'validation_failed', 400],
  [{ type: 'other', token_hash: 'x' }, 'validation_failed', 400],
  [{ type: 'email', email: 'a@b.c', token: '123456' }, 'otp_expired', 403],
  [{ type: 'sms', phone: '+491701234567', token: '123456' }, 'otp_expired', 403],
  [{ type: 'sms', phone: 'x', token: '123456' }, 'validation_failed', 400],
  [{ type: 'email', email: 'x', token: '123456' }, 'validation_failed', 422],
])('POST /verify refuses %j with %s', async (body, code, status) => {
  expect(await verify(body)).toMatchObject({ status, body: { code } });
});

it('PostgreSQL notifies the queue of mails only if a statement adds a mail', async () => {
  const notify = (type: string) =>
    runAsAuthAdmin(app.database, [['select pg_catalog.pg_notify($1, $2)', ['ninefold', `{"type":"${type}"}`]]]);
  const next = () => app.heard((payload) => /"(mail|before|after)"/.test(payload));
  const before = app.heard((payload) => payload.includes('"before"'));
  await notify('before');
  await before;
  const first = next();
  await runAsAuthAdmin(app.database, [
    ['insert into ninefold.mails (kind, recipient) select $1, $1 where false', ['x']],
  ]);
  await notify('after');
  expect(await first).toContain('"after"');
});
