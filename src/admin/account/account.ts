import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { BuilderDevice } from '../../../contract/team.ts';
import { listSessions, revokeSession } from '../../accounts/sessions/sessions.ts';
import { updateUser } from '../../accounts/users/update-user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { sessionOf } from '../authorise.ts';
import { readBody } from '../body.ts';
import { builderOf } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../router.ts';
import { uuidOf } from '../team/app-team.ts';
import { builderPassword } from '../team/builders.ts';

const schema = z.strictObject({
  current: z.string().max(limits.passwordMaxBytes.default),
  password: builderPassword,
});

/**
 * Handles GET /account/sessions: returns the caller's devices, newest first.
 * @throws `builder_unknown` for the operator
 */
export async function showDevices(context: AdminContext, caller: Caller, request: CallRequest): Promise<Reply> {
  const { userId } = builderOf(caller);
  const app = await openApp(context, CONSOLE_REF);
  const { auth } = await app.settings();
  const own = (await sessionOf(context, request))?.id;
  const sessions = await listSessions(app.database, auth, { userId });
  return json(
    sessions.map(
      ({ id, device, ip, created_at }): BuilderDevice => ({ id, device, ip, created_at, is_current: id === own }),
    ),
  );
}

/**
 * Handles DELETE /account/sessions/:id: ends a session of the caller.
 * @throws `builder_unknown`, `not_found`
 */
export async function endDevice(context: AdminContext, caller: Caller, id: string): Promise<Reply> {
  const { userId } = builderOf(caller);
  const { database } = await openApp(context, CONSOLE_REF);
  if (!(await revokeSession(database, uuidOf(id), userId))) throw new NinefoldError('not_found');
  return noContent();
}

/**
 * Handles PUT /account/password: sets the caller's password and ends every other session. A sign-in verifies the
 * current password, with the limits of every sign-in.
 * @throws what a sign-in throws, and `builder_unknown` for the operator
 */
export async function changeOwnPassword(context: AdminContext, caller: Caller, request: CallRequest): Promise<Reply> {
  const { userId } = builderOf(caller);
  const { current, password } = readBody(request, schema);
  const app = await openApp(context, CONSOLE_REF);
  const email = (await findUser(app.database, userId))?.email;
  const keepSession = (await sessionOf(context, request))?.id;
  await context.builders.signIn(app, { ...request, body: Buffer.from(JSON.stringify({ email, password: current })) });
  await updateUser(app.database, userId, {
    passwordHash: await context.passwords.hash(password),
    caller: { address: request.address },
    ...(keepSession === undefined ? {} : { keepSession }),
  });
  return noContent();
}
