import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { type MailData, type MailDetail, type MailRow, mailKinds } from '../../../contract/mails.ts';
import { deleteMail, findMail, listMails, requeueMail } from '../../accounts/messages/mails.ts';
import type { App } from '../../apps/app.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { mailServerOf } from '../../jobs/mail-server.ts';
import { renderMail } from '../../mail/render.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';

const parameters = z.object({
  search: z
    .string()
    .max(limits.emailCharacters.default)
    .regex(/^[^\0]*$/)
    .optional(),
  state: z.enum(['queued', 'sent', 'failed', 'kept']).optional(),
  after: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z_[0-9a-f-]{36}$/)
    .optional(),
});

const showMails = adminCall({
  route: 'GET /apps/:ref/mails',
  least: 'developer',
  summary: 'Returns a page of the mails, newest first. `after` is `next` of the previous page.',
  returns: 'MailPage',
  query: parameters.keyof().options,
  handle: async ({ context, ref, query }) => {
    const asked = parameters.safeParse(Object.fromEntries(query));
    const [createdAt = '', id = ''] = asked.data?.after?.split('_') ?? [];
    const isCursor = asked.data?.after === undefined || (UUID.test(id) && !Number.isNaN(Date.parse(createdAt)));
    if (!asked.success || !isCursor) {
      throw new NinefoldError('validation_invalid', {
        message: 'search is a text, state one of queued, sent, failed, kept, and after the next of the page before.',
      });
    }
    const { search, state, after } = asked.data;
    const { database } = await context.apps.get(ref);
    const cursor = after === undefined ? null : { createdAt, id };
    return json(await listMails(database, { search: search?.trim() || null, state: state ?? null, after: cursor }));
  },
});

/** Returns the address that an app's mails contain: its site, or its own origin. */
export async function siteOf(context: AdminContext, app: App): Promise<string> {
  const { auth } = await app.settings();
  return auth.site_url ?? context.origins.appOrigin(app.ref) ?? context.origins.appUrl(app.ref);
}

const showMail = adminCall({
  route: 'GET /apps/:ref/mails/:id',
  least: 'developer',
  summary: 'Returns a mail as its recipient sees it.',
  returns: 'MailDetail',
  errors: ['mail_unknown'],
  handle: async ({ context, ref, id }) => {
    requireId(id);
    const app = await openApp(context, ref);
    const found = await findMail(app.database, id);
    if (!found) throw new NinefoldError('mail_unknown');
    if (found.row.channel === 'sms') return json(textDetail(found));
    if (!mailKinds.some((kind) => kind === found.row.kind)) throw new NinefoldError('mail_unknown');
    const [settings, siteUrl] = await Promise.all([app.settings(), siteOf(context, app)]);
    const { data } = found.mail;
    const { server } = mailServerOf(settings.mail, {}, siteUrl);
    const detail: MailDetail = {
      ...found.row,
      ...renderMail(found.mail, settings.mail, siteUrl),
      from: server && (server.senderName ? `${server.senderName} <${server.senderAddress}>` : server.senderAddress),
      link: data.ConfirmationURL ?? null,
      code: data.Token ?? null,
    };
    return json(detail);
  },
});

/** Returns the details of a text message (SMS). The text of the message is stored only until it is sent. */
const textDetail = ({ row, mail: { data } }: { row: MailRow; mail: { data: MailData } }): MailDetail => ({
  ...row,
  ...{ subject: '', html: '', text: data.Message ?? '', language: '', template_error: null },
  ...{ from: null, link: null, code: data.Token ?? null },
});

const resendMail = adminCall({
  route: 'POST /apps/:ref/mails/:id/resend',
  least: 'developer',
  summary: 'Queues an unsent mail again.',
  returns: 'MailRow',
  errors: ['mail_unknown', 'mail_sent'],
  handle: async ({ context, ref, id }) => {
    requireId(id);
    const { database } = await context.apps.get(ref);
    const isQueued = await requeueMail(database, id);
    const found = await findMail(database, id);
    if (!found) throw new NinefoldError('mail_unknown');
    if (!isQueued) throw new NinefoldError('mail_sent');
    return json(found.row);
  },
});

const removeMail = adminCall({
  route: 'DELETE /apps/:ref/mails/:id',
  least: 'developer',
  audit: { action: 'mail_deleted', details: (_, { id }) => ({ mail_id: id }) },
  summary: 'Deletes a mail.',
  errors: ['mail_unknown'],
  handle: async ({ context, ref, id }) => {
    requireId(id);
    const { database } = await context.apps.get(ref);
    if (!(await deleteMail(database, id))) throw new NinefoldError('mail_unknown');
    return noContent();
  },
});

function requireId(id: string): void {
  if (!UUID.test(id)) throw new NinefoldError('mail_unknown');
}

export const mailCalls: readonly AdminCall[] = [showMails, showMail, removeMail, resendMail];
