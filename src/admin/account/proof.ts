import { z } from 'zod';
import type { Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { moveProof } from '../../accounts/sessions/recent-proof.ts';
import { type Grant, revokeSession } from '../../accounts/sessions/sessions.ts';
import { findUser } from '../../accounts/users/users.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { builderOf } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { openApp } from '../open-app.ts';
import { noContent } from '../reply.ts';

const proveByPassword = adminCall({
  route: 'POST /account/proof',
  least: 'builder',
  beforeFactor: 'add',
  summary: "Proves the identity of the session's builder with the password.",
  errors: ['builder_unknown', 'invalid_credentials'],
  requires: ({ caller }) => builderOf(caller),
  body: z.strictObject({ password: z.string().max(limits.passwordMaxBytes.default) }),
  handle: async ({ context, caller, request, body: { password } }) => {
    const { userId } = builderOf(caller);
    const app = await openApp(context, CONSOLE_REF);
    const email = (await findUser(app.database, userId))?.email;
    const body = Buffer.from(JSON.stringify({ email, password }));
    return prove(context, caller, await context.builders.signIn(app, { ...request, body }), 'password');
  },
});

const proveByPasskey = adminCall({
  route: 'POST /account/proof/passkey',
  least: 'builder',
  beforeFactor: 'add',
  summary:
    "Proves the identity of the session's builder with a passkey and a challenge of POST /session/passkey/options.",
  errors: ['webauthn_verification_failed', 'builder_unknown'],
  handle: async ({ context, caller, request }) => {
    builderOf(caller);
    const app = await openApp(context, CONSOLE_REF);
    return prove(context, caller, await context.builders.signInWithPasskey(app, request), 'passkey');
  },
});

async function prove(
  context: AdminContext,
  caller: Caller,
  grant: Grant,
  method: 'password' | 'passkey',
): Promise<Reply> {
  const { userId, sessionId } = builderOf(caller);
  const { database } = await openApp(context, CONSOLE_REF);
  const provingId = grant.session.id;
  if (grant.user.id !== userId) {
    await revokeSession(database, provingId);
    throw new NinefoldError('webauthn_verification_failed');
  }
  const moved = await moveProof(database, { userId, sessionId, provingId, method });
  if (!moved) throw new NinefoldError('operator_required');
  return noContent();
}

export const proofCalls: readonly AdminCall[] = [proveByPassword, proveByPasskey];
