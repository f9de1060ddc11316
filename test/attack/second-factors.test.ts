import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp } from '../support/apps.ts';
import { Authenticator } from '../support/authenticator.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { send } from '../support/http.ts';
import { expectRefusal } from '../support/refusal.ts';
import { uniqueEmail } from '../support/unique.ts';

const node = inject('node');
let app: AppConnection;
let other: AppConnection;
beforeAll(async () => {
  [app, other] = await Promise.all([createApp(node), createApp(node)]);
});

const originOf = ({ ref }: AppConnection) => `http://${ref}.localhost:${new URL(node.url).port}`;

/** Sends a request on a new connection, so that parallel requests reach every worker. */
const post = async (on: AppConnection, path: string, body: unknown, token?: string) => {
  const { status, body: text } = await send(node.url, `/apps/${on.ref}/auth/v1${path}`, {
    method: 'POST',
    headers: {
      apikey: on.publishable_key,
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    ownConnection: true,
  });
  return { status, body: JSON.parse(text) as Record<string, unknown> };
};

const many = <T>(number: number, make: () => Promise<T>) => Promise.all(Array.from({ length: number }, make));
const statuses = (answers: readonly { status: number }[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

async function enrolled(on: AppConnection) {
  const member = await signUpMember(on);
  const { data, error } = await member.client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
  if (error) throw error;
  const totp = new TOTP({ secret: Secret.fromBase32(data.totp.secret) });
  const challenge = async () => String((await post(on, `/factors/${data.id}/challenge`, {}, token)).body.id);
  const token = member.session.access_token;
  return { ...member, factorId: data.id, totp, token, challenge };
}

describe('a TOTP factor', () => {
  it('accepts one of many parallel responses, over challenges and workers', async () => {
    const { factorId, totp, token, challenge } = await enrolled(app);
    const [first, second] = [await challenge(), await challenge()];
    const code = totp.generate();
    const verify = (challenge_id: string) => post(app, `/factors/${factorId}/verify`, { challenge_id, code }, token);
    const answers = (await many(5, () => Promise.all([verify(first), verify(second)]))).flat();
    expect(statuses(answers, 200)).toBe(1);
    expect(statuses(answers, 422)).toBe(9);
    expect((await verify(await challenge())).status).not.toBe(200);
  });

  it('accepts a recovery code once when all workers receive it in parallel, in two sessions of the account', async () => {
    const { factorId, totp, token, challenge, email, password } = await enrolled(app);
    const body = { challenge_id: await challenge(), code: totp.generate() };
    const raised = await post(app, `/factors/${factorId}/verify`, body, token);
    const made = await post(app, '/factors/recovery-codes', {}, String(raised.body.access_token));
    expect(made.status).toBe(200);
    const [code] = made.body.codes as string[];
    const tokens = await Promise.all(
      [1, 2].map(async () => {
        const { data } = await clientOf(app).auth.signInWithPassword({ email, password });
        return data.session?.access_token;
      }),
    );
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => post(app, '/factors/recovery-codes/verify', { code }, tokens[i % 2])),
    );
    expect(statuses(answers, 200)).toBe(1);
    // The session that used the code ends the other session, so requests of the ended session may get 403.
    const winner = answers.findIndex(({ status }) => status === 200) % 2;
    const refused = (ofWinner: boolean) =>
      answers.filter(({ status }, i) => status !== 200 && (i % 2 === winner) === ofWinner).map(({ status }) => status);
    expect(refused(true)).toEqual([422, 422, 422]);
    expect(refused(false).every((status) => status === 422 || status === 403)).toBe(true);
  });

  it('limits guesses for one account over all workers, sessions and factors', async () => {
    const { factorId, token, challenge, client } = await enrolled(app);
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'second' });
    const second = String((await post(app, `/factors/${data?.id}/challenge`, {}, token)).body.id);
    const first = await challenge();
    const guess = (factor: string | undefined, challenge_id: string) =>
      post(app, `/factors/${factor}/verify`, { challenge_id, code: '000000' }, token);
    const answers = (await many(10, () => Promise.all([guess(factorId, first), guess(data?.id, second)]))).flat();
    expect(statuses(answers, 422)).toBe(10);
    expect(statuses(answers, 429)).toBe(10);
  });
});

