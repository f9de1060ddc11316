import type { LimitName } from '../../contract/limits.ts';
import { ConnectionError, DatabaseError, type LostSession } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';

/** Messages of the primary to the workers about apps that exceed their limits. */
export type BoundMessage =
  | {
      type: 'bound exceeded';
      app: string;
      limit: LimitName;
      bound: number;
      /** The remaining seconds of the suspension; 0 if the app is not suspended. */
      suspendedSeconds: number;
      /** The process ids of the PostgreSQL sessions that the primary ends. */
      processIds: readonly number[];
    }
  | { type: 'storage'; app: string; isFull: boolean };

/**
 * Time in ms by which the message about an ended session may be late. Requests wait at most this long for the message.
 */
const LATE_MILLISECONDS = 1000;
/** Time in ms for which the reason of an ended session is stored. */
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
  /** The sessions of an app that were ended, by process id. */
  readonly #ended = new Map<string, Map<number, Exceeded>>();
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
    const exceeded = { limit: message.limit, bound: message.bound, at, until };
    this.#noteEnded(app, message.processIds, exceeded);
    // A session may be ended while the app is suspended. The reason of the suspension is then kept.
    if (!this.refusal(app)) this.#exceeded.set(app, exceeded);
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

  /**
   * Returns the limit error if the session was ended because of a limit; otherwise returns the error unchanged. A
   * session is identified by its process id. A session that ends during a suspension is ended because of the
   * suspension.
   */
  async explain(app: string, error: unknown): Promise<unknown> {
    const lost = endedSession(error);
    if (lost === null) return error;
    const deadline = performance.now() + LATE_MILLISECONDS;
    for (;;) {
      const exceeded = this.#reasonOf(app, lost);
      const now = performance.now();
      if (exceeded) return limitExceeded(exceeded, now, error);
      if (now >= deadline) return error;
      await this.#nextMessage(app, deadline - now);
    }
  }

  #noteEnded(app: string, processIds: readonly number[], exceeded: Exceeded): void {
    const known = [...(this.#ended.get(app) ?? [])].filter(([, { at }]) => exceeded.at - at < EXPLAINED_MILLISECONDS);
    const ended = new Map([...known, ...processIds.map((id) => [id, exceeded] as const)]);
    if (ended.size > 0) this.#ended.set(app, ended);
    else this.#ended.delete(app);
  }

  #reasonOf(app: string, lost: 'login' | LostSession): Exceeded | null {
    const now = performance.now();
    const last = this.#exceeded.get(app);
    if (last && last.until > last.at && last.until + LATE_MILLISECONDS > now) return last;
    if (lost === 'login') return null;
    const ended = this.#ended.get(app)?.get(lost.processId);
    // A session that was opened later can have the same process id, because PostgreSQL reuses process ids. The reason
    // does not apply to it.
    return ended && now - ended.at < EXPLAINED_MILLISECONDS && lost.openedAt <= ended.at ? ended : null;
  }

  /**
   * Resolves at the next message about the app, or after a timeout, because the primary and PostgreSQL use different
   * sockets.
   */
  #nextMessage(app: string, milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(app) ?? new Set();
      this.#waiting.set(app, waiting);
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(app);
        resolve();
      };
      const timer = setTimeout(wake, milliseconds);
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
 * Returns the session whose end an error reports, with or without a message of PostgreSQL. Returns 'login' for an
 * error without a known session, for example a refused login; null for any other error.
 */
function endedSession(error: unknown): 'login' | LostSession | null {
  if (error instanceof NinefoldError && error.code === 'app_limit_exceeded') return 'login';
  if (error instanceof ConnectionError) {
    const isEnded = error.closedSilently || ended.includes(error.sqlstate ?? '');
    return isEnded ? (error.session ?? 'login') : null;
  }
  if (error instanceof DatabaseError) return ended.includes(error.sqlstate) ? 'login' : null;
  return error instanceof Error ? endedSession(error.cause) : null;
}

function limitExceeded({ limit, bound, until }: Exceeded, now: number, cause?: unknown): NinefoldError {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  const what =
    until > now ? 'The app is suspended because it exceeded' : 'The session was ended because the app exceeded';
  return new NinefoldError('app_limit_exceeded', {
    message: `${what} the limit ${limit}.`,
    details: { limit, bound },
    retryAfter: seconds,
    limit,
    cause,
  });
}
