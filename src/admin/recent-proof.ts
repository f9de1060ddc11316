import { z } from 'zod';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { type SensitiveCall, sensitiveCalls } from '../../contract/sensitive-calls.ts';
import { authSecrets } from '../../contract/settings-auth.ts';
import { hasRecentProof, moveProof } from '../accounts/sessions/recent-proof.ts';
import { type Grant, revokeSession } from '../accounts/sessions/sessions.ts';
import { findUser } from '../accounts/users/users.ts';
import { CONSOLE_REF } from '../apps/registry/app-record.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { readBody } from './body.ts';
import { builderOf } from './caller-name.ts';
import type { AdminContext, Caller } from './context.ts';
import { openApp } from './open-app.ts';
import { noContent, type Params, type Route } from './router.ts';

/**
 * Functions for routes of which only some calls are sensitive, by the name of the sensitive part. Each returns true for
 * the calls that belong to the part.
 */
const parts: Readonly<
  Record<NonNullable<SensitiveCall['only']>, (call: Pick<CallRequest, 'query'>, params: Params) => boolean>
> = {
  'secret settings': (_, { key = '' }) => Object.hasOwn(authSecrets, key),
  exports: ({ query }) => Number(new URLSearchParams(query).get('limit') ?? 0) > limits.auditUnproven.default,
};

/** Returns the entry of a call that needs a recent proof; null for every other call. */
function sensitiveCall(
  { method, path }: Pick<Route<never>, 'method' | 'path'>,
  exchange: Pick<CallRequest, 'query'>,
  params: Params,
): SensitiveCall | null {
  const name = `${method} ${path}`;
  const entry = Object.hasOwn(sensitiveCalls, name) ? sensitiveCalls[name] : undefined;
  if (!entry || (entry.only && !parts[entry.only](exchange, params))) return null;
  return entry;
}

/**
 * Refuses a sensitive call from a session whose last proof of identity is too old.
 * @throws `recent_sign_in_needed`
 */
export async function requireRecentProof(
  context: AdminContext,
  caller: Caller,
  request: CallRequest,
  { route, params }: { route: Pick<Route<never>, 'method' | 'path'>; params: Params },
): Promise<void> {
  const entry = caller.kind === 'builder' ? sensitiveCall(route, request, params) : null;
  if (caller.kind !== 'builder' || entry === null) return;
  const { database } = await openApp(context, CONSOLE_REF);
  const seconds = limits.builderProofSeconds.default;
  if (await hasRecentProof(database, caller.sessionId, seconds)) return;
  throw new NinefoldError('recent_sign_in_needed', { details: { does: entry.does, seconds } });
}

const schema = z.strictObject({ password: z.string().max(limits.passwordMaxBytes.default) });

/**
 * Handles POST /account/proof: proves the identity of the session's builder with the password.
 * @throws what a sign-in throws, and `builder_unknown` for the operator
 */
export async function proveByPassword(context: AdminContext, caller: Caller, request: CallRequest): Promise<Reply> {
  const { userId } = builderOf(caller);
  const { password } = readBody(request, schema);
  const app = await openApp(context, CONSOLE_REF);
  const email = (await findUser(app.database, userId))?.email;
  const body = Buffer.from(JSON.stringify({ email, password }));
  return prove(context, caller, await context.builders.signIn(app, { ...request, body }), 'password');
}

/**
 * Handles POST /account/proof/passkey: proves the identity of the session's builder with a passkey and a challenge of
 * POST /session/passkey/options.
 * @throws what a sign-in throws; `webauthn_verification_failed` for a passkey of another builder; `builder_unknown` for
 * the operator
 */
export async function proveByPasskey(context: AdminContext, caller: Caller, request: CallRequest): Promise<Reply> {
  builderOf(caller);
  const app = await openApp(context, CONSOLE_REF);
  return prove(context, caller, await context.builders.signInWithPasskey(app, request), 'passkey');
}

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
