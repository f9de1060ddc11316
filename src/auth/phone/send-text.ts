import { randomUUID } from 'node:crypto';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { TextKind } from '../../../contract/mails.ts';
import { issuedPhoneCode, makeCode, type TokenKind } from '../../accounts/messages/one-time-tokens.ts';
import {
  findForText,
  noteTextFailure,
  noteTextSent,
  queuedText,
  releaseText,
  reserveText,
  type TextPurpose,
  type TextRequested,
} from '../../accounts/messages/texts.ts';
import type { SqlStatement } from '../../accounts/run-as-auth-admin.ts';
import { findUser } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { pauseSeconds } from '../../jobs/mail-sender.ts';
import { textProviderOf } from '../../jobs/make-text-provider.ts';
import { type Text, TextError, type TextProvider } from '../../jobs/text-provider.ts';
import { withoutCode } from '../../jobs/text-sender.ts';
import { Template, TemplateError } from '../../mail/template.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { callSendSmsHook } from '../hooks/send-hooks.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { phoneDigits } from '../sign-in/addresses.ts';

/** A text message (SMS) with a new code. */
export interface CodeText extends Text {
  readonly code: string;
  readonly validSeconds: number;
  /** The provider that sends the SMS; null if SMS messages are only stored, for the Mail page. */
  readonly provider: TextProvider | null;
  /** True for a test number, to which no message is sent. */
  readonly isTest: boolean;
  /** True if the hook send_sms replaces the provider and the queue. */
  readonly isForHook: boolean;
}

/**
 * For each kind of text message, the kind of the token that stores its code. The code of a second factor is stored in
 * its challenge instead.
 */
const tokenOf: Readonly<Record<Exclude<TextKind, 'sms_mfa'>, TokenKind>> = {
  sms_confirmation: 'confirmation_token',
  sms_phone_change: 'phone_change_token',
  sms_reauthentication: 'reauthentication_token',
};

/**
 * Creates a text message (SMS) with a new code for a number. A test number has a fixed code, except as a second factor.
 */
export function makeText(context: AuthContext, kind: TextKind, phone: string): CodeText {
  const { settings, secrets, addresses } = context;
  const isFactor = kind === 'sms_mfa';
  const testCode = isFactor ? undefined : testCodeOf(context, phone);
  const code = testCode ?? makeCode(isFactor ? settings.mfa_phone_otp_length : settings.sms_otp_length);
  const { provider } = textProviderOf(settings, secrets, addresses);
  return {
    ...{ id: randomUUID(), kind, to: `+${phone}`, code, provider },
    body: bodyOf(isFactor ? settings.mfa_phone_template : settings.sms_template, code),
    validSeconds: isFactor ? settings.mfa_challenge_expiry_duration : settings.sms_otp_exp,
    isTest: testCode !== undefined,
    isForHook: settings.hook_send_sms_enabled,
  };
}

/** Returns the code of a test number (GoTrue, `GetTestOTP`). */
function testCodeOf(context: AuthContext, phone: string): string | undefined {
  const { sms_test_otp: codes, sms_test_otp_valid_until: until } = context.settings;
  // A time that cannot be parsed counts as past, so the number is not a test number.
  if (until !== null && !(timeOf(context) < Date.parse(until))) return undefined;
  return Object.entries(codes).find(([number, code]) => phoneDigits(number) === phone && code !== '')?.[1];
}

const STANDARD = 'Your code is {{ .Code }}';

/**
 * Renders the body of a text message. If the template is invalid, empty, too long or without the code, uses the
 * standard template.
 */
function bodyOf(template: string, code: string): string {
  for (const source of [template, STANDARD]) {
    try {
      const body = new Template(source).plain({ Code: code });
      if (body.includes(code) && body.length <= limits.textCharacters.default) return body;
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
    }
  }
  return code;
}

/** Returns the statements that store the code of a text message for an account and queue the message. */
export const storedText = (userId: string, text: CodeText): readonly SqlStatement[] => {
  if (text.kind === 'sms_mfa') return queued(userId, text);
  const phone = phoneDigits(text.to);
  return [issuedPhoneCode(userId, tokenOf[text.kind], phone, text.code), ...queued(userId, text)];
};

const queued = (userId: string, text: CodeText): readonly SqlStatement[] =>
  text.isTest || text.isForHook
    ? []
    : [
        queuedText(text, userId, text.code, {
          validSeconds: text.validSeconds,
          isClaimed: text.provider !== null,
        }),
      ];

