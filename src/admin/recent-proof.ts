import { limits } from '../../contract/limits.ts';
import { hasRecentProof } from '../accounts/sessions/recent-proof.ts';
import { CONSOLE_REF } from '../apps/registry/app-record.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { type AdminCall, type Exchange, partsOf } from './call.ts';
import { openApp } from './open-app.ts';

/**
 * Refuses a sensitive call from a session whose last proof of identity is too old.
 * @throws `recent_sign_in_needed`
 */
export async function requireRecentProof(
  { sensitive }: Pick<AdminCall, 'sensitive'>,
  exchange: Exchange,
): Promise<void> {
  const { context, caller } = exchange;
  if (sensitive === undefined || caller?.kind !== 'builder') return;
  if (typeof sensitive !== 'string' && !sensitive.applies(partsOf(exchange))) return;
  const { database } = await openApp(context, CONSOLE_REF);
  const seconds = limits.builderProofSeconds.default;
  if (await hasRecentProof(database, caller.sessionId, seconds)) return;
  const does = typeof sensitive === 'string' ? sensitive : sensitive.does;
  throw new NinefoldError('recent_sign_in_needed', { details: { does, seconds } });
}
