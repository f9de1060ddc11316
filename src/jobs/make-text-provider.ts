import { limits } from '../../contract/limits.ts';
import type { PhoneSettings } from '../../contract/settings-phone.ts';
import type { Secrets } from '../apps/registry/app-secrets.ts';
import type { AddressPolicy } from './public-address.ts';
import { sendRequest } from './send-request.ts';
import { TextError, type TextProvider, type TextRequest } from './text-provider.ts';
import { textWebhook } from './text-webhook.ts';
import { twilio } from './twilio.ts';

/**
 * Returns the SMS provider of an app; null if none is configured. If a required setting has no value, `missing` is its
 * name.
 */
export function textProviderOf(
  settings: PhoneSettings,
  secrets: Secrets,
  addresses: AddressPolicy,
): { provider: TextProvider; missing: null } | { provider: null; missing: string | null } {
  const request = textRequest(addresses);
  const without = (name: string) => ({ provider: null, missing: `${name} is not set: texts need it.` });
  switch (settings.sms_provider) {
    case 'twilio': {
      const { sms_twilio_account_sid: accountSid, sms_twilio_message_service_sid: sender } = settings;
      const { sms_twilio_auth_token: authToken } = secrets;
      if (!accountSid) return without('sms_twilio_account_sid');
      if (!sender) return without('sms_twilio_message_service_sid');
      if (!authToken) return without('sms_twilio_auth_token');
      return {
        provider: twilio({ apiUrl: settings.sms_twilio_api_url, accountSid, sender, authToken }, request),
        missing: null,
      };
    }
    case 'webhook': {
      const { sms_webhook_url: url } = settings;
      const { sms_webhook_secret: secret } = secrets;
      if (!url) return without('sms_webhook_url');
      if (!secret) return without('sms_webhook_secret');
      return { provider: textWebhook({ url, secret }, request), missing: null };
    }
    case null:
      return { provider: null, missing: null };
  }
}

const textRequest =
  (addresses: AddressPolicy): TextRequest =>
  async ({ url, headers, body }) => {
    if (!isSafeUrl(url)) {
      const message = 'The address of the provider must begin with https://';
      throw new TextError(message, { isPermanent: true, publicReason: 'The provider is not set up' });
    }
    const result = await sendRequest(
      {
        method: 'POST',
        ...{ url, headers },
        body: Buffer.from(body),
        timeoutMilliseconds: limits.textSendMilliseconds.default,
        maxBytes: limits.textAnswerBytes.default,
      },
      addresses,
    );
    const { status } = result;
    if (status !== null) return { ...result, status };
    const message = result.error ?? 'The provider did not answer';
    throw new TextError(message, { isPermanent: false, publicReason: 'The provider did not answer' });
  };

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/**
 * Returns true for a URL with TLS or with an address of this machine. Without TLS, other addresses are refused, because
 * codes must not be sent unencrypted over a network.
 */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
