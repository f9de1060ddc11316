import { randomUUID } from 'node:crypto';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { droppedPhonePassword, pretendToText } from '../../accounts/messages/texts.ts';
import { commonDecoys } from '../../accounts/passwords/common-hashes.ts';
import { runAsAuthAdmin, type SqlStatement } from '../../accounts/run-as-auth-admin.ts';
import { signUp } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AuthContext, timeOf } from '../context.ts';
import { beforeUserCreated, waitAsBeforeUserCreated } from '../hooks/before-user-created-hook.ts';
import { ignoreMissing } from '../links/link-mails.ts';
import { json } from '../reply.ts';
import { nobody, noteSignUp } from '../sign-in/sign-up-to-confirm.ts';
import { clientOf, tokenReply } from '../sign-in/token-reply.ts';
import { makeText, requireText, sendText, storedText } from './send-text.ts';

export interface PhoneSignUp {
  /** The phone number, only its digits. */
  readonly phone: string;
  readonly password: string;
  readonly userMetadata: Readonly<Record<string, unknown>>;
}

/**
 * Handles POST /signup with a phone number and a password: creates an account. The account gets a session if numbers
 * count as confirmed at once (sms_autoconfirm), else a code by SMS.
 */
export const signUpWithPhone = (context: AuthContext, request: CallRequest, asked: PhoneSignUp): Promise<Reply> =>
  context.settings.sms_autoconfirm ? signUpAtOnce(context, request, asked) : signUpByCode(context, request, asked);

async function signUpAtOnce(context: AuthContext, request: CallRequest, asked: PhoneSignUp): Promise<Reply> {
  const { password, ...planned } = { ...asked, id: randomUUID(), phoneConfirmed: true };
  await beforeUserCreated(context, request.address, { ...planned, provider: 'phone' });
  const newUser = { ...planned, passwordHash: await context.passwords.hash(password) };
  const { user, grant } = await signUp(context.database, newUser, clientOf(request)).catch((error: unknown) => {
    throw isTaken(error) ? new NinefoldError('user_already_exists') : error;
  });
  noteSignUp(context, request, user.id);
  return grant ? tokenReply(context, request, grant) : json(user);
}

/**
 * Creates an account and sends a code. If an account has the number already, the response is that of a new account,
 * after the same time. If this account was never confirmed, its owner gets another code. If the two sign-ups have
 * different passwords, both passwords are removed, because the server does not know which of the two people owns the
 * number.
 */
async function signUpByCode(context: AuthContext, request: CallRequest, asked: PhoneSignUp): Promise<Reply> {
  const { database } = context;
  const { phone, userMetadata } = asked;
  const { account } = await requireText(context, request, 'sms', phone);
  const waiting = account?.isConfirmed === false ? account : null;
  const isSamePassword = await context.passwords.verify(
    asked.password,
    waiting?.passwordHash ?? null,
    await commonDecoys(context),
  );
  const passwordHash = await context.passwords.hash(asked.password);
  const text = makeText(context, 'sms_confirmation', phone);
  const newUser = { id: randomUUID(), phone, passwordHash, userMetadata };
  if (account === null) await beforeUserCreated(context, request.address, { ...newUser, provider: 'phone' });
  else await waitAsBeforeUserCreated(context);
  if (account === null) {
    const made = await signUp(database, newUser, clientOf(request), (id) => storedText(id, text)).catch(ignoreTaken);
    if (made) {
      await sendText(context, request, text, { userId: made.user.id, waits: false });
      noteSignUp(context, request, made.user.id);
      return json(made.user);
    }
  }
  if (waiting) {
    const statements: SqlStatement[] = [
      ...(isSamePassword ? [] : [droppedPhonePassword(waiting.id)]),
      ...storedText(waiting.id, text),
    ];
    await runAsAuthAdmin(database, statements).then(
      () => sendText(context, request, text, { userId: waiting.id, waits: false }),
      (error: unknown) => ignoreMissing(error),
    );
  } else await pretendToText(database, 'sms', phone);
  return json(nobody({ phone }, userMetadata, timeOf(context)));
}

const isTaken = (error: unknown): boolean => error instanceof NinefoldError && error.code === 'phone_exists';

/** Returns null for the error that another call has taken the number in the meantime; rethrows every other error. */
export function ignoreTaken(error: unknown): null {
  if (isTaken(error)) return null;
  throw error;
}
