import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { BuilderDevice } from '../../../contract/team.ts';
import { listSessions, revokeSession } from '../../accounts/sessions/sessions.ts';
import { updateUser } from '../../accounts/users/update-user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { sessionOf } from '../authorise.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { builderOf } from '../caller-name.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';
import { uuidOf } from '../team/app-team.ts';
import { builderPassword } from '../team/builders.ts';

const showDevices = adminCall({
  route: 'GET /account/sessions',
  least: 'builder',
  summary: 'Returns the sessions in which the caller is signed in, newest first.',
  returns: 'BuilderDevice[]',
  errors: ['builder_unknown'],
  handle: async ({ context, caller, request }) => {
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
  },
});

const endDevice = adminCall({
  route: 'DELETE /account/sessions/:id',
  least: 'builder',
  summary: 'Ends a session of the caller.',
  errors: ['builder_unknown', 'not_found'],
  handle: async ({ context, caller, id }) => {
    const { userId } = builderOf(caller);
    const { database } = await openApp(context, CONSOLE_REF);
    if (!(await revokeSession(database, uuidOf(id), userId))) throw new NinefoldError('not_found');
    return noContent();
  },
});

const changeOwnPassword = adminCall({
  route: 'PUT /account/password',
  least: 'builder',
  summary:
    "Sets the caller's password and ends every other session. A sign-in verifies the current password, with the limits of every sign-in.",
  errors: ['builder_unknown', 'invalid_credentials'],
  requires: ({ caller }) => builderOf(caller),
  body: z.strictObject({
    current: z.string().max(limits.passwordMaxBytes.default),
    password: builderPassword,
  }),
  handle: async ({ context, caller, request, body: { current, password } }) => {
    const { userId } = builderOf(caller);
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
  },
});

export const accountCalls: readonly AdminCall[] = [showDevices, endDevice, changeOwnPassword];
