import { z } from 'zod';
import type { SetupState } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import { createUser, deleteUser } from '../../accounts/users/users.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { equalSecrets } from '../authorise.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';
import { builderPassword } from '../team/builders.ts';

const showSetup = adminCall({
  route: 'GET /setup',
  least: 'open',
  summary: 'Returns whether the first builder is missing, and the key with which the console signs in.',
  returns: 'SetupState',
  handle: async ({ context }) => {
    const { record } = await context.apps.get(CONSOLE_REF);
    const state: SetupState = {
      needed: !(await context.registry.hasBuilder()),
      publishable_key: record.publishableKey,
    };
    return json(state);
  },
});

const setUp = adminCall({
  route: 'POST /setup',
  least: 'open',
  summary: 'Creates the first builder, who owns the node.',
  returns: '201 {}',
  errors: ['setup_token_invalid', 'setup_done'],
  body: z.strictObject({
    token: z.string(),
    name: line(limits.builderNameCharacters.default),
    email: z.email().max(limits.emailCharacters.default),
    password: builderPassword,
  }),
  handle: async ({ context, body }) => {
    if (!equalSecrets(body.token, context.setupToken)) throw new NinefoldError('setup_token_invalid');
    if (await context.registry.hasBuilder()) throw new NinefoldError('setup_done');
    const app = await openApp(context, CONSOLE_REF);
    const user = await createUser(app.database, {
      email: body.email.toLowerCase(),
      passwordHash: await context.passwords.hash(body.password),
      userMetadata: { name: body.name },
      confirmed: true,
    });
    if (!(await context.registry.claimNode(user.id, body.name))) {
      await deleteUser(app.database, user.id);
      throw new NinefoldError('setup_done');
    }
    return json({}, 201);
  },
});

export const setupCalls: readonly AdminCall[] = [showSetup, setUp];
