import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { MailTest } from '../../../contract/mails.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { composeMail } from '../../jobs/mail-message.ts';
import { mailServerOf } from '../../jobs/mail-server.ts';
import type { AddressPolicy } from '../../jobs/public-address.ts';
import { SmtpError, SmtpSession } from '../../jobs/smtp-session.ts';
import { readBody } from '../body.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json } from '../router.ts';
import { siteOf } from './mails.ts';

const body = z.strictObject({ to: z.email().max(limits.emailCharacters.default) });

/**
 * Handles POST /apps/:ref/mails/test: sends a mail to an address and returns the server's response.
 * @throws `mail_server_missing`
 */
export async function testMailServer(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const { to } = readBody(request, body);
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
}

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
