/** Fields of an error of PostgreSQL (PostgreSQL manual, "Error and Notice Message Fields"). */
export interface DatabaseErrorFields {
  /** SQLSTATE, five characters. */
  sqlstate: string;
  severity: string;
  message: string;
  detail?: string;
  hint?: string;
  /** Position of the error in the statement, in characters, counted from 1. */
  position?: number;
  internalQuery?: string;
  where?: string;
  schema?: string;
  table?: string;
  column?: string;
  dataType?: string;
  constraint?: string;
  /** Function in PostgreSQL's source code that raised the error. Set only if PostgreSQL refused the connection. */
  routine?: string;
}

/**
 * Error of a statement that PostgreSQL rejected. The API that sent the statement decides which fields a client may
 * read.
 */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly fields: DatabaseErrorFields;
  /** Index of the failed statement in its batch. */
  readonly statement: number;
  /** True if the schema changed under a prepared plan. The batch can be retried, because PostgreSQL rolled it back. */
  stalePlan = false;
  /** True if a cancel request for another statement of this connection cancelled the statement. */
  strayCancel = false;

  constructor(fields: DatabaseErrorFields, statement = 0) {
    super(fields.message);
    this.fields = fields;
    this.statement = statement;
  }

  get sqlstate(): string {
    return this.fields.sqlstate;
  }
}

/**
 * A session that was lost, as its client knows it. The process id alone does not identify it, because the operating
 * system may give the id to a later process.
 */
export interface LostSession {
  readonly processId: number;
  /** Time at which the session was opened, in milliseconds of performance.now(). */
  readonly openedAt: number;
}

/**
 * Error of a connection that could not be opened or was lost before the response. The outcome of the batch is unknown
 * unless `isSafeToRetry`. `cause` is a DatabaseError if PostgreSQL gave a reason.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /**
   * True if the server did not run the batch or rolled it back, so that the batch can be retried on another connection.
   */
  isSafeToRetry = false;
  /**
   * True if the connection was closed without a message of PostgreSQL. A slow client can miss the last message, because
   * PostgreSQL does not wait until the client has read it.
   */
  closedSilently = false;
  /** The session that was lost; null if none was open. */
  session: LostSession | null = null;

  /** SQLSTATE of PostgreSQL's message; null if PostgreSQL sent no message. */
  get sqlstate(): string | null {
    return this.cause instanceof DatabaseError ? this.cause.sqlstate : null;
  }

  /** True if the batch was sent and the server may have committed it. */
  get mayHaveCommitted(): boolean {
    return this.session !== null && !this.isSafeToRetry;
  }
}

/** Returns the error for a batch that the server did not run or rolled back. */
export function asSafeToRetry(error: Error): ConnectionError {
  const notKept = new ConnectionError(error.message, { cause: error.cause });
  notKept.isSafeToRetry = true;
  if (error instanceof ConnectionError) {
    notKept.closedSilently = error.closedSilently;
    notKept.session = error.session;
  }
  return notKept;
}

/** Error of a caller for which no connection became free within its wait time. */
export class PoolTimeoutError extends Error {
  override readonly name = 'PoolTimeoutError';
}

/** Error of a result larger than the limit resultBytes. The statement was cancelled. */
export class ResultTooLargeError extends Error {
  override readonly name = 'ResultTooLargeError';
}

/**
 * SQLSTATEs of a server that is starting, of a database that is closed while it is copied, and of a connection that was
 * ended before its use.
 */
const transientSqlstates: readonly (string | null)[] = ['57P03', '55000', '57P01'];

/**
 * Returns true if the reason why a connection could not be opened is temporary, so that callers can wait for the next
 * attempt.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ConnectionError)) return false;
  return transientSqlstates.includes(error.sqlstate) || (error.closedSilently && error.session === null);
}

/**
 * SQLSTATE with which PostgreSQL reports a full disk (errcode_for_file_access in elog.c). For ENOSPC it sends this
 * SQLSTATE. For EDQUOT it sends only the message of the operating system.
 */
const DISK_FULL = '53100';
/** SQLSTATE lock_not_available: a statement waited for a lock for longer than lock_timeout allows. */
export const LOCK_NOT_AVAILABLE = '55P03';

const diskWords = /No space left on device|Disk quota exceeded/;

/**
 * Returns true if an error or its cause is PostgreSQL's report that the disk of the server is full. Ignores errors that
 * a function of an app raises with the same SQLSTATE.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return error instanceof Error && isDiskFull(error.cause);
  const { sqlstate, message, where } = error.fields;
  const isReported = sqlstate === DISK_FULL || (/^(?:58|XX)/.test(sqlstate) && diskWords.test(message));
  return isReported && !/ at RAISE$/m.test(where?.split('\n')[0] ?? '');
}

/** Returns the reason why the role cannot log in, if the login will fail again; null if a retry may succeed. */
export function loginFailureReason({ sqlstate }: ConnectionError): string | null {
  switch (sqlstate) {
    case '28P01':
      // PostgreSQL says only in its log whether the password is wrong or has expired, so the message mentions both.
      return 'The password of the app’s login to its database was changed from inside the app, or it has expired (VALID UNTIL).';
    case '28000':
      return 'The app’s role may not log in to its database (NOLOGIN, or pg_hba.conf).';
    case '42501':
      return 'The app’s role may not connect to its database (REVOKE CONNECT).';
    default:
      return null;
  }
}

/** SQLSTATE invalid_catalog_name: the database does not exist. */
const NO_DATABASE = '3D000';

/**
 * Returns true if a connection could not be opened and will not open later by itself: the database does not exist, or
 * the role may not log in. Work that repeats must end then, or ask whether its app still exists.
 */
export const isLastingFailure = (error: unknown): boolean =>
  error instanceof ConnectionError && (error.sqlstate === NO_DATABASE || loginFailureReason(error) !== null);

/**
 * Returns true if the server, the database or the role has reached its maximum number of connections (53300,
 * too_many_connections).
 */
export function isOutOfConnections(error: unknown): boolean {
  return error instanceof ConnectionError && error.sqlstate === '53300';
}

/**
 * Functions in PostgreSQL's source code that check the connection limit of a role (miscinit.c) and of a database
 * (postinit.c).
 */
const ownCounts: readonly (string | undefined)[] = ['InitializeSessionUserId', 'CheckMyDatabase'];

/** Error codes of the operating system if this process or the machine has no free file descriptor. */
const descriptorErrors: readonly unknown[] = ['EMFILE', 'ENFILE'];

/**
 * Returns true if a connection failed because the server has no free slot or this process no free file descriptor.
 * Closing idle connections helps in both cases. Returns false if a role or a database has reached its own connection
 * limit.
 */
export function isServerFull(error: unknown): boolean {
  if (!(error instanceof ConnectionError && error.cause instanceof Error)) return false;
  const { cause } = error;
  if (!(cause instanceof DatabaseError)) return 'code' in cause && descriptorErrors.includes(cause.code);
  return isOutOfConnections(error) && !ownCounts.includes(cause.fields.routine);
}
