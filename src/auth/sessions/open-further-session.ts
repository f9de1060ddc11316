import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { issueAuthCode, makeAuthCode, startFlow } from '../../accounts/providers/flow-states.ts';
import { runAsAuthAdmin } from '../../accounts/run-as-auth-admin.ts';
import { openFurtherSession } from '../../accounts/sessions/further-sessions.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { text } from '../body.ts';
import { authCall } from '../call.ts';
import { allowedRedirect } from '../links/redirects.ts';
import { sessionFragment } from '../links/verify-reply.ts';
import { takeFromLimit } from '../rate-limit.ts';
import { json } from '../reply.ts';
import { readCodeChallenge } from '../sign-in/code-challenge.ts';
import { clientOf } from '../sign-in/token-reply.ts';
import { requireSession } from './assurance.ts';

const schema = z.object({
  redirect_to: text(limits.redirectCharacters.default).meta(
    required('The address of the front end. It must be allowed, as after a sign-in by a link.'),
  ),
  code_challenge: text(limits.authTextCharacters.default).meta(
    optional('The challenge of PKCE; without it the session comes in the fragment.'),
  ),
  code_challenge_method: text(limits.authFieldCharacters.default).meta(
    optional('How the challenge was made.', 's256 or plain'),
  ),
});

/**
 * If the client sent a PKCE challenge, the address contains a code. Otherwise its fragment contains the session (GoTrue's
 * implicit flow). Each front end needs its own session: if two clients used the same refresh token, the server would treat
 * it as stolen and end the session.
 */
export const continueElsewhere = authCall({
  id: 'auth.sessions.open',
  route: 'POST /sessions',
  caller: 'member',
  needsMemberPages: true,
  body: schema,
  errors: ['redirect_not_allowed'],
  runsHooks: true,
  summary:
    'Opens a further session of the member who calls, for a front end at another address. The pages for members call it.',
  returns: 'url: the address to open, with a code for POST /token?grant_type=pkce or with the session',
  example: { redirect_to: 'https://www.example.com/welcome' },
  handle: async (context, request, { member, readBody }) => {
    const { user, sessionId } = await requireSession(context, member, { mayBeAnonymous: true });
    const body = readBody();
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
  },
});
