import { z } from 'zod';
import { limits } from '../../contract/limits.ts';
import { passwordScheme } from '../accounts/passwords.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { normaliseEmail, normalisePhone } from './addresses.ts';
import { flag, metadata, password, text } from './body.ts';

/** The body of POST and PUT /admin/users (GoTrue's AdminUserAttributes). */
export const adminBody = z.object({
  id: text(limits.authFieldCharacters.default),
  aud: text(limits.authRoleCharacters.default),
  role: text(limits.authRoleCharacters.default),
  email: text(limits.authTextCharacters.default),
  phone: text(limits.authFieldCharacters.default),
  password,
  password_hash: text(limits.importedHashCharacters.default),
  email_confirm: flag,
  phone_confirm: flag,
  user_metadata: metadata,
  app_metadata: metadata,
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

const SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** The longest duration in Go, 2^63 nanoseconds, in seconds. */
const LONGEST_SECONDS = 9_223_372_036;

/**
 * Returns a duration in Go's notation (`24h`, `1h30m`, `1.5s`; package time, ParseDuration) in seconds; null for any
 * other text.
 */
export function parseDuration(value: string): number | null {
  if (value === '0') return 0;
  const match = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(value);
  if (!match?.[2]) return null;
  let seconds = 0;
  for (const [, amount, unit] of match[2].matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    seconds += Number(amount) * (SECONDS[unit ?? ''] ?? 0);
  }
  if (seconds > LONGEST_SECONDS) return null;
  return match[1] === '-' ? -seconds : seconds;
}
