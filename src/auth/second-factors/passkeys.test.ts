import type { Session } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp, ORIGIN } from '../../../test/support/auth-app.ts';
import { Authenticator, type Ceremony } from '../../../test/support/authenticator.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-passkeys', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => app.reset());
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const PASSWORD = 'a long password';
const RP_ID = 'auth.localhost';

const bearer = (session: Pick<Session, 'access_token'>) => ({ authorization: `Bearer ${session.access_token}` });
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const post = (path: string, body: unknown, session?: Pick<Session, 'access_token'>) =>
  app.ask('POST', path, { body, ...(session && { headers: bearer(session) }) });

interface Opened {
  challenge_id: string;
  options: { challenge: string; rpId?: string; rp?: { id: string }; user?: { id: string } };
  expires_at: number;
}

async function options(
  path: string,
  session?: Pick<Session, 'access_token'>,
): Promise<Opened & { ceremony: Ceremony }> {
  const { body, status } = await post(`/passkeys/${path}/options`, {}, session);
  if (status !== 200) throw new Error(JSON.stringify(body));
  const opened = body as unknown as Opened;
  return { ...opened, ceremony: { origin: ORIGIN, rpId: RP_ID, challenge: opened.options.challenge } };
}

const register = async (session: Session, device: Authenticator, change: Partial<Ceremony> = {}) => {
  const { challenge_id, ceremony } = await options('registration', session);
  const credential = device.create({ ...ceremony, ...change }, session.user.id);
  return post('/passkeys/registration/verify', { challenge_id, credential }, session);
};

const signIn = async (device: Authenticator, change: Partial<Ceremony> = {}) => {
  const { challenge_id, ceremony } = await options('authentication');
  return post('/passkeys/authentication/verify', { challenge_id, credential: device.get({ ...ceremony, ...change }) });
};

async function memberWithPasskey(counter = 1) {
  const member = await app.member(PASSWORD);
  const device = new Authenticator(counter);
  const { status, body } = await register(member.session, device);
  expect(status).toBe(200);
  return { ...member, device, passkeyId: String(body.id) };
}

