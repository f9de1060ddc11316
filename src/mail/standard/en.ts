import type { ActivityWords, LanguageWords } from './words.ts';

const ignore = 'If you did not ask for this, ignore this mail. Nothing changes.';
const protect = 'If this was not you, change your password now and sign out everywhere.';
const code = 'Or type this code:';

export const en: LanguageWords = {
  confirmation: {
    subject: 'Confirm your address',
    title: 'Confirm your address',
    text: 'You have signed up with {{ .Email }}. Confirm that this address is yours.',
    button: 'Confirm address',
    code,
    unexpected: ignore,
  },
  invite: {
    subject: 'You are invited',
    title: 'You are invited',
    text: 'You are invited to make an account{{ if .SiteURL }} at {{ .SiteURL }}{{ end }}.',
    button: 'Accept invitation',
    code,
    unexpected: 'If you do not know who invites you, ignore this mail.',
  },
  magic_link: {
    subject: 'Sign in',
    title: 'Sign in',
    text: 'Sign in as {{ .Email }} with this link. It works once.',
    button: 'Sign in',
    code,
    unexpected: ignore,
  },
  recovery: {
    subject: 'Set a new password',
    title: 'Set a new password',
    text: 'You have asked to set a new password for {{ .Email }}.',
    button: 'Set a new password',
    code,
    unexpected: ignore,
  },
  email_change: {
    subject: 'Confirm the change of your address',
    title: 'Confirm the change of your address',
    text: 'The address of your account is to change from {{ .Email }} to {{ .NewEmail }}.',
    button: 'Confirm change',
    code,
    unexpected: 'If this was not you, do not confirm, and change your password.',
  },
  reauthentication: {
    subject: '{{ .Token }} is your code',
    title: 'Confirm that it is you',
    text: 'Type this code to go on:',
    code: '',
    unexpected: 'Give this code to nobody. If you did not ask for it, change your password.',
  },
  password_changed_notification: {
    subject: 'Your password was changed',
    title: 'Your password was changed',
    text: 'The password of {{ .Email }} was changed. Your other sessions have ended.',
    unexpected: 'If this was not you, set a new password now: ask for one on the sign-in page.',
  },
  email_changed_notification: {
    subject: 'Your address was changed',
    title: 'Your address was changed',
    text: 'The address of your account was changed from {{ .OldEmail }} to {{ .Email }}.',
    unexpected: 'If this was not you, write to the people who run this service now.',
  },
  phone_changed_notification: {
    subject: 'Your phone number was changed',
    title: 'Your phone number was changed',
    text: 'The phone number of {{ .Email }} was changed{{ if .Phone }} to {{ .Phone }}{{ end }}.',
    unexpected: protect,
  },
  identity_linked_notification: {
    subject: 'A way to sign in was added',
    title: 'A way to sign in was added',
    text: 'Your account {{ .Email }} can now be opened with {{ .Provider }}.',
    unexpected: protect,
  },
  identity_unlinked_notification: {
    subject: 'A way to sign in was removed',
    title: 'A way to sign in was removed',
    text: 'Your account {{ .Email }} can no longer be opened with {{ .Provider }}.',
    unexpected: protect,
  },
  mfa_factor_enrolled_notification: {
    subject: 'A second factor was added',
    title: 'A second factor was added',
    text: 'A second factor ({{ .FactorType }}) was added to your account {{ .Email }}.',
    unexpected: protect,
  },
  mfa_factor_unenrolled_notification: {
    subject: 'A second factor was removed',
    title: 'A second factor was removed',
    text: 'A second factor ({{ .FactorType }}) was removed from your account {{ .Email }}.',
    unexpected: protect,
  },
  passkey_added_notification: {
    subject: 'A passkey was added',
    title: 'A passkey was added',
    text: 'Your account {{ .Email }} can now be opened with a new passkey{{ if .Passkey }} ({{ .Passkey }}){{ end }}.',
    unexpected: protect,
  },
  passkey_removed_notification: {
    subject: 'A passkey was removed',
    title: 'A passkey was removed',
    text: 'Your account {{ .Email }} can no longer be opened with the passkey{{ if .Passkey }} ({{ .Passkey }}){{ end }} that was removed.',
    unexpected: protect,
  },
  new_device_notification: {
    subject: 'New sign-in to your account',
    title: 'New sign-in to your account',
    text: 'Somebody signed in as {{ .Email }}{{ if .Device }} with {{ .Device }}{{ end }}{{ if .Address }} from the address {{ .Address }}{{ end }}.',
    unexpected: protect,
  },
};

export const enActivity: ActivityWords = {
  severalSubject: '{{ len .Items }} notifications',
  somebody: 'Somebody',
  aRow: 'an entry',
  sentences: {
    appointment: 'TITLE{{ if .State }}: STATE{{ end }}',
    mention: 'WHO mentioned you in TITLE',
    assignment: 'WHO assigned TITLE to you',
    reference: 'WHO added to TITLE',
    transition: 'WHO changed TITLE to “STATE”',
  },
  open: 'Open',
  choices: 'Choose what you want to hear of',
};
