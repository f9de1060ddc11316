import type { MemberSignIn } from '../accounts/oauth-codes.ts';

/**
 * The values of sign-in methods in the claim amr of ID tokens (RFC 8176, section 2). Other methods have no registered
 * value.
 */
const values: Readonly<Record<string, string>> = {
  password: 'pwd',
  otp: 'otp',
  magiclink: 'otp',
  invite: 'otp',
  recovery: 'otp',
  'email/signup': 'otp',
  email_change: 'otp',
  totp: 'otp',
  'mfa/recovery_code': 'otp',
  'mfa/phone': 'sms',
  passkey: 'pop',
  'mfa/webauthn': 'pop',
};

/** Returns the claim amr of an ID token. `mfa` means that the session has shown a second factor. */
export const authenticationMethods = ({ aal, methods }: Pick<MemberSignIn, 'aal' | 'methods'>): string[] => [
  ...new Set([...methods.flatMap((method) => values[method] ?? []), ...(aal >= 'aal2' ? ['mfa'] : [])]),
];
