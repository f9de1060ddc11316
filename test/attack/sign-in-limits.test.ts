import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { type HttpResponse, send } from '../support/http.ts';
import { mailsTo } from '../support/mails.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { uniqueEmail } from '../support/unique.ts';

/**
 * Sign-ins from many addresses at once, on a node with two workers behind a proxy. The proxy appends the client's
 * address to the X-Forwarded-For header that the client sent.
 */
let node: TestNode;
let app: AppConnection;

beforeAll(async () => {
  node = await startNode({
    env: { NINEFOLD_TRUST_PROXY: '1', NINEFOLD_WORKERS: '2', NINEFOLD_LOG: 'debug' },
  });
  app = await createApp(node);
});
afterAll(() => node.stop());

const perAccount = limits.signInFailuresPerAccount.default;
const perAddress = limits.signInFailures.default;
const password = 'correct horse battery';

const post = (path: string, body: unknown, from: string, claimed = '', more = {}): Promise<HttpResponse> =>
  send(node.url, `/apps/${app.ref}/auth/v1${path}`, {
    method: 'POST',
    headers: {
      apikey: app.publishable_key,
      'content-type': 'application/json',
      'x-forwarded-for': claimed === '' ? from : `${claimed}, ${from}`,
      ...more,
    },
    body: JSON.stringify(body),
    // New connections are spread over the workers.
    ownConnection: true,
  });
const signIn = (email: string, secret: string, from: string, claimed?: string) =>
  post('/token?grant_type=password', { email, password: secret }, from, claimed);

/** Counts the addresses of this test run. Each address is in another network. */
let networks = 0;
const newNetwork = (): string => {
  networks++;
  return `10.${networks >> 16}.${(networks >> 8) & 255}.${networks & 255}`;
};

async function newMember(): Promise<{ email: string; home: string }> {
  const [email, home] = [uniqueEmail(), newNetwork()];
  expect((await post('/signup', { email, password }, home)).status).toBe(200);
  return { email, home };
}

const counted = (answers: readonly HttpResponse[]) => ({
  wrong: answers.filter(({ status }) => status === 400).length,
  refused: answers.filter(({ status }) => status === 429).length,
  signedIn: answers.filter(({ status }) => status === 200).length,
});

/** Sends one guess for each password, all at once. */
const guessAll = (email: string, passwords: readonly string[], from: () => string) =>
  Promise.all(passwords.map((guess) => signIn(email, guess, from())));

const wrong = (count: number): string[] => Array.from({ length: count }, (_, i) => `a wrong guess ${i}`);

describe('200 guesses at once', () => {
  it.each([
    ['one address', () => (address: string) => () => address],
    ['200 addresses', () => () => newNetwork],
    ['200 addresses of one /64', () => () => () => `2001:db8::${(++networks).toString(16)}`],
  ])(
    'are checked up to the limit for one account from %s, and the right password among them does not sign in',
    async (_, make) => {
      const { email } = await newMember();
      const guesses = wrong(200);
      guesses[150] = password;
      const answers = await guessAll(email, guesses, make()(newNetwork()));
      const { wrong: checked, refused, signedIn } = counted(answers);
      expect(checked + signedIn).toBeLessThanOrEqual(perAccount);
      expect(checked + signedIn).toBeGreaterThanOrEqual(perAccount / 2);
      expect(checked + refused + signedIn).toBe(200);
      const { results } = await runSql(
        node,
        app.ref,
        'select max(cardinality(attempts)) from ninefold.sign_in_failures',
      );
      expect(Number(results[0]?.rows[0]?.[0])).toBeLessThanOrEqual(perAddress);
    },
  );

  it('are checked up to the limit for 200 accounts from one address, whatever address the client claims', async () => {
    const from = newNetwork();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => signIn(uniqueEmail(), 'a wrong guess', from, `198.51.100.${i}`)),
    );
    expect(counted(answers)).toEqual({ wrong: perAddress, refused: 200 - perAddress, signedIn: 0 });
  });
});

