import { type MailKind, mailKinds } from './mails.ts';
import type { Setting } from './settings.ts';

/** One string for all languages, or one string for each language tag. */
export type Translated = string | Readonly<Record<string, string>> | null;

/**
 * The settings of an app's mails, with the names of GoTrue's configuration in lower case. The value of a template is
 * the template itself; in GoTrue it is the URL of the template.
 */
export type MailSettings = {
  smtp_host: string | null;
  smtp_port: number;
  smtp_user: string | null;
  smtp_admin_email: string | null;
  smtp_sender_name: string | null;
  mailer_language: string;
} & { [K in MailKind as `mailer_subjects_${K}` | `mailer_templates_${K}`]: Translated };

const server: Pick<
  { readonly [K in keyof MailSettings]: Setting<MailSettings[K]> },
  'smtp_host' | 'smtp_port' | 'smtp_user' | 'smtp_admin_email' | 'smtp_sender_name' | 'mailer_language'
> = {
  smtp_host: {
    default: null,
    type: 'host name or address, or null for no mail server',
    meaning: 'The mail server (SMTP) that sends the app’s mails. Without one, mails are kept on the page Mail.',
  },
  smtp_port: {
    default: 587,
    type: 'port number',
    meaning: 'The port of the mail server: 465 is encrypted from the start, all others by STARTTLS.',
  },
  smtp_user: {
    default: null,
    type: 'text, or null for no sign-in',
    meaning: 'The user name for the mail server.',
  },
  smtp_admin_email: {
    default: null,
    type: 'e-mail address, or null',
    meaning: 'The address from which mails are sent.',
  },
  smtp_sender_name: {
    default: null,
    type: 'text, or null',
    meaning: 'The name of the sender that mails show.',
  },
  mailer_language: {
    default: 'en',
    type: 'language tag, such as en, de or ar',
    meaning: 'The language of mails to members whose own language is unknown, or has no template.',
  },
};

const translated = (meaning: string): Setting<Translated> => ({
  default: null,
  type: 'text, or an object of texts by language tag, or null for the standard text',
  meaning,
  isTranslated: true,
});

export const mailSettings = {
  ...server,
  ...Object.fromEntries(
    mailKinds.flatMap((kind) => {
      const words = kind.replaceAll('_', ' ');
      return [
        [
          `mailer_subjects_${kind}`,
          translated(`The subject of the mail “${words}”; it may hold {{ .Email }} and the like.`),
        ],
        [
          `mailer_templates_${kind}`,
          translated(`The HTML of the mail “${words}”, with {{ .ConfirmationURL }}, {{ .Token }} and the like.`),
        ],
      ];
    }),
  ),
} as { readonly [K in keyof MailSettings]: Setting<MailSettings[K]> };

/** All settings with their default values. */
export const defaultMailSettings: MailSettings = Object.fromEntries(
  Object.entries(mailSettings).map(([name, setting]) => [name, setting.default]),
) as unknown as MailSettings;
