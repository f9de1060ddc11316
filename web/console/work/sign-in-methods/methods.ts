/** The panel of phone numbers and texts, as the address of the page names it. */
export const PHONE = 'phone';

/** A switch of the page: a setting, and what it does in one sentence. */
export interface Method {
  key: string;
  name: string;
  on: string;
  off: string;
  /** The switch is on while the setting is false. */
  isInverted?: true;
  /** The panel with its further settings. */
  opens?: typeof PHONE;
}

export const ownMethods: readonly Method[] = [
  {
    key: 'external_email_enabled',
    name: 'Password',
    on: 'Members sign up and sign in with an e-mail address and a password.',
    off: 'Nobody can sign up or in with an e-mail address and a password.',
  },
  {
    key: 'external_anonymous_users_enabled',
    name: 'Anonymous',
    on: 'Visitors get an account without a name. They can add a sign-in later.',
    off: 'Visitors have no account until they sign up.',
  },
  {
    key: 'external_phone_enabled',
    name: 'Phone',
    on: 'Members sign up and sign in with a phone number: by a code in a text, or with a password.',
    off: 'Nobody can sign up or in with a phone number.',
    opens: PHONE,
  },
];

export const accountRules: readonly Method[] = [
  {
    key: 'disable_signup',
    name: 'Sign-up',
    on: 'Anybody can make an account.',
    off: 'Only builders make accounts.',
    isInverted: true,
  },
  {
    key: 'mailer_autoconfirm',
    name: 'Addresses count at once',
    on: 'A new address counts as confirmed, so anybody can sign up with the address of another person.',
    off: 'A new address must be confirmed first.',
  },
  {
    key: 'security_manual_linking_enabled',
    name: 'Adding sign-ins',
    on: 'Members add further sign-ins of providers to their account, and remove them.',
    off: 'Members cannot add a sign-in to their account.',
  },
  {
    key: 'sms_autoconfirm',
    name: 'Numbers count at once',
    on: 'A new phone number counts as confirmed, so anybody can sign up with the number of another person.',
    off: 'A new phone number must be confirmed by the code in a text.',
  },
  {
    key: 'mfa_phone_enroll_enabled',
    name: 'Adding phone factors',
    on: 'Members can add a phone number as a second factor.',
    off: 'Members cannot add a phone number as a second factor.',
  },
  {
    key: 'mfa_phone_verify_enabled',
    name: 'Using phone factors',
    on: 'A code in a text is a second factor for members who added their number.',
    off: 'Codes in texts are no second factor.',
  },
];

export const isOn = ({ isInverted }: Pick<Method, 'isInverted'>, value: unknown): boolean =>
  (value === true) !== (isInverted ?? false);
