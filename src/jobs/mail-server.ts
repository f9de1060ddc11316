import type { MailSettings } from '../../contract/settings-mail.ts';
import type { Secrets } from '../apps/registry/app-secrets.ts';

/** The mail server of an app. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly user: string | null;
  readonly password: string;
  readonly senderAddress: string;
  readonly senderName: string | null;
  /** Host name with which the node introduces itself (EHLO). */
  readonly clientName: string;
}

/**
 * Returns the mail server of an app; null if none is configured. If a required setting has no value, `missing` is its
 * name.
 */
export function mailServerOf(
  settings: MailSettings,
  secrets: Secrets,
  siteUrl: string,
): { server: MailServer; missing: null } | { server: null; missing: string | null } {
  const { smtp_host: host, smtp_port: port, smtp_admin_email: senderAddress } = settings;
  if (!host) return { server: null, missing: null };
  if (!senderAddress) return { server: null, missing: 'smtp_admin_email is not set: mails need a sender.' };
  const server: MailServer = {
    ...{ host: host.trim(), port, senderAddress: senderAddress.trim() },
    user: settings.smtp_user || null,
    password: secrets.smtp_pass ?? '',
    senderName: settings.smtp_sender_name || null,
    clientName: URL.canParse(siteUrl) ? new URL(siteUrl).hostname : 'localhost',
  };
  return { server, missing: null };
}