describe('sign-in while strangers guess passwords without end', () => {
  it('lets the member in from a known network at once, and with a new device after a while', async () => {
    const { email, home } = await newMember();
    const stranger = newNetwork();
    let isOver = false;
    const strangers = Array.from({ length: 8 }, async () => {
      const from = newNetwork();
      while (!isOver) await signIn(email, 'a wrong guess', from);
    });
    try {
      await expect
        .poll(async () => (await signIn(email, 'a wrong guess', stranger)).status, { timeout: 60_000 })
        .toBe(429);
      for (let i = 0; i < 5; i++) expect((await signIn(email, password, home)).status).toBe(200);
      const fromNew = await signIn(email, password, newNetwork());
      if (fromNew.status === 429) {
        expect(Number(fromNew.headers['retry-after'])).toBeLessThanOrEqual(
          limits.signInWindowSeconds.default / (perAccount / 4),
        );
      } else expect(fromNew.status).toBe(200);
    } finally {
      isOver = true;
      await Promise.all(strangers);
    }
  });
});

it('the node writes no secret into the log, the traces, the audit logs, the settings and the specification', async () => {
  const from = newNetwork();
  const email = uniqueEmail();
  const settings = {
    smtp_pass: 'of-the-mail-server-7f3a',
    external_google_secret: 'of-the-provider-7f3a',
    sms_twilio_auth_token: 'of-the-texts-7f3a',
  };
  for (const [key, value] of Object.entries(settings)) {
    await admin(node, 'PUT', `/apps/${app.ref}/settings/${key}`, { value });
  }
  const secrets: string[] = [...Object.values(settings), 'a chosen passphrase 7f3a', 'a guessed passphrase 7f3a'];
  const session = JSON.parse((await post('/signup', { email, password: 'a chosen passphrase 7f3a' }, from)).body);
  secrets.push(session.refresh_token, session.access_token);
  expect((await signIn(email, 'a guessed passphrase 7f3a', from)).status).toBe(400);
  const headers = { authorization: `Bearer ${session.access_token}` };
  const factor = await post('/factors', { factor_type: 'totp', friendly_name: 'phone' }, from, '', headers);
  secrets.push(JSON.parse(factor.body).totp.secret);
  await post('/recover', { email }, from);
  const [mail] = await mailsTo(node, app, email);
  secrets.push(mail?.data.TokenHash ?? '', mail?.data.ConfirmationURL ?? '');
  await post('/verify', { type: 'recovery', token_hash: `${mail?.data.TokenHash}` }, from);
  await post('/token?grant_type=refresh_token', { refresh_token: session.refresh_token }, from);
  await post(`/verify?token_hash=${mail?.data.TokenHash}`, { type: 'recovery', token: 'x'.repeat(56) }, from);
  expect(secrets.every((secret) => secret.length > 15)).toBe(true);

  const read = async (path: string): Promise<string> => JSON.stringify(await admin(node, 'GET', path));
  const audited = `/apps/${app.ref}/audit`;
  await expect.poll(() => read(audited)).toContain('user_recovery_requested');
  await expect.poll(() => read(`/apps/${app.ref}/logs`), { timeout: 15_000 }).toContain('"auth.factors.enroll"');
  const outputs = {
    log: node.logs(),
    calls: await read(`/apps/${app.ref}/logs`),
    errors: await read(`/apps/${app.ref}/errors`),
    members: await read(audited),
    builders: await read(`${audited}?kind=builders`),
    node: await read('/audit'),
    settings: await read(`/apps/${app.ref}/settings`),
    specification: await read(`/apps/${app.ref}/specification`),
    sessions: await read(`/apps/${app.ref}/sessions`),
  };
  const found = Object.entries(outputs).flatMap(([name, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((secret) => `${name}: ${secret}`),
  );
  expect(found).toEqual([]);
});

it('the node counts by the address that the proxy appended, whatever the client sends, on every sign-in route', async () => {
  const paths = [`/apps/${app.ref}/auth/v1/health`, '/admin/v1/apps', `/admin/v1/apps/${app.ref}/rest/v1/`];
  for (const [i, path] of paths.entries()) {
    const id = `claimed-${i}`;
    await send(node.url, path, {
      headers: { 'x-forwarded-for': '198.51.100.9, 203.0.113.77', 'x-request-id': id, forwarded: 'for=198.51.100.9' },
    });
    const line = () =>
      node
        .logs()
        .split('\n')
        .find((text) => text.includes(`"requestId":"${id}"`));
    await expect.poll(line, { timeout: 30_000 }).toContain('"address":"203.0.113.77"');
  }
});
