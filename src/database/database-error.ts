/** PostgreSQL's own error, field by field (PostgreSQL manual, "Error and Notice Message Fields"). */
export interface DatabaseErrorFields {
  /** SQLSTATE, five characters. */
  sqlstate: string;
  severity: string;
  message: string;
  detail?: string;
  hint?: string;
  /** 1-based, in characters. */
  position?: number;
  internalQuery?: string;
  where?: string;
  schema?: string;
  table?: string;
  column?: string;
  dataType?: string;
  constraint?: string;
  /** The server's function that said it; told of a refused connection alone. */
  routine?: string;
}

/** A statement was refused by PostgreSQL. The area that called decides which part of the error a client may read. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly fields: DatabaseErrorFields;
  /** Index of the failed statement in its batch. */
  readonly statement: number;
  /** A prepared plan no longer fitted the schema: the batch may be sent again, as nothing of it was kept. */
  stalePlan = false;
  /** The statement was cancelled by a request that was meant for another one on the same connection. */
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

/** A session as its client knows it. PostgreSQL may give the id of a process that has ended to another one. */
export interface LostSession {
  readonly processId: number;
  /** In milliseconds of performance.now(). */
  readonly openedAt: number;
}

/**
 * The connection could not be made or was lost before the answer came: the outcome is unknown, unless `nothingKept`. Its cause is a
 * DatabaseError where PostgreSQL said why.
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The connection was ended before the server looked at the batch, or undid it: it may be sent again over another one. */
  nothingKept = false;
  /** The connection was closed, and PostgreSQL did not say why: its last message does not wait for a client that is slow to read. */
  closedSilently = false;
  /** The session that was lost; null if none was open. */
  session: LostSession | null = null;

  /** SQLSTATE of what PostgreSQL said; null where it said nothing. */
  get sqlstate(): string | null {
    return this.cause instanceof DatabaseError ? this.cause.sqlstate : null;
  }
}

/** No connection became free within the wait limit. */
export class PoolTimeoutError extends Error {
  override readonly name = 'PoolTimeoutError';
}

/** The database answered with more than the limit resultBytes; the statement was cancelled. */
export class ResultTooLargeError extends Error {
  override readonly name = 'ResultTooLargeError';
}

/** SQLSTATEs of a server that starts up, of a database closed while it is copied, and of a connection that was ended before its use. */
const passing: readonly (string | null)[] = ['57P03', '55000', '57P01'];

/** Why no connection could be made will pass: worth the wait that each caller has. */
export function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError && passing.includes(error.sqlstate);
}

/** How PostgreSQL reports a full disk (errcode_for_file_access in elog.c): ENOSPC has a code, EDQUOT has the system's words alone. */
const DISK_FULL = '53100';
const diskWords = /No space left on device|Disk quota exceeded/;

/**
 * Returns true if an error, or its cause, is PostgreSQL's report that the disk of the server is full. An error that a function of an app
 * raises under the same code does not count.
 */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return error instanceof Error && isDiskFull(error.cause);
  const { sqlstate, message, where } = error.fields;
  const isReported = sqlstate === DISK_FULL || (/^(?:58|XX)/.test(sqlstate) && diskWords.test(message));
  return isReported && !/ at RAISE$/m.test(where?.split('\n')[0] ?? '');
}

/** Returns why the role cannot log in, if retries do not help; else null. */
export function refusedLogin({ sqlstate }: ConnectionError): string | null {
  switch (sqlstate) {
    case '28P01':
      // PostgreSQL tells its log alone which of the two it is.
      return 'The password of the app’s login to its database was changed from inside the app, or it is valid no more (VALID UNTIL).';
    case '28000':
      return 'The app’s role may not log in to its database (NOLOGIN, or pg_hba.conf).';
    case '42501':
      return 'The app’s role may not connect to its database (REVOKE CONNECT).';
    default:
      return null;
  }
}

/** The server, the database or the role has all the connections that it may have (53300, too_many_connections). */
export function isFull(error: unknown): boolean {
  return error instanceof ConnectionError && error.sqlstate === '53300';
}

/** Where PostgreSQL counts the connections of a role (miscinit.c) and of a database (postinit.c). */
const ownCounts: readonly (string | undefined)[] = ['InitializeSessionUserId', 'CheckMyDatabase'];

/** Errors of the system when this process, or the whole machine, has no file descriptor left. */
const descriptorErrors: readonly unknown[] = ['EMFILE', 'ENFILE'];

/**
 * Returns true if a connection failed because the server has no free slot, or this process no file descriptor: closing idle connections
 * helps. Returns false if a role or a database has all connections that it may have.
 */
export function isServerFull(error: unknown): boolean {
  if (!(error instanceof ConnectionError && error.cause instanceof Error)) return false;
  const { cause } = error;
  if (!(cause instanceof DatabaseError)) return 'code' in cause && descriptorErrors.includes(cause.code);
  return isFull(error) && !ownCounts.includes(cause.fields.routine);
}
