import { jsonAsAuthAdmin } from '../../src/accounts/run-as-auth-admin.ts';
import type { AuthApp } from './auth-app.ts';

/** A mail in the queue of an app. */
export interface QueuedMail {
  readonly kind: string;
  readonly recipient: string;
  readonly language: string | null;
  readonly data: { ConfirmationURL: string; Token: string; TokenHash: string; RedirectTo?: string };
}

/** Returns the queued mails to an address, oldest first. */
export const mailsTo = async (app: AuthApp, address: string): Promise<QueuedMail[]> =>
  (await jsonAsAuthAdmin<QueuedMail[]>(
    app.database,
    `select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('kind', kind, 'recipient', recipient, 'data', data,
         'language', accept_language)
       order by created_at) from ninefold.mails where recipient = $1`,
    [address],
  )) ?? [];

export async function lastMailTo(app: AuthApp, address: string): Promise<QueuedMail> {
  const mail = (await mailsTo(app, address)).at(-1);
  if (!mail) throw new Error(`no mail to ${address}`);
  return mail;
}

/** A text message (SMS) in the queue of an app. */
interface QueuedText {
  readonly kind: string;
  readonly state: string;
  readonly error: string | null;
  readonly attempts: number;
  readonly data: { readonly Token: string; readonly Message: string };
}

/** Returns the queued text messages to a phone number, oldest first. The number has no plus sign. */
export const textsTo = async (app: AuthApp, phone: string): Promise<QueuedText[]> =>
  (await jsonAsAuthAdmin<QueuedText[]>(
    app.database,
    `select pg_catalog.jsonb_agg(pg_catalog.to_jsonb(m) order by created_at) from ninefold.mails m
     where channel = 'sms' and recipient = '+' || $1`,
    [phone],
  )) ?? [];

export async function lastTextTo(app: AuthApp, phone: string): Promise<QueuedText> {
  const text = (await textsTo(app, phone)).at(-1);
  if (!text) throw new Error(`no text to ${phone}`);
  return text;
}

const ownHost = { host: 'auth.localhost:8000' };

/** Opens a link in the same way as a browser or a mail scanner. */
export const openLink = (app: AuthApp, link: string, headers: Record<string, string> = {}) =>
  app.call('GET', `/verify${new URL(link, 'http://auth.localhost').search}`, { headers: { ...ownHost, ...headers } });

/** Presses a button on the page that a link has opened, by default the first button. */
export async function pressButton(
  app: AuthApp,
  link: string,
  headers: Record<string, string> = {},
  button: Record<string, string> = {},
) {
  const page = await openLink(app, link);
  const inputs = [...String(page.body).matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const form = new URLSearchParams(button);
  for (const [, name = '', value = ''] of inputs) form.set(name, value.replaceAll('&amp;', '&'));
  const reply = await app.call('POST', '/verify', {
    raw: Buffer.from(form.toString()),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(headers.origin === undefined && { 'sec-fetch-site': 'same-origin' }),
      ...ownHost,
      ...headers,
    },
  });
  return { page, reply, location: new URL(reply.redirect ?? 'none:') };
}
