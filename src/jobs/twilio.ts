import { isTransientStatus, TextError, type TextProvider, type TextRequest } from './text-provider.ts';

interface TwilioAccount {
  readonly apiUrl: string;
  readonly accountSid: string;
  readonly authToken: string;
  /** The sender: the SID of a messaging service, or a phone number. */
  readonly sender: string;
}

/**
 * Creates a provider that sends text messages with Twilio (https://www.twilio.com/docs/messaging/api/message-resource).
 */
export const twilio = (account: TwilioAccount, request: TextRequest): TextProvider => ({
  async send({ to, body }) {
    const { apiUrl, accountSid, authToken, sender } = account;
    const isService = sender.startsWith('MG');
    const result = await request({
      url: `${apiUrl.replace(/\/+$/, '')}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
      headers: {
        authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({
        To: to,
        [isService ? 'MessagingServiceSid' : 'From']: sender,
        Body: body,
      }).toString(),
    });
    const answer = fieldsOf(result.content);
    if (result.status !== 200 && result.status !== 201) {
      const words = `${text(answer.message) || `Twilio answered ${result.status}`} More information: ${text(answer.more_info)}`;
      throw new TextError(words, { isPermanent: !isTransientStatus(result.status) });
    }
    const sid = text(answer.sid);
    if (answer.status === 'failed' || answer.status === 'undelivered') {
      const words = `twilio error: ${text(answer.error_message)} ${text(answer.error_code)} for message ${sid}`;
      throw new TextError(words, { isPermanent: true });
    }
    return sid || null;
  },
});

function fieldsOf(content: string | null): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(content ?? '');
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
