/**
 * Every number that bounds a call. A number that is not here may not bound one: a test looks for such.
 * `default` is in `unit`; `setting` is the environment variable or app setting that changes it, if one does.
 * `docs/limits.md` says the same in prose; a test holds the two against each other.
 */
export interface Limit {
  /** What it is about, one of `limitGroups`. */
  readonly group: LimitGroup;
  readonly unit: 'bytes' | 'seconds' | 'milliseconds' | 'hours' | 'days' | 'count' | 'characters';
  readonly default: number;
  readonly meaning: string;
  readonly setting?: string;
  /** The least and the most that `setting` may set it to. */
  readonly range?: readonly [number, number];
  /** The code that whoever hits it is answered with; absent where nobody is refused. */
  readonly code?: string;
}

/** What the limits are about, in the order in which they are told. */
export const limitGroups = {
  requests: 'Requests',
  answers: 'Answers',
  sessions: 'Sessions and tokens',
  passwords: 'Passwords and sign-in',
  accounts: 'Accounts',
  database: 'Database and connections',
  settings: 'Settings',
  builders: 'What builders do',
  records: 'What is kept of calls',
} as const;

export type LimitGroup = keyof typeof limitGroups;

const limit = <const L extends Record<string, Limit>>(value: L) => value;

export const limits = limit({
  bodyBytes: {
    group: 'requests',
    unit: 'bytes',
    default: 10 * 1024 * 1024,
    meaning: 'The largest request body.',
    code: 'body_too_large',
  },
  urlBytes: {
    group: 'requests',
    unit: 'bytes',
    default: 32 * 1024,
    meaning: 'The longest request line and headers together.',
    code: 'headers_too_large',
  },
  requestSeconds: {
    group: 'requests',
    unit: 'seconds',
    default: 120,
    meaning: 'How long a request may take to arrive, headers and body together.',
    code: 'request_timeout',
  },
  resultBytes: {
    group: 'answers',
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The largest result that a call holds in memory.',
    code: 'result_too_large',
  },
  sharedPageRows: {
    group: 'answers',
    unit: 'count',
    default: 1000,
    meaning: 'A page that may hold more rows has a database connection to itself and is handed on as it comes.',
  },
  tailBytes: {
    group: 'answers',
    unit: 'bytes',
    default: 256 * 1024,
    meaning: 'From what size on the rows of a large page are handed on as they come from the database.',
  },
  tailIdleSeconds: {
    group: 'answers',
    unit: 'seconds',
    default: 30,
    meaning: 'How long a client may take nothing of a large page before it is cut off.',
  },
  settingBytes: {
    group: 'settings',
    unit: 'bytes',
    default: 64 * 1024,
    meaning: 'The longest value of a setting that is in force.',
    code: 'setting_invalid',
  },
  contentLocationBytes: {
    group: 'answers',
    unit: 'bytes',
    default: 4096,
    meaning: 'The longest Content-Location of an answer; clients take no more than some 16 KiB of headers.',
  },
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
    default: 10,
    meaning: 'How long a refresh token that was just exchanged may be exchanged again (a client that lost the answer).',
    setting: 'security_refresh_token_reuse_interval',
    range: [0, 3600],
    code: 'refresh_token_already_used',
  },
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
  queryDepth: {
    group: 'requests',
    unit: 'count',
    default: 64,
    meaning: 'How deep embedded relations and logic trees in a query string may be nested.',
    code: 'PGRST100',
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
  requestsPerAddress: {
    group: 'requests',
    unit: 'count',
    default: 0,
    meaning: 'Requests per second from one client address, each worker for itself; 0 is no limit.',
    setting: 'NINEFOLD_REQUESTS_PER_SECOND',
    range: [0, 1_000_000],
    code: 'too_many_requests',
  },
  statementMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 8000,
    meaning: 'How long one data call may run in the database.',
    setting: 'db_statement_timeout',
    range: [0, 2_147_483_647],
    code: '57014',
  },
  builderStatementMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 60_000,
    meaning: 'How long one statement of the SQL page may run.',
    code: 'sql_failed',
  },
  catalogueLockMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 2000,
    meaning: 'How long reading the catalogue for the specification waits for a schema change that is under way.',
  },
  explainedRows: {
    group: 'answers',
    unit: 'count',
    default: 10,
    meaning: 'Rows that the explanation of an access looks at.',
  },
  stateFiguresMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 500,
    meaning: 'How long the rows in each state of the state machines may be counted for chapter 4; else it shows none.',
  },
  sqlRows: {
    group: 'builders',
    unit: 'count',
    default: 1000,
    meaning: 'Rows that the SQL page shows of one result.',
  },
  poolConnections: {
    group: 'database',
    unit: 'count',
    default: 8,
    meaning: 'Connections that one worker opens to one app at most.',
    setting: 'NINEFOLD_POOL',
    range: [1, 100],
  },
  appConnections: {
    group: 'database',
    unit: 'count',
    default: 100,
    meaning: 'Connections that all workers together may open to one app.',
    code: '53300',
  },
  ownerConnections: {
    group: 'database',
    unit: 'count',
    default: 20,
    meaning:
      'Connections that the owner of one app may open: the SQL page, migrations and programs of a builder’s own.',
  },
  poolIdleSeconds: {
    group: 'database',
    unit: 'seconds',
    default: 30,
    meaning: 'After how long without a call an app holds no connection.',
    setting: 'NINEFOLD_POOL_IDLE_SECONDS',
    range: [1, 86_400],
  },
  poolWaitMilliseconds: {
    group: 'database',
    unit: 'milliseconds',
    default: 10_000,
    meaning: 'How long a call waits for a connection before it is answered with 504.',
    code: 'PGRST003',
  },
  appLockMilliseconds: {
    group: 'builders',
    unit: 'milliseconds',
    default: 20_000,
    meaning: 'How long a change of an app (clone, migrate, delete) waits for another one to end.',
    code: 'app_busy',
  },
  userMetadataBytes: {
    group: 'accounts',
    unit: 'bytes',
    default: 16 * 1024,
    meaning: 'The largest user metadata; it is part of every access token, which must fit into urlBytes.',
    code: 'validation_failed',
  },
  appMetadataBytes: {
    group: 'accounts',
    unit: 'bytes',
    default: 4 * 1024,
    meaning: 'The largest app metadata of an account; it is part of every access token.',
    code: 'validation_failed',
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
  authBodyBytes: {
    group: 'accounts',
    unit: 'bytes',
    default: 1024 * 1024,
    meaning: 'The largest body of a call to /auth/v1.',
    code: 'request_entity_too_large',
  },
  authBodyDepth: {
    group: 'accounts',
    unit: 'count',
    default: 100,
    meaning: 'How deeply objects and arrays may nest in a body of /auth/v1.',
    code: 'bad_json',
  },
  emailCharacters: {
    group: 'accounts',
    unit: 'characters',
    default: 255,
    meaning: 'The longest e-mail address.',
    code: 'validation_failed',
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
  rememberedAddresses: {
    group: 'requests',
    unit: 'count',
    default: 50_000,
    meaning: 'Client addresses whose requests one worker counts; the longest unseen is forgotten first.',
  },
  sessionsPerPage: {
    group: 'builders',
    unit: 'count',
    default: 1000,
    meaning: 'Sessions that the list of sessions shows at most.',
  },
  usersPerPage: {
    group: 'accounts',
    unit: 'count',
    default: 1000,
    meaning: 'The largest page of the list of users.',
  },
  pageRows: {
    group: 'answers',
    unit: 'count',
    default: 1000,
    meaning: 'The most rows that one answer holds, on each level of embedding; what lies beyond is left out.',
    setting: 'db_max_rows',
    range: [0, 2_147_483_647],
  },
  clockLeewaySeconds: {
    group: 'sessions',
    unit: 'seconds',
    default: 30,
    meaning: 'By how much the clock of whoever signed a token may differ from this one.',
  },
  usersPageDefault: {
    group: 'accounts',
    unit: 'count',
    default: 50,
    meaning: 'Accounts on a page of the list of users, where per_page names no number.',
  },
  closestNames: {
    group: 'requests',
    unit: 'count',
    default: 500,
    meaning: 'Names among which the hint for a misspelt one is looked for.',
  },
  observationFlushMilliseconds: {
    group: 'records',
    unit: 'milliseconds',
    default: 5000,
    meaning: 'How often a worker writes down what it counted of calls, errors and limits.',
  },
  countedCalls: {
    group: 'records',
    unit: 'count',
    default: 200,
    meaning: 'Different calls of one app that a worker counts between two flushes; the rest count as one.',
  },
  minuteStatisticsHours: {
    group: 'records',
    unit: 'hours',
    default: 25,
    meaning: 'For how long calls are counted by the minute; older ones are counted by the hour.',
  },
  hourStatisticsDays: {
    group: 'records',
    unit: 'days',
    default: 90,
    meaning: 'For how long calls counted by the hour are kept.',
  },
  statisticsRows: {
    group: 'records',
    unit: 'count',
    default: 200_000,
    meaning: 'Rows of counted calls that one app keeps at most; the oldest go first.',
  },
  rememberedCalls: {
    group: 'records',
    unit: 'count',
    default: 200,
    meaning: 'Last calls of one app whose stories one worker holds in memory.',
  },
  keptStories: {
    group: 'records',
    unit: 'count',
    default: 2000,
    meaning: 'Stories of calls that the app’s database keeps; the oldest go first.',
  },
  keptStoriesPerCode: {
    group: 'records',
    unit: 'count',
    default: 200,
    meaning: 'How many of them may be of one error, so that a frequent one does not push out the rare ones.',
  },
  storiesPerFlush: {
    group: 'records',
    unit: 'count',
    default: 50,
    meaning: 'Stories of failed and slow calls of one app that a worker writes at a time.',
  },
  storiesPerFlushAndCode: {
    group: 'records',
    unit: 'count',
    default: 10,
    meaning: 'How many of them may be of one error.',
  },
  storyBytes: {
    group: 'records',
    unit: 'bytes',
    default: 16 * 1024,
    meaning: 'How much of a long statement, and of a long query, a story holds.',
  },
  slowCallMilliseconds: {
    group: 'records',
    unit: 'milliseconds',
    default: 1000,
    meaning: 'A call that takes longer is slow: its story is kept.',
  },
  storyWaitMilliseconds: {
    group: 'records',
    unit: 'milliseconds',
    default: 700,
    meaning: 'How long the workers of all nodes may take to say that they hold the story of a call.',
  },
  countedIncidents: {
    group: 'records',
    unit: 'count',
    default: 100,
    meaning: 'Different errors and limits of one app that a worker counts between two flushes; the rest count as one.',
  },
  incidentDays: {
    group: 'records',
    unit: 'days',
    default: 8,
    meaning: 'For how long the counts of errors and of limits that were hit are kept.',
  },
  incidentRows: {
    group: 'records',
    unit: 'count',
    default: 50_000,
    meaning: 'Rows of such counts that one app keeps at most; the oldest go first.',
  },
  incidentRequests: {
    group: 'records',
    unit: 'count',
    default: 5,
    meaning: 'Last request ids that are kept for each error.',
  },
  observedApps: {
    group: 'records',
    unit: 'count',
    default: 1000,
    meaning: 'Apps whose calls one worker counts between two flushes.',
  },
  recentErrors: {
    group: 'builders',
    unit: 'count',
    default: 200,
    meaning: 'Errors that the list of recent errors shows at most.',
  },
  statisticsPoints: {
    group: 'builders',
    unit: 'count',
    default: 170,
    meaning: 'Points of a chart of calls: a week by the hour.',
  },
  versionsKept: {
    group: 'builders',
    unit: 'count',
    default: 500,
    meaning: 'Versions of its specification that an app keeps.',
  },
  versionsBytes: {
    group: 'builders',
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The space that an app’s versions may take; the oldest go first.',
  },
  versionChanges: {
    group: 'builders',
    unit: 'count',
    default: 200,
    meaning: 'Changes that a version tells in words; it counts all.',
  },
  versionsPerPage: {
    group: 'builders',
    unit: 'count',
    default: 50,
    meaning: 'Versions on a page of the list of versions.',
  },
  specificationBytes: {
    group: 'builders',
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The largest specification that is kept as a version, or read from a file.',
  },
  journalKept: {
    group: 'builders',
    unit: 'count',
    default: 5000,
    meaning: 'Changes of the schema and the settings that an app’s journal keeps.',
  },
  journalBytes: {
    group: 'builders',
    unit: 'bytes',
    default: 64 * 1024 * 1024,
    meaning: 'The space that the statements in an app’s journal may take; the oldest go first.',
  },
});

export type LimitName = keyof typeof limits;