describe('a session without the second factor of its account', () => {
  it('cannot use a call that would replace the factor, on any worker', async () => {
    const { factorId, totp, token, challenge, email, password } = await enrolled(app);
    const body = { challenge_id: await challenge(), code: totp.generate() };
    const raised = await post(app, `/factors/${factorId}/verify`, body, token);
    expect((await post(app, '/factors/recovery-codes', {}, String(raised.body.access_token))).status).toBe(200);
    await admin(node, 'PUT', `/apps/${app.ref}/settings/security_manual_linking_enabled`, { value: true });
    const half = await clientOf(app).auth.signInWithPassword({ email, password });
    const authorization = `Bearer ${half.data.session?.access_token}`;
    const identity = half.data.user?.identities?.[0]?.identity_id;
    const calls: [string, string, object?][] = [
      ['DELETE', `/factors/${factorId}`],
      ['POST', '/factors', { factor_type: 'totp', friendly_name: 'mallory' }],
      ['POST', '/factors', { factor_type: 'webauthn', friendly_name: 'mallory' }],
      ['POST', '/factors/recovery-codes', {}],
      ['POST', '/factors/recovery-codes/regenerate', {}],
      ['DELETE', '/factors/recovery-codes'],
      ['POST', '/passkeys/registration/options', {}],
      ['POST', '/passkeys/registration/verify', { challenge_id: factorId, credential: {} }],
      ['PUT', '/user', { password: 'of mallory, only' }],
      ['PUT', '/user', { email: uniqueEmail() }],
      ['DELETE', '/user'],
      ['GET', '/user/identities/authorize?provider=google'],
      ['DELETE', `/user/identities/${identity}`],
    ];
    const codes = await Promise.all(
      calls.map(async ([method, path, sent]) => {
        const response = await send(node.url, `/apps/${app.ref}/auth/v1${path}`, {
          method,
          headers: { apikey: app.publishable_key, authorization, 'content-type': 'application/json' },
          ...(sent && { body: JSON.stringify(sent) }),
          ownConnection: true,
        });
        return [method, path, expectRefusal(response, `${method} ${path}`)];
      }),
    );
    expect(codes).toEqual(calls.map(([method, path]) => [method, path, 'insufficient_aal']));
    const { data } = await clientOf(app, app.secret_key).auth.admin.getUserById(half.data.user?.id ?? '');
    expect(data.user?.email).toBe(email);
    expect(data.user?.factors).toContainEqual(expect.objectContaining({ id: factorId, status: 'verified' }));
  });
});

describe('a passkey', () => {
  const ceremonyOf = (on: AppConnection, challenge: unknown) => ({
    origin: originOf(on),
    rpId: new URL(originOf(on)).hostname,
    challenge: String(challenge),
  });
  const options = async (on: AppConnection, kind: string, token?: string) => {
    const { body } = await post(on, `/passkeys/${kind}/options`, {}, token);
    return { id: body.challenge_id, challenge: (body.options as { challenge: string }).challenge };
  };

  async function withPasskey(on: AppConnection) {
    const member = await signUpMember(on);
    const device = new Authenticator();
    const { id, challenge } = await options(on, 'registration', member.session.access_token);
    const credential = device.create(ceremonyOf(on, challenge), member.user.id);
    const body = { challenge_id: id, credential };
    const made = await post(on, '/passkeys/registration/verify', body, member.session.access_token);
    expect(made.status).toBe(200);
    return { ...member, device };
  }

  it('opens one session when all workers receive one assertion in parallel', async () => {
    const { device } = await withPasskey(app);
    const { id, challenge } = await options(app, 'authentication');
    const credential = device.get(ceremonyOf(app, challenge));
    const answers = await many(32, () =>
      post(app, '/passkeys/authentication/verify', { challenge_id: id, credential }),
    );
    expect(statuses(answers, 200)).toBe(1);
    expect(statuses(answers, 400)).toBe(31);
  });

  it('is rejected by another app, and so is its challenge', async () => {
    const { device } = await withPasskey(app);
    const own = await options(app, 'authentication');
    const foreign = await options(other, 'authentication');
    for (const [challenge_id, ceremony] of [
      [foreign.id, ceremonyOf(other, foreign.challenge)],
      [foreign.id, ceremonyOf(app, foreign.challenge)],
      [own.id, ceremonyOf(app, own.challenge)],
    ]) {
      const credential = device.get(ceremony as ReturnType<typeof ceremonyOf>);
      expect((await post(other, '/passkeys/authentication/verify', { challenge_id, credential })).status).toBe(400);
    }
    // The app's own challenge, signed on a page of the other app.
    const phished = device.get({ ...ceremonyOf(app, own.challenge), origin: originOf(other) });
    expect(
      (await post(app, '/passkeys/authentication/verify', { challenge_id: own.id, credential: phished })).status,
    ).toBe(400);
  });

  it('is verified for the app’s own origin, whatever origin a request names', async () => {
    const { body } = await post(app, '/passkeys/authentication/options', {});
    expect((body.options as { rpId: string }).rpId).toBe(new URL(originOf(app)).hostname);
    const response = await send(node.url, `/apps/${app.ref}/auth/v1/passkeys/authentication/options`, {
      method: 'POST',
      headers: {
        apikey: app.publishable_key,
        origin: 'https://evil.example.org',
        'x-forwarded-host': 'evil.example.org',
        'content-type': 'application/json',
      },
      body: '{}',
    });
    expect(JSON.parse(response.body).options.rpId).toBe(new URL(originOf(app)).hostname);
  });
});

it('an app rejects factors, sessions and tokens of another app', async () => {
  const { factorId, token, totp, challenge } = await enrolled(app);
  const body = { challenge_id: await challenge(), code: totp.generate() };
  expect((await post(other, `/factors/${factorId}/verify`, body, token)).body.code).toBe(403);
  const stranger = await signUpMember(other);
  const refused = await post(other, `/factors/${factorId}/verify`, body, stranger.session.access_token);
  expect([refused.status, refused.body.error_code]).toEqual([404, 'mfa_factor_not_found']);
});
