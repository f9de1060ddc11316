import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { findPasswordHash } from '../accounts/password-sign-in.ts';
import { hashPassword, verifyPassword } from '../accounts/passwords.ts';
import { type UserChange, updateUser } from '../accounts/update-user.ts';
import type { User } from '../accounts/user.ts';
import { findUser } from '../accounts/users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { normaliseEmail } from './addresses.ts';
import { metadata, password, readBody, text } from './body.ts';
import { requireMember } from './callers.ts';
import { checkNewPassword } from './check-password.ts';
import { type AuthContext, timeOf } from './context.ts';
import { usable } from './get-user.ts';
import { json } from './reply.ts';

const schema = z.object({
  email: text(limits.authTextCharacters.default),
  phone: text(limits.authFieldCharacters.default),
  password,
  data: metadata,
  app_metadata: metadata,
});

/**
 * PUT /user: changes the address, the password or the metadata of the member who calls. A new password ends the member's other
 * sessions. A new address counts at once when mailer_autoconfirm is on, else it waits as `new_email` until it is confirmed.
 */
export async function updateUserCall(context: AuthContext, exchange: Exchange): Promise<Reply> {
  const { database } = context;
  const { userId, sessionId } = await requireMember(context, exchange);
  const body = readBody(exchange, schema);
  const email = body.email && normaliseEmail(body.email);
  if (body.password !== undefined) checkNewPassword(body.password, context.settings);
  if (body.app_metadata) {
    throw new NinefoldError('not_admin', { message: 'Updating app_metadata requires admin privileges' });
  }
  if (body.phone) {
    throw new NinefoldError('phone_provider_disabled', { message: 'Phone numbers cannot be confirmed here' });
  }
  const user = usable(await findUser(database, userId), timeOf(context));
  const isSso = user.identities.some((identity) => identity.provider.startsWith('sso:'));
  if (isSso && (body.password || (email && email !== user.email))) throw new NinefoldError('user_sso_managed');
  const change: UserChange = {
    ...(email && email !== user.email && addressChange(email, context)),
    ...(body.password && (await passwordChange(context, user, body.password, email))),
    ...(sessionId !== null && { keepSession: sessionId }),
    ...(body.data && { userMetadata: body.data }),
  };
  return json(usable(await updateUser(database, userId, change), timeOf(context)));
}

const addressChange = (email: string, context: AuthContext): UserChange =>
  context.settings.mailer_autoconfirm ? { email, confirmEmail: true } : { newEmail: email };

async function passwordChange(
  context: AuthContext,
  user: User,
  newPassword: string,
  email: string | undefined,
): Promise<UserChange> {
  if (user.is_anonymous && !email) {
    throw new NinefoldError('validation_failed', {
      status: 422,
      message: 'Updating password of an anonymous user without an email or phone is not allowed',
    });
  }
  const current = await findPasswordHash(context.database, user.id);
  if (current !== null && (await verifyPassword(newPassword, current, []))) throw new NinefoldError('same_password');
  return { passwordHash: await hashPassword(newPassword) };
}
