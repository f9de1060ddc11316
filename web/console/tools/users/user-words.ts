import type { User } from '@supabase/supabase-js';
import { dateTime, duration, listed } from '../../format/format.ts';

/** Returns the name of a user: the address, or else the phone number, or else the id. */
export const nameOf = (user: Pick<User, 'id' | 'email' | 'phone' | 'is_anonymous'>): string =>
  user.email || (user.phone ? `+${user.phone}` : user.id);

const century = 100 * 365 * 86_400_000;

/**
 * Returns the end of a user's ban; null if the user is not banned. `forGood` is true if the ban is longer than a life.
 * @param now In ms.
 */
export function banOf(user: Pick<User, 'banned_until'>, now: number): { until: string; forGood: boolean } | null {
  if (!user.banned_until) return null;
  const left = Date.parse(user.banned_until) - now;
  return left > 0 ? { until: user.banned_until, forGood: left > century / 2 } : null;
}

/** Returns the sign-in methods of a user, for example "email" and "google"; empty for an anonymous user. */
export function providersOf(user: Pick<User, 'identities' | 'app_metadata'>): string[] {
  const known: unknown = user.app_metadata.providers;
  const said = Array.isArray(known) ? known.filter((name) => typeof name === 'string') : [];
  return [...new Set([...(user.identities ?? []).map(({ provider }) => provider), ...said])];
}

export const isConfirmed = (user: Pick<User, 'email_confirmed_at' | 'phone_confirmed_at'>): boolean =>
  Boolean(user.email_confirmed_at || user.phone_confirmed_at);

/**
 * Describes in a sentence whether a user can sign in, and when the user last did.
 * @param now In ms.
 */
export function verdictOf(user: User, now: number): string {
  const ban = banOf(user, now);
  if (ban) return ban.forGood ? 'Banned for good.' : `Banned until ${dateTime(ban.until)}.`;
  if (user.is_anonymous) return 'A visitor without an address.';
  if (!isConfirmed(user)) return 'Cannot sign in before the address is confirmed.';
  const providers = providersOf(user);
  const by = providers.length > 0 ? `by ${listed(providers)}` : 'in no way yet';
  if (!user.last_sign_in_at) return `Signs in ${by}, and has not done so yet.`;
  const passed = now - Date.parse(user.last_sign_in_at);
  return `Signs in ${by}, last ${passed < 5000 ? 'just now' : `${duration(passed)} ago`}.`;
}
