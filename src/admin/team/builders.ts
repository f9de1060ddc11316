import { z } from 'zod';
import type { Builder, BuilderPasswordRequest } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import { updateUser } from '../../accounts/users/update-user.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';

const leastPassword = limits.builderPasswordMinCharacters.default;

/** The password of a builder. It must be longer than a member's, because a builder can read all data of an app. */
export const builderPassword = z
  .string()
  .min(leastPassword, `is at least ${leastPassword} characters long`)
  .max(limits.passwordMaxBytes.default);

const showBuilders = adminCall({
  route: 'GET /builders',
  least: 'operator',
  summary: 'Returns the builders of the node, oldest first.',
  returns: 'Builder[]',
  handle: async ({ context }) => {
    const builders: Builder[] = await context.registry.builders();
    return json(builders);
  },
});

const setBuilderPassword = adminCall({
  route: 'PUT /builders/password',
  least: 'operator',
  audit: { action: 'builder_password_set', details: ({ email }) => ({ email }) },
  summary: "Sets a builder's password and ends the builder's sessions.",
  errors: ['builder_unknown'],
  body: z.strictObject({
    email: z.email().max(limits.emailCharacters.default),
    password: builderPassword,
  }) satisfies z.ZodType<BuilderPasswordRequest>,
  handle: async ({ context, request, body: { email, password } }) => {
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
  },
});

export const builderCalls: readonly AdminCall[] = [showBuilders, setBuilderPassword];
