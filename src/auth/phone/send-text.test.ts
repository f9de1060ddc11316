import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthApp, authSeed, makeAuthApp } from '../../../test/support/auth-app.ts';
import { lastTextTo } from '../../../test/support/auth-messages.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts';

let postgres: TestPostgres;
let app: AuthApp;
let receiver: Receiver | null = null;

const WIDE = 10_000;

beforeAll(async () => {
  postgres = await startPostgres('auth-text', { seed: authSeed });
  app = await makeAuthApp(postgres.url);
});
beforeEach(() => {
  app.reset();
  app.settings = {
    ...app.settings,
    external_phone_enabled: true,
    sms_max_frequency: 0,
    // All tests run within one hour and from one network, so the limits per hour and network are raised.
    ...{ rate_limit_sms_network: WIDE, rate_limit_sms_sent: WIDE, rate_limit_otp: WIDE, rate_limit_verify: WIDE },
  };
});
afterEach(async () => {
  await receiver?.close();
  receiver = null;
});
afterAll(async () => {
  await app.close();
  await postgres.stop();
});

let numbers = 0;
const newPhone = () => `1555${String(1_000_000 + numbers++)}`;

const post = (path: string, body: unknown) => app.ask('POST', path, { body });
const verify = (phone: string, token: string) => post('/verify', { type: 'sms', phone, token });

describe('sendText', () => {
  const hookSecret = `whsec_${Buffer.from('a secret of the webhook').toString('base64')}`;

  async function useWebhook(status: number): Promise<Receiver> {
    receiver = await startReceiver((_, response) => response.writeHead(status).end('no secrets here'));
    app.settings = { ...app.settings, sms_provider: 'webhook', sms_webhook_url: `${receiver.url}/texts` };
    app.secrets = { sms_webhook_secret: `v1,${hookSecret}` };
    return receiver;
  }

  async function useTwilio(status: number, answer: object): Promise<Receiver> {
    receiver = await startReceiver((_, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    );
    app.settings = {
      ...app.settings,
      ...{ sms_provider: 'twilio', sms_twilio_account_sid: 'AC1', sms_twilio_message_service_sid: '+15005550006' },
      sms_twilio_api_url: receiver.url,
    };
    app.secrets = { sms_twilio_auth_token: 'a-token' };
    return receiver;
  }

  it('posts a signed request with the number and the text of the SMS to the webhook', async () => {
    const { requests } = await useWebhook(204);
    const phone = newPhone();
    app.settings = { ...app.settings, sms_template: 'Desk: {{ .Code }}\n@desk.example #{{ .Code }}' };
    const { data } = await app.client().auth.signInWithOtp({ phone });
    const [request] = requests;
    const body = new Webhook(hookSecret).verify(request?.body ?? '', request?.headers as Record<string, string>) as {
      to: string;
      body: string;
    };
    const code = /#(\d{6})$/.exec(body.body)?.[1] ?? '';
    expect(body).toMatchObject({
      to: `+${phone}`,
      body: `Desk: ${code}\n@desk.example #${code}`,
      type: 'sms_confirmation',
    });
    expect(data.messageId).toBe(request?.headers['webhook-id']);
    // The stored text contains no code after it was sent.
    expect(await lastTextTo(app, phone)).toMatchObject({ state: 'sent', attempts: 1, data: {} });
    expect((await lastTextTo(app, phone)).data).toEqual({});
    expect((await verify(phone, code)).status).toBe(200);
  });

  it('returns a final failure to the client, and leaves an SMS with a temporary failure to the queue', async () => {
    await useWebhook(422);
    const phone = newPhone();
    const { error } = await app.client().auth.signInWithOtp({ phone });
    expect(error).toMatchObject({
      ...{ status: 422, code: 'sms_send_failed' },
      message: 'Error sending confirmation OTP to provider: The webhook answered 422',
    });
    expect(await lastTextTo(app, phone)).toMatchObject({ state: 'failed', error: 'The webhook answered 422' });
    await receiver?.close();
    const later = newPhone();
    const { error: unreachable } = await app.client().auth.signInWithOtp({ phone: later });
    expect(unreachable?.message).toBe('Error sending confirmation OTP to provider: The provider did not answer');
    expect(await lastTextTo(app, later)).toMatchObject({
      state: 'queued',
      attempts: 1,
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('sends through Twilio, and returns Twilio’s refusals as GoTrue does', async () => {
    const { requests } = await useTwilio(201, { sid: 'SM1', status: 'queued' });
    const phone = newPhone();
    expect((await app.client().auth.signInWithOtp({ phone })).data.messageId).toBe('SM1');
    const [request] = requests;
    expect(request?.url).toBe('/2010-04-01/Accounts/AC1/Messages.json');
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from('AC1:a-token').toString('base64')}`);
    const form = Object.fromEntries(new URLSearchParams(request?.body));
    expect(form).toEqual({
      To: `+${phone}`,
      From: '+15005550006',
      Body: expect.stringMatching(/^Your code is \d{6}$/),
    });
    await receiver?.close();
    await useTwilio(400, {
      code: 21211,
      message: "Invalid 'To' Phone Number",
      more_info: 'https://www.twilio.com/docs/errors/21211',
    });
    const refused = await app.client().auth.signInWithOtp({ phone: newPhone() });
    expect(refused.error).toMatchObject({
      code: 'sms_send_failed',
      message:
        "Error sending confirmation OTP to provider: Invalid 'To' Phone Number More information: https://www.twilio.com/docs/errors/21211",
    });
    await receiver?.close();
    await useTwilio(201, { sid: 'SM2', status: 'undelivered', error_code: 30003, error_message: 'Unreachable' });
    const failed = await app.client().auth.signInWithOtp({ phone: newPhone() });
    expect(failed.error?.message).toContain('twilio error: Unreachable 30003 for message SM2');
  });

  it('does not reveal by an error of the provider whether a number has an account', async () => {
    const phone = newPhone();
    await app.client().auth.signInWithOtp({ phone });
    expect((await verify(phone, (await lastTextTo(app, phone)).data.Token)).status).toBe(200);
    await useWebhook(422);
    const answers = await Promise.all(
      [phone, newPhone()].map((one) => post('/otp', { phone: one, create_user: false })),
    );
    expect(answers).toEqual(Array(2).fill(expect.objectContaining({ status: 200, body: {} })));
  });

  it.each(['http://203.0.113.9/texts', 'file:///etc/passwd', 'http://[::ffff:7f00:1]/'])(
    'sends no request to the address %s',
    async (url) => {
      await useWebhook(204);
      app.settings = { ...app.settings, sms_webhook_url: url };
      const { error } = await app.client().auth.signInWithOtp({ phone: newPhone() });
      expect(error?.message).toBe('Error sending confirmation OTP to provider: The provider is not set up');
    },
  );

  it('uses the standard text of the SMS if the template is invalid or lacks the code', async () => {
    for (const template of ['{{ if }}', 'no code', '']) {
      const phone = newPhone();
      app.settings = { ...app.settings, sms_template: template };
      await app.client().auth.signInWithOtp({ phone });
      expect((await lastTextTo(app, phone)).data.Message).toMatch(/^Your code is \d{6}$/);
    }
  });
});
