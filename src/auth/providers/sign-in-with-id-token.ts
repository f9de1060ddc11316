import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import type { CallRequest } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { signInExternally } from '../../accounts/providers/external-sign-in.ts';
import { linkIdentity } from '../../accounts/providers/identities.ts';
import { optional, required } from '../../calls/words.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { flag, text } from '../body.ts';
import { authCall, SESSION } from '../call.ts';
import { requireMember } from '../callers.ts';
import type { AuthContext } from '../context.ts';
import { requireWholeAccount } from '../sessions/assurance.ts';
import { requirePresence } from '../sessions/proof-of-presence.ts';
import { clientOf, tokenReply } from '../sign-in/token-reply.ts';
import { externalIdentity, rulesFor } from './external-identity.ts';
import { findProvider, ProviderUnavailable } from './find-provider.ts';
import { isSame, openIdPart, profileOfToken, verifyIdToken } from './id-token.ts';
import { ProviderFailure } from './provider-fetch.ts';
import { type Provider, providerTable } from './provider-table.ts';

const schema = z.object({
  provider: text(limits.authFieldCharacters.default).meta(
    required('google, apple, azure, facebook, or custom:… for one of your own.'),
  ),
  id_token: text(limits.idTokenCharacters.default).meta(required('The ID token.')),
  access_token: text(limits.idTokenCharacters.default).meta(
    optional('The access token that came with it, checked against at_hash.'),
  ),
  nonce: text(limits.authTextCharacters.default).meta(optional('The nonce whose SHA-256 is in the ID token.')),
  client_id: text(limits.providerTextCharacters.default),
  issuer: text(limits.providerTextCharacters.default),
  link_identity: flag.meta(optional('Whether the identity is added to the account of the member who calls.')),
});

/** With link_identity, the call adds the identity to the account of the calling member. */
export const signInWithIdToken = authCall({
  id: 'auth.token.id_token',
  route: 'POST /token?grant_type=id_token',
  caller: 'anyone',
  body: schema,
  errors: [
    'bad_id_token',
    'bad_jwt',
    'bad_oauth_callback',
    'bad_oauth_state',
    'email_exists',
    'flow_state_already_used',
    'identity_already_exists',
    'insufficient_aal',
    'manual_linking_disabled',
    'no_authorization',
    'oauth_application_refused',
    'oauth_provider_not_supported',
    'provider_disabled',
    'provider_email_needs_verification',
    'provider_failed',
    'provider_identity_refused',
    'reauthentication_needed',
    'session_not_found',
    'signup_disabled',
    'user_banned',
    'user_not_found',
  ],
  runsHooks: true,
  summary: 'Signs in with an ID token that a native app has got from a provider, or adds its identity to the account.',
  returns: `a session: ${SESSION}`,
  example: { provider: 'google', id_token: 'an ID token of Google' },
  supabaseJs: "supabase.auth.signInWithIdToken({ provider: 'google', token: 'an ID token of Google' })",
  handle: async (context, request, { readBody }) => {
    const body = readBody();
    if (!body.id_token) throw refusal('id_token required');
    if (!body.provider && !(body.client_id && body.issuer)) throw refusal('provider or client_id and issuer required');
    const member = body.link_identity ? await linkingMember(context, request) : null;
    const provider = await tokenProvider(context, body.provider, body.issuer, body.id_token);
    const claims = await context.providerClients
      .open(context, provider)
      .then((client) => verifyIdToken(provider, client, body.id_token ?? '', body.access_token ?? null))
      .catch((error: unknown) => {
        if (!(error instanceof ProviderFailure)) throw error;
        throw new NinefoldError('provider_failed', { message: error.message, cause: error });
      });
    checkNonce(provider, claims.nonce, body.nonce);
    const identity = externalIdentity(provider, profileOfToken(provider, claims));
    const { app, database, events } = context;
    const { address } = request;
    const ending = { kind: 'session', client: clientOf(request), flowId: null } as const;
    if (member !== null) {
      const linked = await linkIdentity(database, member, identity, ending);
      if (linked === null) throw new Error('no session was opened');
      return tokenReply(context, request, linked);
    }
    const { grant, isNew, userId } = await signInExternally(
      database,
      identity,
      rulesFor(context, request, provider, identity),
      ending,
    );
    if (grant === null) throw new Error('no session was opened');
    if (isNew) events.emit({ type: 'auth', what: 'signed-up', app: app.ref, userId, address });
    events.emit({ type: 'auth', what: 'signed-in', app: app.ref, userId, address });
    return tokenReply(context, request, grant);
  },
});

const refusal = (message: string): NinefoldError => new NinefoldError('bad_id_token', { message });

async function linkingMember(context: AuthContext, request: CallRequest): Promise<string> {
  if (!context.settings.security_manual_linking_enabled) throw new NinefoldError('manual_linking_disabled');
  if (!request.headers.authorization) {
    throw refusal('Linking requires a valid user access token in Authorization');
  }
  const { userId, sessionId, aal } = await requireMember(context, request);
  const user = await requireWholeAccount(context, userId, aal);
  if (sessionId !== null) await requirePresence(context, request, { user, sessionId });
  return userId;
}

/**
 * Returns the provider by its name or by its issuer.
 * @throws validation_failed, provider_disabled
 */
async function tokenProvider(
  context: AuthContext,
  asked: string | undefined,
  issuer: string | undefined,
  token: string,
): Promise<Provider> {
  const name = asked ?? nameOfIssuer(issuer ?? '');
  if (name === null)
    throw new NinefoldError('validation_failed', { message: `Custom OIDC provider "${issuer}" not allowed` });
  try {
    const provider = await findProvider(context, name);
    if (openIdPart(provider) === null) {
      throw new NinefoldError('validation_failed', { message: `Provider "${name}" is not an OIDC provider` });
    }
    if (issuer && issuer !== issuerOf(token)) {
      throw new NinefoldError('validation_failed', { message: 'Provided issuer does not match ID token issuer' });
    }
    return provider;
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error;
    if (error.reason === 'unknown') {
      const message = name.startsWith('custom:')
        ? `Custom provider "${name}" not found`
        : `Custom OIDC provider "${name}" not allowed`;
      throw new NinefoldError('validation_failed', { message, cause: error });
    }
    throw new NinefoldError('provider_disabled', { message: `Provider "${name}" is not enabled`, cause: error });
  }
}

function nameOfIssuer(issuer: string): string | null {
  const found = Object.entries(providerTable).find(([, entry]) => {
    const part = entry.kind === 'oidc' ? entry : entry.idTokens;
    return part?.accepts(issuer, null);
  });
  return found?.[0] ?? null;
}

/**
 * Returns the issuer in the token without checking the signature. It is only used to find the provider, which then
 * checks the token.
 */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    throw refusal('Bad ID token');
  }
}

/**
 * Checks the nonce. The token contains the SHA-256 of the nonce in hexadecimal (GoTrue), so a stolen token is useless
 * without the nonce.
 */
function checkNonce(provider: Provider, claim: unknown, nonce: string | undefined): void {
  const hasNoNonce = provider.entry.kind === 'oauth2' && provider.entry.idTokens?.hasNoNonce;
  if (provider.skipsNonce || hasNoNonce) return;
  const inToken = typeof claim === 'string' && claim !== '' ? claim : undefined;
  if ((inToken === undefined) !== (nonce === undefined)) {
    throw refusal('Passed nonce and nonce in id_token should either both exist or not.');
  }
  if (inToken === undefined || nonce === undefined) return;
  if (!isSame(createHash('sha256').update(nonce).digest('hex'), inToken)) throw refusal('Nonces mismatch');
}
