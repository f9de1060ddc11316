import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { MailTest } from '../../../contract/mails.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { composeMail } from '../../jobs/mail-message.ts';
import { mailServerOf } from '../../jobs/mail-server.ts';
import type { AddressPolicy } from '../../jobs/public-address.ts';
import { SmtpError, SmtpSession } from '../../jobs/smtp-session.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';
import { siteOf } from './mails.ts';

const testMailServer = adminCall({
  route: 'POST /apps/:ref/mails/test',
  least: 'developer',
  summary: "Sends a mail to an address and returns the server's response.",
  returns: 'MailTest',
  errors: ['mail_server_missing', 'mail_tests_busy'],
  body: z.strictObject({ to: z.email().max(limits.emailCharacters.default) }),
  handle: async ({ context, ref, body: { to } }) => {
    const app = await openApp(context, ref);
    const [settings, siteUrl] = await Promise.all([app.settings(), siteOf(context, app)]);
    const { server, missing } = mailServerOf(settings.mail, app.secrets, siteUrl);
    if (!server) throw new NinefoldError('mail_server_missing', missing === null ? {} : { message: missing });
    const end = context.addresses.inFlight.mailTests.begin('node', { ofSubject: limits.mailTests.default });
    if (end === null) {
      throw new NinefoldError('mail_tests_busy', { retryAfter: 5, quota: { count: limits.mailTests.default } });
    }
    try {
      const words = `This is a test of the mail server of ${app.record.name}.`;
      const message = await composeMail(server, randomUUID(), to, {
        ...{
          subject: `Test of ${app.record.name}`,
          html: `<p>${words.replace(/[&<>]/g, '')}</p>`,
          text: words,
          language: 'en',
        },
      });
      return json(await attempt(context.addresses, server, message));
    } finally {
      end();
    }
  },
});

async function attempt(
  policy: AddressPolicy,
  server: Parameters<typeof SmtpSession.open>[0],
  message: Awaited<ReturnType<typeof composeMail>>,
): Promise<MailTest> {
  const signal = AbortSignal.timeout(limits.mailSendMilliseconds.default);
  const started = performance.now();
  let session: SmtpSession | null = null;
  const result = (response: string | null, error: string | null): MailTest => ({
    ...{ ok: error === null, response, error, tls: session?.isEncrypted ?? false },
    milliseconds: Math.round(performance.now() - started),
  });
  try {
    session = await SmtpSession.open(server, policy, signal);
    return result(await session.send(message, signal), null);
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error;
    return result(null, error.message);
  } finally {
    session?.close();
  }
}

export const mailTestCalls: readonly AdminCall[] = [testMailServer];
