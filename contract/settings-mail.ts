import { mailKinds } from './mails.ts';
import { defaultsOf, defineSettings, settingsOfEach, type ValuesOf } from './setting.ts';

const FORMAT = 'text, or an object of texts by language tag, or null for the standard text';

/**
 * The settings of an app's mails, with the names of GoTrue's configuration in lower case. The value of a template is
 * the template itself; in GoTrue it is the URL of the template.
 */
export const mailSettings = defineSettings({
  smtp_host: {
    kind: 'text',
    default: null,
    format: 'host name or address, or null for no mail server',
    meaning: 'The mail server (SMTP) that sends the app’s mails. Without one, mails are kept on the page Mail.',
  },
  smtp_port: {
    kind: 'number',
    default: 587,
    unit: 'count',
    range: [1, 65_535],
    meaning: 'The port of the mail server: 465 is encrypted from the start, all others by STARTTLS.',
  },
  smtp_user: {
    kind: 'text',
    default: null,
    format: 'text, or null for no sign-in',
    meaning: 'The user name for the mail server.',
  },
  smtp_admin_email: {
    kind: 'text',
    default: null,
    format: 'e-mail address, or null',
    meaning: 'The address from which mails are sent.',
  },
  smtp_sender_name: {
    kind: 'text',
    default: null,
    format: 'text, or null',
    meaning: 'The name of the sender that mails show.',
  },
  mailer_language: {
    kind: 'text',
    default: 'en',
    format: 'language tag, such as en, de or ar',
    meaning: 'The language of mails to members whose own language is unknown, or has no template.',
    row: { section: 'notices', label: 'Language of mails' },
  },
  ...settingsOfEach('mailer_subjects_', mailKinds, (kind) => ({
    '': {
      kind: 'translated',
      default: null,
      format: FORMAT,
      meaning: `The subject of the mail “${kind.replaceAll('_', ' ')}”; it may hold {{ .Email }} and the like.`,
    },
  })),
  ...settingsOfEach('mailer_templates_', mailKinds, (kind) => ({
    '': {
      kind: 'translated',
      default: null,
      format: FORMAT,
      meaning: `The HTML of the mail “${kind.replaceAll('_', ' ')}”, with {{ .ConfirmationURL }}, {{ .Token }} and the like.`,
    },
  })),
});

export type MailSettings = ValuesOf<typeof mailSettings>;

/** All settings with their default values. */
export const defaultMailSettings = defaultsOf(mailSettings);
