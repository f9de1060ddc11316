import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { pretendToMail } from '../../accounts/messages/one-time-tokens.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody, text } from '../body.ts';
import type { AuthContext } from '../context.ts';
import { json } from '../reply.ts';
import { normaliseEmail } from '../sign-in/addresses.ts';
import { readCodeChallenge } from '../sign-in/code-challenge.ts';
import { ignoreMissing, mailedLink, makeLink, requireMail } from './link-mails.ts';
import { linkTarget } from './redirects.ts';

const schema = z.object({
  email: text(limits.emailCharacters.default * 2),
  code_challenge: text(limits.authTextCharacters.default),
  code_challenge_method: text(limits.authFieldCharacters.default),
});

/**
 * Handles POST /recover: mails a link and a code to a member who forgot the password. The response is `{}` for every
 * address.
 */
export async function recover(context: AuthContext, request: CallRequest): Promise<Reply> {
  if (!context.settings.external_email_enabled) throw new NinefoldError('email_provider_disabled', { status: 400 });
  const body = readBody(request, schema);
  if (!body.email) {
    throw new NinefoldError('validation_failed', { message: 'Password recovery requires an email' });
  }
  const email = normaliseEmail(body.email);
  const challenge = readCodeChallenge(body.code_challenge, body.code_challenge_method);
  const { recipient } = await requireMail(context, request, 'recovery', email);
  if (recipient === null) await pretendToMail(context.database, 'recovery', email);
  else {
    const redirectTo = linkTarget(context, request);
    const link = makeLink(context, request, { type: 'recovery', address: email, redirectTo, challenge });
    await runAsAuthAdmin(context.database, mailedLink(recipient.id, link)).catch(ignoreMissing);
  }
  return json({});
}
