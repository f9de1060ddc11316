import { limitsOf } from './limit.ts';

/** Limits of passwords and of failed sign-ins. */
export const passwordLimits = limitsOf('passwords', {
  passwordMinCharacters: {
    unit: 'characters',
    default: 8,
    meaning: 'The shortest password of a new account and of a changed password.',
    setting: 'password_min_length',
    range: [6, 1024],
    row: { section: 'passwords', label: 'Length', effect: 'A new password has at least {}.' },
    code: 'weak_password',
  },
  builderPasswordMinCharacters: {
    unit: 'characters',
    default: 8,
    meaning: 'The shortest password of the first builder.',
  },
  passwordMaxBytes: {
    unit: 'bytes',
    default: 1024,
    meaning: 'The longest password.',
    code: 'validation_failed',
  },
  leakedPasswordMilliseconds: {
    unit: 'milliseconds',
    default: 2000,
    meaning: 'How long the service of leaked passwords may take. Without its response a password is accepted.',
  },
  leakedPasswordBytes: {
    unit: 'bytes',
    default: 1024 * 1024,
    meaning: 'The largest response of the service of leaked passwords.',
  },
  signInFailures: {
    unit: 'count',
    noun: 'sign-ins',
    default: 30,
    meaning:
      'Failed sign-ins from one client network (an IPv4 address, an IPv6 /64) in signInWindowSeconds. Further attempts must wait.',
    setting: 'rate_limit_sign_in_address',
    range: [1, 10_000],
    code: 'over_request_rate_limit',
  },
  signInFailuresPerAccount: {
    unit: 'count',
    noun: 'sign-ins',
    default: 20,
    meaning:
      'Failed sign-ins for one account in signInWindowSeconds, from all networks that the account has not signed in from. A quarter is reserved for networks with few attempts.',
    setting: 'rate_limit_sign_in_account',
    range: [1, 10_000],
    code: 'over_request_rate_limit',
  },
  signInWindowSeconds: {
    unit: 'seconds',
    default: 300,
    meaning: 'Length of the sliding window in which failed sign-ins are counted.',
    setting: 'rate_limit_sign_in_window',
    range: [1, 86_400],
  },
  signInNewcomerAttempts: {
    unit: 'count',
    default: 2,
    meaning: 'Attempts for one account that a network without an earlier sign-in may make within the reserved quarter.',
  },
  signInNewcomersKept: {
    unit: 'count',
    default: 1000,
    meaning:
      'Attempts within the reserved quarter that are stored for an account under attack. The oldest is deleted first.',
  },
  signInNewcomerSeconds: {
    unit: 'seconds',
    default: 86_400,
    meaning: 'How long attempts within the reserved quarter are stored.',
  },
  signInNetworks: {
    unit: 'count',
    default: 20,
    meaning:
      'Networks with an earlier sign-in that are stored for an account. Each has its own count: three quarters of signInFailuresPerAccount.',
  },
  signInNetworkDays: {
    unit: 'days',
    default: 90,
    meaning: 'How long a network is stored after the last sign-in of the account from the network.',
  },
  signInPendingSeconds: {
    unit: 'seconds',
    default: 30,
    meaning: 'Time after which a sign-in whose password is still being checked counts as failed.',
  },
  signInWaitSeconds: {
    unit: 'seconds',
    default: 5,
    meaning: 'How long a sign-in waits for concurrent sign-ins that use up the limit.',
    code: 'over_request_rate_limit',
  },
  concurrentPasswordHashes: {
    unit: 'count',
    default: 2,
    meaning:
      'Password hashes that one worker has handed to its threads, besides one costly hash. Each thread takes 19 MiB. A worker has one thread if there are as many workers as processors, and one for costly hashes.',
  },
  passwordHashesWaiting: {
    unit: 'count',
    default: 64,
    meaning:
      'Sign-ins and sign-ups of one app in one worker that wait for a password hash. Further ones get 429. Apps take turns by the processor time of their hashes, and builders of the console go before the members of apps.',
    code: 'over_request_rate_limit',
  },
  costlyHashMilliseconds: {
    unit: 'milliseconds',
    default: 200,
    meaning:
      'Processor time from which a password hash is costly, for example bcrypt of cost 12. A separate thread of a lower priority verifies costly hashes, one at a time.',
  },
  costlyHashSeconds: {
    unit: 'seconds',
    default: 15,
    meaning:
      'Processor time that the costly password hashes of one app may take in costlyHashWindowSeconds in one worker. Further sign-ins with such hashes get 429. After its first sign-in, an account has a hash of the standard cost.',
    code: 'over_request_rate_limit',
  },
  costlyHashWindowSeconds: {
    unit: 'seconds',
    default: 20,
    meaning: 'Length of the sliding window in which the processor time of costly password hashes is counted.',
  },
  signInRefusalMilliseconds: {
    unit: 'milliseconds',
    default: 250,
    meaning:
      'How long a sign-in waits for its 429 while as many sign-ins of the app wait as passwordHashesWaiting says, so that clients that repeat it at once do not slow down other calls.',
  },
  importedHashMebibytes: {
    unit: 'count',
    default: 256,
    meaning: 'The most memory, in MiB, that an imported password hash may require.',
  },
  importedHashPasses: {
    unit: 'count',
    default: 20,
    meaning: 'The most passes of an imported argon2 hash.',
  },
  commonHashes: {
    unit: 'count',
    default: 4,
    meaning:
      'Schemes of password hashes, with their cost, that every failed sign-in of an app verifies, so that the time does not depend on the account.',
  },
  commonHashPercent: {
    unit: 'count',
    default: 1,
    meaning: 'The share of accounts, in percent, from which a scheme counts as common in an app.',
  },
  commonHashSample: {
    unit: 'count',
    default: 10_000,
    meaning: 'Accounts of an app that are sampled to find the common schemes.',
  },
  commonHashSeconds: {
    unit: 'seconds',
    default: 60,
    meaning: 'How long a worker uses a sample of accounts before it takes another one.',
  },
  decoyBcryptCost: {
    unit: 'count',
    default: 13,
    meaning:
      'The highest bcrypt cost that a failed sign-in verifies if the account has another hash or does not exist.',
  },
  decoyArgon2Mebibytes: {
    unit: 'count',
    default: 512,
    meaning:
      'The highest argon2 cost, memory in MiB times passes, that a failed sign-in verifies if the account has another hash or does not exist.',
  },
  importedHashCharacters: {
    unit: 'characters',
    default: 255,
    meaning: 'The longest imported password hash.',
    code: 'validation_failed',
  },
  importedBcryptCost: {
    unit: 'count',
    default: 15,
    meaning: 'The highest cost of an imported bcrypt hash.',
  },
  importedHashWork: {
    unit: 'count',
    default: 1024,
    meaning: 'The most work of an imported argon2 or scrypt hash: memory in MiB times passes.',
  },
  importedHashIterations: {
    unit: 'count',
    default: 2_000_000,
    meaning: 'The most iterations of an imported PBKDF2 hash.',
  },
});
