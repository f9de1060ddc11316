const words: Readonly<Record<string, string>> = {
  profile: 'read your name and your picture',
  email: 'read your e-mail address',
  phone: 'read your phone number',
  offline_access: 'stay signed in while you are away',
};

/** Describes what the scopes allow in addition to the sign-in. */
export const rightsOf = (scopes: readonly string[]): string[] => scopes.flatMap((name) => words[name] ?? []);

/**
 * Describes what an application with these scopes can do. Each token gives access to the member's data, within the
 * policies of the app.
 */
export const scopeWords = (scope: string, app: string): string[] => [
  'know that it is you, by the id of your account',
  ...rightsOf(scope.split(' ')),
  `read and change data of ${app} as you, as far as ${app} lets applications`,
];

/** Returns the target of an address: its host, or the scheme of an application on the device. */
export function placeOf(address: string): string {
  const { protocol, host } = new URL(address);
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1);
}
