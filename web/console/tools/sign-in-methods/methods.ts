/** Name of the panel for phone numbers and SMS in the page's address. */
export const PHONE = 'phone';

/** Name of the panel that adds a provider in the page's address. */
export const NEW = 'new';

/** The methods whose sign-ins are counted for each switch of the page. */
const waysOf: Readonly<Record<string, readonly string[]>> = {
  external_email_enabled: ['password', 'mail'],
  passkey_enabled: ['passkey'],
  external_phone_enabled: ['phone'],
  external_anonymous_users_enabled: ['anonymous'],
};

/** Returns the number of sign-ins for a switch of the page or for a provider. */
export const signInsBy = (method: string, ways: Readonly<Record<string, number>>): number =>
  (waysOf[method] ?? [method]).reduce((sum, way) => sum + (ways[way] ?? 0), 0);

/** Returns the sign-ins to the app itself, without those of other applications that use the app as their provider. */
export const signInsToApp = ({ application: _, ...ways }: Readonly<Record<string, number>>): number =>
  Object.values(ways).reduce((sum, number) => sum + number, 0);
