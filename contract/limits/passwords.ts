import type { Limit } from './limit.ts';

/** Passwords, and how often a sign-in may fail. */
export const passwordLimits = {
  passwordMinCharacters: {
    group: 'passwords',
    unit: 'characters',
    default: 6,
    meaning: 'The shortest password.',
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
  signInFailures: {
    group: 'passwords',
    unit: 'count',
    default: 30,
    meaning: 'Failed sign-ins from one client address within the window, after which it must wait.',
    code: 'over_request_rate_limit',
  },
  signInFailuresPerAccount: {
    group: 'passwords',
    unit: 'count',
    default: 20,
    meaning: 'Failed sign-ins for one account within the window, after which the account must wait.',
    code: 'over_request_rate_limit',
  },
  signInWindowSeconds: {
    group: 'passwords',
    unit: 'seconds',
    default: 300,
    meaning: 'The window in which failed sign-ins are counted.',
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
    meaning: 'The highest cost of a password hash brought along: passes of argon2, or the exponent of bcrypt.',
  },
  importedHashCharacters: {
    group: 'passwords',
    unit: 'characters',
    default: 255,
    meaning: 'The longest password hash brought along.',
    code: 'validation_failed',
  },
} as const satisfies Record<string, Limit>;
