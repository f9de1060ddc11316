import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { pretendToMail } from '../../accounts/messages/one-time-tokens.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { text } from '../body.ts';
import { authCall } from '../call.ts';
import { json } from '../reply.ts';
import { normaliseEmail } from '../sign-in/addresses.ts';
import { readCodeChallenge } from '../sign-in/code-challenge.ts';
import { ignoreMissing, mailedLink, makeLink, requireMail } from './link-mails.ts';
import { linkTarget } from './redirects.ts';

const schema = z.object({
  email: text(limits.emailCharacters.default * 2).meta(required('The e-mail address.')),
  code_challenge: text(limits.authTextCharacters.default).meta(
    optional('For the flow with PKCE (RFC 7636), with code_challenge_method.'),
  ),
  code_challenge_method: text(limits.authFieldCharacters.default).meta(optional('s256 or plain.')),
});

export const recover = authCall({
  id: 'auth.recover',
  route: 'POST /recover',
  caller: 'anyone',
  needsMemberPages: true,
  body: schema,
  errors: ['email_provider_disabled', 'over_email_send_rate_limit'],
  summary: 'Mails a link and a code to a member who forgot the password.',
  query: { redirect_to: optional('Where the link leads; one of the addresses that the app allows.') },
  returns: '{}, for every address',
  example: { email: 'ada@example.org' },
  supabaseJs: "supabase.auth.resetPasswordForEmail('ada@example.org')",
  handle: async (context, request, { readBody }) => {
    if (!context.settings.external_email_enabled) throw new NinefoldError('email_provider_disabled', { status: 400 });
    const body = readBody();
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
  },
});
