import type { Limit } from './limit.ts';

/** Passwords, and how often a sign-in may fail. */
export const passwordLimits = {
  passwordMinCharacters: {
    group: 'passwords',
    unit: 'characters',
    default: 8,
    meaning: 'The shortest password of a new account or a change of password.',
    setting: 'password_min_length',
    range: [6, 1024],
    code: 'weak_password',
  },
  builderPasswordMinCharacters: {
    group: 'passwords',
    unit: 'characters',
    default: 8,
    meaning: 'The shortest password of the first builder, who may do everything.',
  },
  passwordMaxBytes: {
    group: 'passwords',
    unit: 'bytes',
    default: 1024,
    meaning: 'The longest password.',
    code: 'validation_failed',
  },
  leakedPasswordMilliseconds: {
    group: 'passwords',
    unit: 'milliseconds',
    default: 2000,
    meaning: 'How long the service of leaked passwords may take; without its answer a password is taken.',
  },
  leakedPasswordBytes: {
    group: 'passwords',
    unit: 'bytes',
    default: 1024 * 1024,
    meaning: 'The largest answer of the service of leaked passwords.',
  },
  signInFailures: {
    group: 'passwords',
    unit: 'count',
    default: 30,
    meaning: 'Failed sign-ins from one client network (an IPv4 address, an IPv6 /64) in any window; more must wait.',
    setting: 'rate_limit_sign_in_address',
    range: [1, 10_000],
    code: 'over_request_rate_limit',
  },
  signInFailuresPerAccount: {
    group: 'passwords',
    unit: 'count',
    default: 20,
    meaning:
      'Failed sign-ins for one account in any window, from all networks that it has not signed in from; a quarter is reserved for networks that have tried little.',
    setting: 'rate_limit_sign_in_account',
    range: [1, 10_000],
    code: 'over_request_rate_limit',
  },
  signInWindowSeconds: {
    group: 'passwords',
    unit: 'seconds',
    default: 300,
    meaning: 'The length of the window in which failed sign-ins are counted; it slides.',
    setting: 'rate_limit_sign_in_window',
    range: [1, 86_400],
  },
  signInNewcomerAttempts: {
    group: 'passwords',
    unit: 'count',
    default: 2,
    meaning:
      'Attempts for one account with which a network that it has not signed in from may use the reserved quarter.',
  },
  signInNewcomersKept: {
    group: 'passwords',
    unit: 'count',
    default: 1000,
    meaning: 'Such attempts that an account under attack remembers; the oldest is forgotten first.',
  },
  signInNewcomerSeconds: {
    group: 'passwords',
    unit: 'seconds',
    default: 86_400,
    meaning: 'How long an account remembers them after the reserved quarter was used.',
  },
  signInNetworks: {
    group: 'passwords',
    unit: 'count',
    default: 20,
    meaning:
      'Networks that an account has signed in from and that are remembered. Each has a count of its own: three quarters of signInFailuresPerAccount.',
  },
  signInNetworkDays: {
    group: 'passwords',
    unit: 'days',
    default: 90,
    meaning: 'How long such a network is remembered after the last sign-in.',
  },
  signInPendingSeconds: {
    group: 'passwords',
    unit: 'seconds',
    default: 30,
    meaning: 'After how long a sign-in whose password is being checked counts as failed for good.',
  },
  signInWaitSeconds: {
    group: 'passwords',
    unit: 'seconds',
    default: 5,
    meaning: 'How long a sign-in waits for others under way to end, when only these fill the bound.',
    code: 'over_request_rate_limit',
  },
  passwordHashesAtOnce: {
    group: 'passwords',
    unit: 'count',
    default: 2,
    meaning: 'Passwords that one worker hashes at the same time; each takes a thread and 19 MiB.',
  },
  passwordHashesWaiting: {
    group: 'passwords',
    unit: 'count',
    default: 64,
    meaning: 'Sign-ins and sign-ups that wait in one worker for a password to be hashed; more are answered with 429.',
    code: 'over_request_rate_limit',
  },
  importedHashMebibytes: {
    group: 'passwords',
    unit: 'count',
    default: 256,
    meaning: 'The most memory, in MiB, that a password hash brought along may ask for.',
  },
  importedHashPasses: {
    group: 'passwords',
    unit: 'count',
    default: 20,
    meaning: 'The most passes of an argon2 hash brought along.',
  },
  commonHashes: {
    group: 'passwords',
    unit: 'count',
    default: 4,
    meaning:
      'Schemes of password hashes, each with its cost, that every failed sign-in of an app verifies, so that its time shows nothing of the account.',
  },
  commonHashPercent: {
    group: 'passwords',
    unit: 'count',
    default: 1,
    meaning: 'The share of accounts in percent from which on such a scheme is common in an app.',
  },
  commonHashSample: {
    group: 'passwords',
    unit: 'count',
    default: 10_000,
    meaning: 'Accounts of an app that are sampled for it.',
  },
  commonHashSeconds: {
    group: 'passwords',
    unit: 'seconds',
    default: 60,
    meaning: 'How long a worker uses a sample before it takes another.',
  },
  decoyBcryptCost: {
    group: 'passwords',
    unit: 'count',
    default: 13,
    meaning:
      'The highest exponent of bcrypt that a failed sign-in verifies although the account has another hash, or does not exist.',
  },
  decoyArgon2Mebibytes: {
    group: 'passwords',
    unit: 'count',
    default: 512,
    meaning: 'The same for argon2: memory in MiB times passes.',
  },
  importedHashCharacters: {
    group: 'passwords',
    unit: 'characters',
    default: 255,
    meaning: 'The longest password hash brought along.',
    code: 'validation_failed',
  },
  importedBcryptCost: {
    group: 'passwords',
    unit: 'count',
    default: 15,
    meaning: 'The highest exponent of a bcrypt hash brought along.',
  },
  importedHashWork: {
    group: 'passwords',
    unit: 'count',
    default: 1024,
    meaning: 'The most work of an argon2 or scrypt hash brought along: memory in MiB times passes.',
  },
  importedHashIterations: {
    group: 'passwords',
    unit: 'count',
    default: 2_000_000,
    meaning: 'The most iterations of a PBKDF2 hash brought along.',
  },
} as const satisfies Record<string, Limit>;
