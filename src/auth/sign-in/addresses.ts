import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';

/** Accepts an address as `<input type=email>` does (HTML standard, "valid e-mail address"). The domain needs no dot. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * Returns an e-mail address that a person typed as the database stores it: trimmed and in lower case.
 * @throws validation_failed
 */
export function normaliseEmail(email: string): string {
  const normal = email.trim().toLowerCase();
  if (normal.length > limits.emailCharacters.default) {
    throw new NinefoldError('validation_failed', { message: 'An email address is too long', limit: 'emailCharacters' });
  }
  if (!EMAIL.test(normal)) {
    throw new NinefoldError('validation_failed', { message: 'Unable to validate email address: invalid format' });
  }
  return normal;
}

/** Matches texts of printable characters of ASCII without blanks. */
const PLAIN = /^[!-~]*$/;

/**
 * Returns an e-mail address that another system reports, in lower case. The address is not cleaned: a blank, or a sign
 * such as U+212A (kelvin) that becomes a letter in lower case, makes it invalid.
 * @throws validation_failed
 */
export function exactEmail(email: string): string {
  if (PLAIN.test(email)) return normaliseEmail(email);
  throw new NinefoldError('validation_failed', { message: 'Unable to validate email address: invalid format' });
}

/**
 * Returns a phone number as the database stores it: E.164 without the plus sign.
 * @throws validation_failed
 */
export function normalisePhone(phone: string): string {
  const normal = phoneDigits(phone);
  if (!/^[1-9][0-9]{1,14}$/.test(normal)) {
    throw new NinefoldError('validation_failed', { message: 'Invalid phone number format (E.164 required)' });
  }
  return normal;
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the id of an account in its canonical form.
 * @throws validation_failed
 */
export function normaliseId(id: string): string {
  if (!UUID.test(id) || id === NIL_UUID) {
    throw new NinefoldError('validation_failed', { message: 'ID must be a UUID other than the nil UUID' });
  }
  return id.toLowerCase();
}

/**
 * Removes the plus sign and blanks of a phone number, as GoTrue's `formatPhoneNumber` does. Other characters remain.
 */
export const phoneDigits = (phone: string): string => phone.trim().replace(/^\+/, '').replaceAll(' ', '');
