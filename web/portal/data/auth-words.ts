/** Texts for the codes of `/auth/v1` that members see. For other codes, the page shows the server's message. */
const words: Readonly<Record<string, string>> = {
  invalid_credentials: 'E-mail or password is wrong.',
  email_not_confirmed: 'This address is not confirmed yet.',
  otp_expired: 'This code is wrong, too old, or was used before.',
  mfa_verification_failed: 'This code is wrong, or was used before.',
  mfa_verification_rejected: 'The app refused this code.',
  signup_disabled: 'This app takes no new accounts.',
  user_already_exists: 'There is an account with this address. Sign in instead.',
  email_exists: 'There is an account with this address.',
  same_password: 'This is the password that you have now.',
  user_banned: 'This account is blocked.',
  reauthentication_needed: 'Type the password that you have now.',
  current_password_required: 'Type the password that you have now.',
  current_password_invalid: 'The password that you have now is another one.',
  oauth_sign_in_too_old: 'Sign in again to continue.',
  session_not_found: 'Your session has ended. Sign in again.',
  over_email_send_rate_limit: 'A mail was sent a moment ago. Wait a minute before you ask for another.',
};

/** Describes an error for the member. */
export function authWords(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong. Try again.';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.name === 'AuthRetryableFetchError')
    return 'The app cannot be reached. Check your connection, then try again.';
  if (error.name === 'NotAllowedError') return 'The device gave no passkey.';
  const { message } = error;
  return words[code] ?? (/[.!?]$/.test(message) ? message : `${message}.`);
}

/** Returns the code of an error of `/auth/v1`; null for any other error. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
