import { z } from 'zod';
import type { CallRequest } from '../../../contract/call-request.ts';
import { deleteFactor, listFactors } from '../../accounts/factors/factors.ts';
import { updateUser } from '../../accounts/users/update-user.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';
import { address, linkTo } from '../team/app-team.ts';
import { builderPassword } from '../team/builders.ts';
import { fromConsole } from './session-cookie.ts';

const recoverBuilder = adminCall({
  route: 'POST /builders/recover',
  least: 'node owner',
  sensitive: 'make a recovery link for a builder',
  audit: {
    action: 'builder_recovery_begun',
    details: ({ email, remove_second_factor }) => ({
      email,
      second_factor_removed: remove_second_factor === true,
    }),
  },
  summary:
    "Returns a link with which a builder sets a new password. With `remove_second_factor`, the builder's factors and recovery codes are removed immediately, before the link is used.",
  returns: 'BuilderLink',
  errors: ['builder_unknown'],
  body: z.strictObject({ email: address, remove_second_factor: z.boolean().default(false) }),
  handle: async ({ context, request, body: { email, remove_second_factor: removesFactors } }) => {
    const builder = (await context.registry.builders()).find((known) => known.email === email);
    if (!builder) throw new NinefoldError('builder_unknown');
    if (removesFactors) await removeFactors(context, builder.id, request);
    return json(linkTo(context, '/recovery', await context.registry.team.recover(builder.id)), 201);
  },
});

const takeRecovery = adminCall({
  route: 'POST /recovery',
  least: 'open',
  requires: fromConsole,
  summary: 'Uses up a recovery link, sets the password and ends every session of the builder.',
  errors: ['recovery_invalid'],
  body: z.strictObject({ secret: z.string(), password: builderPassword }),
  handle: async ({ context, request, body: { secret, password } }) => {
    const userId = await context.registry.team.takeRecovery(secret);
    const { database } = await openApp(context, CONSOLE_REF);
    const changed = await updateUser(database, userId, {
      passwordHash: await context.passwords.hash(password),
      caller: { address: request.address },
    });
    if (!changed) throw new NinefoldError('recovery_invalid');
    return noContent();
  },
});

async function removeFactors(context: AdminContext, userId: string, { address: from }: CallRequest): Promise<void> {
  const { database } = await openApp(context, CONSOLE_REF);
  const by = { caller: { address: from, isAdmin: true }, action: 'factor_deleted' } as const;
  for (const { id } of (await listFactors(database, userId)) ?? []) {
    await deleteFactor(database, { userId, factorId: id }, by);
  }
}

export const recoveryCalls: readonly AdminCall[] = [takeRecovery, recoverBuilder];
