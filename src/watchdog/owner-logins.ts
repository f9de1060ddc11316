import { ownerRole } from '../apps/registry/app-record.ts';
import type { Executor } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { plain, quoteIdentifier, quoteLiteral, rowsAsText } from '../database/statement.ts';

/**
 * Comment on a role whose login the watchdog closed. A role whose login the operator closed does not have this comment,
 * so its login stays closed.
 */
const MARK = 'Ninefold closed this login for as long as the app is suspended.';
const UNDEFINED_OBJECT = '42704';
/**
 * A session that changes its own role's password locks the role. With this timeout, the watchdog does not wait for such
 * a session.
 */
const LOCK_TIMEOUT = "select pg_catalog.set_config('lock_timeout', '50ms', true)";
/**
 * Time in milliseconds by which the login opens before the suspension ends, so that no request is rejected because of a
 * closed login.
 */
const EARLIER_MILLISECONDS = 500;

/**
 * Closes the logins of the owners of suspended apps (NOLOGIN). PostgreSQL then rejects repeated logins before it loads
 * the app's database. Otherwise the watchdog would have to end each new session, which would take more time from other
 * apps.
 */
export class OwnerLogins {
  readonly #database: Executor;
  /** For each app, the time in milliseconds of performance.now() until which the owner's login stays closed. */
  readonly #closed = new Map<string, { until: number; isDone: boolean }>();

  /** @param database Connections of the superuser. */
  constructor(database: Executor) {
    this.#database = database;
  }

  /**
   * Opens the logins that a node left closed, for example because it was killed.
   * @param except The apps whose logins stay closed, because their suspensions have not ended.
   */
  async openLeftClosed(except: ReadonlySet<string> = new Set()): Promise<void> {
    const stays = new Set([...except].map(ownerRole));
    const [result] = await this.#database.run([
      plain(`select r.rolname from pg_catalog.pg_roles r
             where pg_catalog.shobj_description(r.oid, 'pg_authid') = ${quoteLiteral(MARK)}`),
    ]);
    for (const { rolname } of result ? rowsAsText(result) : [])
      if (rolname && !stays.has(rolname)) await this.#open(rolname);
  }

  /**
   * Requests that the next call of `settle` closes the login of an app's owner.
   * @param until End in milliseconds of performance.now().
   */
  close(app: string, until: number): void {
    this.#closed.set(app, { until: until - EARLIER_MILLISECONDS, isDone: false });
  }

  /** Leaves all logins as they are. Another node opens those that are closed. */
  forget(): void {
    this.#closed.clear();
  }

  /**
   * Closes the logins that `close` requested, and opens those whose time has passed.
   * @param now Milliseconds of performance.now(); Infinity opens all.
   * @throws DatabaseError if the server rejects a statement, for example because its lock table is full. The next call
   * retries.
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

  /**
   * Runs the statements in one transaction. Ignores a missing role, because the app may have been deleted in the
   * meantime.
   */
  async #change(statements: readonly string[]): Promise<void> {
    await this.#database.run([LOCK_TIMEOUT, ...statements].map(plain)).catch((error: unknown) => {
      if (!(error instanceof DatabaseError && error.fields.sqlstate === UNDEFINED_OBJECT)) throw error;
    });
  }
}
