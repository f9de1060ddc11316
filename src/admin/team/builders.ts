import { z } from 'zod';
import type { Builder, BuilderPasswordRequest } from '../../../contract/admin.ts';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { updateUser } from '../../accounts/users/update-user.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody } from '../body.ts';
import type { AdminContext, Caller } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../router.ts';

const leastPassword = limits.builderPasswordMinCharacters.default;

/** The password of a builder. It must be longer than a member's, because a builder can read all data of an app. */
export const builderPassword = z
  .string()
  .min(leastPassword, `is at least ${leastPassword} characters long`)
  .max(limits.passwordMaxBytes.default);

const schema: z.ZodType<BuilderPasswordRequest> = z.strictObject({
  email: z.email().max(limits.emailCharacters.default),
  password: builderPassword,
});

/**
 * Handles GET /builders: returns the builders of the node, oldest first.
 * @throws `operator_required` for a builder
 */
export async function showBuilders(context: AdminContext, caller: Caller): Promise<Reply> {
  requireOperator(caller);
  const builders: Builder[] = await context.registry.builders();
  return json(builders);
}

/**
 * Handles PUT /builders/password: sets a builder's password and ends the builder's sessions.
 * @throws `operator_required` for a builder, `builder_unknown`
 */
export async function setBuilderPassword(context: AdminContext, caller: Caller, request: CallRequest): Promise<Reply> {
  requireOperator(caller);
  const { email, password } = readBody(request, schema);
  const builder = (await context.registry.builders()).find((known) => known.email === email.toLowerCase());
  const console = await openApp(context, CONSOLE_REF);
  const changed =
    builder &&
    (await updateUser(console.database, builder.id, {
      passwordHash: await context.passwords.hash(password),
      caller: { address: request.address, isAdmin: true },
    }));
  if (!changed) throw new NinefoldError('builder_unknown');
  return noContent();
}

function requireOperator(caller: Caller): void {
  if (caller.kind !== 'operator') throw new NinefoldError('operator_required');
}
