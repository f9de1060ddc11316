import { limitsOf } from './limit.ts';

/** Limits of sign-in through providers. */
export const providerLimits = limitsOf('sessions', {
  providerTextCharacters: {
    group: 'accounts',
    unit: 'characters',
    default: 2048,
    meaning: 'The longest address, client id and client secret of a provider in a body of /auth/v1.',
    code: 'validation_failed',
  },
  providerNameCharacters: {
    group: 'accounts',
    unit: 'characters',
    default: 100,
    meaning: 'The longest name of a provider that an app adds.',
    code: 'validation_failed',
  },
  providerSignInSeconds: {
    unit: 'seconds',
    default: 600,
    meaning: 'How long a member may take to sign in at a provider and return.',
    code: 'bad_oauth_state',
  },
  linkConfirmationSeconds: {
    unit: 'seconds',
    default: 300,
    meaning: 'How long a member may take to confirm that an account of a provider is linked.',
  },
  providerAnswerBytes: {
    unit: 'bytes',
    default: 256 * 1024,
    meaning: 'Size of one response of a provider: its description, its keys, a token or a profile.',
    code: 'provider_failed',
  },
  providerMilliseconds: {
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How long one response of a provider may take.',
    code: 'provider_failed',
  },
  providerRequests: {
    unit: 'count',
    default: 50,
    meaning: 'Concurrent requests to providers of one worker for one app.',
    code: 'provider_failed',
  },
  providersCached: {
    unit: 'count',
    default: 500,
    meaning: 'Descriptions and keys of providers that one worker caches.',
  },
  providerCacheSeconds: {
    unit: 'seconds',
    default: 600,
    meaning: 'How long the description and the keys of a provider are cached.',
  },
  providerKeyPauseSeconds: {
    unit: 'seconds',
    default: 30,
    meaning: 'Pause after reading the keys of a provider before an unknown key makes a worker read them again.',
  },
  idTokenCharacters: {
    unit: 'characters',
    default: 16_384,
    meaning: 'The longest ID token that is read.',
    code: 'bad_id_token',
  },
  claimCharacters: {
    unit: 'characters',
    default: 2048,
    meaning:
      'The longest claim of a provider that is copied. Longer claims are left out; a longer id or address is refused.',
  },
  customProviders: {
    unit: 'count',
    default: 50,
    meaning: 'Providers that an app adds by their addresses.',
    code: 'over_custom_provider_quota',
  },
  customProviderEntries: {
    unit: 'count',
    default: 100,
    meaning: 'Client ids, scopes or claims that an app lists for one custom provider.',
    code: 'validation_failed',
  },
});
