import { limitsOf } from './limit.ts';

/** Limits of sessions, tokens and keys. */
export const sessionLimits = limitsOf('sessions', {
  accessTokenSeconds: {
    unit: 'seconds',
    default: 3600,
    meaning: 'How long an access token is valid.',
    setting: 'jwt_exp',
    range: [30, 604_800],
    row: {
      section: 'sessions',
      label: 'Access tokens',
      effect: 'An access token is valid for {}; then the client refreshes it.',
    },
    code: 'PGRST303',
  },
  refreshReuseSeconds: {
    unit: 'seconds',
    default: 0,
    meaning:
      'How long after its exchange a refresh token that is older than the parent of the active one may be exchanged again. Later it ends the session. The parent may be exchanged at any time, because its client may have lost the response.',
    setting: 'security_refresh_token_reuse_interval',
    range: [0, 3600],
    row: {
      section: 'sessions',
      label: 'Late refresh',
      effect: 'A replaced refresh token is still taken for {}. Later it ends the session.',
      without: 'The refresh token before the current one is still taken. An older one ends the session.',
    },
    code: 'refresh_token_already_used',
  },
  authCodeSeconds: {
    unit: 'seconds',
    default: 300,
    meaning: 'How long the code of a link or of a provider can be exchanged for a session.',
    code: 'flow_state_expired',
  },
  signInCountDays: {
    unit: 'days',
    default: 90,
    meaning: 'How long the number of sign-ins per day is stored.',
  },
  signInsShownDays: {
    unit: 'days',
    default: 30,
    meaning: 'The period for which the page Sign-in methods counts sign-ins.',
  },
  flowSeconds: {
    unit: 'seconds',
    default: 172_800,
    meaning: 'How long an incomplete sign-in is stored.',
  },
  sessionTimeboxSeconds: {
    unit: 'seconds',
    default: 31_536_000,
    meaning: 'Time after the sign-in at which a session ends, with its access tokens; 0 is never.',
    setting: 'sessions_timebox',
    range: [0, 315_360_000],
    row: {
      section: 'sessions',
      label: 'Longest session',
      effect: 'A member signs in again {} after the sign-in, even if active.',
      without: 'A session that is in use does not expire.',
    },
    code: 'session_expired',
  },
  sessionInactivitySeconds: {
    unit: 'seconds',
    default: 2_592_000,
    meaning: 'Time after the last refresh at which a session ends, with its access tokens; 0 is never.',
    setting: 'sessions_inactivity_timeout',
    range: [0, 315_360_000],
    row: {
      section: 'sessions',
      label: 'Inactivity',
      effect: 'A session ends after {} without a refresh.',
      without: 'A session does not end through inactivity.',
    },
    code: 'session_expired',
  },
  sessionsPerUser: {
    unit: 'count',
    noun: 'sessions',
    default: 0,
    meaning:
      'Sessions of one account. A further sign-in ends the sessions that were used least recently; 0 is any number.',
    setting: 'sessions_per_user',
    range: [0, 1000],
    row: {
      section: 'sessions',
      label: 'Sessions of a member',
      effect: 'A member can have {}. A further sign-in ends the one that was used the longest ago.',
      without: 'A member can have any number of sessions.',
    },
  },
  userAgentCharacters: {
    unit: 'characters',
    default: 512,
    meaning: 'How much of a client’s User-Agent a session stores.',
  },
  rememberedTokens: {
    unit: 'count',
    default: 5000,
    meaning: 'Verified access tokens of one app that one worker caches. Others are verified again.',
  },
  claimsDepth: {
    unit: 'count',
    default: 256,
    meaning: 'How deeply objects and arrays may be nested in the claims of a token.',
    code: 'PGRST303',
  },
  signingKeys: {
    unit: 'count',
    default: 20,
    meaning: 'Keys for access tokens of one app. The oldest revoked key is deleted first.',
    code: 'signing_keys_full',
  },
  apiKeys: {
    unit: 'count',
    default: 100,
    meaning: 'API keys of an app that are not revoked.',
    code: 'api_keys_full',
  },
  revokedApiKeys: {
    unit: 'count',
    default: 200,
    meaning: 'Revoked API keys that the list of an app shows. The oldest is deleted first.',
  },
  apiKeyNameCharacters: {
    unit: 'characters',
    default: 60,
    meaning: 'The longest name of an API key.',
    code: 'validation_invalid',
  },
  apiKeyUseDays: {
    unit: 'days',
    default: 400,
    meaning: 'How long the uses of each API key per day are stored.',
  },
  externalIssuers: {
    unit: 'count',
    default: 20,
    meaning: 'Third parties whose tokens an app accepts. Further entries of external_jwt_issuers have no effect.',
  },
  jwksSeconds: {
    unit: 'seconds',
    default: 600,
    meaning:
      'How long a worker caches the keys of a third party, and which of them signed a token, before it reads the keys again.',
  },
  jwksRetrySeconds: {
    unit: 'seconds',
    default: 30,
    meaning:
      'Minimum interval between two requests of a worker to a third party for an unknown key, or after a failure.',
  },
  jwksMilliseconds: {
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How long a third party may take to return its keys.',
  },
  jwksKeys: {
    unit: 'count',
    default: 100,
    meaning: 'Keys of a third party that a worker reads. Further keys are ignored.',
  },
  jwksFetches: {
    unit: 'count',
    default: 8,
    meaning: 'Third parties from which one worker reads keys at the same time.',
  },
  jwksRemembered: {
    unit: 'count',
    default: 200,
    meaning: 'Third parties whose keys one worker caches.',
  },
  clockLeewaySeconds: {
    unit: 'seconds',
    default: 30,
    meaning: 'How much the clock of the signer of a token may differ from the clock of the node.',
  },
  apiKeySeconds: {
    unit: 'seconds',
    default: 315_360_000,
    meaning: 'How long the legacy keys, the JWTs of anon and service_role, are valid.',
  },
});
