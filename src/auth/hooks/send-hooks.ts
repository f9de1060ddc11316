import type { MailData, MailKind } from '../../../contract/mails.ts';
import type { User } from '../../accounts/users/user.ts';
import { findUser } from '../../accounts/users/users.ts';
import { callHook, type HookContext } from '../../jobs/call-hook.ts';
import type { ClaimedMail } from '../../jobs/mail-queue.ts';

/** GoTrue's `email_action_type` for kinds of mails that have another name in Ninefold. */
const actionTypes: Partial<Record<MailKind, string>> = { confirmation: 'signup', magic_link: 'magiclink' };

/**
 * Passes a queued mail to the hook send_email (https://supabase.com/docs/guides/auth/auth-hooks/send-email-hook).
 *
 * @param apiUrl The address of the app's API, which GoTrue names `site_url`.
 * @throws what `callHook` throws
 */
export async function callSendMailHook(context: HookContext, mail: ClaimedMail, apiUrl: string): Promise<void> {
  const { id, kind, recipient, data, userId } = mail;
  const user = userId === null ? null : await findUser(context.database, userId);
  const payload = {
    user: user ?? { email: recipient },
    email_data: {
      ...tokensOf(data),
      redirect_to: data.RedirectTo ?? '',
      email_action_type: actionTypes[kind] ?? kind,
      site_url: apiUrl,
      old_email: data.OldEmail ?? '',
      old_phone: data.OldPhone ?? '',
      provider: data.Provider ?? '',
      factor_type: data.FactorType ?? '',
      ...(data.Items && { notifications: data.Items, choices_url: data.ChoicesURL }),
    },
  };
  await callHook(context, { name: 'send_email', address: null, payload, id });
}

/**
 * Returns the tokens of a mail. If both addresses confirm a change, `token` and `token_hash_new` are for the current
 * address and the other fields for the new one (GoTrue).
 */
function tokensOf({ Token = '', TokenHash = '', CurrentToken, CurrentTokenHash }: MailData) {
  if (CurrentToken === undefined || CurrentTokenHash === undefined) {
    return { token: Token, token_hash: TokenHash, token_new: '', token_hash_new: '' };
  }
  return { token: CurrentToken, token_hash: TokenHash, token_new: Token, token_hash_new: CurrentTokenHash };
}

/** A text message that the hook must send. */
export interface Sms {
  /** The code. */
  readonly otp: string;
  /** The phone number, only its digits. */
  readonly phone: string;
  /** GoTrue's `sms_type`; empty for a sign-in. */
  readonly type?: string;
}

/**
 * Passes a text message to the hook send_sms (https://supabase.com/docs/guides/auth/auth-hooks/send-sms-hook) instead
 * of a provider. Call it only while the setting hook_send_sms_enabled is true.
 * @param address The network address of the member's request; null if the message comes from the queue.
 * @param id The id of the message, which is the same for all attempts; by default a new one.
 * @throws what `callHook` throws
 */
export async function callSendSmsHook(
  context: HookContext,
  address: string | null,
  user: User,
  { otp, phone, type }: Sms,
  id?: string,
): Promise<void> {
  const payload = { user, sms: { otp, phone, ...(type && { sms_type: type }) } };
  await callHook(context, { name: 'send_sms', address, payload, ...(id !== undefined && { id }) });
}
