import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import {
  type Authorization,
  decideAuthorization,
  listOAuthGrants,
  lookAtAuthorization,
  revokeOAuthGrant,
} from '../accounts/oauth-authorizations.ts';
import { findUser } from '../accounts/users.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { UUID } from '../identity/uuid.ts';
import { readBody, text } from './body.ts';
import { requireMember } from './callers.ts';
import { type AuthContext, timeOf } from './context.ts';
import { usable } from './get-user.ts';
import { answerTo } from './oauth-authorize.ts';
import { requireOAuthServer } from './oauth-server.ts';
import { allowedRedirect } from './redirects.ts';
import { json, noContent } from './reply.ts';

/**
 * GET /oauth/authorizations/{authorization_id}: what an application asks the member who calls for. The request is then this member's.
 * Where the member allowed it before, the response leads back to the application at once.
 */
export async function showAuthorization(context: AuthContext, exchange: Exchange, segment = ''): Promise<Reply> {
  const user = await requireDecider(context, exchange);
  const authorization = await lookAtAuthorization(context.database, segment, user.id);
  const { verdict, redirectUri, scope, client } = found(authorization, 'authorization request cannot be processed');
  if (verdict === 'approved') return json(answerOf(context, found(authorization, '')));
  return json({
    authorization_id: segment,
    redirect_uri: redirectUri,
    client: Object.fromEntries(Object.entries(client).filter(([, value]) => value !== null)),
    user: { id: user.id, email: user.email },
    scope,
  });
}

const schema = z.object({ action: text(limits.authFieldCharacters.default) });

/** POST /oauth/authorizations/{authorization_id}/consent: the member allows or denies what an application asks for. */
export async function decideConsent(context: AuthContext, exchange: Exchange, segment = ''): Promise<Reply> {
  const user = await requireDecider(context, exchange);
  const { action } = readBody(exchange, schema);
  if (action !== 'approve' && action !== 'deny') {
    throw new NinefoldError('validation_failed', { message: "action must be 'approve' or 'deny'" });
  }
  const decision = action === 'approve' ? 'approved' : 'denied';
  const decided = await decideAuthorization(context.database, segment, user.id, decision);
  return json(answerOf(context, found(decided, 'authorization request is no longer pending')));
}

/** GET /user/oauth/grants: what the member who calls allows applications. */
export async function listGrants(context: AuthContext, exchange: Exchange): Promise<Reply> {
  requireOAuthServer(context);
  const { userId } = await requireMember(context, exchange);
  return json(await listOAuthGrants(context.database, userId));
}

/** DELETE /user/oauth/grants?client_id=: takes back what the member allowed an application, and ends its sessions. */
export async function revokeGrant(context: AuthContext, exchange: Exchange): Promise<Reply> {
  requireOAuthServer(context);
  const { userId } = await requireMember(context, exchange);
  const clientId = new URLSearchParams(exchange.query).get('client_id') ?? '';
  if (!UUID.test(clientId)) {
    throw new NinefoldError('validation_failed', { message: 'client_id query parameter must be a UUID' });
  }
  if (!(await revokeOAuthGrant(context.database, userId, clientId))) throw new NinefoldError('oauth_consent_not_found');
  return noContent;
}

/** Returns the member who decides. A page of another site may not: the header Origin must be one where the app's members sign in. */
async function requireDecider(context: AuthContext, exchange: Exchange) {
  requireOAuthServer(context);
  const { origin } = exchange.headers;
  if (origin && allowedRedirect(context, origin) === null) {
    throw new NinefoldError('validation_failed', { message: 'unauthorized request origin' });
  }
  const { userId } = await requireMember(context, exchange);
  const user = usable(await findUser(context.database, userId), timeOf(context));
  if (user.is_anonymous)
    throw new NinefoldError('validation_failed', { message: 'An anonymous account cannot consent' });
  return user;
}

function found(authorization: Authorization | null, settled: string): Authorization {
  if (authorization === null) throw new NinefoldError('oauth_authorization_not_found');
  if (authorization.verdict === 'settled') throw new NinefoldError('validation_failed', { message: settled });
  return authorization;
}

/** The address that leads back to the application with the code, or with the refusal (RFC 6749, section 4.1.2). */
function answerOf(
  context: AuthContext,
  { verdict, redirectUri, state, code }: Authorization,
): { redirect_url: string } {
  const refused = { error: 'access_denied', error_description: 'User denied the request', state };
  return { redirect_url: answerTo(context, redirectUri, verdict === 'approved' ? { code, state } : refused) };
}
