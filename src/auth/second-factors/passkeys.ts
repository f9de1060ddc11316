import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { deletePasskey, listPasskeys, renamePasskey } from '../../accounts/factors/passkeys.ts';
import { required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { requireUser } from '../admin/factors.ts';
import { text } from '../body.ts';
import { authCall, SOME_ID } from '../call.ts';
import { byAdmin, decodeSegment } from '../callers.ts';
import { json, noContent } from '../reply.ts';
import { hasSecondFactor, type MemberSession, requireSession } from '../sessions/assurance.ts';
import { presence, requirePresence } from '../sessions/proof-of-presence.ts';
import { clientOf } from '../sign-in/token-reply.ts';

/** Throws insufficient_aal for a session without a second factor if the account has one. */
export function requireWholeForPasskeys({ user, isWhole }: MemberSession): void {
  if (!hasSecondFactor(user) || isWhole) return;
  throw new NinefoldError('insufficient_aal', {
    message: 'AAL2 session is required to manage passkeys when MFA is enabled',
  });
}

export const showPasskeys = authCall({
  id: 'auth.passkeys.list',
  route: 'GET /passkeys',
  caller: 'member',
  needs: { passkey_enabled: true },
  errors: [],
  summary: 'The passkeys of the member who calls.',
  returns: 'a list of passkeys: id, friendly_name, created_at, last_used_at',
  supabaseJs: 'supabase.auth.passkey.list()',
  handle: async (context, _request, { member }) => {
    const { user } = await requireSession(context, member, { mayBeAnonymous: true });
    return json(await listPasskeys(context.database, user.id));
  },
});

const renaming = z.object({ friendly_name: text(limits.factorNameCharacters.default).meta(required('The new name.')) });

export const updatePasskey = authCall({
  id: 'auth.passkeys.update',
  route: 'PATCH /passkeys/{passkey_id}',
  caller: 'member',
  needs: { passkey_enabled: true },
  body: renaming,
  errors: [],
  summary: 'Renames a passkey.',
  returns: 'the passkey',
  example: { friendly_name: 'My laptop' },
  supabaseJs: `supabase.auth.passkey.update({ passkeyId: '${SOME_ID}', friendlyName: 'My laptop' })`,
  handle: async (context, request, { member, path, readBody }) => {
    const { user } = await requireSession(context, member, { mayBeAnonymous: true });
    const id = passkeyId(path.passkey_id);
    const { friendly_name: name } = readBody();
    if (!name) throw new NinefoldError('validation_failed', { message: 'friendly_name is required' });
    const renamed = await renamePasskey(context.database, user.id, id, name, { address: request.address });
    if (!renamed) throw noPasskey();
    return json(renamed);
  },
});

export const removePasskey = authCall({
  id: 'auth.passkeys.delete',
  route: 'DELETE /passkeys/{passkey_id}',
  caller: 'member',
  needs: { passkey_enabled: true },
  body: z.object(presence),
  errors: ['insufficient_aal', 'reauthentication_needed', 'reauthentication_not_valid'],
  summary: 'Removes a passkey. Asks for an aal2 session where the account has a second factor.',
  returns: '204, no body',
  supabaseJs: `supabase.auth.passkey.delete({ passkeyId: '${SOME_ID}' })`,
  handle: async (context, request, { member, path, readBody }) => {
    const session = await requireSession(context, member, { mayBeAnonymous: true });
    requireWholeForPasskeys(session);
    await requirePresence(context, request, session, readBody({ optional: true }));
    const isDeleted = await deletePasskey(
      context.database,
      session.user.id,
      passkeyId(path.passkey_id),
      clientOf(request),
    );
    if (!isDeleted) throw noPasskey();
    return noContent;
  },
});

export const adminListPasskeys = authCall({
  id: 'auth.admin.passkeys.list',
  route: 'GET /admin/users/{user_id}/passkeys',
  caller: 'secret-key',
  errors: ['user_not_found'],
  summary: 'The passkeys of an account.',
  returns: 'a list of passkeys: id, friendly_name, created_at, last_used_at',
  supabaseJs: `supabase.auth.admin.passkey.listPasskeys({ userId: '${SOME_ID}' })`,
  handle: async (context, _request, { path }) => {
    const { id } = await requireUser(context, path.user_id);
    return json(await listPasskeys(context.database, id));
  },
});

export const adminDeletePasskey = authCall({
  id: 'auth.admin.passkeys.delete',
  route: 'DELETE /admin/users/{user_id}/passkeys/{passkey_id}',
  caller: 'secret-key',
  errors: ['user_not_found'],
  summary: 'Removes a passkey of an account.',
  returns: '204, no body',
  supabaseJs: `supabase.auth.admin.passkey.deletePasskey({ userId: '${SOME_ID}', passkeyId: '${SOME_ID}' })`,
  handle: async (context, request, { path }) => {
    const { id } = await requireUser(context, path.user_id);
    if (!(await deletePasskey(context.database, id, passkeyId(path.passkey_id), byAdmin(request)))) throw noPasskey();
    return noContent;
  },
});

function passkeyId(segment: string): string {
  const id = decodeSegment(segment);
  if (!UUID.test(id)) throw noPasskey();
  return id.toLowerCase();
}

const noPasskey = () => new NinefoldError('validation_failed', { status: 404, message: 'Passkey not found' });
