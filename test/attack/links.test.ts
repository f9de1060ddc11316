import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { createAppWith, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { type LinkMail, mailsTo } from '../support/mails.ts';
import { areDistinguishable, timeOf } from '../support/timing.ts';
import { uniqueEmail } from '../support/unique.ts';

const node = inject('node');
const settings = `insert into ninefold.settings (key, value) values
  ('mailer_autoconfirm', 'false'), ('smtp_max_frequency', '0'), ('site_url', '"https://site.example"')`;
let app: AppConnection;
beforeAll(async () => {
  app = await createAppWith(node, settings);
});

const password = 'correct horse';
const path = (of: AppConnection, call: string) => `${new URL(of.url).pathname}/auth/v1${call}`;

const post = (call: string, body: unknown, headers: Record<string, string> = {}, of = app): Promise<HttpResponse> =>
  send(node.url, path(of, call), {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', apikey: of.publishable_key, ...headers },
    ownConnection: true,
  });

const verify = (body: unknown, of = app) => post('/verify', body, {}, of);

async function lastMail(address: string, of = app): Promise<LinkMail> {
  const mail = (await mailsTo(node, of, address)).at(-1);
  if (!mail) throw new Error(`no mail to ${address}`);
  return mail;
}

/** Creates a member whose address is confirmed. */
async function member(): Promise<{ email: string; token: string }> {
  const email = uniqueEmail();
  await post('/signup', { email, password });
  const { body } = await verify({ type: 'signup', email, token: (await lastMail(email)).data.Token });
  return { email, token: JSON.parse(body).access_token };
}

describe('the secret of a mail', () => {
  const uses: Record<string, (mail: LinkMail, email: string) => Promise<HttpResponse>> = {
    'as a link': (mail) => verify({ type: 'magiclink', token_hash: mail.data.TokenHash }),
    'as a code': (mail, email) => verify({ type: 'email', email, token: mail.data.Token }),
    'by the button of its page': (mail) =>
      send(node.url, '/auth/v1/verify', {
        method: 'POST',
        body: new URLSearchParams({ type: 'magiclink', token: mail.data.TokenHash }).toString(),
        headers: {
          host: new URL(mail.data.ConfirmationURL).host,
          'content-type': 'application/x-www-form-urlencoded',
        },
        ownConnection: true,
      }),
  };

  it.each(Object.keys(uses))('opens one session when 32 clients use it at once %s', async (way) => {
    const { email } = await member();
    await post('/otp', { email });
    const mail = await lastMail(email);
    const answers = await Promise.all(Array.from({ length: 32 }, () => uses[way]?.(mail, email)));
    const won = answers.filter(
      (response) =>
        response?.body.includes('access_token') || String(response?.headers.location).includes('access_token='),
    );
    expect(won).toHaveLength(1);
  });

  it('opens one session when clients use its link and its code at once', async () => {
    const { email } = await member();
    await post('/otp', { email });
    const mail = await lastMail(email);
    const answers = await Promise.all(Array.from({ length: 18 }, (_, i) => Object.values(uses)[i % 3]?.(mail, email)));
    const won = answers.filter(
      (response) =>
        response?.body.includes('access_token') || String(response?.headers.location).includes('access_token='),
    );
    expect(won).toHaveLength(1);
  });

  it('does not work after the address of the account has changed', async () => {
    const { email, token } = await member();
    await post('/recover', { email });
    const { data: old } = await lastMail(email);
    const next = uniqueEmail();
    const changed = await send(node.url, path(app, '/user'), {
      method: 'PUT',
      body: JSON.stringify({ email: next }),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    });
    expect(changed.status).toBe(200);
    const mails = [await lastMail(email), await lastMail(next)];
    for (const { data } of mails) {
      expect((await verify({ type: 'email_change', token_hash: data.TokenHash })).status).toBe(200);
    }
    expect((await verify({ type: 'recovery', token_hash: old.TokenHash })).status).toBe(403);
    for (const address of [email, next]) {
      expect((await verify({ type: 'recovery', email: address, token: old.Token })).status).toBe(403);
    }
    // The previous address opens a new account at best.
    const before = (await mailsTo(node, app, email)).length;
    await post('/recover', { email });
    expect(await mailsTo(node, app, email)).toHaveLength(before);
  });

  it('works only for its own purpose, address and app', async () => {
    const [one, two, elsewhere] = [await member(), await member(), await createAppWith(node, settings)];
    await post('/recover', { email: one.email });
    const { data } = await lastMail(one.email);
    for (const type of ['signup', 'invite', 'email_change']) {
      expect((await verify({ type, token_hash: data.TokenHash })).status, type).toBe(403);
      expect((await verify({ type, email: one.email, token: data.Token })).status, type).toBe(403);
    }
    expect((await verify({ type: 'recovery', email: two.email, token: data.Token })).status).toBe(403);
    expect((await verify({ type: 'recovery', token_hash: data.TokenHash }, elsewhere)).status).toBe(403);
    const reused = { password: 'another horse', nonce: data.Token };
    const put = await send(node.url, path(app, '/user'), {
      method: 'PUT',
      body: JSON.stringify(reused),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${one.token}` },
    });
    expect(put.status).toBe(200);
    // The change of the password invalidated the mail.
    expect((await verify({ type: 'recovery', token_hash: data.TokenHash })).status).toBe(403);
  });

  it('is not stored in a form that works', async () => {
    const { email } = await member();
    await post('/otp', { email });
    const { data } = await lastMail(email);
    const client = clientOf(app, app.secret_key);
    const users = await client.auth.admin.listUsers();
    expect(JSON.stringify(users.data)).not.toContain(data.TokenHash);
    const stored = await createdTokens(email);
    for (const token of stored) {
      expect([data.Token, data.TokenHash]).not.toContain(token);
      expect((await verify({ type: 'magiclink', token_hash: token })).status).toBe(403);
    }
    expect(stored).toHaveLength(2);
  });

  /** Returns the stored forms of a member's tokens that the app's owner can read in schema auth. */
  async function createdTokens(email: string): Promise<string[]> {
    const { results } = await runSql(
      node,
      app.ref,
      `select recovery_token from auth.users where email = '${email}'
       union all select token_hash from auth.one_time_tokens where relates_to = '${email}'`,
    );
    return results.flatMap((result) => ('rows' in result ? result.rows.flat().map(String) : []));
  }

  it('cannot be guessed by many parallel attempts, because every worker counts them', async () => {
    const { email } = await member();
    await post('/otp', { email });
    const { data } = await lastMail(email);
    await Promise.all(
      Array.from({ length: 4 * limits.oneTimeCodeTries.default }, (_, i) =>
        verify({ type: 'email', email, token: `wrong ${i}` }),
      ),
    );
    expect((await verify({ type: 'email', email, token: data.Token })).status).toBe(429);
  });

  it('still works after scanners have opened its link many times', async () => {
    const { email } = await member();
    await post('/otp', { email });
    const { data } = await lastMail(email);
    const link = new URL(data.ConfirmationURL);
    for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS']) {
      const headers = { host: link.host };
      const response = await send(node.url, link.pathname + link.search, { method, headers });
      expect(response.body).not.toContain('access_token');
    }
    expect((await verify({ type: 'magiclink', token_hash: data.TokenHash })).status).toBe(200);
  });
});

describe('an account that a stranger created first', () => {
  it.each([
    ['signs up', '/signup', { password: 'the owner’s own' }, 'signup'],
    ['asks for a link', '/otp', {}, 'signup'],
    ['recovers', '/recover', {}, 'recovery'],
  ])('rejects the stranger’s password after the owner of the address %s', async (_, call, body, type) => {
    const email = uniqueEmail();
    await post('/signup', { email, password });
    await post(call, { email, ...body });
    expect((await verify({ type, token_hash: (await lastMail(email)).data.TokenHash })).status).toBe(200);
    expect((await post('/token?grant_type=password', { email, password })).status).toBe(400);
  });

  it('rejects the stranger’s password after an invitation', async () => {
    const email = uniqueEmail();
    await post('/signup', { email, password });
    await post('/invite', { email }, { apikey: app.secret_key });
    expect((await verify({ type: 'invite', token_hash: (await lastMail(email)).data.TokenHash })).status).toBe(200);
    expect((await post('/token?grant_type=password', { email, password })).status).toBe(400);
  });
});

describe('the existence of an account', () => {
  const calls: [string, object][] = [
    ['/otp', { create_user: false }],
    ['/otp', {}],
    ['/magiclink', {}],
    ['/recover', {}],
    ['/resend', { type: 'signup' }],
    ['/resend', { type: 'email_change' }],
    ['/verify', { type: 'email', token: '000000' }],
    ['/verify', { type: 'recovery', token: '000000' }],
  ];
  it.each(calls)('does not change status, body or headers of POST %s %j', async (call, body) => {
    const { email } = await member();
    const reported = async (address: string) => {
      const { status, body: text, headers } = await post(call, { ...body, email: address });
      return { status, text: text.replace(/"error_id":"[^"]*"/, ''), headers: Object.keys(headers).sort() };
    };
    expect(await reported(uniqueEmail())).toEqual(await reported(email));
  });

  it('does not change the fields, their order and their format in the response to a sign-up', async () => {
    const { email } = await member();
    const form = async (address: string) => {
      const { status, body } = await post('/signup', { email: address, password, data: { b: 1, aa: { c: [2] } } });
      const masked = body
        .replaceAll(address, '<address>')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
        .replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"/g, '"<time>"');
      return [status, masked];
    };
    const fresh = uniqueEmail();
    const answers = [await form(fresh), await form(fresh), await form(email)];
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it.each([
    ['/recover', {}],
    ['/otp', { create_user: false }],
    ['/magiclink', {}],
    ['/resend', { type: 'signup' }],
    ['/signup', { password: 'another horse' }],
  ])('does not change the time of POST %s %j', async (call, body) => {
    const { email } = await member();
    const ask = (address: string) => timeOf(() => post(call, { ...body, email: address }));
    const times: [number, number][] = [];
    for (let i = 0; i < 10; i++) times.push([await ask(email), await ask(uniqueEmail())]);
    expect(areDistinguishable(times, 2), JSON.stringify(times)).toBe(false);
  });

  it('does not change when the next mail can be requested', async () => {
    const strict = await createAppWith(node, settings.replace("'0'", "'60'"));
    const known = uniqueEmail();
    await post('/signup', { email: known, password }, {}, strict);
    for (const address of [known, uniqueEmail()]) {
      const answers = [
        await post('/recover', { email: address }, {}, strict),
        await post('/recover', { email: address }, {}, strict),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 429]);
      expect(Number(answers[1]?.headers['retry-after'])).toBeGreaterThan(0);
    }
  });
});

it('the app counts every spelling of an address as one address, and sends the mail to it', async () => {
  const strict = await createAppWith(node, `${settings}, ('rate_limit_otp_account', '3')`);
  const email = `k.${uniqueEmail()}`;
  await post('/signup', { email, password }, {}, strict);
  const spellings = [email.toUpperCase(), `  ${email}\t`, email.replace('k', '\u212a'), email, `${email}\u00a0`];
  const statuses = [];
  for (const spelling of spellings) statuses.push((await post('/recover', { email: spelling }, {}, strict)).status);
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
  expect((await mailsTo(node, strict, email)).map(({ kind }) => kind)).toEqual([
    'confirmation',
    ...Array(3).fill('recovery'),
  ]);
});

describe('the link of a mail', () => {
  it.each<[string, Record<string, string>]>([
    ['X-Forwarded-Host', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }],
    ['Forwarded', { forwarded: 'host=evil.example;proto=https' }],
    ['X-Original-URL', { 'x-original-url': 'https://evil.example/', 'x-forwarded-prefix': '/evil' }],
    ['Origin and Referer', { origin: 'https://evil.example', referer: 'https://evil.example/' }],
    ['redirect_to', { redirect_to: 'https://evil.example/' }],
  ])('leads to the app’s own origin, whatever %s contains', async (_, headers) => {
    const email = uniqueEmail();
    await post('/signup', { email, password }, headers);
    const { data } = await lastMail(email);
    expect(JSON.stringify(data)).not.toContain('evil');
    expect(new URL(data.ConfirmationURL).hostname).toBe(`${app.ref}.localhost`);
  });

  const evil = [
    'https://evil.example',
    '//evil.example',
    'https:evil.example',
    'https://site.example@evil.example/',
    'https://site.example.evil.example/',
    'https://site.example%2eevil.example/',
    'https://evil.example\\@site.example',
    'https://evil.example#@site.example',
    'https://evil.example?.site.example',
    'https://site.example:pass@evil.example',
    'http://site.example',
    'https://site.example:444',
    'javascript:alert(1)//https://site.example',
    'data:text/html,<script>alert(1)</script>',
    'h\tttps://evil.example',
    'https://evil.example/https://site.example',
    'http://0x7f000001.evil.example/',
    'ｈttps://evil.example',
    'https://site。example.evil.example',
  ];
  it.each(evil)('does not redirect to %s, from the mail or from its page', async (address) => {
    const email = uniqueEmail();
    await post(`/signup?redirect_to=${encodeURIComponent(address)}`, { email, password });
    const { data } = await lastMail(email);
    expect(data.RedirectTo).toMatch(/^https:\/\/site\.example(?:\/|$)/);
    const form = new URLSearchParams({ type: 'signup', token: data.TokenHash, redirect_to: address });
    const response = await send(node.url, '/auth/v1/verify', {
      method: 'POST',
      body: form.toString(),
      headers: { host: new URL(data.ConfirmationURL).host, 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(response.status).toBe(303);
    expect(new URL(String(response.headers.location)).origin).toBe('https://site.example');
  });

  it('shows a page that contains no HTML from the request', async () => {
    const host = `${app.ref}.localhost:${new URL(node.url).port}`;
    const attack = '"><script>alert(1)</script><form action=https://evil.example>';
    const query = new URLSearchParams({
      type: 'recovery',
      token: attack,
      redirect_to: `https://site.example/${attack}`,
    });
    const { body, headers } = await send(node.url, `/auth/v1/verify?${query}`, { headers: { host } });
    expect(body).not.toContain('<script');
    expect(body.match(/<form/g)).toHaveLength(1);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('redirects from the node’s origin to the app’s own, without signing in', async () => {
    const { status, headers } = await send(node.url, path(app, '/verify?type=signup&token=x'), {});
    expect(status).toBe(303);
    expect(new URL(String(headers.location)).hostname).toBe(`${app.ref}.localhost`);
  });
});

it('the app rejects /invite and /admin/generate_link without the secret key', async () => {
  const { token } = await member();
  for (const call of ['/invite', '/admin/generate_link']) {
    const body = { type: 'recovery', email: uniqueEmail() };
    expect((await post(call, body)).status).toBe(403);
    expect((await post(call, body, { authorization: `Bearer ${token}` })).status).toBe(403);
  }
});
