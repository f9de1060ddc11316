import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { issueAuthCode, makeAuthCode, startFlow } from '../../accounts/providers/flow-states.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { openFurtherSession } from '../../accounts/sessions/further-sessions.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody, text } from '../body.ts';
import type { AuthContext } from '../context.ts';
import { allowedRedirect } from '../links/redirects.ts';
import { sessionFragment } from '../links/verify-reply.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json } from '../reply.ts';
import { readCodeChallenge } from '../sign-in/code-challenge.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import { requireSession } from './assurance.ts';

const schema = z.object({
  redirect_to: text(limits.redirectCharacters.default),
  code_challenge: text(limits.authTextCharacters.default),
  code_challenge_method: text(limits.authFieldCharacters.default),
});

/**
 * Handles POST /sessions: gives the member who calls a further session, for a front end at another address. Returns the
 * address to open: with a code for a client that sent a PKCE challenge, else with the session in the fragment (GoTrue's
 * implicit flow). Each front end needs its own session. If two clients used the same refresh token, this would count as
 * a stolen token and end the session.
 * @throws redirect_not_allowed for an address that is not the app's own, its site, on this machine or in uri_allow_list
 */
export async function continueElsewhere(context: AuthContext, request: CallRequest): Promise<Reply> {
  const { user, sessionId } = await requireSession(context, request, { mayBeAnonymous: true });
  const body = readBody(request, schema);
  const target = allowedRedirect(context, body.redirect_to ?? '');
  if (target === null) throw new NinefoldError('redirect_not_allowed');
  const challenge = readCodeChallenge(body.code_challenge, body.code_challenge_method);
  await takeFromLimit(context, request, 'provider');
  const url = new URL(target);
  if (challenge) {
    const code = makeAuthCode();
    const flow = { method: 'session', providerType: 'session', challenge, userId: user.id } as const;
    await runAsAuthAdmin(context.database, [
      ...startFlow({ ...flow, fromSessionId: sessionId }),
      issueAuthCode(code, user.id, flow.method),
    ]);
    url.searchParams.set('code', code.code);
    return json({ url: url.href });
  }
  const grant = await openFurtherSession(context.database, { sessionId, userId: user.id }, clientOf(request));
  if (grant === null) throw new NinefoldError('session_not_found');
  const { address } = request;
  context.events.emit({ type: 'auth', what: 'signed-in', app: context.app.ref, userId: user.id, address });
  url.hash = (await sessionFragment(context, request, grant, null)).toString();
  return json({ url: url.href });
}
