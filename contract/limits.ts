/**
 * Every number that bounds a call. A number that is not here may not bound one.
 * `default` is in `unit`; `setting` is the environment variable or app setting that changes it, if one does.
 */
export interface Limit {
  readonly unit: 'bytes' | 'seconds' | 'milliseconds' | 'count' | 'characters';
  readonly default: number;
  readonly meaning: string;
  readonly setting?: string;
}

const limit = <const L extends Record<string, Limit>>(value: L) => value;

export const limits = limit({
  bodyBytes: { unit: 'bytes', default: 10 * 1024 * 1024, meaning: 'The largest request body.' },
  urlBytes: { unit: 'bytes', default: 32 * 1024, meaning: 'The longest request line and headers together.' },
  requestSeconds: {
    unit: 'seconds',
    default: 120,
    meaning: 'How long a request may take to arrive, headers and body together.',
  },
  resultBytes: {
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The largest result that a call holds in memory.',
  },
  sharedPageRows: {
    unit: 'count',
    default: 1000,
    meaning: 'A page that may hold more rows has a database connection to itself and is handed on as it comes.',
  },
  tailBytes: {
    unit: 'bytes',
    default: 256 * 1024,
    meaning: 'From what size on the rows of a large page are handed on as they come from the database.',
  },
  tailIdleSeconds: {
    unit: 'seconds',
    default: 30,
    meaning: 'How long a client may take nothing of a large page before it is cut off.',
  },
  settingBytes: { unit: 'bytes', default: 64 * 1024, meaning: 'The longest value of a setting that is in force.' },
  contentLocationBytes: {
    unit: 'bytes',
    default: 4096,
    meaning: 'The longest Content-Location of an answer; clients take no more than some 16 KiB of headers.',
  },
  accessTokenSeconds: { unit: 'seconds', default: 3600, meaning: 'How long an access token is valid.' },
  refreshReuseSeconds: {
    unit: 'seconds',
    default: 10,
    meaning: 'How long a refresh token that was just exchanged may be exchanged again (a client that lost the answer).',
  },
  passwordMinCharacters: { unit: 'characters', default: 6, meaning: 'The shortest password.' },
  builderPasswordMinCharacters: {
    unit: 'characters',
    default: 8,
    meaning: 'The shortest password of the first builder, who may do everything.',
  },
  passwordMaxBytes: { unit: 'bytes', default: 1024, meaning: 'The longest password.' },
  queryDepth: {
    unit: 'count',
    default: 64,
    meaning: 'How deep embedded relations and logic trees in a query string may be nested.',
  },
  signInFailures: {
    unit: 'count',
    default: 30,
    meaning: 'Failed sign-ins from one client address within the window, after which it must wait.',
  },
  signInFailuresPerAccount: {
    unit: 'count',
    default: 20,
    meaning: 'Failed sign-ins for one account within the window, after which the account must wait.',
  },
  signInWindowSeconds: { unit: 'seconds', default: 300, meaning: 'The window in which failed sign-ins are counted.' },
  requestsPerAddress: {
    unit: 'count',
    default: 0,
    meaning: 'Requests per second from one client address, each worker for itself; 0 is no limit.',
    setting: 'NINEFOLD_REQUESTS_PER_SECOND',
  },
  statementMilliseconds: {
    unit: 'milliseconds',
    default: 8000,
    meaning: 'How long one data call may run in the database.',
  },
  builderStatementMilliseconds: {
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long one statement of the SQL page may run.',
  },
  catalogueLockMilliseconds: {
    unit: 'milliseconds',
    default: 2000,
    meaning: 'How long reading the catalogue for the specification waits for a schema change that is under way.',
  },
  explainedRows: { unit: 'count', default: 10, meaning: 'Rows that the explanation of an access looks at.' },
  sqlRows: { unit: 'count', default: 1000, meaning: 'Rows that the SQL page shows of one result.' },
  poolConnections: {
    unit: 'count',
    default: 8,
    meaning: 'Connections that one worker opens to one app at most.',
    setting: 'NINEFOLD_POOL',
  },
  appConnections: {
    unit: 'count',
    default: 100,
    meaning: 'Connections that all workers together may open to one app.',
  },
  ownerConnections: {
    unit: 'count',
    default: 20,
    meaning:
      'Connections that the owner of one app may open: the SQL page, migrations and programs of a builder’s own.',
  },
  poolIdleSeconds: {
    unit: 'seconds',
    default: 30,
    meaning: 'After how long without a call an app holds no connection.',
  },
  poolWaitMilliseconds: {
    unit: 'milliseconds',
    default: 10_000,
    meaning: 'How long a call waits for a connection before it is answered with 504.',
  },
  appLockMilliseconds: {
    unit: 'milliseconds',
    default: 20_000,
    meaning: 'How long a change of an app (clone, migrate, delete) waits for another one to end.',
  },
  userMetadataBytes: {
    unit: 'bytes',
    default: 16 * 1024,
    meaning: 'The largest user metadata; it is part of every access token, which must fit into urlBytes.',
  },
  appMetadataBytes: {
    unit: 'bytes',
    default: 4 * 1024,
    meaning: 'The largest app metadata of an account; it is part of every access token.',
  },
  passwordHashesAtOnce: {
    unit: 'count',
    default: 2,
    meaning: 'Passwords that one worker hashes at the same time; each takes a thread and 19 MiB.',
  },
  passwordHashesWaiting: {
    unit: 'count',
    default: 64,
    meaning: 'Sign-ins and sign-ups that wait in one worker for a password to be hashed; more are answered with 429.',
  },
  importedHashMebibytes: {
    unit: 'count',
    default: 256,
    meaning: 'The most memory, in MiB, that a password hash brought along may ask for.',
  },
  importedHashPasses: {
    unit: 'count',
    default: 20,
    meaning: 'The highest cost of a password hash brought along: passes of argon2, or the exponent of bcrypt.',
  },
  authBodyBytes: { unit: 'bytes', default: 1024 * 1024, meaning: 'The largest body of a call to /auth/v1.' },
  authBodyDepth: {
    unit: 'count',
    default: 100,
    meaning: 'How deeply objects and arrays may nest in a body of /auth/v1.',
  },
  emailCharacters: { unit: 'characters', default: 255, meaning: 'The longest e-mail address.' },
  userAgentCharacters: {
    unit: 'characters',
    default: 512,
    meaning: 'How much of a client’s User-Agent a session keeps.',
  },
  rememberedTokens: {
    unit: 'count',
    default: 5000,
    meaning: 'Verified access tokens that one worker remembers of one app; others are verified anew.',
  },
  rememberedAddresses: {
    unit: 'count',
    default: 50_000,
    meaning: 'Client addresses whose requests one worker counts; the longest unseen is forgotten first.',
  },
  sessionsPerPage: { unit: 'count', default: 1000, meaning: 'Sessions that the list of sessions shows at most.' },
  usersPerPage: { unit: 'count', default: 1000, meaning: 'The largest page of the list of users.' },
});
