import { z } from 'zod';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { auditEntry } from '../../accounts/audit/audit.ts';
import { begunEmailChange, findRecipient } from '../../accounts/messages/one-time-tokens.ts';
import { findPasswordHash } from '../../accounts/passwords/password-sign-in.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { type UserChange, updateUser } from '../../accounts/users/update-user.ts';
import type { User } from '../../accounts/users/user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { optional } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { metadata, password, text } from '../body.ts';
import { authCall } from '../call.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { mailedEmailChange, requireMail } from '../links/link-mails.ts';
import { beginPhoneChange, newPhoneOf, requirePhoneChange } from '../phone/change-phone.ts';
import { json } from '../reply.ts';
import { hasSecondFactor, isSecondLevel } from '../sessions/assurance.ts';
import { presence, proofOfPresence } from '../sessions/proof-of-presence.ts';
import { normaliseEmail } from '../sign-in/addresses.ts';
import { checkNewPassword, refuseLeakedPassword, wordsOf } from '../sign-in/check-password.ts';
import { readCodeChallenge } from '../sign-in/code-challenge.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import { usable } from './get-user.ts';

const schema = z.object({
  email: text(limits.authTextCharacters.default).meta(optional('The new e-mail address.')),
  phone: text(limits.authFieldCharacters.default).meta(
    optional('The new phone number (E.164), where phone numbers are on.'),
  ),
  channel: text(limits.authFieldCharacters.default),
  password: password.meta(optional('The new password.')),
  data: metadata.meta(optional('User metadata, merged with what is there.')),
  app_metadata: metadata,
  ...presence,
  code_challenge: text(limits.authTextCharacters.default),
  code_challenge_method: text(limits.authFieldCharacters.default),
});

/**
 * - A new password ends the member's other sessions.
 * - A new address is stored as `new_email` until the links in two mails confirm it. If addresses count as confirmed at
 *   once, an anonymous account needs no mail, and a member needs only one.
 * - A new number is stored as `new_phone` until the code in an SMS confirms it, unless numbers count as confirmed at
 *   once (sms_autoconfirm).
 */
export const updateUserCall = authCall({
  id: 'auth.user.update',
  route: 'PUT /user',
  caller: 'member',
  body: schema,
  errors: [
    'email_exists',
    'insufficient_aal',
    'not_admin',
    'over_email_send_rate_limit',
    'over_sms_send_rate_limit',
    'phone_exists',
    'phone_provider_disabled',
    'reauthentication_needed',
    'reauthentication_not_valid',
    'same_password',
    'sms_send_failed',
    'user_sso_managed',
    'weak_password',
  ],
  runsHooks: true,
  summary: 'Changes the account of the member who calls.',
  returns: 'the user after the change',
  example: { password: 'another long password' },
  supabaseJs: "supabase.auth.updateUser({ password: 'another long password' })",
  handle: async (context, request, { member, readBody }) => {
    const { database, settings } = context;
    const { userId, sessionId, aal } = member;
    const body = readBody();
    const email = body.email && normaliseEmail(body.email);
    const challenge = readCodeChallenge(body.code_challenge, body.code_challenge_method);
    if (body.app_metadata) {
      throw new NinefoldError('not_admin', { message: 'Updating app_metadata requires admin privileges' });
    }
    const user = usable(await findUser(database, userId), timeOf(context));
    if (body.password !== undefined) {
      checkNewPassword(body.password, settings, wordsOf(context.app.ref, email ?? user.email, user.phone, body.phone));
    }
    await refuseLeakedPassword(context, body.password, request.requestId);
    const newPhone = newPhoneOf(context, user, body);
    const changesCredential = Boolean(body.password || (email && email !== user.email) || newPhone !== null);
    if (changesCredential && hasSecondFactor(user) && !isSecondLevel(aal)) throw needsSecondFactor();
    const isSso = user.identities.some((identity) => identity.provider.startsWith('sso:'));
    const newEmail = email && email !== user.email ? email : null;
    if (isSso && (body.password || newEmail !== null || newPhone !== null)) throw new NinefoldError('user_sso_managed');
    const countsAtOnce = user.is_anonymous && settings.mailer_autoconfirm;
    const proof =
      body.password !== undefined || newEmail !== null || newPhone !== null
        ? await proofOfPresence(context, user, sessionId, {
            nonce: body.nonce,
            password: body.current_password,
            client: clientOf(request),
            signal: request.signal,
          })
        : [];
    const waits = newEmail !== null && !countsAtOnce;
    if (waits) await requireNewAddress(context, request, user, newEmail);
    const phoneWaits = newPhone !== null && !settings.sms_autoconfirm;
    if (phoneWaits) await requirePhoneChange(context, request, user, newPhone);
    const change: UserChange = {
      ...(newEmail !== null && countsAtOnce && { email: newEmail, confirmEmail: true }),
      ...(newPhone !== null && !phoneWaits && { phone: newPhone, confirmPhone: true }),
      ...(body.password && (await passwordChange(context, user, body.password, email || body.phone))),
      ...(sessionId !== null && { keepSession: sessionId }),
      ...(body.data && { userMetadata: body.data }),
      caller: { address: request.address },
      notify: { acceptLanguage: request.headers['accept-language'] },
    };
    const changed = await updateUser(database, userId, change, proof);
    if (!waits && !phoneWaits) return json(usable(changed, timeOf(context)));
    if (waits) {
      const mails = mailedEmailChange(context, request, user, newEmail, challenge);
      const audited = auditEntry('user_modified', userId, { address: request.address });
      await runAsAuthAdmin(database, [begunEmailChange(userId, newEmail), ...mails, audited]);
    }
    if (phoneWaits) await beginPhoneChange(context, request, userId, newPhone);
    return json(usable(await findUser(database, userId), timeOf(context)));
  },
});

const needsSecondFactor = () =>
  new NinefoldError('insufficient_aal', {
    status: 401,
    message: 'AAL2 session is required to update email or password when MFA is enabled.',
  });

/**
 * Checks that the member may request a change to a new address. If sign-up does not reveal taken addresses, a taken
 * address is accepted here, and the link in its mail is refused later. Only the owner of the address can open that
 * link.
 * @throws over_email_send_rate_limit; email_exists if sign-up reveals taken addresses
 */
async function requireNewAddress(
  context: AuthContext,
  request: CallRequest,
  user: User,
  newEmail: string,
): Promise<void> {
  if (context.settings.mailer_autoconfirm && (await findRecipient(context.database, newEmail)) !== null) {
    throw new NinefoldError('email_exists');
  }
  // Counts the mail for the account and not for the address. Otherwise other callers could use up the limit of the
  // address with POST /resend.
  await requireMail(context, request, 'email_change', user.id);
}

async function passwordChange(
  { database, passwords }: AuthContext,
  user: User,
  newPassword: string,
  address: string | undefined,
): Promise<Pick<UserChange, 'passwordHash'>> {
  if (user.is_anonymous && !address) {
    throw new NinefoldError('validation_failed', {
      status: 422,
      message: 'Updating password of an anonymous user without an email or phone is not allowed',
    });
  }
  const current = await findPasswordHash(database, user.id);
  if (current !== null && (await passwords.verify(newPassword, current, []))) throw new NinefoldError('same_password');
  return { passwordHash: await passwords.hash(newPassword) };
}
