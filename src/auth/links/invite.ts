import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { findRecipient } from '../../accounts/messages/one-time-tokens.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { checkMetadata, createUser, droppedPassword, findUser, invitedAt } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { metadata, readBody, text } from '../body.ts';
import type { AuthContext } from '../context.ts';
import { beforeUserCreated } from '../hooks/before-user-created-hook.ts';
import { json } from '../reply.ts';
import { normaliseEmail } from '../sign-in/addresses.ts';
import { mailedLink, makeLink } from './link-mails.ts';
import { linkTarget } from './redirects.ts';

const schema = z.object({ email: text(limits.emailCharacters.default * 2), data: metadata });

/**
 * Handles POST /invite: creates an account for an address and mails an invitation. An account that was never confirmed
 * gets another invitation.
 */
export async function invite(context: AuthContext, request: CallRequest): Promise<Reply> {
  const { database } = context;
  const body = readBody(request, schema);
  if (!body.email) throw new NinefoldError('validation_failed', { message: 'An email address is required' });
  const email = normaliseEmail(body.email);
  const userMetadata = body.data ?? {};
  checkMetadata(userMetadata);
  const redirectTo = linkTarget(context, request);
  const link = makeLink(context, request, { type: 'invite', address: email, redirectTo, challenge: null });
  const statements = (id: string) => [invitedAt(id), ...mailedLink(id, link)];
  const recipient = await findRecipient(database, email);
  if (recipient?.isConfirmed) throw new NinefoldError('email_exists');
  if (recipient === null) {
    const planned = { id: randomUUID(), email, userMetadata };
    await beforeUserCreated(context, request.address, { ...planned, provider: 'email' });
    return json(await createUser(database, planned, statements));
  }
  await runAsAuthAdmin(database, [droppedPassword(recipient.id), ...statements(recipient.id)]);
  return json(await findUser(database, recipient.id));
}
