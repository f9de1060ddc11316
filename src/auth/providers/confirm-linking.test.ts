import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { type ScriptedProvider, startScriptedProvider } from '../../../test/support/scripted-provider.ts';
import { uniqueEmail } from '../../../test/support/unique.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';

const HOST = { host: 'auth.localhost:8000' };
const CONFIRM = '/user/identities/confirm';

let postgres: TestPostgres;
let app: AuthApp;
let provider: ScriptedProvider;

beforeAll(async () => {
  [postgres, provider] = await Promise.all([
    startPostgres('auth-linking', { seed: authSeed }),
    startScriptedProvider(),
  ]);
  app = await makeAuthApp(postgres.url);
  const { error } = await app.client(app.keys.secretKey).auth.admin.customProviders.createProvider({
    provider_type: 'oidc',
    identifier: 'custom:scripted',
    name: 'Scripted',
    client_id: 'client',
    client_secret: 'a secret that is long enough for HS256',
    issuer: provider.url,
  });
  expect(error).toBeNull();
});
beforeEach(() => {
  app.reset();
  app.settings = { ...app.settings, site_url: 'https://site.example', security_manual_linking_enabled: true };
});
afterAll(async () => {
  await app.close();
  await Promise.all([postgres.stop(), provider.close()]);
});

type Member = Awaited<ReturnType<AuthApp['member']>>;

/**
 * The address of the page that asks for confirmation, and the cookie of the browser that returned from the provider.
 */
interface Asked {
  readonly url: URL;
  readonly cookie: string;
  readonly person: { readonly sub: string; readonly email: string };
}

/** Starts to link an identity with the stock client. Then returns from the provider in a browser. */
async function comeBack({ client }: Pick<Member, 'client'>, email = uniqueEmail()): Promise<Asked> {
  const { data, error } = await client.auth.linkIdentity({
    provider: 'custom:scripted' as 'github',
    options: { redirectTo: 'https://site.example/back' },
  });
  if (error) throw error;
  const asked = new URL(data.url ?? '').searchParams;
  const person = { sub: uniqueEmail(), email };
  const idToken = await provider.idToken({ ...person, email_verified: true, nonce: asked.get('nonce') });
  provider.answers.set('/token', { access_token: 'at', token_type: 'bearer', id_token: idToken });
  const reply = await app.call('GET', `/callback?state=${asked.get('state')}&code=c`, { headers: HOST });
  return { url: new URL(reply.redirect ?? ''), cookie: reply.cookies?.[0]?.split(';')[0] ?? '', person };
}

const show = ({ url }: Asked, cookie: string): Promise<Reply> =>
  app.call('GET', CONFIRM + url.search, { headers: { ...HOST, cookie } });

