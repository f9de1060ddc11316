import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { begunEmailChange, findRecipient, type Recipient } from '../../accounts/messages/one-time-tokens.ts';
import { runAsAuthAdmin, type SqlStatement } from '../../accounts/run-as-auth-admin.ts';
import {
  checkMetadata,
  createUser,
  droppedPassword,
  findUser,
  invitedAt,
  type NewUser,
} from '../../accounts/users/users.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { metadata, password, text } from '../body.ts';
import { authCall } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { beforeUserCreated } from '../hooks/before-user-created-hook.ts';
import { json } from '../reply.ts';
import { normaliseEmail } from '../sign-in/addresses.ts';
import { checkNewPassword, refuseLeakedPassword, wordsOf } from '../sign-in/check-password.ts';
import { issuedLink, type Link, type LinkType, makeLink } from './link-mails.ts';
import { linkTarget } from './redirects.ts';

const schema = z.object({
  type: text(limits.authFieldCharacters.default).meta(
    required('signup, invite, magiclink, recovery, email_change_current or email_change_new.'),
  ),
  email: text(limits.emailCharacters.default * 2).meta(required('The address of the account.')),
  new_email: text(limits.emailCharacters.default * 2).meta(optional('The new address, for a change.')),
  password: password.meta(optional('The password of a new account, for signup.')),
  data: metadata.meta(optional('User metadata of a new account.')),
  redirect_to: text(limits.redirectCharacters.default).meta(
    optional('Where the link leads; one of the addresses that the app allows.'),
  ),
});

/** The request for a link, and the account that has the address. */
interface Asked {
  readonly email: string;
  readonly recipient: Recipient | null;
  readonly body: z.output<typeof schema>;
}

interface Plan {
  /** The type of the link, as the response names it. */
  readonly type: string;
  readonly link: Link;
  /** Returns the statements for the account with this id. */
  readonly statements: (id: string) => readonly SqlStatement[];
  /** The account that is created if no account has the address. */
  readonly newUser: NewUser;
}

const invalid = (message: string): NinefoldError => new NinefoldError('validation_failed', { message });

export const generateLink = authCall({
  id: 'auth.admin.generate_link',
  route: 'POST /admin/generate_link',
  caller: 'secret-key',
  needsMemberPages: true,
  body: schema,
  errors: ['email_exists', 'user_not_found', 'weak_password'],
  runsHooks: true,
  summary: 'Makes the link and the code of a mail and returns them in place of the mail.',
  returns: 'the user, action_link, email_otp, hashed_token, verification_type, redirect_to',
  example: { type: 'magiclink', email: 'ada@example.org' },
  supabaseJs: "supabase.auth.admin.generateLink({ type: 'magiclink', email: 'ada@example.org' })",
  handle: async (context, request, { readBody }) => {
    const { database } = context;
    const body = readBody();
    if (!body.email) throw invalid('An email address is required');
    const email = normaliseEmail(body.email);
    checkMetadata(body.data ?? {});
    await refuseLeakedPassword(context, body.password, request.requestId);
    const recipient = await findRecipient(database, email);
    const redirectTo = linkTarget(context, request, body.redirect_to);
    const linkTo = (type: LinkType, address: string, change?: Link['change']): Link =>
      makeLink(context, request, { type, address, redirectTo, challenge: null, ...(change && { change }) });
    const { type, link, statements, newUser } = await planOf(context, { email, recipient, body }, linkTo);
    if (recipient) await runAsAuthAdmin(database, statements(recipient.id));
    const id = randomUUID();
    if (!recipient) await beforeUserCreated(context, request.address, { ...newUser, id, provider: 'email' });
    const user = recipient
      ? await findUser(database, recipient.id)
      : await createUser(database, { ...newUser, id }, statements);
    return json({
      ...user,
      action_link: link.url,
      email_otp: link.token.code,
      hashed_token: link.token.token,
      verification_type: type,
      redirect_to: redirectTo ?? '',
    });
  },
});

type LinkTo = (type: LinkType, address: string, change?: Link['change']) => Link;

async function planOf(context: AuthContext, asked: Asked, linkTo: LinkTo): Promise<Plan> {
  const { email, recipient, body } = asked;
  const newUser: NewUser = { email, userMetadata: body.data ?? {} };
  switch (body.type) {
    case 'magiclink':
    case 'recovery': {
      if (recipient === null && body.type === 'magiclink') return planOfConfirmation(asked, 'signup', newUser, linkTo);
      if (recipient === null) throw noSuchUser();
      const link = linkTo(body.type, email);
      return { type: body.type, link, newUser, statements: (id) => issuedLink(id, link) };
    }
    case 'invite':
      return planOfConfirmation(asked, 'invite', newUser, linkTo);
    case 'signup':
      if (recipient === null) {
        if (!body.password) throw invalid('Signup requires a valid password');
        checkNewPassword(body.password, context.settings, wordsOf(context.app.ref, email));
        const passwordHash = await context.passwords.hash(body.password);
        return planOfConfirmation(asked, 'signup', { ...newUser, passwordHash }, linkTo);
      }
      return planOfConfirmation(asked, 'signup', newUser, linkTo);
    case 'email_change_current':
    case 'email_change_new':
      return planOfChange(context, asked, body.type, linkTo);
    default:
      throw invalid(`Invalid email action link type requested: ${body.type ?? ''}`);
  }
}

/**
 * Plans the link of an invitation or of a sign-up. An account that was never confirmed loses its password, because
 * another person may have set it.
 */
function planOfConfirmation(
  { email, recipient }: Asked,
  type: 'signup' | 'invite',
  newUser: NewUser,
  linkTo: LinkTo,
): Plan {
  if (recipient?.isConfirmed) throw new NinefoldError('email_exists');
  const link = linkTo(type, email);
  const statements = (id: string): readonly SqlStatement[] => [
    ...(recipient ? [droppedPassword(id)] : []),
    ...(type === 'invite' ? [invitedAt(id)] : []),
    ...issuedLink(id, link),
  ];
  return { type, link, newUser, statements };
}

async function planOfChange(
  { database, settings }: AuthContext,
  { email, recipient, body }: Asked,
  type: 'email_change_current' | 'email_change_new',
  linkTo: LinkTo,
): Promise<Plan> {
  if (recipient === null) throw noSuchUser();
  const toCurrent = type === 'email_change_current';
  if (toCurrent && !settings.mailer_secure_email_change_enabled) {
    throw invalid('Enable secure email change to generate link for current email');
  }
  if (!body.new_email) throw invalid('An email address is required');
  const newEmail = normaliseEmail(body.new_email);
  if (newEmail !== email && (await findRecipient(database, newEmail)) !== null) throw new NinefoldError('email_exists');
  const link = linkTo('email_change', toCurrent ? email : newEmail, { newEmail, oldEmail: email, toCurrent });
  const statements = (id: string) => [begunEmailChange(id, newEmail), ...issuedLink(id, link)];
  return { type, link, newUser: {}, statements };
}

const noSuchUser = (): NinefoldError =>
  new NinefoldError('user_not_found', { message: 'User with this email not found' });
