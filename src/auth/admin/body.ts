import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { passwordScheme } from '../../accounts/passwords/passwords.ts';
import { optional } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { flag, metadata, password, text } from '../body.ts';
import { parseDuration } from '../parse-duration.ts';
import { normaliseEmail, normalisePhone } from '../sign-in/addresses.ts';

/** The body of POST and PUT /admin/users (GoTrue's AdminUserAttributes). */
export const adminBody = z.object({
  id: text(limits.authFieldCharacters.default),
  aud: text(limits.authRoleCharacters.default),
  role: text(limits.authRoleCharacters.default),
  email: text(limits.authTextCharacters.default).meta(optional('The e-mail address.')),
  phone: text(limits.authFieldCharacters.default),
  password: password.meta(optional('The password.')),
  password_hash: text(limits.importedHashCharacters.default),
  email_confirm: flag.meta(optional('Whether the address counts as confirmed.')),
  phone_confirm: flag,
  user_metadata: metadata.meta(optional('User metadata, which the member may change later.')),
  app_metadata: metadata.meta(optional('Metadata that only the secret key may change.')),
  ban_duration: text(limits.authFieldCharacters.default),
});

export type AdminBody = z.infer<typeof adminBody>;

/**
 * Returns the normalised addresses of a body.
 * @throws validation_failed
 */
export const addressesOf = (body: AdminBody): { email?: string; phone?: string } => ({
  ...(body.email && { email: normaliseEmail(body.email) }),
  ...(body.phone && { phone: normalisePhone(body.phone) }),
});

/**
 * Returns `ban_duration` in seconds; 0 for `none`.
 * @throws validation_failed
 */
export function banSecondsOf(body: AdminBody): { banSeconds?: number } {
  if (!body.ban_duration) return {};
  const banSeconds = body.ban_duration === 'none' ? 0 : parseDuration(body.ban_duration);
  if (banSeconds !== null) return { banSeconds };
  throw new NinefoldError('validation_failed', {
    message: 'invalid format for ban duration: it must be none, or numbers with a unit, such as 24h or 1h30m',
  });
}

/** Throws validation_failed for a hash that this server cannot verify. */
export function checkPasswordHash(hash: string): void {
  if (passwordScheme(hash) !== null) return;
  throw new NinefoldError('validation_failed', {
    message: 'password_hash: must be an argon2id, argon2i, bcrypt, Firebase scrypt or PBKDF2 hash of bounded cost',
  });
}
