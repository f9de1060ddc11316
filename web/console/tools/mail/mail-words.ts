import { type MailKind, type MailState, mailKinds, type TextKind } from '../../../../contract/mails.ts';

const words: Readonly<Record<MailKind | TextKind, string>> = {
  confirmation: 'Confirm address',
  invite: 'Invitation',
  magic_link: 'Sign-in link',
  recovery: 'Reset password',
  email_change: 'Change address',
  reauthentication: 'Reauthentication',
  password_changed_notification: 'Password changed',
  email_changed_notification: 'Address changed',
  phone_changed_notification: 'Phone changed',
  identity_linked_notification: 'Identity linked',
  identity_unlinked_notification: 'Identity unlinked',
  mfa_factor_enrolled_notification: 'Factor added',
  mfa_factor_unenrolled_notification: 'Factor removed',
  passkey_added_notification: 'Passkey added',
  passkey_removed_notification: 'Passkey removed',
  new_device_notification: 'New sign-in',
  activity_notification: 'Notifications',
  sms_confirmation: 'Text: sign-in code',
  sms_phone_change: 'Text: change of number',
  sms_reauthentication: 'Text: reauthentication',
  sms_mfa: 'Text: second factor',
};

/** Returns the name of a kind of mail. The app's SQL may write any kind. */
export const kindWords = (kind: string): string => words[kind as keyof typeof words] ?? kind;

export const isMailKind = (kind: string | undefined): kind is MailKind => mailKinds.some((known) => known === kind);

export const stateWords: Readonly<
  Record<MailState, readonly [word: string, kind: 'ok' | 'warn' | 'error' | undefined]>
> = {
  queued: ['queued', undefined],
  sent: ['sent', 'ok'],
  failed: ['failed', 'error'],
  kept: ['stored', undefined],
};
