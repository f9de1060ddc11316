import { expect, it } from 'vitest';
import { isTest, type SourceFile, sourceFiles } from './source-files.ts';

/**
 * Every number that limits a request is in contract/limits, and nowhere else. These forms of numbers are suspicious:
 * - a constant in capitals;
 * - a limit of zod, of a body's field or of a pattern's quantifier;
 * - the length of a truncated string or list;
 * - a timer;
 * - a property or comparison whose name contains a size or a time;
 * - LIMIT or an interval in SQL.
 * The list below contains the suspicious numbers that are no limits, each with its reason.
 */
const suspicious: readonly RegExp[] = [
  /\bconst [A-Z][A-Z0-9_]* = -?[\d][\d_.]*(?: \* [\d_]+)*;/g,
  /\.(?:max|min|length|lte|gte)\(\s*\d[\d_]*(?:\s*\*\s*[\d_]+)*\s*[,)]/g,
  /\b(?:text|line)\(\s*\d[\d_]*(?:\s*\*\s*[\d_]+)*\s*[,)]/g,
  /(?<=[\]).])\{\d+,\d{2,}\}/g,
  /\.(?:slice|substring)\(0, \d[\d_]*\)/g,
  /\b(?:setTimeout|setInterval)\([^;]*?, \d[\d_]*\)/g,
  /\b\w*(?:[mM]ax|[lL]imit|[tT]imeout|[bB]ytes|[sS]econds|[lL]ength|[sS]ize|[dD]epth|[cC]ount)\w*\s*(?::|=|>|>=|<|<=)\s*\d[\d_]*(?:\s*\*\s*[\d_]+)*(?=[,;)\s}])/g,
  /\blimit \d+\b/gi,
  /\binterval '\d+ \w+'/gi,
];

/** Numbers up to 8 are not suspicious: they count decimal places or cases and limit nothing that grows. */
const SMALL = 8;

interface Finding {
  path: string;
  text: string;
}

