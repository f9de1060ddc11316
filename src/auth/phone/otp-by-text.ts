import { randomUUID } from 'node:crypto';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { droppedPhonePassword, pretendToText } from '../../accounts/messages/texts.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { checkMetadata, createUser } from '../../accounts/users/users.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { AuthContext } from '../context.ts';
import { beforeUserCreated, waitAsBeforeUserCreated } from '../hooks/before-user-created-hook.ts';
import { ignoreMissing } from '../links/link-mails.ts';
import { json } from '../reply.ts';
import { normalisePhone } from '../sign-in/addresses.ts';
import { checkChannel, makeText, requireText, sendText, storedText } from './send-text.ts';
import { ignoreTaken } from './sign-up-with-phone.ts';

interface SignInText {
  readonly phone: string;
  readonly channel: string | undefined;
  readonly userMetadata: Readonly<Record<string, unknown>>;
  readonly createsUser: boolean;
}

/**
 * Handles POST /otp with a phone number: sends a code that signs in. Creates an account for an unknown number, unless
 * `create_user` is false or sign-up is off; the response is then `{}` for every number.
 */
export async function textSignInCode(context: AuthContext, request: CallRequest, asked: SignInText): Promise<Reply> {
  const { settings, database } = context;
  if (!settings.external_phone_enabled) {
    throw new NinefoldError('phone_provider_disabled', { status: 400, message: 'Unsupported phone provider' });
  }
  checkChannel(asked.channel);
  const phone = normalisePhone(asked.phone);
  checkMetadata(asked.userMetadata);
  const { account } = await requireText(context, request, 'sms', phone);
  const text = makeText(context, 'sms_confirmation', phone);
  // With these settings, every number gets a text message. So the duration of the call and an error of the provider
  // reveal nothing about accounts, and the call may wait for the provider.
  const everyNumberGetsText = asked.createsUser && !settings.disable_signup;
  const planned = { id: randomUUID(), phone, userMetadata: asked.userMetadata };
  if (account === null && everyNumberGetsText) {
    await beforeUserCreated(context, request.address, { ...planned, provider: 'phone' });
  } else await waitAsBeforeUserCreated(context);
  const isStored = account
    ? await runAsAuthAdmin(database, [
        ...(account.isConfirmed ? [] : [droppedPhonePassword(account.id)]),
        ...storedText(account.id, text),
      ]).then(() => true, isExpired)
    : everyNumberGetsText &&
      (await createUser(database, planned, (id) => storedText(id, text)).then(
        () => true,
        (error: unknown) => ignoreTaken(error) !== null,
      ));
  if (!isStored) {
    await pretendToText(database, 'sms', phone);
    return json({});
  }
  const messageId = await sendText(context, request, text, {
    userId: account?.id ?? planned.id,
    waits: everyNumberGetsText,
  });
  return json(messageId === null ? {} : { message_id: messageId });
}

/** Returns false for the error that an account was deleted in the meantime; rethrows every other error. */
function isExpired(error: unknown): false {
  ignoreMissing(error);
  return false;
}
