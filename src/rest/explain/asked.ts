import type { Exchange } from '../../../contract/exchange.ts';
import type { Identity } from '../../identity/identity.ts';

/** The preference that asks why a call is refused. */
export const EXPLAIN_ACCESS = 'explain=access';

const wordsOf = (exchange: Exchange): string[] => (exchange.headers.prefer ?? '').split(',').map((word) => word.trim());

/**
 * True of a call that asks for an explanation and may have one: with the rights of the service role, or by a builder
 * through the door. For anybody else the preference is one that nobody knows.
 */
export const asksWhy = (exchange: Exchange, identity: Identity): boolean =>
  (identity.role === 'service_role' || identity.source === 'builder') && wordsOf(exchange).includes(EXPLAIN_ACCESS);

/** Headers that belong to whoever asks, not to the call that is asked about. */
const ofTheAsker = ['x-ninefold-as', 'authorization', 'apikey', 'cookie'];

/** The call that is asked about: without the preference, and without the asker's keys. */
export function callInQuestion(exchange: Exchange): Exchange {
  const prefer = wordsOf(exchange).filter((word) => word !== EXPLAIN_ACCESS && word !== '');
  const headers = Object.fromEntries(
    Object.entries(exchange.headers).filter(([name]) => name !== 'prefer' && !ofTheAsker.includes(name)),
  );
  return { ...exchange, headers: prefer.length > 0 ? { ...headers, prefer: prefer.join(', ') } : headers };
}
