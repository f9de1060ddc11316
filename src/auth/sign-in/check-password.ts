import { limits } from '../../../contract/limits.ts';
import type { AuthSettings } from '../../../contract/settings-auth.ts';
import { isCommonPassword } from '../../accounts/passwords/common-passwords.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';

export interface WeakPassword {
  readonly message: string;
  readonly reasons: readonly string[];
}

/** GoTrue's message for a common or leaked password. */
const EASY_TO_GUESS = 'Password is known to be weak and easy to guess, please choose a different one.';

/**
 * Returns the weakness of a password with GoTrue's message; null for a strong password. Lengths are in characters.
 * Reasons are `length`, `characters` and `pwned`, which clients know.
 *
 * @param words Texts of which the password may not consist: see `wordsOf`.
 */
export function weaknessOf(
  password: string,
  settings: AuthSettings,
  words: readonly string[] = [],
): WeakPassword | null {
  const faults: [reason: string, message: string][] = [];
  const shortest = Math.max(settings.password_min_length, limits.passwordMinCharacters.range[0]);
  if ([...password].length < shortest) faults.push(['length', `Password should be at least ${shortest} characters.`]);
  const sets = characterSets(settings.password_required_characters);
  if (!sets.every((set) => [...set].some((character) => password.includes(character)))) {
    faults.push(['characters', `Password should contain at least one character of each: ${sets.join(', ')}.`]);
  }
  if (settings.password_refuse_common && (isCommonPassword(password) || isMadeOf(password, words))) {
    faults.push(['pwned', EASY_TO_GUESS]);
  }
  if (faults.length === 0) return null;
  return { message: faults.map(([, message]) => message).join(' '), reasons: faults.map(([reason]) => reason) };
}

/**
 * Returns the texts that an attacker tries first: the app's ref, the account's address, its part before the `@`, and
 * its phone numbers as digits.
 */
export const wordsOf = (
  ref: string,
  email: string | null | undefined,
  ...phones: readonly (string | null | undefined)[]
): string[] => [
  ...[ref, ...(email ? [email, email.split('@')[0] ?? ''] : [])].map((word) => word.toLowerCase()),
  ...phones.filter((phone) => typeof phone === 'string').map((phone) => phone.replace(/\D/g, '')),
];

/** The maximum number of digits of a country code (ITU-T E.164). */
const COUNTRY_CODE_DIGITS = 3;

/**
 * Returns true for a phone number in any form: with punctuation, with leading zeros, with or without the country code.
 */
function isNumber(password: string, word: string): boolean {
  const text = password.normalize('NFKC');
  if (word === '' || /\D/.test(word) || /\p{L}/u.test(text)) return false;
  const digits = text.replace(/\D/g, '').replace(/^0+/, '');
  return digits !== '' && word.endsWith(digits) && digits.length >= word.length - COUNTRY_CODE_DIGITS;
}

/**
 * Returns true if the password is one of the words with only digits and punctuation around it, or one of the phone
 * numbers.
 */
function isMadeOf(password: string, words: readonly string[]): boolean {
  if (words.some((word) => isNumber(password, word))) return true;
  const bare = (text: string): string => text.toLowerCase().replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const core = bare(password);
  return core !== '' && words.some((word) => bare(word) === core);
}

/** Splits password_required_characters at the colons into sets; `\:` is a colon in a set. */
const characterSets = (text: string): string[] =>
  text
    .split(/(?<!\\):/)
    .map((set) => set.replaceAll('\\:', ':'))
    .filter((set) => set !== '');

/** Throws validation_failed for a password that is too long for hashing. */
export function checkPasswordLength(password: string): void {
  if (Buffer.byteLength(password) <= limits.passwordMaxBytes.default) return;
  throw new NinefoldError('validation_failed', {
    message: `Password cannot be longer than ${limits.passwordMaxBytes.default} bytes`,
    limit: 'passwordMaxBytes',
  });
}

/**
 * Throws validation_failed or weak_password for a password that a new account or a change of password may not use.
 *
 * @param words As for `weaknessOf`.
 */
export function checkNewPassword(password: string, settings: AuthSettings, words: readonly string[]): void {
  checkPasswordLength(password);
  const weak = weaknessOf(password, settings, words);
  if (!weak) return;
  const { message, reasons } = weak;
  // Only the reason `length` belongs to a limit, so only then the error names one.
  throw new NinefoldError('weak_password', {
    message,
    details: { reasons },
    ...(reasons.includes('length') && { limit: 'passwordMinCharacters' }),
  });
}

/**
 * Refuses a leaked new password, if the app enables this check. If the service does not respond in time, the password
 * is accepted and an event reports the reason.
 * @throws weak_password
 */
export async function refuseLeakedPassword(
  context: Pick<AuthContext, 'settings' | 'leakedPasswords' | 'events'>,
  password: string | undefined,
  requestId: string,
): Promise<void> {
  const { settings, leakedPasswords, events } = context;
  if (!password || !settings.password_hibp_enabled || !leakedPasswords) return;
  const isLeaked = await leakedPasswords.has(password).catch((error: unknown) => {
    events.emit({ type: 'fault', requestId, where: 'the check for leaked passwords', error });
    return false;
  });
  if (isLeaked) throw new NinefoldError('weak_password', { message: EASY_TO_GUESS, details: { reasons: ['pwned'] } });
}