describe('a passkey', () => {
  it('is registered for the app’s own origin, and signs in without a user name', async () => {
    const { session, user } = await app.member(PASSWORD);
    const opened = await options('registration', session);
    expect(opened.options).toMatchObject({
      rp: { id: RP_ID, name: 'auth' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
    });
    expect(Buffer.from(opened.options.user?.id ?? '', 'base64url').toString()).toBe(user.id);
    const device = new Authenticator();
    const made = await register(session, device);
    expect(made).toMatchObject({ status: 200, body: { friendly_name: 'Passkey' } });

    const asked = await options('authentication');
    expect(asked.options).toMatchObject({ rpId: RP_ID, userVerification: 'preferred' });
    expect((asked.options as { allowCredentials?: unknown[] }).allowCredentials ?? []).toEqual([]);
    const { status, body } = await signIn(device);
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ id: user.id });
    expect(claimsOf(String(body.access_token))).toMatchObject({ aal: 'aal1', amr: [{ method: 'passkey' }] });
    expect((await app.client().auth.refreshSession({ refresh_token: String(body.refresh_token) })).error).toBeNull();
  });

  it('can be listed, renamed and removed by its member and by the secret key', async () => {
    const { client, session, device, passkeyId, user } = await memberWithPasskey();
    await signIn(device);
    const { data } = await client.auth.passkey.list();
    expect(data).toMatchObject([{ id: passkeyId, friendly_name: 'Passkey', last_used_at: expect.any(String) }]);
    const renamed = await client.auth.passkey.update({ passkeyId, friendlyName: 'My laptop' });
    expect(renamed.data).toMatchObject({ id: passkeyId, friendly_name: 'My laptop' });
    expect((await client.auth.passkey.update({ passkeyId, friendlyName: 'x'.repeat(121) })).error?.code).toBe(
      'validation_failed',
    );
    const other = await app.member(PASSWORD);
    expect((await other.client.auth.passkey.update({ passkeyId, friendlyName: 'mine' })).error).toMatchObject({
      status: 404,
    });
    expect((await other.client.auth.passkey.delete({ passkeyId })).error).toMatchObject({ status: 404 });
    const admins = app.client(app.keys.secretKey).auth.admin.passkey;
    expect((await admins.listPasskeys({ userId: user.id })).data).toHaveLength(1);
    expect((await client.auth.passkey.delete({ passkeyId })).error).toBeNull();
    expect(await signIn(device)).toMatchObject({ status: 400, body: { code: 'webauthn_verification_failed' } });
    const again = await register(session, new Authenticator());
    expect(
      (await admins.deletePasskey({ userId: other.user.id, passkeyId: String(again.body.id) })).error,
    ).not.toBeNull();
    expect((await admins.deletePasskey({ userId: user.id, passkeyId: String(again.body.id) })).error).toBeNull();
    expect((await client.auth.passkey.list()).data).toEqual([]);
  });

  it('causes a mail when it is added or removed, unless the app disables that mail', async () => {
    const noticesOf = async (id: string) => {
      const [found] = await runAsAuthAdmin(app.database, [
        [
          `select kind, recipient, data ->> 'Passkey' from ninefold.mails where user_id = $1 and kind like 'passkey%' order by created_at`,
          [id],
        ],
      ]);
      return found?.rows.map((row) => row.map(String));
    };
    const { client, email, passkeyId, session, user } = await memberWithPasskey();
    await client.auth.passkey.update({ passkeyId, friendlyName: 'My laptop' });
    await client.auth.passkey.delete({ passkeyId });
    const reported = [
      ['passkey_added_notification', email, 'Passkey'],
      ['passkey_removed_notification', email, 'My laptop'],
    ];
    expect(await noticesOf(user.id)).toEqual(reported);
    const keys = `'mailer_notifications_passkey_added_enabled', 'mailer_notifications_passkey_removed_enabled'`;
    await app.sql(`insert into ninefold.settings (key, value) select key, 'false' from unnest(array[${keys}]) key`);
    const again = await register(session, new Authenticator());
    await client.auth.passkey.delete({ passkeyId: String(again.body.id) });
    expect(await noticesOf(user.id)).toEqual(reported);
    await app.sql(`delete from ninefold.settings where key in (${keys})`);
  });

  it.each([0, 1])(
    'opens one session when 32 requests contain the same assertion, with a counter of %i',
    async (counter) => {
      const { device } = await memberWithPasskey(counter);
      const { challenge_id, ceremony } = await options('authentication');
      const credential = device.get(ceremony);
      const ask = () => post('/passkeys/authentication/verify', { challenge_id, credential });
      const answers = await Promise.all(Array.from({ length: 32 }, ask));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(31);
      expect((await ask()).body.code).toBe('webauthn_challenge_not_found');
    },
  );

  it('is refused if its counter goes back, because its key was copied', async () => {
    const { device } = await memberWithPasskey(5);
    expect((await signIn(device)).status).toBe(200);
    device.counter = 3;
    expect((await signIn(device)).body.code).toBe('webauthn_verification_failed');
    device.counter = 9;
    expect((await signIn(device)).status).toBe(200);
  });

  it.each<[string, Partial<Ceremony>]>([
    ['another origin', { origin: 'http://other.localhost:9009' }],
    ['another domain', { rpId: 'other.localhost' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['another ceremony', { type: 'payment.get' }],
  ])('is refused for %s', async (_, change) => {
    const { session, device } = await memberWithPasskey();
    expect((await signIn(device, change)).body.code).toBe('webauthn_verification_failed');
    expect((await register(session, new Authenticator(), change)).body.code).toBe('webauthn_verification_failed');
    expect((await signIn(device)).status).toBe(200);
  });

  it('does not sign in a member whose id the device sends if the passkey belongs to another member', async () => {
    const { user: ada } = await app.member(PASSWORD);
    const { device, user } = await memberWithPasskey();
    device.userHandle = ada.id;
    expect((await signIn(device)).body.code).toBe('webauthn_verification_failed');
    device.userHandle = '';
    expect((await signIn(device)).body.code).toBe('webauthn_verification_failed');
    device.userHandle = user.id;
    expect((await signIn(device)).status).toBe(200);
  });

  it('gets the same error if it has a wrong signature, is unknown or malformed', async () => {
    const { device } = await memberWithPasskey();
    const { challenge_id, ceremony } = await options('authentication');
    const right = device.get(ceremony);
    const forged = {
      ...right,
      response: { ...right.response, signature: new Authenticator().get(ceremony).response.signature },
    };
    const stranger = new Authenticator();
    const credentials = [
      forged,
      stranger.get(ceremony),
      {},
      { ...right, response: { ...right.response, authenticatorData: 'AA' } },
    ];
    for (const credential of credentials) {
      const { status, body } = await post('/passkeys/authentication/verify', { challenge_id, credential });
      expect([status, body]).toEqual([
        400,
        { code: 'webauthn_verification_failed', message: 'Credential verification failed' },
      ]);
    }
    expect((await post('/passkeys/authentication/verify', { challenge_id, credential: right })).status).toBe(200);
  });

  it('opens no session of a banned, unconfirmed or deleted account', async () => {
    const { device, user } = await memberWithPasskey();
    const admins = app.client(app.keys.secretKey).auth.admin;
    await admins.updateUserById(user.id, { ban_duration: '1h' });
    expect(await signIn(device)).toMatchObject({ status: 403, body: { code: 'user_banned' } });
    await admins.updateUserById(user.id, { ban_duration: 'none' });
    await app.sql('update auth.users set email_confirmed_at = null where id = $1', [user.id]);
    expect(await signIn(device)).toMatchObject({ status: 403, body: { code: 'email_not_confirmed' } });
    await admins.deleteUser(user.id, true);
    expect((await signIn(device)).body.code).toBe('webauthn_verification_failed');
    expect(await app.sql('select id from auth.webauthn_credentials where user_id = $1', [user.id])).toEqual([]);
  });
});

describe('a WebAuthn challenge', () => {
  it('is refused after it has expired, and a made-up id is refused as unknown', async () => {
    const { device, session } = await memberWithPasskey();
    const { challenge_id, ceremony } = await options('authentication');
    const verify = (id: string) =>
      post('/passkeys/authentication/verify', { challenge_id: id, credential: device.get(ceremony) });
    app.clockOffset = 301_000;
    expect((await verify(challenge_id)).body.code).toBe('webauthn_challenge_expired');
    app.clockOffset = 0;
    expect((await verify(session.user.id)).body.code).toBe('webauthn_challenge_not_found');
    expect((await verify('x')).body.code).toBe('validation_failed');
    const last = challenge_id.at(-1) === '0' ? '1' : '0';
    expect((await verify(`${challenge_id.slice(0, -1)}${last}`)).body.code).toBe('webauthn_verification_failed');
  });

  it('belongs to its member, works once and is limited in number, if the challenge is for a registration', async () => {
    const ada = await app.member(PASSWORD);
    const bob = await app.member(PASSWORD);
    const { challenge_id, ceremony } = await options('registration', ada.session);
    const body = { challenge_id, credential: new Authenticator().create(ceremony, bob.user.id) };
    expect((await post('/passkeys/registration/verify', body, bob.session)).body.code).toBe(
      'webauthn_challenge_not_found',
    );
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post('/passkeys/registration/verify', body, ada.session)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (let i = 0; i < 8; i++) await options('registration', ada.session);
    const rows = await app.sql('select id from auth.webauthn_challenges where user_id = $1', [ada.user.id]);
    expect(rows).toHaveLength(5);
  });
});

describe('POST /passkeys/registration/verify', () => {
  it('registers a device once and as many devices as the setting allows, also in parallel', async () => {
    app.settings = { ...app.settings, passkey_max_passkeys_per_user: 2 };
    const { session } = await app.member(PASSWORD);
    const device = new Authenticator();
    const opened = await Promise.all(Array.from({ length: 4 }, () => options('registration', session)));
    expect((await register(session, device)).status).toBe(200);
    const other = await app.member(PASSWORD);
    expect(await register(other.session, device)).toMatchObject({
      status: 422,
      body: { code: 'webauthn_credential_exists' },
    });
    const answers = await Promise.all(
      opened.map(({ challenge_id, ceremony }) =>
        post(
          '/passkeys/registration/verify',
          { challenge_id, credential: new Authenticator().create(ceremony, session.user.id) },
          session,
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await post('/passkeys/registration/options', {}, session)).body.code).toBe('too_many_passkeys');
  });

  it('ignores the attestation that a device sends', async () => {
    const { session } = await app.member(PASSWORD);
    const { challenge_id, ceremony } = await options('registration', session);
    const attestation = {
      fmt: 'packed',
      attStmt: new Map<string, unknown>([
        ['alg', -7],
        ['sig', new Uint8Array(8)],
        ['x5c', [new Uint8Array(8)]],
      ]),
    };
    const credential = new Authenticator().create(ceremony, session.user.id, attestation);
    expect((await post('/passkeys/registration/verify', { challenge_id, credential }, session)).status).toBe(200);
  });

  it('needs an account that is not anonymous, and enabled passkeys', async () => {
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    const { data } = await app.client().auth.signInAnonymously();
    expect((await post('/passkeys/registration/options', {}, data.session ?? undefined)).body.code).toBe(
      'no_authorization',
    );
    expect((await post('/passkeys/registration/options', {})).status).toBe(401);
    const { session } = await app.member(PASSWORD);
    app.settings = { ...app.settings, passkey_enabled: false };
    for (const path of ['registration', 'authentication']) {
      expect(await post(`/passkeys/${path}/options`, {}, session)).toMatchObject({
        status: 404,
        body: { code: 'passkey_disabled' },
      });
    }
    expect((await app.ask('GET', '/settings')).body.passkeys_enabled).toBe(false);
  });

  it('uses the relying party of the settings, whatever the request contains', async () => {
    app.settings = { ...app.settings, webauthn_rp_id: 'example.org', webauthn_rp_origins: ['https://app.example.org'] };
    const { session } = await app.member(PASSWORD);
    const device = new Authenticator();
    expect((await register(session, device)).body.code).toBe('webauthn_verification_failed');
    const own = { rpId: 'example.org', origin: 'https://app.example.org' };
    expect((await register(session, device, own)).status).toBe(200);
    expect((await signIn(device, own)).status).toBe(200);
  });
});

describe('a security key as a second factor', () => {
  async function enrol() {
    const member = await app.member(PASSWORD);
    const { data } = await member.client.auth.mfa.enroll({ factorType: 'webauthn', friendlyName: 'key' });
    return { ...member, factorId: data?.id ?? '' };
  }
  const challenge = async (factorId: string, session: Pick<Session, 'access_token'>) => {
    const { body } = await post(`/factors/${factorId}/challenge`, {}, session);
    const { webauthn, id } = body as unknown as {
      id: string;
      webauthn: {
        type: string;
        credential_options: { publicKey: { challenge: string; allowCredentials?: unknown[] } };
      };
    };
    const { publicKey } = webauthn.credential_options;
    return {
      id,
      type: webauthn.type,
      publicKey,
      ceremony: { origin: ORIGIN, rpId: RP_ID, challenge: publicKey.challenge },
    };
  };
  const answer = (
    factorId: string,
    challengeId: string,
    type: string,
    credential: unknown,
    session: Pick<Session, 'access_token'>,
  ) =>
    post(
      `/factors/${factorId}/verify`,
      { challenge_id: challengeId, webauthn: { type, credential_response: credential } },
      session,
    );

  it('is added by the first challenge to it, and raises sessions by the next challenges, once per response', async () => {
    const { factorId, session, user, email } = await enrol();
    const key = new Authenticator();
    const first = await challenge(factorId, session);
    expect(first.type).toBe('create');
    const made = await answer(factorId, first.id, 'create', key.create(first.ceremony, user.id), session);
    expect(claimsOf(String(made.body.access_token))).toMatchObject({ aal: 'aal2' });
    const { data } = await app.client().auth.signInWithPassword({ email, password: PASSWORD });
    if (!data.session) throw new Error('no session');
    const second = await challenge(factorId, data.session);
    expect(second.type).toBe('request');
    expect(second.publicKey.allowCredentials).toMatchObject([{ id: key.id.toString('base64url') }]);
    const { session: half } = data;
    const stranger = await answer(factorId, second.id, 'request', new Authenticator().get(second.ceremony), half);
    expect(stranger.body.code).toBe('webauthn_verification_failed');
    const again = await answer(factorId, second.id, 'create', key.create(second.ceremony, user.id), half);
    expect(again.body.code).toBe('validation_failed');
    const assertion = key.get(second.ceremony);
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => answer(factorId, second.id, 'request', assertion, half)),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(claimsOf(String(won[0]?.body.access_token)).amr.map(({ method }: { method: string }) => method)).toContain(
      'mfa/webauthn',
    );
    const third = await challenge(factorId, half);
    key.counter = 0;
    expect((await answer(factorId, third.id, 'request', key.get(third.ceremony), half)).body.code).toBe(
      'webauthn_verification_failed',
    );
  });

  it('must be shown in a session before it may manage the passkeys of the account', async () => {
    const { factorId, session, user, email } = await enrol();
    const key = new Authenticator();
    const passkey = await register(session, new Authenticator());
    const first = await challenge(factorId, session);
    expect((await answer(factorId, first.id, 'create', key.create(first.ceremony, user.id), session)).status).toBe(200);
    const { data } = await app.client().auth.signInWithPassword({ email, password: PASSWORD });
    const half = data.session ?? undefined;
    expect((await post('/passkeys/registration/options', {}, half)).body.code).toBe('insufficient_aal');
    const deleted = await app.ask('DELETE', `/passkeys/${passkey.body.id}`, {
      headers: bearer(data.session ?? session),
    });
    expect(deleted).toMatchObject({ status: 403, body: { code: 'insufficient_aal' } });
  });
});