function findings({ path, text }: SourceFile): Finding[] {
  const code = withoutComments(text);
  return suspicious.flatMap((pattern) =>
    [...code.matchAll(pattern)].flatMap(([found]) => {
      const numbers = [...found.matchAll(/(?<![\w.])\d[\d_]*(?![\w.])/g)].map(([number]) =>
        Number(number.replaceAll('_', '')),
      );
      return numbers.some((number) => number >= SMALL) ? [{ path, text: found.replace(/\s+/g, ' ') }] : [];
    }),
  );
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1');

/** The suspicious numbers that limit no request, by file: a reason and the code that contains the number. */
const allowed: Readonly<Record<string, readonly (readonly [reason: string, ...texts: string[]])[]>> = {
  'src/admin/specification/versions.ts': [['the beginning of a hash', '{12,64}']],
  'src/admin/apps/create-from-template.ts': [['how much of a wrong name is repeated', '.slice(0, 100)']],
  'src/jobs/mail-sender.ts': [['the pause between two tries', 'const LATER_MILLISECONDS = 1000;']],
  'src/jobs/text-sender.ts': [['the pause between two tries', 'const LATER_MILLISECONDS = 1000;']],
  'src/jobs/smtp-session.ts': [
    ['a port with TLS from the start', 'const IMPLICIT_TLS_PORT = 465;'],
    ['response codes of SMTP', 'const CLOSING = 421;', 'const PERMANENT = 500;'],
  ],
  'src/mail/html-writer.ts': [
    ['how much of a tag is read to find the name of its element', 'const NAME_CHARACTERS = 64;'],
  ],
  'src/mail/template.ts': [['how much of a template an error repeats', 'const SNIPPET_CHARACTERS = 60;']],
  'src/apps/app.ts': [
    ['the pause between two tries', 'setTimeout(resolve, 50)'],
    ['how long an unused connection of the server role stays open', 'const SERVER_IDLE_MILLISECONDS = 5000;'],
  ],
  'src/apps/exceeded-bounds.ts': [
    ['how long a reason is waited for', 'const LATE_MILLISECONDS = 1000;'],
    ['how long a reason is remembered', 'const EXPLAINED_MILLISECONDS = 10_000;'],
  ],
  'src/admin/sql/sql-failure.ts': [
    ['how much of a long line an error shows', 'const SHOWN_BEFORE = 60;', 'const SHOWN_AFTER = 60;'],
  ],
  'src/apps/registry/app-record.ts': [['the form of a ref', '{2,39}']],
  'src/apps/apps.ts': [
    ['made-up refs are remembered for a moment', 'const UNKNOWN_MILLISECONDS = 1000;', 'const UNKNOWN_KEPT = 1000;'],
  ],
  'src/apps/provisioning/bootstrap.ts': [['a version of PostgreSQL', 'const OLDEST_POSTGRES = 15;']],
  'src/apps/statistics/call-statistics.ts': [['the shape of a histogram, in the table too', 'const BUCKETS = 24;']],
  'src/apps/provisioning/checkpoints.ts': [
    ['how much of a recovery is bearable', 'const APPS = 25;'],
    ['the pause between two apps', 'const PAUSE_MILLISECONDS = 20;'],
  ],
  'src/apps/provisioning/copy-database.ts': [
    ['the pause between two tries', 'setTimeout(resolve, 20)', 'setTimeout(resolve, 50)'],
  ],
  'src/apps/provisioning/end-blockers.ts': [
    ['how often blocking sessions are read', 'const LOOK_MILLISECONDS = 100;'],
    ['how long another app may keep a lock that a deletion needs', 'const GRACE_MILLISECONDS = 1000;'],
  ],
  'src/apps/statistics/buffered-counters.ts': [['how often old rows are swept', 'const MAINTAIN_EVERY = 120;']],
  'src/apps/statistics/error-statistics.ts': [
    ['the shape of what is counted', 'const MINUTES = 10;', 'const HOURS = 24;'],
  ],
  'src/apps/maintenance/load-pause.ts': [
    [
      'how much of the time one app may block a worker',
      'const FREE_MILLISECONDS = 100;',
      'const PAUSE_TIMES = 20;',
      'const LONGEST_PAUSE_MILLISECONDS = 60_000;',
    ],
  ],
  'src/apps/keys/key-uses.ts': [['the length of a day', 'const DAY_MILLISECONDS = 86_400_000;']],
  'src/apps/log/request-log.ts': [
    ['how much of a path and a query a line shows', 'const PATH_CHARACTERS = 300;', 'const QUERY_CHARACTERS = 500;'],
    ['how often old lines are deleted', 'const LINES_PER_CLEANUP = 5000;'],
  ],
  'src/apps/log/read-request-log.ts': [
    ['the number of bars and of paths that a page shows', 'const MAX_PATHS = 30;', 'const MAX_POINTS = 60;'],
    ['the bars that are counted by five minutes', 'const COUNTED_STEP = 600;'],
    ['the requests that an index contains', 'const INDEXED_MILLISECONDS = 100;'],
  ],
  'src/admin/logs/logs.ts': [
    ['the default period of a summary', 'const DEFAULT_PERIOD = 3_600_000;'],
    ['how many members a search of the log finds', 'const SEARCHED_MEMBERS = 20;'],
    ['the length of a filter', '.max(500)', '.max(100)'],
  ],
  'src/apps/statistics/read-statistics.ts': [
    ['the lengths of an hour, a day and a week', 'seconds: 3600', 'seconds: 86_400', 'seconds: 604_800'],
    ['the last day by hour', "interval '23 hours'", "interval '25 hours'"],
  ],
  'src/apps/provisioning/schema-files.ts': [['the key of an advisory lock', 'const SCHEMA_LOCK = 9_009_001;']],
  'src/apps/registry/server.ts': [
    ['the pool of the superuser, which runs no call', 'idleMilliseconds: 5000', 'waitMilliseconds: 15_000'],
  ],
  'src/jobs/app-work.ts': [
    [
      'the pool of the superuser',
      'const CONTROL_IDLE_MILLISECONDS = 5000;',
      'const CONTROL_WAIT_MILLISECONDS = 15_000;',
    ],
    ['the pause between two tries', 'const LATER_MILLISECONDS = 2000;'],
    ['the pause between two deletions of old mails', 'const TIDY_MILLISECONDS = 3_600_000;'],
  ],
  'src/jobs/http-sender.ts': [
    [
      'the length of a second, and the pause between two tries',
      'const SECOND = 1000;',
      'const PLACE_MILLISECONDS = 100;',
    ],
  ],
  'src/jobs/leadership.ts': [
    ['how a worker comes to lead', 'const OPEN_MILLISECONDS = 5000;', 'const RETRY_MILLISECONDS = 2000;'],
  ],
  'src/jobs/public-address.ts': [['a port of RFC 6335', 'const FIRST_UNPRIVILEGED_PORT = 1024;']],
  'src/jobs/run-job.ts': [['how long a job waits for a connection', 'const CONNECT_MILLISECONDS = 15_000;']],
  'src/jobs/scheduled-work.ts': [
    [
      'how often apps are looked at: no call waits for it',
      ...['const COUNTERS_MILLISECONDS = 5000;', 'const LONGEST_PAUSE_MILLISECONDS = 60_000;'],
      ...['const CLOCK_MILLISECONDS = 1000;', 'const NOTIFY_MILLISECONDS = 20;', 'const PAUSE_FACTOR = 9;'],
      ...['const SUSPENDED_MILLISECONDS = 1000;', 'const STALE_MILLISECONDS = 60_000;'],
    ],
  ],
  'src/apps/keys/sign-jwt.ts': [['keys that are kept parsed', 'maxText: 10_000', 'maxResults: 256']],
  'src/identity/verify-jwt.ts': [['keys that are kept parsed', 'maxText: 2000']],
  'src/apps/site-store.ts': [['the size below which a file is not compressed', 'const SMALLEST_BYTES = 1024;']],
  'src/auth/sign-in/addresses.ts': [
    ['a label of a domain name (RFC 1035, section 2.3.4)', '{0,61}'],
    ['a phone number of E.164', '{1,14}'],
  ],
  'src/auth/sign-in/code-challenge.ts': [['a code challenge of RFC 7636, section 4.2', '{43,128}']],
  'src/accounts/passwords/common-passwords.ts': [['how the filter was made', 'const HASHES = 17;']],
  'src/accounts/factors/passkeys.ts': [['how many expired rows one call sweeps', 'limit 20']],
  'src/accounts/factors/recovery-codes.ts': [['120 random bits', 'const CODE_CHARACTERS = 24;']],
  'src/accounts/factors/totp.ts': [
    [
      'RFC 6238: the step that every authenticator app uses, and 160 bits of secret',
      'const PERIOD_SECONDS = 30;',
      'size: 20',
    ],
  ],
  'src/accounts/sessions/gotrue-refresh-token.ts': [
    ['the form of GoTrue’s refresh tokens', 'const SIGNATURE_BYTES = 16;'],
  ],
  'src/accounts/sessions/stored-refresh-token.ts': [
    ['the size of a refresh token', 'const TOKEN_BYTES = 24;'],
    ['tokens of one session within its reuse interval', 'const MAX_STEPS = 1000;'],
  ],
  'src/apps/registry/import-key.ts': [
    ['the least key of HS256 (RFC 7518, section 3.2)', 'const LEAST_SECRET_BYTES = 32;'],
    ['the form of a key id', '{1,128}'],
  ],
  'src/accounts/sessions/device-words.ts': [['how much of an unknown program is repeated', '{1,40}']],
  'src/admin/mails/mail-templates.ts': [['the form of a language tag (RFC 5646, section 4.4.1)', '{2,35}']],
  'src/auth/admin/custom-providers.ts': [['the form of an identifier, as in GoTrue', '{0,41}']],
  'src/apps/settings.ts': [['what wideOnLoopback means', 'const WIDER = 10;']],
  'src/identity/external-keys.ts': [['the least RSA key (RFC 7518, section 3.3)', 'const LEAST_RSA_BITS = 2048;']],
  'src/auth/sessions/log-out.ts': [['how much of a wrong word is repeated', '.slice(0, 40)']],
  'src/auth/second-factors/passkey-challenge.ts': [['the groups of a UUID', '.slice(0, 8)']],
  'src/auth/parse-duration.ts': [['the longest duration of Go', 'const LONGEST_SECONDS = 9_223_372_036;']],
  'src/database/listener.ts': [
    ['the pause between two tries', 'const FIRST_RETRY_MILLISECONDS = 50;', 'const LAST_RETRY_MILLISECONDS = 2000;'],
  ],
  'src/config/descriptors.ts': [
    [
      'how the file descriptors that the system gives are shared out',
      ...['const RESERVED = 48;', 'const LEAST = 128;', 'const FEW = 1024;'],
    ],
  ],
  'src/accounts/passwords/foreign-hashes.ts': [
    ['the form of hashes', '{1,128}', '{16,88}'],
    ['the memory of scrypt (RFC 7914)', 'const MEBIBYTE = 1024 * 1024;', 'maxmem = 128'],
    ['the length of a key of AES-256', 'const KEY_BYTES = 32;'],
  ],
  'src/accounts/passwords/hash-threads.ts': [['when an idle thread ends', 'const IDLE_MILLISECONDS = 60_000;']],
  'src/accounts/import/hash-kinds.ts': [
    ['what is counted for a report: no import is refused', 'const MAX_KINDS = 1000;'],
  ],
  'src/accounts/import/imported-account.ts': [['the form of a UUID', '.slice(0, 8)']],
  'src/accounts/import/read-objects.ts': [['how much of a file shows whether it is JSON', 'const PROBED_BYTES = 64;']],
  'src/accounts/import/run-import.ts': [
    ['how much of a file one statement stores', 'const BATCH_RECORDS = 500;', 'const BATCH_BYTES = 1024 * 1024;'],
  ],
  'src/accounts/passwords/passwords.ts': [
    ['how much of a password bcrypt reads', 'const BCRYPT_BYTES = 72;'],
    ['the salt and the hash of a PHC string', '{11,86}', '{16,342}'],
    ['priorities of threads', 'const NICE = 10;', 'const COSTLY_NICE = 19;'],
    ['measured times', 'const BCRYPT_MILLISECONDS = 60;', 'const BCRYPT_REFERENCE = 10;'],
  ],
  'src/config/secrets.ts': [['the length of a key of AES-256', 'const MASTER_KEY_BYTES = 32;']],
  'src/catalog/sql-fragments.ts': [['PostgreSQL’s own number', 'const FIRST_NORMAL_OID = 16384;']],
  'src/catalog/memoize.ts': [['what is remembered parsed', 'const MAX_TEXT = 1000;', 'const MAX_RESULTS = 1000;']],
  'src/database/connection.ts': [
    ['what of an ended connection is tried again: nobody is refused for it', 'const JUST_BEGUN_MILLISECONDS = 1000;'],
    ['when the socket of a server that does not respond is destroyed', 'const END_MILLISECONDS = 2000;'],
  ],
  'src/apps/statistics/hook-durations.ts': [
    ['how many durations are retained: no call is refused by it', 'const RETAINED_DURATIONS = 16;'],
  ],
  'src/apps/maintenance/background-turns.ts': [
    [
      'the pauses between pieces of background work: no call waits for them',
      ...['const BUSY_PAUSE = 19;', 'const QUIET_MILLISECONDS = 50;', 'const LOOK_MILLISECONDS = 10;'],
      ...['const LONGEST_PAUSE_MILLISECONDS = 20_000;', 'const LEAST_MILLISECONDS = 10;'],
    ],
  ],
  'src/compose/connection-share.ts': [
    [
      'connections of the superuser, which the budget of calls leaves free',
      ...['const UNCOUNTED_PER_WORKER = 24;', 'const UNCOUNTED_PER_NODE = 8;'],
    ],
    ['a share of the limit nodeConnections', 'const SCHEDULED_PART = 16;'],
  ],
  'src/apps/maintenance/import-locks.ts': [['the class of an advisory lock', 'const CLASS = 9010;']],
  'src/database/pool.ts': [
    ['how waiting batches are ordered', 'const PATIENCE = 10;'],
    ['when a client counts as stopped', 'const STALLED_MILLISECONDS = 1000;'],
    [
      'how calls share connections: nobody is refused for it',
      ...['const DEPTH = 16;', 'const UNNOTICED_MILLISECONDS = 10;', 'const LARGE_BYTES = 64 * 1024;'],
    ],
    ['when the connections of an app are closed that was replaced', 'const RETIRED_IDLE_MILLISECONDS = 1000;'],
    ['the pause of waiters', 'setTimeout(() => this.#serveQueue(), 50)'],
  ],
  'src/database/idle-closer.ts': [['how often idle connections are looked for', '.max(50,', '.min(5000,']],
  'src/database/statement.ts': [
    ['statements that a connection remembers', 'const MAX_PREPARED = 400;'],
    ['how calls share connections: nobody is refused for it', 'const TIMES_KEPT = 2000;'],
  ],
  'src/database/reader.ts': [['by how much a buffer grows', 'const MORE = 4096;']],
  'src/database/writer.ts': [['from what size on a buffer is let go of', 'length > 256 * 1024']],
  'src/http/attribute-error.ts': [['how much of a name is counted under', 'const LONGEST = 200;']],
  'src/http/refused-transition.ts': [['how much of a name and of a key a trace holds', 'const LONGEST = 200;']],
  'src/http/buffered-bodies.ts': [['how speeds are compared', 'const RECENT_MILLISECONDS = 500;']],
  'src/http/read-body.ts': [['by how much a buffer grows', 'const FIRST_BYTES = 64 * 1024;']],
  'src/http/server.ts': [
    [
      'how often time limits are checked',
      ...['const CHECK_MILLISECONDS = 5000;', 'const DRAIN_CHECK_MILLISECONDS = 20;'],
    ],
  ],
  'src/postgres/oom-score.ts': [['the highest score of the kernel', 'const MAX_SCORE = 1000;']],
  'src/http/site-pages.ts': [
    ['an estimate of memory', 'const ENTRY_BYTES = 150;'],
    ['the length of a hash in a file name', '{9,64}'],
  ],
  'src/http/slow-readers.ts': [
    ['how often it is looked, and how finely', 'const SWEEP_MILLISECONDS = 1000;', 'const SLICE_BYTES = 64 * 1024;'],
  ],
  'src/http/write-reply.ts': [['what goes out in one system call', 'const JOINED_BYTES = 16 * 1024;']],
  'src/limits/sign-in-attempts.ts': [['rows that one failure sweeps', 'limit 20']],
  'src/rest/plan-cache.ts': [
    ['plans that are remembered', 'const MAX_SHAPES = 1000;', 'const MAX_SHAPE_LENGTH = 4000;'],
  ],
  'src/rest/request/body-parser.ts': [['when the thread ends by itself', 'const IDLE_MILLISECONDS = 10_000;']],
  'src/rest/request/csv-rows.ts': [['how much text is collected', 'const PIECE_CHARACTERS = 64 * 1024;']],
  'src/rest/request/json-rows.ts': [['when a map is worth its making', 'const FEW_NAMES = 16;']],
  'src/rest/plan/closest-name.ts': [['names that a hint is looked for', 'const MAX_LENGTH = 128;']],
  'src/rest/run/run.ts': [['the oid of a type', 'const BYTEA = 17;']],
  'src/specification/derive/chapters/roles/advice/overlap.ts': [['bits of a mask', '.max(8,']],
  'src/specification/derive/chapters/calls/call-settings.ts': [['a fingerprint', '.slice(0, 8)']],
  'src/sql-reader/body/named-functions.ts': [
    ['the longest name of PostgreSQL (NAMEDATALEN)', 'const NAME_BYTES = 63;'],
  ],
  'src/sql-reader/body/writes.ts': [['how long a body is that is remembered', 'maxText: 10_000']],
  'src/sql-reader/body/trigger.ts': [['how long a body is that is remembered', 'maxText: 10_000']],
  'src/access/function-code.ts': [['how long a body is that is remembered', 'maxText: 10_000']],
  'src/access/function-meanings.ts': [['how long a comment within a sentence is', 'const LONGEST_MEANING = 100;']],
  'src/specification/compare/chapters/label-changes.ts': [
    ['how many labels a sentence lists', 'const MOST_LABELS = 8;'],
  ],
  'src/access/code-errors.ts': [['how long a condition is that a reason shows', 'const LONGEST_CONDITION = 100;']],
  'src/specification/derive/words/sentence-parts.ts': [['how much of a text a sentence shows', 'const SHOWN = 160;']],
  'src/specification/derive/chapters/entities/entities.ts': [
    ['how far types within the type of one field are told', 'const MOST_OF_A_TYPE = 200;'],
  ],
  'src/specification/render/html/specification.ts': [['a short hash', '.slice(0, 12)']],
  'src/specification/render/markdown/specification.ts': [['a short hash', '.slice(0, 12)']],
  'src/specification/render/openapi/document.ts': [['a short hash', '.slice(0, 12)']],
  'src/specification/render/portal/member-fields.ts': [['how long a text of one line is', 'const LINE = 200;']],
  'src/specification/render/portal/member-words.ts': [['how long the label in a comment is', '{1,80}']],
  'src/specification/serve/portal-screens.ts': [
    ['how many sets of roles are remembered', 'const ROLE_SETS = 200;'],
    [
      'when screens are derived after a change',
      'const SETTLE_MILLISECONDS = 100;',
      'const RECENT_MILLISECONDS = 120_000;',
    ],
  ],
  'src/specification/serve/openapi-documents.ts': [['documents that are remembered', 'const ROLES = 20;']],
  'src/access/attempts.ts': [['how much of what PostgreSQL says is told', '.slice(0, 500)']],
  'src/specification/probe/probe.ts': [['tries in one transaction', 'const FUNCTION_CELLS = 60;']],
  'src/specification/probe/probe-planner.ts': [['how much of a key a sentence shows', '.slice(0, 40)']],
  'src/specification/serve/process/recording-backoff.ts': [
    [
      'how long changes of a large app settle before they are a version',
      ...[
        'const LONG_MILLISECONDS = 500;',
        'const REST_TIMES = 20;',
        'const MOST_REST_MILLISECONDS = 60_000;',
        'const TURN_TIMES = 10;',
      ],
    ],
    ['apps of which that is remembered', 'const KEPT = 1000;'],
  ],
  'src/specification/serve/process/specification-process.ts': [
    ['when it ends by itself: who asks next has it made anew', 'const IDLE_MILLISECONDS = 600_000;'],
    ['how much of what a process said is logged', 'const LAST_WORDS = 2000;'],
  ],
  'src/specification/serve/process/tasks.ts': [
    ['what is held; the rest is derived anew', 'const HELD = 100;', 'const HELD_BYTES = 50_000_000;'],
  ],
  'src/specification/serve/specification-cache.ts': [
    [
      'how long live figures stand',
      'const FIGURES_TIMES = 25;',
      'const LEAST_MILLISECONDS = 400;',
      'const MOST_MILLISECONDS = 10_000;',
    ],
  ],
  'src/specification/render/types/input.ts': [
    ['digits that a double holds', 'length > 15'],
    ['how far domains over one another are told', 'const DOMAINS = 200;'],
  ],
  'src/specification/render/types/pattern.ts': [['how deep a pattern is read', 'const DEPTH = 50;']],
  'src/specification/render/types/type-names.ts': [
    [
      'how far types within one another are told',
      'const DEEPEST = 12;',
      'const MOST = 1600;',
      'const MOST_OF_ALL = 20_000;',
    ],
  ],
  'src/specification/render/types/value-rules.ts': [['what other matchers of patterns take', 'const COUNTED = 1000;']],
  'src/sql-reader/condition.ts': [['what is remembered parsed', 'maxText: 10_000', 'maxResults: 5000']],
  'src/watchdog/database-sizes.ts': [
    ['how much is looked at in one turn', 'const READ_AT_ONCE = 20;'],
    ['by what DELETE and VACUUM let files grow', 'const GROWTH_BYTES = 1024 * 1024;'],
  ],
  'src/watchdog/shared-writes.ts': [['how often a rate is measured', 'const RATE_MILLISECONDS = 1000;']],
  'src/watchdog/owner-logins.ts': [['a moment before the end', 'const EARLIER_MILLISECONDS = 500;']],
  'src/watchdog/processes.ts': [
    ['a priority', 'const LOWEST = 19;'],
    ['the unit of stat(2)', 'const BLOCK_BYTES = 512;'],
    [
      'fields and unit of proc_pid_stat(5)',
      ...['const USER_TIME = 11;', 'const SYSTEM_TIME = 12;', 'const TICK_MILLISECONDS = 10;'],
    ],
  ],
  'src/watchdog/processor-shares.ts': [['the time of an average', 'const AVERAGE_MILLISECONDS = 1000;']],
  'src/watchdog/suspensions.ts': [
    [
      'which breaches count together',
      'const REPEATED_WITHIN_MILLISECONDS = 60_000;',
      'const FORGIVEN_MILLISECONDS = 600_000;',
    ],
  ],
  'src/watchdog/sessions.ts': [['the form of a ref', '{2,39}']],
  'src/watchdog/watchdog.ts': [
    ['the connections of the watchdog itself', 'idleMilliseconds: 3_600_000', 'waitMilliseconds: 5000'],
    ['from when on it is worth a look', 'const SEGMENT_BYTES = 64 * 1024 * 1024;'],
  ],
  'src/specification/serve/versions/watch-server-roles.ts': [
    [
      'how often the server’s roles are looked at',
      ...['const LOOK_MILLISECONDS = 2000;', 'const SOON_MILLISECONDS = 250;'],
    ],
  ],
  'src/specification/serve/versions/store.ts': [
    ['entries of the journal that one version names', 'const CAUSES = 200;'],
    ['how long an entry waits for its version', "interval '10 seconds'"],
  ],
  'src/specification/serve/versions/version-recorder.ts': [
    [
      'how long changes settle before they are a version',
      'const SETTLE_MILLISECONDS = 900;',
      'const TURN_MILLISECONDS = 400;',
    ],
  ],
};

/** Folders whose numbers limit no request of an app: the commands, and the start and stop of the node. */
const outside = /^src\/(?:cli|postgres)\//;

it('every number that limits a request is in contract/limits', () => {
  const sources = sourceFiles(['src']).filter(
    ({ path }) => path.endsWith('.ts') && !isTest(path) && !outside.test(path),
  );
  const found = sources.flatMap(findings);
  const unexplained = found.filter(
    ({ path, text }) => !(allowed[path] ?? []).some(([, ...texts]) => texts.includes(text)),
  );
  expect(unexplained.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
  const files = new Set(sources.map(({ path }) => path));
  const explained = Object.entries(allowed)
    .filter(([path]) => files.has(path))
    .flatMap(([path, reasons]) => reasons.flatMap(([, ...texts]) => texts.map((text) => ({ path, text }))));
  const idle = explained.filter((one) => !found.some(({ path, text }) => path === one.path && text === one.text));
  expect(idle.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
});

it.each([
  'const MAX_ROWS = 5000;',
  'const schema = z.string().max(4096);',
  'const schema = z.string().max(16 * 1024);',
  'const REQUEST_ID = /^[a-z]{1,128}$/;',
  'const schema = z.object({ phone: text(64), name: line(120) });',
  'socket.setTimeout(30000, () => undefined); setTimeout(end, 30_000)',
  'if (body.length > 65536) throw refuse();',
  'const options = { bodyLimit: 10 * 1024 * 1024 };',
  'return rows.slice(0, 100);',
  'const sql = `select 1 from t order by a limit 50`;',
  "const sql = `where at > now() - interval '90 days'`;",
])('finds the limit in: %s', (text) => {
  expect(findings({ path: 'src/example.ts', text })).not.toEqual([]);
});

it.each([
  'const HEAD = 5;',
  'text.slice(0, 1)',
  'limits.bodyBytes.default',
  '// at most 5000: const MAX = 5000;',
  'status: 409',
])('finds no limit in: %s', (text) => expect(findings({ path: 'src/example.ts', text })).toEqual([]));
