import type { Reply } from '../../../contract/call-request.ts';
import { currentKey } from '../../apps/keys/signing-keys.ts';
import { authCall } from '../call.ts';
import type { AuthContext } from '../context.ts';
import { json } from '../reply.ts';
import { PROMPTS } from './authorization-request.ts';
import { issuerOf, OAUTH_SCOPES } from './oauth-server.ts';

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'];

export const discovery = authCall({
  id: 'auth.oauth.discovery',
  route: 'GET /.well-known/openid-configuration',
  caller: 'anyone',
  needs: { oauth_server_enabled: true },
  errors: [],
  summary: 'How applications use the app as their provider of OpenID Connect.',
  returns: 'issuer, authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint and what is supported',
  handle: openIdConfiguration,
});

export const oauthMetadata = authCall({
  id: 'auth.oauth.metadata',
  route: 'GET /.well-known/oauth-authorization-server',
  caller: 'anyone',
  needs: { oauth_server_enabled: true },
  errors: [],
  summary: 'The same, where clients of OAuth 2.0 look for it.',
  returns: 'issuer, authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint and what is supported',
  handle: openIdConfiguration,
});

/**
 * Handles GET /.well-known/openid-configuration and /.well-known/oauth-authorization-server: returns the endpoints and
 * abilities of the app as a provider (OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2).
 */
function openIdConfiguration(context: AuthContext): Reply {
  const issuer = issuerOf(context);
  return json(
    {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      userinfo_endpoint: `${issuer}/oauth/userinfo`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      ...(context.settings.oauth_server_allow_dynamic_registration && {
        registration_endpoint: `${issuer}/oauth/clients/register`,
      }),
      scopes_supported: OAUTH_SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [currentKey(context.app).alg],
      token_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
      revocation_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none'],
      introspection_endpoint_auth_methods_supported: SECRET_METHODS,
      prompt_values_supported: PROMPTS,
      acr_values_supported: ['aal1', 'aal2'],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      claims_supported: [
        ...['sub', 'aud', 'iss', 'exp', 'iat', 'auth_time', 'acr', 'amr', 'nonce', 'email', 'email_verified'],
        ...['phone_number', 'phone_number_verified', 'name', 'picture', 'preferred_username', 'updated_at'],
      ],
    },
    { 'cache-control': 'public, max-age=600' },
  );
}
