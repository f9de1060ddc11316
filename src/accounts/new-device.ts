import { limits } from '../../contract/limits.ts';
import type { Param } from '../database/statement.ts';
import { networkId, rememberNetwork } from '../limits/sign-in-attempts.ts';
import type { SessionClient } from './sessions.ts';

type SqlStatement = readonly [text: string, params: Param[]];

/**
 * Returns the statements that follow the one that opens a session, for every way to sign in. They queue a mail if the
 * account has signed in before but not from this network, and they remember the network. If no session was opened, they
 * change nothing.
 */
export const signedInFrom = (sessionId: string, client: SessionClient): readonly SqlStatement[] => [
  newDeviceNotice(sessionId, client),
  rememberedNetwork(sessionId, client),
];

/** Must run before the network is remembered. The first sign-in of an account sends no mail. */
const newDeviceNotice = (sessionId: string, client: SessionClient): SqlStatement => [
  `insert into ninefold.mails (kind, recipient, user_id, data, accept_language)
   select 'new_device_notification', u.email, u.id, $3::jsonb, pg_catalog.left($4, ${limits.acceptLanguageCharacters.default})
   from auth.sessions s join auth.users u on u.id = s.user_id
   where s.id = $1::uuid and u.email <> ''
     and exists (select from ninefold.sign_in_networks n where n.user_id = u.id)
     and not exists (select from ninefold.sign_in_networks n where n.user_id = u.id and n.network = $2::bigint)`,
  [
    sessionId,
    networkId(client.address),
    JSON.stringify({ Device: deviceOf(client.userAgent ?? ''), Address: client.address }),
    client.acceptLanguage ?? null,
  ],
];

/** Returns the statement that remembers a network as one from which the account of a session has signed in. */
export const rememberedNetwork = (sessionId: string, client: SessionClient): SqlStatement => [
  rememberNetwork,
  [sessionId, networkId(client.address), String(limits.signInNetworks.default)],
];

const browsers: readonly (readonly [name: string, token: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
];
const systems: readonly (readonly [name: string, token: RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

/**
 * Returns the device of a User-Agent in the words of a mail, such as `Firefox on Linux`; an empty text if it is
 * unknown.
 */
export function deviceOf(userAgent: string): string {
  const find = (known: typeof browsers) => known.find(([, token]) => token.test(userAgent))?.[0];
  return [find(browsers), find(systems)].filter((name) => name !== undefined).join(' on ');
}
