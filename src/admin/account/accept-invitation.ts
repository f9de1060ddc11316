import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { ShownInvitation } from '../../../contract/team.ts';
import { createUser, deleteUser } from '../../accounts/users/users.ts';
import { CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { lacksFactor, sessionOf } from '../authorise.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';
import { builderPassword } from '../team/builders.ts';
import { fromConsole } from './session-cookie.ts';

const showInvitation = adminCall({
  route: 'POST /invitations/show',
  least: 'open',
  requires: fromConsole,
  summary: 'Returns the invitation of a link. The link stays valid.',
  returns: 'ShownInvitation',
  errors: ['invitation_invalid'],
  body: z.strictObject({ secret: z.string() }),
  handle: async ({ context, body: { secret } }) => {
    const invitation = await context.registry.team.open(secret);
    const builder = await builderWith(context, invitation.email);
    const answer: ShownInvitation = { ...invitation, is_builder: builder !== null };
    return json(answer);
  },
});

const acceptInvitation = adminCall({
  route: 'POST /invitations/accept',
  least: 'open',
  requires: fromConsole,
  summary:
    "Uses up the link of an invitation. A new builder gets an account with the invitation's address; an existing builder must be signed in with that address.",
  errors: ['invitation_invalid', 'builder_sign_in_needed', 'second_factor_needed'],
  body: z.strictObject({
    secret: z.string(),
    name: line(limits.builderNameCharacters.default).optional(),
    password: builderPassword.optional(),
  }),
  handle: async ({ context, request, body: { secret, name, password } }) => {
    const { team } = context.registry;
    const { email } = await team.open(secret);
    const builder = await builderWith(context, email);
    if (builder !== null) {
      const session = await sessionOf(context, request);
      if (session?.userId !== builder.id) throw new NinefoldError('builder_sign_in_needed');
      const rights = await team.rightsOf(builder.id);
      if (rights && lacksFactor(session, rights)) throw new NinefoldError('second_factor_needed');
      await team.accept(secret, builder.id, builder.name);
      return noContent();
    }
    if (name === undefined || password === undefined) {
      throw new NinefoldError('validation_invalid', { message: 'A new builder gives a name and a password.' });
    }
    await acceptAsNew(context, { secret, email, name, password });
    return noContent();
  },
});

/** Creates an account and a builder for it. Deletes the account if another call has used the invitation up. */
async function acceptAsNew(
  context: AdminContext,
  { secret, email, name, password }: { secret: string; email: string; name: string; password: string },
): Promise<void> {
  const { database } = await openApp(context, CONSOLE_REF);
  const { team } = context.registry;
  await team.dropLeftover(email);
  const passwordHash = await context.passwords.hash(password);
  const newUser = { email, passwordHash, userMetadata: { name }, confirmed: true };
  const { id } = await createUser(database, newUser).catch(asTaken);
  try {
    await team.accept(secret, id, name);
  } catch (error) {
    await deleteUser(database, id);
    throw error;
  }
}

/**
 * Converts `email_exists` to `invitation_invalid`: another call accepts the same invitation at the same time and has
 * created the account.
 */
function asTaken(error: unknown): never {
  if (!(error instanceof NinefoldError) || error.code !== 'email_exists') throw error;
  throw new NinefoldError('invitation_invalid', { cause: error });
}

async function builderWith(context: AdminContext, email: string): Promise<{ id: string; name: string } | null> {
  return (await context.registry.builders()).find((known) => known.email === email) ?? null;
}

export const acceptInvitationCalls: readonly AdminCall[] = [showInvitation, acceptInvitation];
