import type { RenderedMail } from '../../contract/mails.ts';
import type { MailFile } from '../mail/appointments.ts';
import type { MailServer } from './mail-server.ts';
import type { Envelope } from './smtp-session.ts';

/**
 * Returns a mail in MIME format with an HTML and a text part. The Message-ID is the same for each attempt, so that a
 * receiver can drop duplicates.
 * @param more Address that ends such mails with one POST (RFC 8058), and files that the mail contains.
 */
export async function composeMail(
  server: Pick<MailServer, 'senderAddress' | 'senderName'>,
  id: string,
  recipient: string,
  { subject, html, text, language }: Omit<RenderedMail, 'template_error'>,
  { unsubscribeUrl, files = [] }: { unsubscribeUrl?: string | undefined; files?: readonly MailFile[] } = {},
): Promise<Envelope> {
  // Most nodes send no mail, and the composer takes a tenth of the time in which a worker loads its code.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const from = server.senderAddress;
  const composer = new MailComposer({
    from: { name: server.senderName ?? '', address: from },
    // The recipient is passed as an object, because a string could contain several addresses.
    to: { name: '', address: recipient },
    subject,
    html,
    text,
    attachments: [...files],
    messageId: `<${id}@${from.split('@').at(-1)}>`,
    headers: {
      ...{ 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
      ...(unsubscribeUrl !== undefined && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { from, to: recipient, message: await composer.compile().build() };
}
