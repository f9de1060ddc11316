import { limits } from '../../../contract/limits.ts';
import { networkId } from '../../limits/sign-in-attempts.ts';
import type { SqlStatement } from '../run-as-auth-admin.ts';
import type { SessionClient } from './sessions.ts';

/**
 * Returns the statement that must follow a statement that opens a session, for every sign-in method. It stores the
 * network of the client for the account. If the account has signed in before, but never from this network, it also
 * queues a mail to the member. If no session was opened, it changes nothing.
 */
export const signedInFrom = (sessionId: string, client: SessionClient): SqlStatement =>
  rememberNetwork(sessionId, client, { Device: deviceOf(client.userAgent ?? ''), Address: client.address });

/** Returns the statement that stores the network of an account's first session and sends no mail. */
export const rememberedNetwork = (sessionId: string, client: SessionClient): SqlStatement =>
  rememberNetwork(sessionId, client, null);

const rememberNetwork = (
  sessionId: string,
  { address, acceptLanguage }: SessionClient,
  device: Readonly<Record<string, string>> | null,
): SqlStatement => [
  'select ninefold.remember_network($1::uuid, $2::bigint, $3::integer, $4::jsonb, $5)',
  [
    sessionId,
    networkId(address),
    String(limits.signInNetworks.default),
    device && JSON.stringify(device),
    acceptLanguage?.slice(0, limits.acceptLanguageCharacters.default) ?? null,
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

/**
 * Returns the device of a User-Agent in the words of a mail, such as `Firefox on Linux`; an empty text if it is
 * unknown.
 */
export function deviceOf(userAgent: string): string {
  const find = (known: typeof browsers) => known.find(([, token]) => token.test(userAgent))?.[0];
  return [find(browsers), find(systems)].filter((name) => name !== undefined).join(' on ');
}
