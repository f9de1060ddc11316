/** A switch of the page: a setting, and what it does in one sentence. */
export interface Method {
  key: string;
  name: string;
  on: string;
  off: string;
  /** The switch is on while the setting is false. */
  isInverted?: true;
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
];

export const isOn = ({ isInverted }: Pick<Method, 'isInverted'>, value: unknown): boolean =>
  (value === true) !== (isInverted ?? false);
