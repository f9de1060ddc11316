import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { exchangeAuthCode } from '../../accounts/providers/flow-states.ts';
import { required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { text } from '../body.ts';
import { authCall, SESSION, SOME_ID } from '../call.ts';
import { clientOf, tokenReply } from './token-reply.ts';

const schema = z.object({
  auth_code: text(limits.authTextCharacters.default).meta(
    required('The code from the address that the member came back to.'),
  ),
  code_verifier: text(limits.authTextCharacters.default).meta(
    required('The secret whose challenge began the sign-in (RFC 7636).'),
  ),
});

/** RFC 7636. The code works within five minutes. */
export const exchangeCode = authCall({
  id: 'auth.token.pkce',
  route: 'POST /token?grant_type=pkce',
  caller: 'anyone',
  body: schema,
  errors: ['bad_code_verifier', 'flow_state_expired', 'flow_state_not_found', 'user_banned'],
  runsHooks: true,
  summary: 'Exchanges the code of a link or of a provider for a session. Each code is good for one exchange.',
  returns: `a session: ${SESSION}; provider_token after a sign-in at a provider`,
  example: { auth_code: SOME_ID, code_verifier: 'the secret of the browser that began' },
  supabaseJs: `supabase.auth.exchangeCodeForSession('${SOME_ID}')`,
  handle: async (context, request, { readBody }) => {
    const body = readBody();
    if (!body.auth_code || !body.code_verifier) {
      throw new NinefoldError('validation_failed', {
        message: 'invalid request: both auth code and code verifier should be non-empty',
      });
    }
    const { app, database, events } = context;
    const exchanged = await exchangeAuthCode(database, body.auth_code, body.code_verifier, clientOf(request));
    switch (exchanged.verdict) {
      case 'granted': {
        const { grant, providerTokens } = exchanged;
        const { address } = request;
        events.emit({ type: 'auth', what: 'signed-in', app: app.ref, userId: grant.user.id, address });
        return tokenReply(context, request, grant, { providerTokens });
      }
      case 'unknown':
        throw new NinefoldError('flow_state_not_found');
      case 'expired':
        throw new NinefoldError('flow_state_expired');
      case 'wrong-verifier':
        throw new NinefoldError('bad_code_verifier');
      case 'banned':
        throw new NinefoldError('user_banned');
    }
  },
});
