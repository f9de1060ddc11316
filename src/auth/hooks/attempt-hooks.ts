import { limits } from '../../../contract/limits.ts';
import { revokeSessions } from '../../accounts/sessions/sessions.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { callHook, type HookContext, waitAsHook } from '../../jobs/call-hook.ts';
import { hookFailure } from '../../jobs/hook-failure.ts';

/** The response of a hook that decides on an attempt. */
interface Decision {
  readonly isRejected: boolean;
  /** The message for the member; null for the default message. */
  readonly message: string | null;
  readonly endsSessions: boolean;
}

/**
 * Reads a response. As in GoTrue, every decision other than `reject` continues.
 * @throws unexpected_failure for fields of a wrong type
 */
function decisionOf(answer: Record<string, unknown> | null): Decision {
  const { decision, message, should_logout_user: endsSessions } = answer ?? {};
  const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string';
  const isFlag = endsSessions === undefined || endsSessions === null || typeof endsSessions === 'boolean';
  if (!isText(decision) || !isText(message) || !isFlag) throw hookFailure('Error unmarshaling JSON output.');
  return {
    isRejected: decision === 'reject',
    message: message ? String(message).slice(0, limits.hookMessageCharacters.default) : null,
    endsSessions: endsSessions === true,
  };
}

/**
 * Calls the hook password_verification_attempt, if it is enabled, after a password was compared.
 *
 * @param account The account whose password was compared. For null the function waits as long as the hook takes, so
 * that the time does not reveal that no account has the address.
 * @throws invalid_credentials with the hook's message if the hook rejects, and what `callHook` throws
 */
export async function notePasswordAttempt(
  context: HookContext,
  address: string,
  account: { readonly id: string; readonly isRight: boolean } | null,
): Promise<void> {
  if (!context.settings.hook_password_verification_attempt_enabled) return;
  const name = 'password_verification_attempt';
  if (account === null) return waitAsHook(context, name);
  const payload = { user_id: account.id, valid: account.isRight };
  const { isRejected, message, endsSessions } = await callHook(context, { name, address, payload })
    .then(decisionOf)
    .catch((error: unknown) => afterWrong(error, account.isRight));
  if (!isRejected) return;
  if (endsSessions) await revokeSessions(context.database, { userId: account.id });
  throw new NinefoldError('invalid_credentials', {
    message: message ?? 'Further password verification attempts will be rejected.',
  });
}

/**
 * Throws the error of a failed hook, unless the password was wrong. With a wrong password, the sign-in is refused
 * anyway. The error of the hook would reveal that the account exists, because a sign-in with an unknown address never
 * gets this error. An error that the hook itself returned is always thrown.
 */
function afterWrong(error: unknown, isRight: boolean): Decision {
  if (isRight || !(error instanceof NinefoldError) || error.code === 'unknown') throw error;
  return { isRejected: false, message: null, endsSessions: false };
}

/**
 * Calls the hook mfa_verification_attempt, if it is enabled, after a code was checked and before the session is raised.
 * If the hook rejects, ends all sessions of the account.
 * @throws mfa_verification_rejected if the hook rejects, and what `callHook` throws
 */
export async function noteFactorAttempt(
  context: HookContext,
  address: string,
  attempt: { readonly userId: string; readonly factorId: string; readonly type: string; readonly isRight: boolean },
): Promise<void> {
  if (!context.settings.hook_mfa_verification_attempt_enabled) return;
  const { userId, factorId, type, isRight } = attempt;
  const payload = { user_id: userId, factor_id: factorId, factor_type: type, valid: isRight };
  const answer = await callHook(context, { name: 'mfa_verification_attempt', address, payload });
  const { isRejected, message } = decisionOf(answer);
  if (!isRejected) return;
  await revokeSessions(context.database, { userId });
  throw new NinefoldError('mfa_verification_rejected', message === null ? {} : { message });
}