const fieldsOf = ({ body }: Reply): Record<string, string> =>
  Object.fromEntries(
    [...String(body).matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );

const send = (fields: Record<string, string>, cookie: string): Promise<Reply> =>
  app.call('POST', CONFIRM, {
    raw: Buffer.from(new URLSearchParams({ decision: 'link', ...fields }).toString()),
    headers: { ...HOST, cookie, 'content-type': 'application/x-www-form-urlencoded' },
  });

const providersOf = async ({ client }: Pick<Member, 'client'>) =>
  (await client.auth.getUserIdentities()).data?.identities.map((identity) => identity.provider);

const NOTHING = 'Nothing was linked';

describe('GET and POST /user/identities/confirm', () => {
  it('links the identity only after the member has confirmed it on a page that names both accounts', async () => {
    const member = await app.member('correct horse');
    const asked = await comeBack(member);
    expect(asked.url.origin + asked.url.pathname).toBe(`http://auth.localhost:8000/auth/v1${CONFIRM}`);
    expect(await providersOf(member)).toEqual(['email']);
    const page = await show(asked, asked.cookie);
    expect(page.body).toContain('Link your Scripted account?');
    expect(page.body).toContain(asked.person.email);
    expect(page.body).toContain(member.email);
    expect(page.headers['content-security-policy']).toContain(`form-action 'self' https://site.example;`);
    expect(page.headers['content-security-policy']).toContain(`frame-ancestors 'none'`);
    const { status, redirect } = await send(fieldsOf(page), asked.cookie);
    expect({ status, redirect }).toEqual({
      status: 303,
      redirect: expect.stringMatching(/^https:\/\/site\.example\/back#access_token=/),
    });
    expect(await providersOf(member)).toEqual(['email', 'custom:scripted']);
  });

  it('is not begun by a session that is older than a day', async () => {
    const { client, user } = await app.member('correct horse');
    await app.sql("update auth.sessions set created_at = now() - interval '2 days' where user_id = $1", [user.id]);
    const aged =
      'update auth.mfa_amr_claims m set updated_at = s.created_at from auth.sessions s where s.id = m.session_id';
    await runAsAuthAdmin(app.database, [[aged, []]]);
    const { error } = await client.auth.linkIdentity({ provider: 'custom:scripted' });
    expect(error?.code).toBe('reauthentication_needed');
  });

  it('discards the link if the member cancels', async () => {
    const member = await app.member('correct horse');
    const asked = await comeBack(member);
    const fields = fieldsOf(await show(asked, asked.cookie));
    const cancelled = await send({ ...fields, decision: 'cancel' }, asked.cookie);
    expect(new URL(cancelled.redirect ?? '').searchParams.get('error')).toBe('access_denied');
    expect((await send(fields, asked.cookie)).body).toContain(NOTHING);
    expect(await providersOf(member)).toEqual(['email']);
  });

  it('links nothing after the session that began the link has ended', async () => {
    const member = await app.member('correct horse');
    const other = app.client();
    await other.auth.signInWithPassword({ email: member.email, password: 'correct horse' });
    const [stolen, shown] = [await comeBack({ client: other }), await comeBack({ client: other })];
    const fields = fieldsOf(await show(shown, shown.cookie));
    expect((await member.client.auth.updateUser({ password: 'another horse' })).error).toBeNull();
    expect((await show(stolen, stolen.cookie)).body).toContain(NOTHING);
    expect((await send(fields, shown.cookie)).body).toContain(NOTHING);
    expect(await providersOf(member)).toEqual(['email']);
    const own = await comeBack(member);
    expect((await send(fieldsOf(await show(own, own.cookie)), own.cookie)).redirect).toContain('access_token=');
  });

  it('refuses a session without the second factor of the account', async () => {
    const { client, user, session } = await app.member('correct horse');
    await app.sql(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret)
       values (gen_random_uuid(), $1, 'totp', 'verified', now(), now(), 'x')`,
      [user.id],
    );
    const { error } = await client.auth.linkIdentity({ provider: 'custom:scripted' as 'github' });
    expect(error).toMatchObject({ code: 'insufficient_aal', status: 403 });
    const idToken = await provider.idToken({ sub: uniqueEmail() });
    const linked = await app.ask('POST', '/token?grant_type=id_token', {
      headers: { authorization: `Bearer ${session.access_token}` },
      body: { provider: 'custom:scripted', id_token: idToken, link_identity: true },
    });
    expect(linked).toMatchObject({ status: 403, body: { code: 'insufficient_aal' } });
  });

  it('links the identity once when the member confirms 12 times at once', async () => {
    const member = await app.member('correct horse');
    const asked = await comeBack(member);
    const fields = fieldsOf(await show(asked, asked.cookie));
    const replies = await Promise.all(Array.from({ length: 12 }, () => send(fields, asked.cookie)));
    expect(replies.filter(({ redirect }) => redirect?.includes('access_token'))).toHaveLength(1);
    expect(replies.filter(({ body }) => String(body).includes(NOTHING))).toHaveLength(11);
    const linked = (await member.client.auth.getUserIdentities()).data?.identities[1];
    if (!linked) throw new Error('no identity was linked');
    await member.client.auth.unlinkIdentity(linked);
    expect((await send(fields, asked.cookie)).body).toContain(NOTHING);
    expect(await providersOf(member)).toEqual(['email']);
  });

  it('links nothing for a GET request or for a form without the proof from the page', async () => {
    const member = await app.member('correct horse');
    const asked = await comeBack(member);
    const fields = fieldsOf(await show(asked, asked.cookie));
    await app.call('GET', `${CONFIRM}?${new URLSearchParams({ ...fields, decision: 'link' })}`, {
      headers: { ...HOST, cookie: asked.cookie },
    });
    for (const proof of ['', 'x', `${fields.proof}x`]) {
      expect((await send({ ...fields, proof }, asked.cookie)).body).toContain(NOTHING);
    }
    expect(await providersOf(member)).toEqual(['email']);
    expect((await send(fields, asked.cookie)).status).toBe(303);
  });

  it('refuses another browser, which lacks the cookie, and shows it neither of the two accounts', async () => {
    const member = await app.member('correct horse');
    const asked = await comeBack(member);
    const fields = fieldsOf(await show(asked, asked.cookie));
    const [name] = asked.cookie.split('=');
    for (const cookie of ['', 'other=1', `${name}=`, `${name}=${'A'.repeat(43)}`]) {
      const page = await show(asked, cookie);
      expect(page.body).toContain(NOTHING);
      expect(page.body).not.toContain(member.email);
      expect((await send(fields, cookie)).body).toContain(NOTHING);
    }
    expect(await providersOf(member)).toEqual(['email']);
  });

  it('refuses a confirmation of another member’s link', async () => {
    const [attacker, member] = [await app.member('correct horse'), await app.member('correct horse')];
    const [own, others] = [await comeBack(attacker), await comeBack(member)];
    const fields = fieldsOf(await show(own, own.cookie));
    const id = others.url.searchParams.get('id') ?? '';
    const renamed = own.cookie.replace(fields.id ?? '', id);
    for (const cookie of [own.cookie, renamed, `${own.cookie}; ${renamed}`]) {
      expect((await send({ ...fields, id }, cookie)).body).toContain(NOTHING);
    }
    expect(await providersOf(member)).toEqual(['email']);
    expect(await providersOf(attacker)).toEqual(['email']);
  });

  it('refuses to confirm a link that has expired', async () => {
    const member = await app.member('correct horse');
    const asked = await comeBack(member);
    const fields = fieldsOf(await show(asked, asked.cookie));
    await app.sql('update auth.flow_state set auth_code_issued_at = auth_code_issued_at - make_interval(secs => $1)', [
      String(limits.linkConfirmationSeconds.default + 1),
    ]);
    expect((await show(asked, asked.cookie)).body).toContain(NOTHING);
    expect((await send(fields, asked.cookie)).body).toContain(NOTHING);
    expect(await providersOf(member)).toEqual(['email']);
  });

  it('stores the person whom the provider reported and the secret so that a reader of the table cannot use them', async () => {
    const asked = await comeBack(await app.member('correct horse'));
    const rows = JSON.stringify(await app.sql('select * from auth.flow_state'));
    expect(rows).not.toContain(asked.person.sub);
    expect(rows).not.toContain(asked.cookie.split('=')[1]);
  });

  it('redirects from every other origin to the app’s own origin', async () => {
    const asked = await comeBack(await app.member('correct horse'));
    const { redirect, cookies } = await app.call('GET', CONFIRM + asked.url.search, { headers: { host: '127.0.0.1' } });
    expect(redirect).toBe(asked.url.href);
    expect(cookies).toBeUndefined();
  });

  it.each(['', '?id=', '?id=x', `?id=${createHash('sha256').digest('hex')}`])(
    'shows no link for the query %j',
    async (query) => {
      const { status, body } = await app.call('GET', CONFIRM + query, { headers: HOST });
      expect(status).toBe(200);
      expect(body).toContain(NOTHING);
    },
  );
});

describe('GET and POST /callback on the node’s origin', () => {
  const elsewhere = { host: '127.0.0.1:8000', 'sec-fetch-mode': 'navigate' };

  it('redirects a browser to the app’s own origin before the state is used', async () => {
    const { client } = await app.member('correct horse');
    const { data } = await client.auth.linkIdentity({ provider: 'custom:scripted' as 'github' });
    const query = `?state=${new URL(data?.url ?? '').searchParams.get('state')}&error=access_denied`;
    const first = await app.call('GET', `/callback${query}`, { headers: elsewhere });
    expect(first).toMatchObject({ status: 303, redirect: `http://auth.localhost:8000/auth/v1/callback${query}` });
    const second = await app.call('GET', `/callback${query}`, { headers: { ...elsewhere, ...HOST } });
    expect(new URL(second.redirect ?? '').searchParams.get('error')).toBe('access_denied');
  });

  it('uses status 307 for the form that Apple posts, so that the browser sends the form again', async () => {
    const reply = await app.call('POST', '/callback', { headers: elsewhere, raw: Buffer.from('state=x&code=c') });
    expect(reply).toMatchObject({ status: 307, redirect: 'http://auth.localhost:8000/auth/v1/callback' });
  });
});
