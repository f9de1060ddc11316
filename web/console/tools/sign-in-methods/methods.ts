/** The panel of phone numbers and texts, as the address of the page names it. */
export const PHONE = 'phone';

/** The panel of a provider that is added. */
export const NEW = 'new';

/** The ways to sign in, as they are counted, that a switch of the page turns on. */
const waysOf: Readonly<Record<string, readonly string[]>> = {
  external_email_enabled: ['password', 'mail'],
  passkey_enabled: ['passkey'],
  external_phone_enabled: ['phone'],
  external_anonymous_users_enabled: ['anonymous'],
};

/** Returns the number of sign-ins by a method: a switch of the page, or the name of a provider. */
export const signInsBy = (method: string, ways: Readonly<Record<string, number>>): number =>
  (waysOf[method] ?? [method]).reduce((sum, way) => sum + (ways[way] ?? 0), 0);

/** Returns the number of sign-ins to the app itself: those of other applications at its provider are left out. */
export const signInsToApp = ({ application: _, ...ways }: Readonly<Record<string, number>>): number =>
  Object.values(ways).reduce((sum, number) => sum + number, 0);
