import { authCalls } from '../../../../contract/calls.ts';
import { type AuthSettings, defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import type { AccountMove, AccountStates } from '../../../../contract/states.ts';
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
  const takesSignUps = !settings.disable_signup;
  const isMailOn = settings.external_email_enabled;
  const confirms = settings.mailer_autoconfirm;
  const moves: (AccountMove | false)[] = [
    takesSignUps && isMailOn && move('auth.signup', null, confirms ? 'active' : 'unconfirmed'),
    takesSignUps &&
      isMailOn &&
      move('auth.otp', null, 'unconfirmed', 'the address has no account, and create_user is not false'),
    takesSignUps && move('auth.signup.anonymous', null, 'anonymous'),
    takesSignUps && move('auth.callback', null, 'active', 'a provider that is on vouches for the address'),
    move('auth.admin.users.create', null, 'active', 'email_confirm or phone_confirm is true'),
    move('auth.admin.users.create', null, 'unconfirmed', 'neither is true'),
    move('auth.invite', null, 'unconfirmed'),
    move('auth.verify', 'unconfirmed', 'active', 'the code or the token of a mail is right'),
    move('auth.admin.users.update', 'unconfirmed', 'active', 'email_confirm or phone_confirm is true'),
    isMailOn &&
      settings.external_anonymous_users_enabled &&
      move(
        'auth.user.update',
        'anonymous',
        confirms ? 'active' : 'anonymous',
        confirms ? 'the body has an address' : 'the body has an address, which the member then confirms',
      ),
    ...present.map((from) => move('auth.admin.users.update', from, 'banned', 'ban_duration is a duration')),
    move('auth.admin.users.update', 'banned', 'active', 'ban_duration is none'),
    ...[...present, 'banned' as const].map((from) =>
      move('auth.admin.users.delete', from, 'deleted', 'should_soft_delete is true'),
    ),
    ...[...present, 'banned' as const, 'deleted' as const].map((from) =>
      move('auth.admin.users.delete', from, null, 'should_soft_delete is not true'),
    ),
  ];
  return { states, moves: moves.filter((one) => one !== false && open.has(one.call)) as AccountMove[] };
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

/** Returns the state changes of accounts in an app that has the default settings. */
export function defaultMoves(): AccountMove[] {
  const open = authCalls.filter((call) => isSwitchedOn(call, defaultAuthSettings));
  return accountStates(defaultAuthSettings, new Set(open.map(({ id }) => id))).moves;
}
