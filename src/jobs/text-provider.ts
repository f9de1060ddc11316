import { limits } from '../../contract/limits.ts';
import type { TextKind } from '../../contract/mails.ts';
import type { PhoneSettings } from '../../contract/settings-phone.ts';
import type { Secrets } from '../apps/app-secrets.ts';
import type { AddressPolicy } from './public-address.ts';
import { type HttpResult, type OutgoingRequest, sendRequest } from './send-request.ts';
import { textWebhook } from './text-webhook.ts';
import { twilio } from './twilio.ts';

/** A text message (SMS) with a code. */
export interface Text {
  /** Id of the message, which is the same for each attempt, so that a receiver can drop duplicates. */
  readonly id: string;
  readonly kind: TextKind;
  /** Phone number in E.164 format with the plus sign. */
  readonly to: string;
  readonly body: string;
}

/** A service that delivers text messages to phones. */
export interface TextProvider {
  /**
   * Sends a text message. Returns the provider's id of the message; null if there is none.
   * @throws TextError
   */
  send(text: Text): Promise<string | null>;
}

/** Error of a provider that did not accept a text message. */
export class TextError extends Error {
  override readonly name = 'TextError';
  /** True if a retry would fail too. */
  readonly isPermanent: boolean;
  /** Reason that clients may read: it contains no address of the app's own servers. */
  readonly publicReason: string;

  /** @param message Reason for the builder. */
  constructor(message: string, options: { isPermanent: boolean; publicReason?: string }) {
    super(message.slice(0, limits.mailErrorCharacters.default));
    this.isPermanent = options.isPermanent;
    this.publicReason = (options.publicReason ?? message).slice(0, limits.mailErrorCharacters.default);
  }
}

/**
 * Sends one request to a provider within the limits for text messages.
 * @throws TextError if there is no response.
 */
export type TextRequest = (
  request: Pick<OutgoingRequest, 'url' | 'headers'> & { body: string },
) => Promise<HttpResult & { status: number }>;

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

/** Returns true for a URL with TLS, or of this machine: codes must not be sent unencrypted over a network. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/** Returns true for a status after which a retry may succeed. */
export const isTransientStatus = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429;

/** Returns the SMS provider of an app; null if none is configured. `missing` names a missing setting. */
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
