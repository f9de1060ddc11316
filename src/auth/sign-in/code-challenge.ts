import type { CodeChallenge } from '../../accounts/providers/flow-states.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';

/**
 * Returns the PKCE challenge of a client; null if the client sent none.
 *
 * @throws validation_failed for a challenge without a method, with an unknown method, or in a form that RFC 7636,
 * section 4.2, does not allow
 */
export function readCodeChallenge(value: string | undefined, method: string | undefined): CodeChallenge | null {
  if (!value !== !method) throw refusal('PKCE flow requires code_challenge_method and code_challenge');
  if (!value || !method) return null;
  if (!/^.{43,128}$/s.test(value)) throw refusal('code challenge has to be between 43 and 128 characters');
  if (!/^[A-Za-z0-9._~-]+$/.test(value)) {
    throw refusal('code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes');
  }
  const name = method.toLowerCase();
  if (name !== 's256' && name !== 'plain') throw refusal('Invalid code_challenge_method');
  return { value, method: name };
}

const refusal = (message: string): NinefoldError => new NinefoldError('validation_failed', { message });
