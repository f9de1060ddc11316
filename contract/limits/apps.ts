import { limitsOf } from './limit.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Shares of one PostgreSQL server that an app may take, so that the other apps of the server stay available. */
export const appLimits = limitsOf('apps', {
  appLocks: {
    unit: 'count',
    default: 10_000,
    meaning:
      'Locks that all sessions of an app may hold together. Above this, or if a session locks the database of another app or blocks a catalog or role that all apps share, its sessions are ended and the app is suspended.',
    variable: 'NINEFOLD_APP_LOCKS',
    range: [500, 50_000],
    code: 'app_limit_exceeded',
  },
  sessionMemoryBytes: {
    unit: 'bytes',
    default: GIB,
    meaning:
      'Memory of one session. A statement that asks for more fails. Applies to the embedded PostgreSQL on Linux.',
    variable: 'NINEFOLD_SESSION_MEMORY_BYTES',
    range: [128 * MIB, 1024 * GIB],
    code: '53200',
  },
  appMemoryBytes: {
    unit: 'bytes',
    default: 2 * GIB,
    meaning:
      'Memory of all sessions of an app together. Above this, the largest sessions are ended. Applies to the embedded PostgreSQL on Linux.',
    variable: 'NINEFOLD_APP_MEMORY_BYTES',
    range: [128 * MIB, 1024 * GIB],
    code: 'app_limit_exceeded',
  },
  sessionTemporaryBytes: {
    unit: 'bytes',
    default: GIB,
    meaning:
      'Temporary files of one session, for example for large sorts (temp_file_limit). A statement that needs more fails.',
    variable: 'NINEFOLD_SESSION_TEMPORARY_BYTES',
    range: [MIB, 1024 * GIB],
    code: '53400',
  },
  appTemporaryBytes: {
    unit: 'bytes',
    default: 2 * GIB,
    meaning:
      'Temporary files of all sessions of an app together, exported snapshots included. Above this, the sessions with the largest files are ended.',
    variable: 'NINEFOLD_APP_TEMPORARY_BYTES',
    range: [MIB, 1024 * GIB],
    code: 'app_limit_exceeded',
  },
  appDatabaseBytes: {
    unit: 'bytes',
    default: 10 * GIB,
    meaning:
      'Size of an app’s database on disk. Above this, data calls that insert or update rows are refused, functions run in a read-only transaction, and sessions that let the database grow are ended. DELETE calls, and DELETE, TRUNCATE, DROP and VACUUM by the owner stay possible.',
    variable: 'NINEFOLD_APP_DATABASE_BYTES',
    range: [16 * MIB, 1024 * GIB],
    code: 'app_storage_full',
  },
  appStatementSeconds: {
    unit: 'seconds',
    default: 600,
    meaning:
      'How long a statement of any session of an app may run, whatever statement_timeout says. Statements that a client sends as one message, as the SQL page does, count as one.',
    variable: 'NINEFOLD_APP_STATEMENT_SECONDS',
    range: [1, 86_400],
    code: 'app_limit_exceeded',
  },
  sessionLoopSeconds: {
    unit: 'seconds',
    default: 5,
    meaning:
      'Processor time for which a session may ignore that it was ended, in a loop of PostgreSQL that checks for no interrupt. Then the watchdog interrupts the loop by a signal. Applies to the embedded PostgreSQL on Linux.',
  },
  appClosingSeconds: {
    unit: 'seconds',
    default: 30,
    meaning:
      'How long deleting or cloning an app waits until PostgreSQL has ended the sessions of the app, or sessions of other apps that hold locks which the deletion needs.',
    code: 'app_session_stuck',
  },
  appTransactionSeconds: {
    unit: 'seconds',
    default: 1800,
    meaning: 'How long a transaction of any session of an app may last, whatever transaction_timeout says.',
    variable: 'NINEFOLD_APP_TRANSACTION_SECONDS',
    range: [1, 86_400],
    code: 'app_limit_exceeded',
  },
  appIdleTransactionSeconds: {
    unit: 'seconds',
    default: 300,
    meaning:
      'How long a session of an app may wait inside an open transaction, whatever idle_in_transaction_session_timeout says.',
    variable: 'NINEFOLD_APP_IDLE_TRANSACTION_SECONDS',
    range: [1, 86_400],
    code: 'app_limit_exceeded',
  },
  appAnalyzeSeconds: {
    unit: 'seconds',
    default: 30,
    meaning:
      'How long autovacuum may analyze one table of an app. All apps share its workers, and an analysis runs functions of the app in expression indexes.',
    variable: 'NINEFOLD_APP_ANALYZE_SECONDS',
    range: [1, 86_400],
  },
  sharedCatalogBytesPerSecond: {
    unit: 'bytes',
    default: 4 * MIB,
    meaning:
      'How much the catalogs that all apps of a server share, as of comments and settings of databases, may grow per second. Above this, the app that writes them most is suspended.',
    variable: 'NINEFOLD_SHARED_CATALOG_BYTES_PER_SECOND',
    range: [MIB / 4, GIB],
    code: 'app_limit_exceeded',
  },
  notifyQueueBytes: {
    unit: 'bytes',
    default: 64 * MIB,
    meaning:
      'Size of the NOTIFY queue, which all apps of a server share. Above this, sessions that may prevent PostgreSQL from emptying the queue are ended after notifyListenerSeconds.',
    variable: 'NINEFOLD_NOTIFY_QUEUE_BYTES',
    range: [MIB, 8 * GIB],
    code: 'app_limit_exceeded',
  },
  notifyListenerSeconds: {
    unit: 'seconds',
    default: 30,
    meaning:
      'How long a transaction may last, or a client may leave its connection unread, while the NOTIFY queue exceeds notifyQueueBytes. PostgreSQL does not report which session listens.',
    variable: 'NINEFOLD_NOTIFY_LISTENER_SECONDS',
    range: [1, 3600],
  },
  notifyBytesPerSecond: {
    unit: 'bytes',
    default: 8 * MIB,
    meaning:
      'How much all apps of a server may write to the NOTIFY queue per second. Above this, the app that writes most is suspended.',
    variable: 'NINEFOLD_NOTIFY_BYTES_PER_SECOND',
    range: [MIB / 4, GIB],
    code: 'app_limit_exceeded',
  },
  appProcessorShare: {
    unit: 'count',
    default: 50,
    meaning:
      'Percent of one processor that an app may use at normal priority while another app has work. Applies to the embedded PostgreSQL on Linux.',
    variable: 'NINEFOLD_APP_PROCESSOR_SHARE',
    range: [1, 100_000],
  },
  loginsPerSecond: {
    unit: 'count',
    default: 30,
    meaning:
      'Logins per second of one role over TCP to the embedded PostgreSQL, four times as many of all roles together; after a pause, those of two seconds at once. More wait as long as loginWaitSeconds says.',
    variable: 'NINEFOLD_LOGINS_PER_SECOND',
    range: [1, 10_000],
    code: '53300',
  },
  loginWaitSeconds: {
    unit: 'seconds',
    default: 5,
    meaning: 'How long a login over TCP waits for its turn before it is refused.',
    code: '53300',
  },
  loginSeconds: {
    unit: 'seconds',
    default: 10,
    meaning: 'How long a login over TCP may take, once it has its turn.',
  },
  appSuspensionSeconds: {
    unit: 'seconds',
    default: 10,
    meaning:
      'How long an app is suspended after it exceeded a limit. Each further time doubles the duration, until ten minutes pass without one.',
    variable: 'NINEFOLD_APP_SUSPENSION_SECONDS',
    range: [1, 3600],
    code: 'app_limit_exceeded',
  },
  appSuspensionMaxSeconds: {
    unit: 'seconds',
    default: 300,
    meaning: 'The longest suspension of an app.',
  },
  appWatchMilliseconds: {
    unit: 'milliseconds',
    default: 100,
    meaning:
      'How often the primary process reads the usage of the sessions of all apps; half as often while all sessions are idle.',
  },
});

/** The limits of an app that an environment variable of the node can change. */
export type AppBounds = { readonly [Name in SettableName]: number };

type SettableName = {
  [Name in keyof typeof appLimits]: (typeof appLimits)[Name] extends { variable: string } ? Name : never;
}[keyof typeof appLimits];
