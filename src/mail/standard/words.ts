import type { MailKind } from '../../../contract/mails.ts';

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
export type LanguageWords = Readonly<Record<MailKind, MailWords>>;
