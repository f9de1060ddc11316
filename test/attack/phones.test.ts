import { beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { send } from '../support/http.ts';
import { areDistinguishable, timeOf } from '../support/timing.ts';

const node = inject('node');
let app: AppConnection;
beforeAll(async () => {
  app = await createAppWith(
    node,
    `insert into ninefold.settings (key, value) values ('external_phone_enabled', 'true'), ('sms_max_frequency', '0'),
       ('sms_otp_exp', '3600'), ('rate_limit_verify', '100000'), ('rate_limit_verify_account', '100000'), ('rate_limit_otp', '100000'),
       ('rate_limit_otp_account', '100000'), ('mfa_rate_limit_challenge_and_verify', '100000'), ('mfa_phone_max_frequency', '0'),
       ('mfa_phone_enroll_enabled', 'true'), ('mfa_phone_verify_enabled', 'true')`,
  );
});

/** Sends a request on a new connection, so that parallel requests reach every worker. */
async function call(method: string, path: string, body: unknown, token?: string) {
  const { status, body: text } = await send(node.url, `/apps/${app.ref}/auth/v1${path}`, {
    method,
    headers: {
      apikey: app.publishable_key,
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    ownConnection: true,
  });
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}
const post = (path: string, body: unknown, token?: string) => call('POST', path, body, token);

const superuser = async (sql: string, params: unknown[] = []) =>
  withClient(await superuserUrl(node, `app_${app.ref}`), async (client) => (await client.query(sql, params)).rows);

const codesTo = async (phone: string): Promise<string[]> =>
  (
    await superuser(
      `select data ->> 'Token' as code from ninefold.mails where recipient = $1 order by created_at, id`,
      [`+${phone}`],
    )
  ).map(({ code }) => code);

let numbers = 0;
const newPhone = () => `1556${String(1_000_000 + numbers++)}`;
const many = <T>(number: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: number }, (_, index) => make(index)));
const statuses = (answers: readonly { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

it('the app compares at most the limit of codes when many are guessed at once, and then refuses the right code too', async () => {
  const phone = newPhone();
  await post('/otp', { phone });
  const [code = ''] = await codesTo(phone);
  const wrong = code === '000000' ? '000001' : '000000';
  const guesses = await many(40, () => post('/verify', { type: 'sms', phone, token: wrong }));
  expect(statuses(guesses, 403)).toBeLessThanOrEqual(12);
  expect(statuses(guesses, 403) + statuses(guesses, 429)).toBe(40);
  expect((await post('/verify', { type: 'sms', phone, token: code })).status).toBe(429);
});

it('the app opens one session when a code is shown many times at once, also as a nonce', async () => {
  const phone = newPhone();
  await post('/otp', { phone });
  const [token] = await codesTo(phone);
  const shown = await many(10, () => post('/verify', { type: 'sms', phone, token }));
  expect(statuses(shown, 200)).toBe(1);
  expect(statuses(await many(3, () => post('/verify', { type: 'sms', phone, token })), 200)).toBe(0);
  const session = String(shown.find(({ status }) => status === 200)?.body.access_token);
  await superuser(`update auth.sessions set created_at = now() - interval '2 days'`);
  expect((await call('GET', '/reauthenticate', undefined, session)).status).toBe(200);
  const nonce = (await codesTo(phone)).at(-1);
  const changes = await many(5, (index) => call('PUT', '/user', { password: `a new horse ${index}`, nonce }, session));
  expect(statuses(changes, 200)).toBe(1);
});

it('the app sends no more texts than the limits when many numbers are requested at once', async () => {
  const pumped = await createAppWith(
    node,
    `insert into ninefold.settings (key, value) values ('external_phone_enabled', 'true'), ('rate_limit_sms_network', '4')`,
  );
  const headers = { apikey: pumped.publishable_key, 'content-type': 'application/json' };
  const ask = (path: string) => (index: number) =>
    send(node.url, `/apps/${pumped.ref}/auth/v1${path}`, {
      ...{ method: 'POST', headers, ownConnection: true },
      body: JSON.stringify({
        phone: `1557${path.length}00${String(index).padStart(4, '0')}`,
        password: 'correct horse',
      }),
    });
  const answers = (await Promise.all([many(12, ask('/otp')), many(12, ask('/signup'))])).flat();
  expect([statuses(answers, 200), statuses(answers, 429)]).toEqual([4, 20]);
  const sent = await withClient(await superuserUrl(node, `app_${pumped.ref}`), (client) =>
    client.query(`select count(*)::int as texts from ninefold.mails where channel = 'sms'`),
  );
  expect(sent.rows[0].texts).toBe(4);
});

it('the app accepts a code only for its own account, number, kind and challenge', async () => {
  const [ada, eve] = [await signUpMember(app), await signUpMember(app)];
  const phone = newPhone();
  await call(
    'PUT',
    '/user',
    { phone, phone_confirmed_at: '2020-01-01', phone_change_token: 'x' },
    eve.session.access_token,
  );
  await call('PUT', '/user', { phone }, ada.session.access_token);
  const [ofEve, ofAda] = await codesTo(phone);
  expect((await post('/verify', { type: 'sms', phone, token: ofAda })).status).toBe(403);
  expect((await post('/verify', { type: 'phone_change', phone: newPhone(), token: ofAda })).status).toBe(403);
  const changed = await post('/verify', { type: 'phone_change', phone, token: ofAda });
  expect(changed.body.user).toMatchObject({ id: ada.user.id, phone });
  // Another account has the number.
  expect((await post('/verify', { type: 'phone_change', phone, token: ofEve })).body.error_code).toBe('phone_exists');

  const token = String(changed.body.access_token);
  const number = newPhone();
  const { body: factor } = await post('/factors', { factor_type: 'phone', phone: number, friendly_name: 'p' }, token);
  const challenge = async () => String((await post(`/factors/${factor.id}/challenge`, {}, token)).body.id);
  const [first, second] = [await challenge(), await challenge()];
  const [codeOfFirst] = await codesTo(number);
  const answer = (challenge_id: string, by = token) =>
    post(`/factors/${factor.id}/verify`, { challenge_id, code: codeOfFirst }, by);
  expect((await answer(first, eve.session.access_token)).status).toBe(404);
  if (codeOfFirst !== (await codesTo(number))[1]) expect((await answer(second)).status).toBe(422);
  expect(statuses(await many(6, () => answer(first)), 200)).toBe(1);
});

it('the app does not reveal by status, fields or time whether a number has an account', async () => {
  const wide = ['rate_limit_sms_number', 'rate_limit_sms_network', 'rate_limit_sms_sent'];
  const quiet = await createAppWith(
    node,
    `insert into ninefold.settings (key, value) values ('external_phone_enabled', 'true'), ('sms_max_frequency', '0'),
       ('rate_limit_otp', '100000'), ('rate_limit_otp_account', '100000'), ('rate_limit_sign_up', '100000'),
       ${wide.map((key) => `('${key}', '10000')`).join(', ')}`,
  );
  const known = newPhone();
  const { error } = await clientOf(quiet, quiet.secret_key).auth.admin.createUser({
    phone: known,
    phone_confirm: true,
  });
  expect(error).toBeNull();
  for (const [path, body] of [
    ['/otp', { create_user: false }],
    ['/resend', { type: 'sms' }],
    ['/signup', { password: 'correct horse' }],
  ] as const) {
    const replies = new Set<string>();
    const ask = (phone: string) =>
      timeOf(async () => {
        const { status, body: text } = await send(node.url, `/apps/${quiet.ref}/auth/v1${path}`, {
          method: 'POST',
          headers: { apikey: quiet.publishable_key, 'content-type': 'application/json' },
          body: JSON.stringify({ ...body, phone }),
          ownConnection: true,
        });
        replies.add(`${status} ${text.match(/"\w+":/g)}`);
      });
    const times: [number, number][] = [];
    for (let i = 0; i < 10; i++) times.push([await ask(known), await ask(newPhone())]);
    expect([...replies], path).toEqual([expect.stringMatching(/^200 /)]);
    expect(areDistinguishable(times, 2), `${path} ${JSON.stringify(times)}`).toBe(false);
  }
});
