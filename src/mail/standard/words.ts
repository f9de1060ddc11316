import type { MailKind } from '../../../contract/mails.ts';

/** The words of one mail. Each text is part of a template. */
export interface MailWords {
  readonly subject: string;
  readonly title: string;
  readonly text: string;
  /** On the button with the link. */
  readonly button?: string;
  /** Above the code. */
  readonly code?: string;
  /** What to do if the mail is unexpected. */
  readonly unexpected: string;
}

export type LanguageWords = Readonly<Record<MailKind, MailWords>>;
