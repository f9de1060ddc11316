/** The kinds of mails, by the names of GoTrue's templates; those of passkeys and `new_device_notification` are Ninefold's own. */
export const mailKinds = [
  'confirmation',
  'invite',
  'magic_link',
  'recovery',
  'email_change',
  'reauthentication',
  'password_changed_notification',
  'email_changed_notification',
  'phone_changed_notification',
  'identity_linked_notification',
  'identity_unlinked_notification',
  'mfa_factor_enrolled_notification',
  'mfa_factor_unenrolled_notification',
  'passkey_added_notification',
  'passkey_removed_notification',
  'new_device_notification',
] as const;

export type MailKind = (typeof mailKinds)[number];

/** The kinds of texts (SMS); they share the queue of the mails. */
export const textKinds = ['sms_confirmation', 'sms_phone_change', 'sms_reauthentication', 'sms_mfa'] as const;

export type TextKind = (typeof textKinds)[number];

/** The values that a template may show; names as in GoTrue's templates. */
export interface MailData {
  /** The address of the link that the member opens. */
  readonly ConfirmationURL?: string;
  /** The code that can be typed instead. */
  readonly Token?: string;
  readonly TokenHash?: string;
  /** The code and its hash for the current address, in the one mail to the new address that the hook send_email gets. */
  readonly CurrentToken?: string;
  readonly CurrentTokenHash?: string;
  readonly RedirectTo?: string;
  readonly NewEmail?: string;
  readonly OldEmail?: string;
  readonly Phone?: string;
  readonly OldPhone?: string;
  readonly Provider?: string;
  readonly FactorType?: string;
  /** The name of the passkey. */
  readonly Passkey?: string;
  /** The device and the network of a new sign-in. */
  readonly Device?: string;
  readonly Address?: string;
  /** The whole text of an SMS. */
  readonly Message?: string;
}

/** The values of `MailData` that sign a member in: removed once the mail is sent. */
export const mailSecrets: readonly (keyof MailData)[] = [
  'ConfirmationURL',
  'Token',
  'TokenHash',
  'CurrentToken',
  'CurrentTokenHash',
  'Message',
];

/** The languages of the mails that Ninefold brings. */
export const mailLanguages = ['en', 'de', 'ar'] as const;

export type MailLanguage = (typeof mailLanguages)[number];

/** `queued` waits to be sent, `kept` was not to be sent as the app has no mail server, `failed` is not tried again. */
export type MailState = 'queued' | 'sent' | 'failed' | 'kept';

/** A mail in the list. */
export interface MailRow {
  id: string;
  /** `sms` for a text; its recipient is a phone number. */
  channel: 'email' | 'sms';
  kind: MailKind | TextKind;
  recipient: string;
  user_id: string | null;
  state: MailState;
  attempts: number;
  /** When it is tried next; null unless it is queued. ISO 8601, as all times. */
  next_attempt_at: string | null;
  sent_at: string | null;
  created_at: string;
  /** Why the last attempt failed. */
  error: string | null;
}

export interface MailPage {
  mails: MailRow[];
  /** For the page that follows; null at the end. */
  next: string | null;
  counts: Record<MailState, number>;
}

/** A mail as its recipient sees it. */
export interface RenderedMail {
  subject: string;
  html: string;
  text: string;
  /** BCP 47. */
  language: string;
  /** Why the app's own template was not used; null if it was, or if there is none. */
  template_error: string | null;
}

export interface MailDetail extends MailRow, RenderedMail {
  from: string | null;
  /** Null once it is sent, and of a mail without one. */
  link: string | null;
  code: string | null;
}

/** A template of an app. */
export interface MailTemplate {
  kind: MailKind;
  subject_key: string;
  body_key: string;
  /** What the app has set, by language; `*` is for all languages. */
  subjects: Record<string, string>;
  bodies: Record<string, string>;
  /** The templates that are used where the app has set none. */
  standard: Record<MailLanguage, { subject: string; body: string }>;
  /** Names that the template may use. */
  variables: string[];
  /** What is wrong with the app's own template, by language. */
  errors: Record<string, string>;
}

export interface MailPreviewRequest {
  kind: MailKind;
  language: string;
  subject?: string;
  body?: string;
}

export interface MailTest {
  ok: boolean;
  /** What the server answered to the mail; null if it did not come so far. */
  response: string | null;
  /** Which step failed, and what the server answered. */
  error: string | null;
  /** Whether the connection was encrypted. */
  tls: boolean;
  milliseconds: number;
}
