import MailComposer from 'nodemailer/lib/mail-composer';
import type { RenderedMail } from '../../contract/mails.ts';
import type { MailServer } from './mail-server.ts';
import type { Envelope } from './smtp-session.ts';

/**
 * Returns a mail in MIME with its HTML and its text. The Message-ID is the same in each attempt, so that a receiver can drop a mail that
 * it already has.
 */
export async function composeMail(
  server: Pick<MailServer, 'senderAddress' | 'senderName'>,
  id: string,
  recipient: string,
  { subject, html, text, language }: Omit<RenderedMail, 'template_error'>,
): Promise<Envelope> {
  const from = server.senderAddress;
  const composer = new MailComposer({
    from: { name: server.senderName ?? '', address: from },
    // An object, as a text may name several addresses.
    to: { name: '', address: recipient },
    subject,
    html,
    text,
    messageId: `<${id}@${from.split('@').at(-1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { from, to: recipient, message: await composer.compile().build() };
}
