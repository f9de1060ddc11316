import { limits } from '../../contract/limits.ts';
import type { Param } from '../database/statement.ts';
import type { SessionClient } from './sessions.ts';

export interface NewDeviceNotice {
  readonly acceptLanguage: string | undefined;
}

/**
 * Returns the statement that queues a mail if the account of a session signs in from a network that it has not signed in from. The first
 * network of an account is nothing to tell of. It must run before the network is remembered.
 */
export const newDeviceNotice = (
  sessionId: string,
  network: string,
  client: SessionClient,
  { acceptLanguage }: NewDeviceNotice,
): readonly [text: string, params: Param[]] => [
  `insert into ninefold.mails (kind, recipient, user_id, data, accept_language)
   select 'new_device_notification', u.email, u.id, $3::jsonb, pg_catalog.left($4, ${limits.acceptLanguageCharacters.default})
   from auth.sessions s join auth.users u on u.id = s.user_id
   where s.id = $1::uuid and u.email <> ''
     and exists (select from ninefold.sign_in_networks n where n.user_id = u.id)
     and not exists (select from ninefold.sign_in_networks n where n.user_id = u.id and n.network = $2::bigint)`,
  [
    ...[sessionId, network, JSON.stringify({ Device: deviceOf(client.userAgent ?? ''), Address: client.address })],
    acceptLanguage ?? null,
  ],
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

/** Names the device of a User-Agent in the words of a mail, such as `Firefox on Linux`; an empty text if it is unknown. */
export function deviceOf(userAgent: string): string {
  const find = (known: typeof browsers) => known.find(([, token]) => token.test(userAgent))?.[0];
  return [find(browsers), find(systems)].filter((name) => name !== undefined).join(' on ');
}
