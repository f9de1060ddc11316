import type { MailKind } from '../../../contract/mails.ts';
import type { NotificationKind } from '../../../contract/notifications.ts';

/** The texts of one mail. Each is part of a template. */
export interface MailWords {
  readonly subject: string;
  readonly title: string;
  readonly text: string;
  /** Label of the button with the link. */
  readonly button?: string;
  /** The text above the code. */
  readonly code?: string;
  /** Advice for a recipient who did not expect the mail. */
  readonly unexpected: string;
}

/** The texts of all mails in one language. */
export type LanguageWords = Readonly<Record<Exclude<MailKind, 'activity_notification'>, MailWords>>;

/** The texts of the mail about notifications in one language. Each is part of a template; the dot is a notification. */
export interface ActivityWords {
  /** The subject of a mail with one notification starts with its sentence. */
  readonly severalSubject: string;
  readonly somebody: string;
  readonly aRow: string;
  /** The sentence of each kind, with `WHO`, `TITLE` and `STATE` in place of the values. */
  readonly sentences: Readonly<Record<NotificationKind, string>>;
  readonly open: string;
  readonly choices: string;
}
