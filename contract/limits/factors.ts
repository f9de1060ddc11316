import { limitsOf } from './limit.ts';

/** Limits of second factors. */
export const factorLimits = limitsOf('factors', {
  enrolledFactors: {
    unit: 'count',
    default: 10,
    meaning: 'Second factors of one account, verified or not. A set of recovery codes does not count.',
    setting: 'mfa_max_enrolled_factors',
    range: [1, 100],
    code: 'too_many_enrolled_mfa_factors',
  },
  verifiedFactors: {
    unit: 'count',
    default: 10,
    meaning: 'Verified second factors of one account.',
    setting: 'mfa_max_verified_factors',
    range: [1, 100],
    code: 'too_many_enrolled_mfa_factors',
  },
  factorExpirySeconds: {
    unit: 'seconds',
    default: 300,
    meaning: 'Time after which an incomplete enrolment of a second factor is removed.',
    setting: 'mfa_factor_expiry_duration',
    range: [300, 86_400],
  },
  factorNameCharacters: {
    unit: 'characters',
    default: 120,
    meaning: 'The longest name of a second factor.',
    code: 'validation_failed',
  },
  challengeSeconds: {
    unit: 'seconds',
    default: 300,
    meaning: 'How long a challenge to a second factor can be answered.',
    setting: 'mfa_challenge_expiry_duration',
    range: [30, 86_400],
    code: 'mfa_challenge_expired',
  },
  openChallenges: {
    unit: 'count',
    default: 20,
    meaning: 'Stored challenges to one factor. A new challenge removes the oldest.',
  },
  passkeys: {
    unit: 'count',
    default: 10,
    meaning: 'Passkeys of one account.',
    setting: 'passkey_max_passkeys_per_user',
    range: [1, 100],
    code: 'too_many_passkeys',
  },
  webauthnChallengeSeconds: {
    unit: 'seconds',
    default: 300,
    meaning: 'How long a challenge to a passkey can be answered.',
    setting: 'webauthn_challenge_expiry_duration',
    range: [30, 3600],
    code: 'webauthn_challenge_expired',
  },
  webauthnPromptSeconds: {
    unit: 'seconds',
    default: 300,
    meaning: 'How long a browser waits for the member to confirm a passkey or a security key.',
  },
  webauthnTransports: {
    unit: 'count',
    default: 16,
    meaning: 'Transports that a device may name for a passkey.',
    code: 'webauthn_verification_failed',
  },
  openRegistrations: {
    unit: 'count',
    default: 5,
    meaning: 'Stored challenges for new passkeys of one account. A new challenge removes the oldest.',
  },
  recoveryCodes: {
    unit: 'count',
    default: 10,
    meaning: 'Recovery codes of one set.',
  },
  secondFactorFailures: {
    unit: 'count',
    default: 10,
    meaning: 'Wrong codes of second factors of one account in secondFactorWindowSeconds. Further attempts must wait.',
    setting: 'rate_limit_second_factor',
    range: [1, 100],
    code: 'over_request_rate_limit',
  },
  secondFactorWindowSeconds: {
    unit: 'seconds',
    default: 900,
    meaning: 'Length of the sliding window in which wrong codes of second factors are counted.',
    setting: 'rate_limit_second_factor_window',
    range: [1, 86_400],
  },
});
