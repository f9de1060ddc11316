import type { Session } from '@supabase/supabase-js';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, makeAuthApp, ORIGIN } from '../../../test/support/auth-app.ts';
import { Authenticator } from '../../../test/support/authenticator.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';
import { jsonAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-unproven');
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => {
  app.reset();
  app.settings = { ...app.settings, smtp_max_frequency: 0, external_anonymous_users_enabled: true };
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

const OF_THE_STRANGER = 'of the stranger';
const OF_THE_OWNER = 'of the owner, only';

const bearer = (session: Pick<Session, 'access_token'>) => ({ authorization: `Bearer ${session.access_token}` });

async function registerPasskey(session: Session): Promise<Authenticator> {
  const { body } = await app.ask('POST', '/passkeys/registration/options', { body: {}, headers: bearer(session) });
  const { challenge } = body.options as { challenge: string };
  const device = new Authenticator();
  const credential = device.create({ origin: ORIGIN, rpId: 'auth.localhost', challenge }, session.user.id);
  const registered = await app.ask('POST', '/passkeys/registration/verify', {
    body: { challenge_id: body.challenge_id, credential },
    headers: bearer(session),
  });
  expect(registered.status).toBe(200);
  return device;
}

async function signInWithPasskey(device: Authenticator) {
  const { body } = await app.ask('POST', '/passkeys/authentication/options', { body: {} });
  const { challenge } = body.options as { challenge: string };
  const credential = device.get({ origin: ORIGIN, rpId: 'auth.localhost', challenge });
  return app.ask('POST', '/passkeys/authentication/verify', {
    body: { challenge_id: body.challenge_id, credential },
  });
}

/** Returns the clients and credentials of a stranger who has signed up with the address of another person. */
async function occupy(email: string, begin: 'with a password' | 'anonymously') {
  const client = app.client();
  if (begin === 'anonymously') {
    await client.auth.signInAnonymously();
    expect((await client.auth.updateUser({ email })).data.user?.email).toBe(email);
    expect((await client.auth.updateUser({ password: OF_THE_STRANGER })).error).toBeNull();
  } else {
    expect((await client.auth.signUp({ email, password: OF_THE_STRANGER })).error).toBeNull();
  }
  const { data } = await client.auth.getSession();
  if (!data.session) throw new Error('no session');
  const { id } = data.session.user;
  const device = await registerPasskey(data.session);
  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
  if (!factor) throw new Error('no factor');
  const code = new TOTP({ secret: Secret.fromBase32(factor.totp.secret) }).generate();
  expect((await client.auth.mfa.challengeAndVerify({ factorId: factor.id, code })).error).toBeNull();
  await app.sql(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
     values ($1::text, $1::uuid, '{"email": "stranger@example.com", "email_verified": true}', 'github', now(), now())`,
    [id],
  );
  return { id, client, device };
}

const accessOf = (id: string) =>
  app.sql(
    `select (select pg_catalog.string_agg(provider, ',') from auth.identities where user_id = $1::uuid) as identities,
       (select count(*) from auth.mfa_factors where user_id = $1::uuid) as factors,
       (select count(*) from auth.webauthn_credentials where user_id = $1::uuid) as passkeys,
       (select count(*) from auth.sessions where user_id = $1::uuid) as sessions`,
    [id],
  );

/** Returns a field of a mail to an address: of the newest mail that has this field. */
const mailed = (email: string, field: 'TokenHash' | 'Token'): Promise<string> =>
  jsonAsAuthAdmin<string>(
    app.database,
    'select data -> $2 from ninefold.mails where recipient = $1 and data ? $2 order by created_at desc limit 1',
    [email, field],
  ).then(String);

describe('an account whose address counts as confirmed without a proof', () => {
  it.each([
    ['/recover', 'recovery', 'with a password'],
    ['/otp', 'magiclink', 'with a password'],
    ['/recover', 'recovery', 'anonymously'],
  ] as const)(
    'gives a stranger no access after the owner of the address uses the mail of POST %s (%s, begun %s)',
    async (path, type, begin) => {
      const email = uniqueEmail();
      const stranger = await occupy(email, begin);
      expect(await accessOf(stranger.id)).toMatchObject([{ factors: '1', passkeys: '1' }]);
      await app.ask('POST', path, { body: { email } });
      const owner = app.client();
      const { data, error } = await owner.auth.verifyOtp({ type, token_hash: await mailed(email, 'TokenHash') });
      expect(error).toBeNull();
      expect(data.user).toMatchObject({
        id: stranger.id,
        app_metadata: { provider: 'email', providers: ['email'] },
      });
      expect(await accessOf(stranger.id)).toEqual([
        { identities: 'email', factors: '0', passkeys: '0', sessions: '1' },
      ]);
      expect((await stranger.client.auth.refreshSession()).error).not.toBeNull();
      expect((await signInWithPasskey(stranger.device)).body.code).toBe('webauthn_verification_failed');
      const signIn = (password: string) => app.client().auth.signInWithPassword({ email, password });
      expect((await signIn(OF_THE_STRANGER)).error?.code).toBe('invalid_credentials');

      // A password that the owner sets stays, also after the owner uses a further mail.
      expect((await owner.auth.updateUser({ password: OF_THE_OWNER })).error).toBeNull();
      await app.ask('POST', path, { body: { email } });
      expect(
        (await app.client().auth.verifyOtp({ type, token_hash: await mailed(email, 'TokenHash') })).error,
      ).toBeNull();
      expect((await signIn(OF_THE_OWNER)).error).toBeNull();
      expect((await owner.auth.refreshSession()).error).toBeNull();
    },
  );

  it('keeps the password and sessions of its member after the builder or a code from a mail has confirmed the address', async () => {
    const admin = app.client(app.keys.secretKey).auth.admin;
    const vouched = await app.member(OF_THE_OWNER);
    await admin.updateUserById(vouched.user.id, { email_confirm: true });
    const present = await app.member(OF_THE_OWNER);
    // A recent session needs no code for reauthentication, so the session is made older.
    await app.sql(`update auth.sessions set created_at = now() - interval '2 days' where user_id = $1::uuid`, [
      present.user.id,
    ]);
    await present.client.auth.reauthenticate();
    const nonce = await mailed(present.email, 'Token');
    const changed = await present.client.auth.updateUser({ password: `${OF_THE_OWNER}!`, nonce });
    expect(changed.error).toBeNull();
    const created = uniqueEmail();
    await admin.createUser({ email: created, password: OF_THE_OWNER, email_confirm: true });
    for (const [email, password] of [
      [vouched.email, OF_THE_OWNER],
      [present.email, `${OF_THE_OWNER}!`],
      [created, OF_THE_OWNER],
    ] as const) {
      await app.ask('POST', '/otp', { body: { email } });
      const used = await app
        .client()
        .auth.verifyOtp({ type: 'magiclink', token_hash: await mailed(email, 'TokenHash') });
      expect(used.error).toBeNull();
      expect((await app.client().auth.signInWithPassword({ email, password })).error).toBeNull();
    }
  });
});
