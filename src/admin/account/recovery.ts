import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { deleteFactor, listFactors } from '../../accounts/factors/factors.ts';
import { updateUser } from '../../accounts/users/update-user.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody } from '../body.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../router.ts';
import { address, linkTo } from '../team/app-team.ts';
import { builderPassword } from '../team/builders.ts';
import { requireConsole } from './session-cookie.ts';

const asked = z.strictObject({ email: address, remove_second_factor: z.boolean().default(false) });
const taken = z.strictObject({ secret: z.string(), password: builderPassword });

/**
 * Handles POST /builders/recover: returns a link with which a builder sets a new password. With `remove_second_factor`,
 * the builder's factors and recovery codes are removed immediately, before the link is used.
 * @throws `builder_unknown`
 */
export async function recoverBuilder(context: AdminContext, request: CallRequest): Promise<Reply> {
  const { email, remove_second_factor: removesFactors } = readBody(request, asked);
  const builder = (await context.registry.builders()).find((known) => known.email === email);
  if (!builder) throw new NinefoldError('builder_unknown');
  if (removesFactors) await removeFactors(context, builder.id, request);
  return json(linkTo(context, '/recovery', await context.registry.team.recover(builder.id)), 201);
}

/**
 * Handles POST /recovery: uses a link up, sets the password and ends every session of the builder.
 * @throws `recovery_invalid`
 */
export async function takeRecovery(context: AdminContext, request: CallRequest): Promise<Reply> {
  requireConsole(context.origins, request);
  const { secret, password } = readBody(request, taken);
  const userId = await context.registry.team.takeRecovery(secret);
  const { database } = await openApp(context, CONSOLE_REF);
  const changed = await updateUser(database, userId, {
    passwordHash: await context.passwords.hash(password),
    caller: { address: request.address },
  });
  if (!changed) throw new NinefoldError('recovery_invalid');
  return noContent();
}

async function removeFactors(context: AdminContext, userId: string, { address: from }: CallRequest): Promise<void> {
  const { database } = await openApp(context, CONSOLE_REF);
  const by = { caller: { address: from, isAdmin: true }, action: 'factor_deleted' } as const;
  for (const { id } of (await listFactors(database, userId)) ?? []) {
    await deleteFactor(database, { userId, factorId: id }, by);
  }
}
