import { limitsOf } from './limit.ts';

/** Limits of an app that is a sign-in provider for other applications. */
export const oauthServerLimits = limitsOf('sessions', {
  oauthClients: {
    unit: 'count',
    default: 1000,
    meaning: 'Applications that are registered to sign members in with this app.',
    code: 'over_oauth_client_quota',
  },
  oauthSelfRegisteredClients: {
    unit: 'count',
    default: 500,
    meaning: 'Applications that registered themselves. The other places up to oauthClients are left to builders.',
    code: 'over_oauth_client_quota',
  },
  oauthRedirectAddresses: {
    unit: 'count',
    default: 10,
    meaning: 'Redirect addresses of one application.',
    code: 'validation_failed',
  },
  oauthClientNameCharacters: {
    unit: 'characters',
    default: 1024,
    meaning: 'The longest name of an application.',
    code: 'validation_failed',
  },
  oauthStateCharacters: {
    unit: 'characters',
    default: 1024,
    meaning: 'The longest state and nonce of an application.',
    code: 'oauth_invalid_request',
  },
  oauthAuthorizations: {
    unit: 'count',
    default: 10_000,
    meaning: 'Requests of applications of one app that wait for the decision of a member.',
  },
  oauthAuthorizationSeconds: {
    unit: 'seconds',
    default: 600,
    meaning: 'How long a member may take to decide about the request of an application.',
    code: 'oauth_authorization_not_found',
  },
  oauthCodeSeconds: {
    unit: 'seconds',
    default: 60,
    meaning: 'How long an application may take to exchange a code.',
    code: 'oauth_invalid_grant',
  },
  oauthIdTokenSeconds: {
    unit: 'seconds',
    default: 3600,
    meaning: 'How long an ID token for an application is valid.',
  },
});
