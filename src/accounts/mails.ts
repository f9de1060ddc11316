import type { Param } from '../database/statement.ts';

/** The kinds of mails, by the names of GoTrue's templates; `new_device_notification` is Ninefold's own. */
export type MailKind =
  | 'confirmation'
  | 'invite'
  | 'magic_link'
  | 'recovery'
  | 'email_change'
  | 'reauthentication'
  | 'password_changed_notification'
  | 'email_changed_notification'
  | 'phone_changed_notification'
  | 'identity_linked_notification'
  | 'identity_unlinked_notification'
  | 'mfa_factor_enrolled_notification'
  | 'mfa_factor_unenrolled_notification'
  | 'new_device_notification';

/** The values that a template may show; names as in GoTrue's templates. */
export interface MailData {
  /** The address of the link that the member opens. */
  readonly ConfirmationURL?: string;
  /** The code that can be typed instead. */
  readonly Token?: string;
  readonly TokenHash?: string;
  readonly RedirectTo?: string;
  readonly NewEmail?: string;
  readonly OldEmail?: string;
  readonly Provider?: string;
  readonly FactorType?: string;
  /** The device and the network of a new sign-in. */
  readonly Device?: string;
  readonly Address?: string;
}

export interface Mail {
  readonly kind: MailKind;
  /** The address that it goes to. */
  readonly recipient: string;
  readonly userId: string | null;
  readonly data: MailData;
}

/** Returns the statement that queues a mail, for the transaction of the change that it tells of. */
export const queuedMail = (mail: Mail): readonly [text: string, params: Param[]] => [
  'insert into ninefold.mails (kind, recipient, user_id, data) values ($1, $2, $3::uuid, $4::jsonb)',
  [mail.kind, mail.recipient, mail.userId, JSON.stringify(mail.data)],
];
