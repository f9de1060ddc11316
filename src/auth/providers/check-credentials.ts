import type { ProviderCheck } from '../../../contract/providers.ts';
import type { AuthContext } from '../context.ts';
import { findProvider, ProviderUnavailable } from './find-provider.ts';
import { authentication, ProviderClients } from './provider-client.ts';
import { ProviderFailure, providerFetch } from './provider-fetch.ts';

/** A code that no provider has issued. */
const NO_CODE = 'ninefold-checks-the-client-credentials';

/** Max number of characters of a provider's error that are shown. */
const SHOWN = 200;

/** Error codes of refused credentials: RFC 6749, section 5.2, and those of GitHub and Facebook. */
const REFUSED = /^(?:invalid_client|unauthorized_client|incorrect_client_credentials)$|client (?:id|secret)|app id/i;
/** Error codes of a refused code, which a provider sends only after it has accepted the credentials. */
const ACCEPTED = /^(?:invalid_grant|bad_verification_code)$|verification code/i;

/**
 * Checks the client id and the secret of a provider: exchanges a code that does not exist (RFC 6749, section 4.1.3). A
 * provider checks the credentials first, so its error tells whether it knows them. Nobody is signed in.
 */
export async function checkCredentials(context: AuthContext, name: string): Promise<ProviderCheck> {
  try {
    const provider = await findProvider(context, name);
    // Nothing is cached, so that the check reads the discovery document again.
    const { configuration } = await new ProviderClients().open(context, provider);
    const server = configuration.serverMetadata();
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: NO_CODE,
      redirect_uri: provider.redirectUri,
      code_verifier: 'a'.repeat(43),
    });
    const headers = new Headers({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' });
    authentication(provider)(server, configuration.clientMetadata(), body, headers);
    const send = providerFetch(context.app.ref, context.addresses);
    const response = await send(server.token_endpoint ?? '', { method: 'POST', headers, body });
    return verdictOf(provider.title, response.status, errorIn(await response.text()));
  } catch (error) {
    if (error instanceof ProviderUnavailable) return { verdict: 'incomplete', words: `${error.message}.` };
    if (error instanceof ProviderFailure) {
      const reason = error.reason === '' ? '' : `: ${error.reason}`;
      return { verdict: 'unreachable', words: `${error.message}${reason}.` };
    }
    throw error;
  }
}

function verdictOf(title: string, status: number, error: string | null): ProviderCheck {
  if (error !== null && ACCEPTED.test(error)) {
    return { verdict: 'accepted', words: `${title} knows the client id and the secret.` };
  }
  if (status === 401 || (error !== null && REFUSED.test(error))) {
    return { verdict: 'refused', words: `${title} refuses the client id or the secret (${error ?? status}).` };
  }
  const answer = error === null ? `status ${status}` : `${error}, status ${status}`;
  return { verdict: 'unclear', words: `${title} answered with ${answer}, which tells nothing about the credentials.` };
}

/** Returns the error in the response of a token endpoint: `error` as a text, or the message in it (Facebook). */
function errorIn(text: string): string | null {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    const found = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
    return typeof found === 'string' ? found.slice(0, SHOWN) : null;
  } catch {
    return null;
  }
}
