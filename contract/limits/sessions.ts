import type { Limit } from './limit.ts';

/** Sessions, tokens and keys. */
export const sessionLimits = {
  accessTokenSeconds: {
    group: 'sessions',
    unit: 'seconds',
    default: 3600,
    meaning: 'How long an access token is valid.',
    setting: 'jwt_exp',
    range: [30, 604_800],
    code: 'PGRST303',
  },
  refreshReuseSeconds: {
    group: 'sessions',
    unit: 'seconds',
    default: 0,
    meaning:
      'How long after its exchange a refresh token older than the one before the active one may be exchanged again.',
    setting: 'security_refresh_token_reuse_interval',
    range: [0, 3600],
    code: 'refresh_token_already_used',
  },
  userAgentCharacters: {
    group: 'sessions',
    unit: 'characters',
    default: 512,
    meaning: 'How much of a client’s User-Agent a session keeps.',
  },
  rememberedTokens: {
    group: 'sessions',
    unit: 'count',
    default: 5000,
    meaning: 'Verified access tokens that one worker remembers of one app; others are verified anew.',
  },
  claimsDepth: {
    group: 'sessions',
    unit: 'count',
    default: 256,
    meaning: 'How deeply objects and arrays may nest in the claims of a token.',
    code: 'PGRST303',
  },
  clockLeewaySeconds: {
    group: 'sessions',
    unit: 'seconds',
    default: 30,
    meaning: 'By how much the clock of whoever signed a token may differ from this one.',
  },
  apiKeySeconds: {
    group: 'sessions',
    unit: 'seconds',
    default: 315_360_000,
    meaning: 'How long the older pair of keys, the JWTs of anon and service_role, is valid.',
  },
} as const satisfies Record<string, Limit>;
