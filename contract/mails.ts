import type { NotificationKind } from './notifications.ts';

/**
 * The kinds of mails, with the names of GoTrue's templates. The kinds for passkeys, `new_device_notification` and
 * `activity_notification` exist only in Ninefold.
 */
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
  'activity_notification',
] as const;

export type MailKind = (typeof mailKinds)[number];

/** The kinds of SMS. They are sent from the same queue as mails. */
export const textKinds = ['sms_confirmation', 'sms_phone_change', 'sms_reauthentication', 'sms_mfa'] as const;

export type TextKind = (typeof textKinds)[number];

/** The values that a template may contain, with the names of GoTrue's templates. */
export interface MailData {
  /** The address of the link that the member opens. */
  readonly ConfirmationURL?: string;
  /** The code that the member can type instead of opening the link. */
  readonly Token?: string;
  readonly TokenHash?: string;
  /**
   * The code for the current address, and its hash. Set only for the hook send_email, which receives the codes for the
   * current and the new address in one call.
   */
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
  /** The complete text of an SMS. */
  readonly Message?: string;
  /** The name and the accent colour of the app. Absent if the app has none. */
  readonly App?: string;
  readonly Accent?: string;
  /** The notifications of a mail about rows, the oldest first. */
  readonly Items?: readonly MailItem[];
  /** The time zone of the recipient, an IANA name. */
  readonly TimeZone?: string;
  /** The address of the page on which the member chooses what to hear of. */
  readonly ChoicesURL?: string;
  /** The address that ends these mails with one request (RFC 8058). */
  readonly UnsubscribeURL?: string;
}

/** A notification in a mail. */
export interface MailItem {
  readonly Kind: NotificationKind;
  /** The name of the member who made the change, and below the label of the row. Absent if the reader cannot read it. */
  readonly Who?: string;
  readonly Title?: string;
  /** The text with a mention, or of the row that refers to the row. */
  readonly Quote?: string;
  /** The new state of the row. */
  readonly State?: string;
  /** The labels of the state, by language. */
  readonly States?: Readonly<Record<string, string>>;
  /** The address that opens the row. */
  readonly URL: string;
  /** The appointment, which the mail contains as a calendar file. */
  readonly Appointment?: MailAppointment;
  /** The time of the appointment in words, in the language of the mail. It is made when the mail is rendered. */
  readonly When?: string;
}

/** An appointment in a mail. */
export interface MailAppointment {
  /** The identifier of the row in calendars, and the number of this version (RFC 5545, sections 3.8.4.7 and 3.8.7.4). */
  readonly Uid: string;
  readonly Sequence: number;
  /** ISO 8601. Without an end, it is a moment. */
  readonly Begins: string;
  readonly Ends?: string;
  readonly Cancelled: boolean;
}

/**
 * The values of `MailData` with which someone could sign in as the member, or change what the member gets. They are
 * deleted after the mail was sent.
 */
export const mailSecrets: readonly (keyof MailData)[] = [
  'ConfirmationURL',
  'Token',
  'TokenHash',
  'CurrentToken',
  'CurrentTokenHash',
  'Message',
  'UnsubscribeURL',
];

/** The languages of Ninefold's own mail templates. */
export const mailLanguages = ['en', 'de', 'ar'] as const;

export type MailLanguage = (typeof mailLanguages)[number];

/**
 * `queued`: the mail waits to be sent. `kept`: it is only stored, because the app has no mail server. `failed`: no
 * further attempt is made.
 */
export type MailState = 'queued' | 'sent' | 'failed' | 'kept';

/** A mail or an SMS in the list. */
export interface MailRow {
  id: string;
  /** `sms` for an SMS, whose recipient is a phone number. */
  channel: 'email' | 'sms';
  kind: MailKind | TextKind;
  recipient: string;
  user_id: string | null;
  state: MailState;
  attempts: number;
  /**
   * The time of the next attempt in ISO 8601; null unless the mail is queued. All times in this file have this format.
   */
  next_attempt_at: string | null;
  sent_at: string | null;
  created_at: string;
  /** The reason why the last attempt failed. */
  error: string | null;
}

export interface MailPage {
  mails: MailRow[];
  /** The value of `?after=` for the next page; null on the last page. */
  next: string | null;
  counts: Record<MailState, number>;
}

/** A mail as its recipient sees it. */
export interface RenderedMail {
  subject: string;
  html: string;
  text: string;
  /** The language of the mail as a tag (BCP 47). */
  language: string;
  /** The reason why the app's own template was not used; null if it was used, or if the app has none. */
  template_error: string | null;
}

export interface MailDetail extends MailRow, RenderedMail {
  from: string | null;
  /** The link of the mail, and below its code; null after the mail was sent, and for a mail without a link or code. */
  link: string | null;
  code: string | null;
}

/** The template of one kind of mail. */
export interface MailTemplate {
  kind: MailKind;
  subject_key: string;
  body_key: string;
  /** The subjects that the app has set, by language. The key `*` is for all languages. */
  subjects: Record<string, string>;
  /** The bodies that the app has set, by language. The key `*` is for all languages. */
  bodies: Record<string, string>;
  /** Ninefold's own template in each language for which the app has set none. */
  standard: Record<MailLanguage, { subject: string; body: string }>;
  /** Names of the values that the template may contain. */
  variables: string[];
  /** Errors of the app's own template, by language. */
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
  /** The response of the mail server to the mail; null if a step before this failed. */
  response: string | null;
  /** The step that failed, with the response of the mail server. */
  error: string | null;
  /** True if the connection to the mail server was encrypted. */
  tls: boolean;
  milliseconds: number;
}
