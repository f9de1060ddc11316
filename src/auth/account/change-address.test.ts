import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { lastMailTo, mailsTo, pressButton } from '../../../test/support/auth-messages.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';

let postgres: TestPostgres;
let app: AuthApp;

beforeAll(async () => {
  postgres = await startPostgres('auth-address', { seed: authSeed });
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
const post = (path: string, body: unknown) => app.ask('POST', path, { body });
const verify = (body: unknown) => post('/verify', body);

/** Returns an account whose address is confirmed, and its session. */
async function confirmed(): Promise<{ email: string; id: string; token: string }> {
  const email = uniqueEmail();
  await post('/signup', { email, password });
  const { body } = await verify({ type: 'signup', email, token: (await lastMailTo(app, email)).data.Token });
  return { email, id: (body.user as { id: string }).id, token: String(body.access_token) };
}

describe('a change of address', () => {
  const change = (token: string, email: string) =>
    app.ask('PUT', '/user', { headers: { authorization: `Bearer ${token}` }, body: { email } });

  it('takes effect after both addresses have confirmed it, and ends the sessions', async () => {
    const { email, id, token } = await confirmed();
    const next = uniqueEmail();
    expect(await change(token, next)).toMatchObject({ status: 200, body: { email, new_email: next } });
    const [toNew, toOld] = [await lastMailTo(app, next), await lastMailTo(app, email)];
    expect((await verify({ type: 'email_change', email: next, token: toNew.data.Token })).body).toEqual({
      code: '200',
      msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
    });
    expect((await verify({ type: 'email_change', token_hash: toNew.data.TokenHash })).body.code).toBe('otp_expired');
    const { location } = await pressButton(app, toOld.data.ConfirmationURL);
    expect(location.hash).toContain('access_token=');
    const [row] = await app.sql('select email, email_change from auth.users where id = $1', [id]);
    expect(row).toEqual({ email: next, email_change: '' });
    expect((await app.ask('GET', '/user', { headers: { authorization: `Bearer ${token}` } })).status).toBe(403);
    expect(
      await app.sql('select identity_data ->> $2 as email from auth.identities where user_id = $1', [id, 'email']),
    ).toEqual([{ email: next }]);
  });

  it('needs one mail if only the new address must confirm, and none for an anonymous account with autoconfirm', async () => {
    const { id, token } = await confirmed();
    app.settings = { ...app.settings, mailer_secure_email_change_enabled: false };
    const next = uniqueEmail();
    await change(token, next);
    const { body } = await verify({
      type: 'email_change',
      email: next,
      token: (await lastMailTo(app, next)).data.Token,
    });
    expect(body.user).toMatchObject({ id, email: next });
    app.settings = { ...app.settings, mailer_autoconfirm: true, external_anonymous_users_enabled: true };
    const { body: anonymous } = await post('/signup', {});
    const address = uniqueEmail();
    expect(await change(String(anonymous.access_token), address)).toMatchObject({
      body: { email: address, is_anonymous: false },
    });
  });

  it('makes an anonymous account a member with the same id', async () => {
    app.settings = { ...app.settings, external_anonymous_users_enabled: true };
    const { body } = await post('/signup', {});
    const email = uniqueEmail();
    await change(String(body.access_token), email);
    const verified = await verify({ type: 'email_change', email, token: (await lastMailTo(app, email)).data.Token });
    expect(verified.body.user).toMatchObject({
      id: (body.user as { id: string }).id,
      email,
      is_anonymous: false,
      app_metadata: { provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email', identity_data: { email, email_verified: true } }],
    });
  });

  it('invalidates both links of an earlier change that was not finished', async () => {
    const { email, token } = await confirmed();
    const [first, second] = [uniqueEmail(), uniqueEmail()];
    await change(token, first);
    const old = [await lastMailTo(app, first), await lastMailTo(app, email)];
    await change(token, second);
    for (const { data } of old) {
      expect((await verify({ type: 'email_change', token_hash: data.TokenHash })).body.code).toBe('otp_expired');
    }
  });

  it('cannot be finished, and its mail cannot be sent again, after the password changed', async () => {
    app.settings = { ...app.settings, mailer_secure_email_change_enabled: false };
    const { email, id, token } = await confirmed();
    const planted = uniqueEmail();
    await change(token, planted);
    const body = { password: 'another horse', current_password: password };
    const changed = await app.ask('PUT', '/user', { headers: { authorization: `Bearer ${token}` }, body });
    expect([changed.status, changed.body.new_email]).toEqual([200, undefined]);
    const { data } = await lastMailTo(app, planted);
    expect((await verify({ type: 'email_change', token_hash: data.TokenHash })).body.code).toBe('otp_expired');
    const before = await mailsTo(app, planted);
    expect((await post('/resend', { type: 'email_change', email })).status).toBe(200);
    expect(await mailsTo(app, planted)).toEqual(before);
    const [row] = await app.sql('select email, email_change from auth.users where id = $1', [id]);
    expect(row).toEqual({ email, email_change: '' });
  });

  it('cannot take the address of another account', async () => {
    const [{ token, id }, other] = [await confirmed(), await confirmed()];
    expect((await change(token, other.email)).status).toBe(200);
    const toNew = (await mailsTo(app, other.email)).filter(({ kind }) => kind === 'email_change').at(-1);
    expect((await verify({ type: 'email_change', token_hash: toNew?.data.TokenHash })).body.code).toBe('email_exists');
    expect(await app.sql('select count(*) from auth.users where id = $1 and email = $2', [id, other.email])).toEqual([
      { count: '0' },
    ]);
  });
});
