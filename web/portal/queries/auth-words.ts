import { dateFormat, type MessageKey, t } from '../../language/messages.ts';
import { refusedUntil } from './waiting-time.ts';

/** Messages for the error codes of `/auth/v1` that members can get. For any other code, the page shows the server's message. */
const words: Readonly<Record<string, MessageKey>> = {
  invalid_credentials: 'authCredentials',
  email_not_confirmed: 'authUnconfirmed',
  otp_expired: 'authCodeWrong',
  mfa_verification_failed: 'authCodeUsed',
  mfa_verification_rejected: 'authCodeRefused',
  signup_disabled: 'authNoSignUp',
  user_already_exists: 'authExistsSignIn',
  email_exists: 'authExists',
  same_password: 'authSamePassword',
  user_banned: 'authBanned',
  reauthentication_needed: 'authCurrentAsked',
  current_password_required: 'authCurrentAsked',
  current_password_invalid: 'authCurrentWrong',
  redirect_not_allowed: 'authRedirect',
  oauth_sign_in_too_old: 'authSignInAgain',
  session_not_found: 'authEnded',
  over_email_send_rate_limit: 'authMailPause',
};

/** The error code of a request that the app refuses because of too many attempts. */
export const TOO_MANY = 'over_request_rate_limit';

/** Describes an error for the member. */
export function authWords(error: unknown): string {
  if (!(error instanceof Error)) return t('wrongUnknown');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.name === 'AuthRetryableFetchError') return t('unreachable');
  if (error.name === 'NotAllowedError') return t('authNoPasskey');
  if (code === TOO_MANY && refusedUntil() > Date.now()) {
    return t('tooManyUntil', { time: dateFormat({ timeStyle: 'short' }).format(refusedUntil()) });
  }
  const { message } = error;
  const known = words[code];
  if (known) return t(known);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/**
 * Describes an error of a call that adds a factor, a passkey or an identity. Such a page has no field for the current
 * password, so the sentence asks the member to sign in again.
 */
export const addingWords = (error: unknown): string =>
  codeOf(error) === 'reauthentication_needed' ? t('authSignInAgain') : authWords(error);

/** Returns the code of an error of `/auth/v1`; null for any other error. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