/**
 * Sends a text whose code and queue entry are stored. This function makes the first attempt for every text (SMS) of an
 * app; the sender of the queue (`src/jobs/text-sender.ts`) makes further attempts. While the hook send_sms is enabled,
 * the hook receives the text instead, once.
 * @param options.userId The account that the code is for.
 * @param options.waits True to wait for the provider. Use it only in calls whose response may depend on whether a text
 * was sent. In other calls, the duration would reveal whether an account exists.
 * @returns The provider's id of the text; null if it is not known.
 * @throws sms_send_failed if `waits` and the provider did not accept the text, even if the queue retries; what the hook
 * throws if `waits`
 */
export async function sendText(
  context: AuthContext,
  request: CallRequest,
  text: CodeText,
  options: { userId: string; waits: boolean },
): Promise<string | null> {
  const { provider } = text;
  if (text.isTest || (provider === null && !text.isForHook)) return null;
  const send = () =>
    text.isForHook ? handToHook(context, request, text, options.userId) : attempt(context, text, provider);
  if (options.waits) return send();
  // Sends the SMS only after the response, so that the duration of the call does not depend on the SMS.
  setImmediate(() => {
    send().catch((error: unknown) => {
      if (error instanceof NinefoldError && error.code === 'sms_send_failed') return;
      context.events.emit({ type: 'fault', requestId: request.requestId, where: 'auth', error });
    });
  });
  return null;
}

async function handToHook(
  context: AuthContext,
  { address }: CallRequest,
  text: CodeText,
  userId: string,
): Promise<null> {
  const user = await findUser(context.database, userId);
  // The account was deleted in the meantime, so there is no member to send the text to.
  if (user === null) return null;
  const phone = phoneDigits(text.to);
  await callSendSmsHook(context, address, user, { otp: text.code, phone }, text.id);
  return null;
}

async function attempt(
  { app, database, addresses }: AuthContext,
  text: CodeText,
  provider: TextProvider | null,
): Promise<string | null> {
  if (provider === null) return null;
  const end = addresses.inFlight.texts.begin(app.ref, {
    ofSubject: limits.appTextRequests.default,
    ofAll: limits.nodeTextRequests.default,
  });
  if (end === null) {
    await releaseText(database, text.id);
    return null;
  }
  try {
    const messageId = await provider.send(text);
    await noteTextSent(database, text.id);
    return messageId;
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    const pause = pauseSeconds(1);
    const isLast = error.isPermanent || pause >= text.validSeconds;
    await noteTextFailure(database, text.id, withoutCode(error.message, text.code), isLast ? null : pause);
    const kind = text.kind.replace(/^sms_/, '');
    const reason = withoutCode(error.publicReason, text.code);
    throw new NinefoldError('sms_send_failed', { message: `Error sending ${kind} OTP to provider: ${reason}` });
  } finally {
    end();
  }
}

/**
 * Counts a request for an SMS and finds the account with the number.
 *
 * @param of The number or the account id to which the pause between two SMS messages applies; by default the number.
 * @throws over_sms_send_rate_limit, over_request_rate_limit, whether or not an account has the number
 */
export async function requireText(
  context: AuthContext,
  request: CallRequest,
  purpose: TextPurpose,
  phone: string,
  of = phone,
): Promise<TextRequested> {
  const { settings, database } = context;
  await takeFromLimit(context, request, 'otp', phone);
  const isFactor = purpose === 'mfa_sms';
  const seconds = isFactor ? settings.mfa_phone_max_frequency : settings.sms_max_frequency;
  const requested = await findForText(database, purpose, of, seconds, phone);
  refuseBeforePauseEnds(requested.wait, seconds, isFactor);
  if (isFactor || testCodeOf(context, phone) === undefined) await takeFromLimit(context, request, 'sms', phone);
  refuseBeforePauseEnds(await reserveText(database, purpose, of, seconds), seconds, isFactor);
  return requested;
}

function refuseBeforePauseEnds(wait: number, seconds: number, isFactor: boolean): void {
  if (wait <= 0) return;
  throw new NinefoldError('over_sms_send_rate_limit', {
    message: `For security purposes, you can only request this after ${wait} seconds.`,
    retryAfter: wait,
    limit: isFactor ? 'factorTextPauseSeconds' : 'textPauseSeconds',
    quota: { count: 1, seconds },
  });
}

const CHANNEL =
  "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.";

/** Throws validation_failed for a channel other than SMS. */
export function checkChannel(channel: string | undefined): void {
  if (channel === undefined || channel === 'sms') return;
  throw new NinefoldError('validation_failed', { message: CHANNEL });
}
