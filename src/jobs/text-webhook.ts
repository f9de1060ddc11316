import { Webhook } from 'standardwebhooks';
import { isTransientStatus, TextError, type TextProvider, type TextRequest } from './text-provider.ts';

/**
 * Creates a provider that posts text messages to a webhook of the app's builder, signed as in Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks). Any 2xx response means that the webhook accepted the
 * message.
 */
export const textWebhook = (hook: { url: string; secret: string }, request: TextRequest): TextProvider => ({
  async send({ id, kind, to, body }) {
    const payload = JSON.stringify({ id, type: kind, to, body });
    const now = new Date();
    const { status } = await request({
      url: hook.url,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': signatureOf(hook.secret, id, now, payload),
      },
      body: payload,
    });
    if (status >= 200 && status < 300) return id;
    throw new TextError(`The webhook answered ${status}`, { isPermanent: !isTransientStatus(status) });
  },
});

function signatureOf(secret: string, id: string, now: Date, payload: string): string {
  try {
    return new Webhook(secret.replace(/^v1,/, '')).sign(id, now, payload);
  } catch {
    const message = 'sms_webhook_secret is no secret of standard-webhooks: whsec_ and base64';
    throw new TextError(message, { isPermanent: true, publicReason: 'The provider is not set up' });
  }
}
