import { ownerRole } from '../apps/app-record.ts';
import type { Executor } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { plain, quoteIdentifier, quoteLiteral, rowsAsText } from '../database/statement.ts';

/** Marks a role that is closed here, so that a login which the operator closed stays closed. */
const MARK = 'Ninefold closed this login for as long as the app is suspended.';
const UNDEFINED_OBJECT = '42704';
/** A session that changes its own role's password holds a lock that must not hold up the watchdog. */
const LOCK_TIMEOUT = "select pg_catalog.set_config('lock_timeout', '50ms', true)";
/** The login is open before the suspension is over, so that no call of the app is refused for it. */
const EARLIER_MILLISECONDS = 500;

/**
 * Closes the logins of the owners of suspended apps (NOLOGIN). PostgreSQL then refuses an owner who logs in again and again before it
 * loads the app's database; ending each new session would cost the other apps more.
 */
export class OwnerLogins {
  readonly #database: Executor;
  /** By app: until when its owner's login stays closed, in performance.now(). */
  readonly #closed = new Map<string, { until: number; isDone: boolean }>();

  /** `database`: the superuser's. */
  constructor(database: Executor) {
    this.#database = database;
  }

  /** Opens the logins that a node left closed, since it was killed for example. */
  async openLeftClosed(): Promise<void> {
    const [result] = await this.#database.run([
      plain(`select r.rolname from pg_catalog.pg_roles r
             where pg_catalog.shobj_description(r.oid, 'pg_authid') = ${quoteLiteral(MARK)}`),
    ]);
    for (const { rolname } of result ? rowsAsText(result) : []) if (rolname) await this.#open(rolname);
  }

  /** Has `settle` close the login of an app's owner until a moment of performance.now(). */
  close(app: string, until: number): void {
    this.#closed.set(app, { until: until - EARLIER_MILLISECONDS, isDone: false });
  }

  /**
   * Closes the logins that are to be closed, and opens those whose time is over at `now`; Infinity opens all. Throws DatabaseError where
   * the server refuses, for a full lock table for example; the next call tries again.
   */
  async settle(now: number): Promise<void> {
    for (const [app, login] of this.#closed) {
      const role = quoteIdentifier(ownerRole(app));
      if (login.until <= now) {
        await this.#open(ownerRole(app));
        this.#closed.delete(app);
      } else if (!login.isDone) {
        await this.#change([`alter role ${role} nologin`, `comment on role ${role} is ${quoteLiteral(MARK)}`]);
        login.isDone = true;
      }
    }
  }

  async #open(role: string): Promise<void> {
    const name = quoteIdentifier(role);
    await this.#change([`alter role ${name} login`, `comment on role ${name} is null`]);
  }

  /** The statements are one transaction. An app that was deleted meanwhile has no login any more. */
  async #change(statements: readonly string[]): Promise<void> {
    await this.#database.run([LOCK_TIMEOUT, ...statements].map(plain)).catch((error: unknown) => {
      if (!(error instanceof DatabaseError && error.fields.sqlstate === UNDEFINED_OBJECT)) throw error;
    });
  }
}
