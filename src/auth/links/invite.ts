import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { findRecipient } from '../../accounts/messages/one-time-tokens.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { checkMetadata, createUser, droppedPassword, findUser, invitedAt } from '../../accounts/users/users.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { metadata, text } from '../body.ts';
import { authCall } from '../call.ts';
import { beforeUserCreated } from '../hooks/before-user-created-hook.ts';
import { json } from '../reply.ts';
import { normaliseEmail } from '../sign-in/addresses.ts';
import { mailedLink, makeLink } from './link-mails.ts';
import { linkTarget } from './redirects.ts';

const schema = z.object({
  email: text(limits.emailCharacters.default * 2).meta(required('The e-mail address.')),
  data: metadata.meta(optional('User metadata.')),
});

/** An account that was never confirmed gets another invitation. */
export const invite = authCall({
  id: 'auth.invite',
  route: 'POST /invite',
  caller: 'secret-key',
  needsMemberPages: true,
  body: schema,
  errors: ['email_exists'],
  runsHooks: true,
  summary: 'Makes an account for an address and mails an invitation.',
  query: { redirect_to: optional('Where the link leads; one of the addresses that the app allows.') },
  returns: 'the user',
  example: { email: 'ada@example.org' },
  supabaseJs: "supabase.auth.admin.inviteUserByEmail('ada@example.org')",
  handle: async (context, request, { readBody }) => {
    const { database } = context;
    const body = readBody();
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
  },
});
