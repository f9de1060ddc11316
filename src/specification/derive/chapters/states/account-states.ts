import { authCalls } from '../../../../../contract/calls.ts';
import { type AuthSettings, defaultAuthSettings } from '../../../../../contract/settings-auth.ts';
import type { AccountMove, AccountStates } from '../../../../../contract/states.ts';
import { isSwitchedOn } from '../calls/calls.ts';

const states: AccountStates['states'] = [
  {
    name: 'unconfirmed',
    words: 'No address and no phone number of the account is confirmed: it cannot sign in with a password.',
  },
  { name: 'active', words: 'An address, a phone number or a provider vouches for the account.' },
  {
    name: 'anonymous',
    words: 'A visitor signed in without an address; the account ends with its sessions, or becomes a real one.',
  },
  { name: 'banned', words: 'Every sign-in is refused until the ban ends, and the sessions have ended.' },
  {
    name: 'deleted',
    words: 'The row stays for what refers to it, without what it said of a person. The address is free.',
  },
];

const present = ['unconfirmed', 'active', 'anonymous'] as const;

/**
 * Returns the states of an account, and the calls that change them. Omits calls that the settings disable.
 *
 * @param open The ids of the calls in chapter 7.
 */
export function accountStates(settings: AuthSettings, open: ReadonlySet<string>): AccountStates {
  const moves = [
    ...(settings.disable_signup ? [] : signUps(settings)),
    ...byAdmin,
    ...confirmations,
    ...(settings.external_anonymous_users_enabled ? conversions(settings) : []),
    ...ends,
  ];
  return { states, moves: moves.filter((one) => open.has(one.call)) };
}

const move = (
  call: string,
  from: AccountMove['from'],
  to: AccountMove['to'],
  when: string | null = null,
): AccountMove => ({
  id: `${call}: ${from ?? 'none'} to ${to ?? 'none'}`,
  ...{ call, from, to, when },
});

const VOUCHES = 'a provider that is on vouches for the address';

/** The calls that create an account. The setting `disable_signup` disables them. */
const signUps = (settings: AuthSettings): AccountMove[] => [
  ...(settings.external_email_enabled
    ? [
        move('auth.signup', null, settings.mailer_autoconfirm ? 'active' : 'unconfirmed'),
        move('auth.otp', null, 'unconfirmed', 'the address has no account, and create_user is not false'),
        move('auth.magiclink', null, 'unconfirmed', 'the address has no account'),
      ]
    : []),
  move('auth.signup.phone', null, settings.sms_autoconfirm ? 'active' : 'unconfirmed'),
  move('auth.otp.phone', null, 'unconfirmed', 'the number has no account, and create_user is not false'),
  move('auth.signup.anonymous', null, 'anonymous'),
  move('auth.callback', null, 'active', VOUCHES),
  move('auth.callback.form', null, 'active', VOUCHES),
  move('auth.token.id_token', null, 'active', VOUCHES),
];

/** The calls with the secret key that create an account. */
const byAdmin: readonly AccountMove[] = [
  move('auth.admin.users.create', null, 'active', 'email_confirm or phone_confirm is true'),
  move('auth.admin.users.create', null, 'unconfirmed', 'neither is true'),
  move('auth.invite', null, 'unconfirmed'),
  move('auth.admin.generate_link', null, 'unconfirmed', 'type is signup, invite or magiclink'),
];

const HAS_VERIFIED = 'the provider has verified the address';

const confirmations: readonly AccountMove[] = [
  move('auth.verify', 'unconfirmed', 'active', 'the code or the token of a mail is right'),
  move('auth.verify.phone', 'unconfirmed', 'active', 'the code of a text is right'),
  move('auth.callback', 'unconfirmed', 'active', HAS_VERIFIED),
  move('auth.callback.form', 'unconfirmed', 'active', HAS_VERIFIED),
  move('auth.token.id_token', 'unconfirmed', 'active', HAS_VERIFIED),
  move('auth.admin.users.update', 'unconfirmed', 'active', 'email_confirm or phone_confirm is true'),
];

/** The calls that make an anonymous account a member. */
const conversions = ({
  external_email_enabled: hasMail,
  mailer_autoconfirm: confirms,
}: AuthSettings): AccountMove[] => [
  ...(hasMail
    ? [
        move(
          'auth.user.update',
          'anonymous',
          confirms ? 'active' : 'anonymous',
          confirms ? 'the body has an address' : 'the body has an address, which the member then confirms',
        ),
      ]
    : []),
  move('auth.verify', 'anonymous', 'active', 'the code or the token of the mail to the new address is right'),
  move('auth.verify.phone', 'anonymous', 'active', 'the code of the text to the new number is right'),
  move('auth.identities.confirm', 'anonymous', 'active', 'the member confirms an identity of a provider'),
  move('auth.admin.users.update', 'anonymous', 'active', 'email_confirm or phone_confirm is true'),
];

const ends: readonly AccountMove[] = [
  ...present.map((from) => move('auth.admin.users.update', from, 'banned', 'ban_duration is a duration')),
  move('auth.admin.users.update', 'banned', 'active', 'ban_duration is none'),
  ...[...present, 'banned' as const].map((from) =>
    move('auth.admin.users.delete', from, 'deleted', 'should_soft_delete is true'),
  ),
  ...[...present, 'banned' as const, 'deleted' as const].map((from) =>
    move('auth.admin.users.delete', from, null, 'should_soft_delete is not true'),
  ),
  move('auth.user.delete', 'active', null, 'the sign-in is recent'),
  move('auth.user.delete', 'anonymous', null),
];

/** Returns the state changes of accounts in an app that has the default settings. */
export function defaultMoves(): AccountMove[] {
  const open = authCalls.filter((call) => isSwitchedOn(call, defaultAuthSettings));
  return accountStates(defaultAuthSettings, new Set(open.map(({ id }) => id))).moves;
}
