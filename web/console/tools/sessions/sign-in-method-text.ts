import type { SessionRow } from '../../../../contract/admin.ts';

/** Descriptions of the sign-in methods in the token's claim `amr`. */
const words: Readonly<Record<string, string>> = {
  password: 'password',
  anonymous: 'anonymous',
  otp: 'code by mail or SMS',
  magiclink: 'link by mail',
  'email/signup': 'confirmed address',
  email_change: 'changed address',
  recovery: 'recovery',
  invite: 'invitation',
  oauth: 'provider',
  'oauth_provider/authorization_code': 'another application',
  passkey: 'passkey',
  totp: 'authenticator app',
  'mfa/phone': 'code by SMS',
  'mfa/webauthn': 'passkey as second factor',
  'mfa/recovery_code': 'recovery code',
};

/** Describes how the member of a session authenticated, the first method first: "password, authenticator app". */
export const signInMethodText = ({ amr }: Pick<SessionRow, 'amr'>): string =>
  [...amr]
    .sort((a, b) => a.timestamp - b.timestamp)
    .filter(({ method }) => method !== 'token_refresh')
    .map(({ method }) => words[method] ?? method)
    .join(', ') || 'unknown';
