import { type MessageKey, t } from '../../language/messages.ts';

const words: Readonly<Record<string, MessageKey>> = {
  profile: 'scopeProfile',
  email: 'scopeEmail',
  phone: 'scopePhone',
  offline_access: 'scopeOffline',
};

/** Describes what an application with these scopes may do, in addition to signing the member in. */
export const rightsOf = (scopes: readonly string[]): string[] =>
  scopes.flatMap((name) => (words[name] === undefined ? [] : t(words[name])));

/**
 * Describes what an application with these scopes can do. Each token gives access to the member's data, within the
 * policies of the app.
 */
export const scopeWords = (scope: string, app: string): string[] => [
  t('scopeAccount'),
  ...rightsOf(scope.split(' ')),
  t('scopeData', { app }),
];

/** Returns where an address leads: its host, or its scheme if the address opens an application on the device. */
export function placeOf(address: string): string {
  const { protocol, host } = new URL(address);
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1);
}
