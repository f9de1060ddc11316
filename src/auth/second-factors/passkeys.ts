import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { deletePasskey, listPasskeys, renamePasskey } from '../../accounts/factors/passkeys.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { requireUser } from '../admin/factors.ts';
import { readBody, text } from '../body.ts';
import { byAdmin, decodeSegment } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { json, noContent } from '../reply.ts';
import { hasSecondFactor, type MemberSession, requireSession } from '../sessions/assurance.ts';
import { presence, requirePresence } from '../sessions/proof-of-presence.ts';
import { clientOf } from '../sign-in/token-reply.ts';

/** Throws passkey_disabled if members of the app cannot use passkeys. */
export function requirePasskeys({ settings }: AuthContext): void {
  if (!settings.passkey_enabled) throw new NinefoldError('passkey_disabled');
}

/** Throws insufficient_aal for a session without a second factor if the account has one. */
export function requireWholeForPasskeys({ user, isWhole }: MemberSession): void {
  if (!hasSecondFactor(user) || isWhole) return;
  throw new NinefoldError('insufficient_aal', {
    message: 'AAL2 session is required to manage passkeys when MFA is enabled',
  });
}

/**
 * Handles GET /passkeys: returns the passkeys of the calling member.
 * @throws passkey_disabled
 */
export async function showPasskeys(context: AuthContext, request: CallRequest): Promise<Reply> {
  requirePasskeys(context);
  const { user } = await requireSession(context, request, { mayBeAnonymous: true });
  return json(await listPasskeys(context.database, user.id));
}

const renaming = z.object({ friendly_name: text(limits.factorNameCharacters.default) });

/**
 * Handles PATCH /passkeys/<id>: renames a passkey.
 * @throws passkey_disabled, validation_failed (404 for an unknown passkey)
 */
export async function updatePasskey(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  requirePasskeys(context);
  const { user } = await requireSession(context, request, { mayBeAnonymous: true });
  const id = passkeyId(segment);
  const { friendly_name: name } = readBody(request, renaming);
  if (!name) throw new NinefoldError('validation_failed', { message: 'friendly_name is required' });
  const renamed = await renamePasskey(context.database, user.id, id, name, { address: request.address });
  if (!renamed) throw noPasskey();
  return json(renamed);
}

/**
 * Handles DELETE /passkeys/<id>: removes a passkey.
 * @throws the errors of `requirePresence`, passkey_disabled, insufficient_aal, validation_failed
 */
export async function removePasskey(context: AuthContext, request: CallRequest, segment: string): Promise<Reply> {
  requirePasskeys(context);
  const member = await requireSession(context, request, { mayBeAnonymous: true });
  requireWholeForPasskeys(member);
  await requirePresence(context, request, member, readBody(request, z.object(presence), { optional: true }));
  const isDeleted = await deletePasskey(context.database, member.user.id, passkeyId(segment), clientOf(request));
  if (!isDeleted) throw noPasskey();
  return noContent;
}

/** Handles GET /admin/users/<id>/passkeys: returns the passkeys of an account. */
export async function adminListPasskeys(context: AuthContext, _request: CallRequest, user: string): Promise<Reply> {
  const { id } = await requireUser(context, user);
  return json(await listPasskeys(context.database, id));
}

/**
 * Handles DELETE /admin/users/<id>/passkeys/<passkey>: removes a passkey of an account.
 * @throws validation_failed
 */
export async function adminDeletePasskey(
  context: AuthContext,
  request: CallRequest,
  user: string,
  segment: string,
): Promise<Reply> {
  const { id } = await requireUser(context, user);
  if (!(await deletePasskey(context.database, id, passkeyId(segment), byAdmin(request)))) throw noPasskey();
  return noContent;
}

function passkeyId(segment: string): string {
  const id = decodeSegment(segment);
  if (!UUID.test(id)) throw noPasskey();
  return id.toLowerCase();
}

const noPasskey = () => new NinefoldError('validation_failed', { status: 404, message: 'Passkey not found' });
