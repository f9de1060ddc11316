import { limitsOf } from './limit.ts';

/** Limits of accounts and of the calls of /auth/v1. */
export const accountLimits = limitsOf('accounts', {
  userMetadataBytes: {
    unit: 'bytes',
    default: 16 * 1024,
    meaning: 'The largest user metadata of an account. Every access token contains them and must fit into urlBytes.',
    code: 'validation_failed',
  },
  appMetadataBytes: {
    unit: 'bytes',
    default: 4 * 1024,
    meaning: 'The largest app metadata of an account. Every access token contains them.',
    code: 'validation_failed',
  },
  authBodyBytes: {
    unit: 'bytes',
    default: 128 * 1024,
    meaning: 'The largest body of a call to /auth/v1.',
    code: 'request_entity_too_large',
  },
  authBodyDepth: {
    unit: 'count',
    default: 100,
    meaning: 'How deeply objects and arrays may be nested in a body of /auth/v1 and of the management API.',
    code: 'bad_json',
  },
  storedJsonDepth: {
    unit: 'count',
    default: 200,
    meaning: 'How deeply metadata that SQL has stored for an account may be nested.',
    code: 'database_refused',
  },
  authStatementMilliseconds: {
    unit: 'milliseconds',
    default: 8000,
    meaning:
      'How long one statement of a call to /auth/v1 may run in the database, including the app’s triggers on accounts.',
    code: 'database_refused',
  },
  emailCharacters: {
    unit: 'characters',
    default: 255,
    meaning: 'The longest e-mail address.',
    code: 'validation_failed',
  },
  authTextCharacters: {
    unit: 'characters',
    default: 1024,
    meaning:
      'The longest refresh token and code challenge, and the longest e-mail address with surrounding spaces, in a body of /auth/v1.',
    code: 'validation_failed',
  },
  authRoleCharacters: {
    unit: 'characters',
    default: 255,
    meaning: 'The longest role and aud of an account.',
    code: 'validation_failed',
  },
  authFieldCharacters: {
    unit: 'characters',
    default: 64,
    meaning: 'The longest id, phone, ban_duration and code_challenge_method in a body of /auth/v1.',
    code: 'validation_failed',
  },
  usersPerPage: {
    unit: 'count',
    default: 1000,
    meaning: 'The largest page of the list of users.',
  },
  usersPageDefault: {
    unit: 'count',
    default: 50,
    meaning: 'Accounts on a page of the list of users if per_page is missing.',
  },
  oneTimeTokenSeconds: {
    unit: 'seconds',
    default: 3600,
    meaning: 'How long a link or a code in a mail is valid.',
    setting: 'mailer_otp_exp',
    range: [60, 86_400],
    row: { section: 'accounts', label: 'Links and codes', effect: 'A link or a code in a mail is valid for {}.' },
    code: 'otp_expired',
  },
  oneTimeCodeDigits: {
    unit: 'count',
    noun: 'digits',
    default: 6,
    meaning: 'How many digits a code in a mail has.',
    setting: 'mailer_otp_length',
    range: [6, 10],
    row: { section: 'accounts', label: 'Length of a code', effect: 'A code in a mail has {}.' },
  },
  oneTimeCodeTries: {
    unit: 'count',
    default: 12,
    meaning:
      'Wrong codes for one address in oneTimeCodeTriesSeconds, from all networks that the account has not signed in from. A quarter is reserved for networks with few attempts. Links still work. Codes in texts are counted in the same way, by number.',
    code: 'over_request_rate_limit',
  },
  oneTimeCodeTriesPerNetwork: {
    unit: 'count',
    default: 120,
    meaning: 'Wrong codes from one client network in oneTimeCodeTriesSeconds. Further attempts must wait.',
    code: 'over_request_rate_limit',
  },
  oneTimeCodeTriesSeconds: {
    unit: 'seconds',
    default: 3600,
    meaning: 'Length of the sliding window in which wrong codes are counted.',
  },
  mailPauseSeconds: {
    unit: 'seconds',
    default: 60,
    meaning: 'Pause after a mail to an address before another mail of the same kind can be requested.',
    setting: 'smtp_max_frequency',
    range: [0, 3600],
    row: {
      section: 'accounts',
      label: 'Pause between mails',
      effect: 'The next mail of the same kind to an address can be asked for after {}.',
      without: 'A mail of the same kind can be asked for at any time.',
    },
    code: 'over_email_send_rate_limit',
  },
  recentSignInSeconds: {
    unit: 'seconds',
    default: 86_400,
    meaning:
      'Maximum age of a session that may change a password or an address, add or remove a factor or a passkey, or add an identity, without reauthentication.',
    code: 'reauthentication_needed',
  },
  accountDeletionSeconds: {
    unit: 'seconds',
    default: 900,
    meaning: 'Maximum age of the sign-in with which a member may delete the own account.',
    code: 'account_proof_needed',
  },
  searchedAccounts: {
    unit: 'count',
    default: 10_000,
    meaning:
      'Accounts that a search of the list of users reads before it uses the index. If these fill the page, the number of matches is an estimate.',
  },
  memberViews: {
    unit: 'count',
    default: 100,
    meaning: 'Views of lists that a member can save.',
    code: 'validation_invalid',
  },
  memberSharedViews: {
    unit: 'count',
    default: 20,
    meaning: 'Views of lists that a member can share with other members.',
    code: 'validation_invalid',
  },
  sharedViews: {
    unit: 'count',
    default: 200,
    meaning: 'Views of lists that the members of an app share.',
    code: 'validation_invalid',
  },
  memberViewName: {
    unit: 'characters',
    default: 60,
    meaning: 'Characters of the name of a saved view.',
    code: 'validation_invalid',
  },
  memberViewRoute: {
    unit: 'characters',
    default: 200,
    meaning: 'Characters of the route of a saved view.',
    code: 'validation_invalid',
  },
  memberViewSearch: {
    unit: 'characters',
    default: 2000,
    meaning: 'Characters of the search, filters and order of a saved view.',
    code: 'validation_invalid',
  },
});
