import { limits } from '../../contract/limits.ts';
import type { AuthSettings } from '../../contract/settings-auth.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

export interface WeakPassword {
  readonly message: string;
  readonly reasons: readonly string[];
}

/** What is wrong with the strength of a password, in GoTrue's words; null when nothing is. Length is in characters. */
export function weaknessOf(password: string, settings: AuthSettings): WeakPassword | null {
  const shortest = Math.max(settings.password_min_length, limits.passwordMinCharacters.default);
  if ([...password].length >= shortest) return null;
  return { message: `Password should be at least ${shortest} characters.`, reasons: ['length'] };
}

/** Throws validation_failed for a password that is longer than can be hashed. */
export function checkPasswordLength(password: string): void {
  if (Buffer.byteLength(password) <= limits.passwordMaxBytes.default) return;
  throw new NinefoldError('validation_failed', {
    message: `Password cannot be longer than ${limits.passwordMaxBytes.default} bytes`,
    limit: 'passwordMaxBytes',
  });
}

/** Throws validation_failed or weak_password for a password that a new account or a change of password may not have. */
export function checkNewPassword(password: string, settings: AuthSettings): void {
  checkPasswordLength(password);
  const weak = weaknessOf(password, settings);
  if (weak) throw new NinefoldError('weak_password', { message: weak.message, details: { reasons: weak.reasons } });
}
