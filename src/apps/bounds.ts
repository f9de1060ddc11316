import type { LimitName } from '../../contract/limits.ts';
import { ConnectionError, DatabaseError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** Messages of the primary to the workers about apps that exceed their limits. */
export type BoundMessage =
  | {
      type: 'bound exceeded';
      app: string;
      limit: LimitName;
      bound: number;
      /** 0 if the app is not suspended. */
      suspendedSeconds: number;
    }
  | { type: 'storage'; app: string; isFull: boolean };

/** Maximum delay of the message about an ended session. */
const LATE_MILLISECONDS = 1000;
/** Time for which ended sessions are attributed to the last reported limit. */
const EXPLAINED_MILLISECONDS = 10_000;

interface Exceeded {
  readonly limit: LimitName;
  readonly bound: number;
  readonly at: number;
  readonly until: number;
}

/** The apps that the primary has reported as suspended, or with a full database. */
export class ExceededBounds {
  readonly #exceeded = new Map<string, Exceeded>();
  readonly #full = new Set<string>();
  /** Requests that wait for the reason why their session was ended. */
  readonly #waiting = new Map<string, Set<() => void>>();

  receive(message: BoundMessage): void {
    const { app } = message;
    if (message.type === 'storage') {
      if (message.isFull) this.#full.add(app);
      else this.#full.delete(app);
      return;
    }
    const at = performance.now();
    const until = at + message.suspendedSeconds * 1000;
    // A session that ends during a suspension belongs to that suspension.
    if (!this.refusal(app)) this.#exceeded.set(app, { limit: message.limit, bound: message.bound, at, until });
    for (const wake of this.#waiting.get(app) ?? []) wake();
  }

  /** Returns the error for requests of a suspended app; null for any other app. */
  refusal(app: string): NinefoldError | null {
    const exceeded = this.#exceeded.get(app);
    if (!exceeded) return null;
    const now = performance.now();
    if (exceeded.until > now) return limitExceeded(exceeded, now);
    if (now - exceeded.at > EXPLAINED_MILLISECONDS) this.#exceeded.delete(app);
    return null;
  }

  /** Returns the limit error if the session was ended because of a limit; otherwise returns the error unchanged. */
  async explain(app: string, error: unknown): Promise<unknown> {
    if (!wasEnded(error)) return error;
    if (!this.#recent(app)) await this.#nextMessage(app);
    const exceeded = this.#recent(app);
    return exceeded ? limitExceeded(exceeded, performance.now(), error) : error;
  }

  #recent(app: string): Exceeded | null {
    const exceeded = this.#exceeded.get(app);
    const now = performance.now();
    return exceeded && (exceeded.until > now || now - exceeded.at < EXPLAINED_MILLISECONDS) ? exceeded : null;
  }

  /**
   * Resolves at the next message about the app, or after a timeout. The messages of the primary and of PostgreSQL use
   * different sockets, so their order varies.
   */
  #nextMessage(app: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(app) ?? new Set();
      this.#waiting.set(app, waiting);
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(app);
        resolve();
      };
      const timer = setTimeout(wake, LATE_MILLISECONDS);
      waiting.add(wake);
    });
  }

  /** Returns true if the database of the app has reached the limit appDatabaseBytes. */
  isFull(app: string): boolean {
    return this.#full.has(app);
  }
}

/** Returns the error for a request that would let a full database grow. */
export const storageFull = (cause?: unknown): NinefoldError =>
  new NinefoldError('app_storage_full', { details: { limit: 'appDatabaseBytes' }, cause });

/**
 * SQLSTATEs of an ended session (admin_shutdown, as after pg_terminate_backend) and of a login that is closed during a
 * suspension (invalid_authorization_specification).
 */
const ended: readonly string[] = ['57P01', '28000'];

/**
 * Returns true if a session was ended, with or without an error message, a login was rejected, or the request was
 * rejected.
 */
function wasEnded(error: unknown): boolean {
  if (error instanceof NinefoldError && error.code === 'app_limit_exceeded') return true;
  if (error instanceof ConnectionError && error.closedSilently) return true;
  if (error instanceof ConnectionError || error instanceof DatabaseError) return ended.includes(error.sqlstate ?? '');
  return error instanceof Error && wasEnded(error.cause);
}

function limitExceeded({ limit, bound, until }: Exceeded, now: number, cause?: unknown): NinefoldError {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const what =
    until > now ? 'The app is suspended because it exceeded' : 'The session was ended because the app exceeded';
  return new NinefoldError('app_limit_exceeded', {
    message: `${what} the limit ${limit}.`,
    details: { limit, bound },
    headers: { 'retry-after': String(seconds) },
    limit,
    cause,
  });
}
