import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { exchangeAuthCode } from '../../accounts/providers/flow-states.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody, text } from '../body.ts';
import type { AuthContext } from '../context.ts';
import { clientOf, tokenReply } from './token-reply.ts';

const schema = z.object({
  auth_code: text(limits.authTextCharacters.default),
  code_verifier: text(limits.authTextCharacters.default),
});

/**
 * Handles POST /token?grant_type=pkce: exchanges the code that a link or a sign-in at a provider gave, together with
 * the client's verifier, for a session (RFC 7636). The code works once, within five minutes.
 */
export async function exchangeCode(context: AuthContext, request: CallRequest): Promise<Reply> {
  const body = readBody(request, schema);
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
}
