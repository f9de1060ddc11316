import { ownerRole } from '../apps/registry/app-record.ts';
import type { Executor } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { plain, quoteIdentifier, quoteLiteral, rowsAsText } from '../database/statement.ts';

/**
 * Start of the comment on a role whose login the watchdog closed. A role whose login the operator closed does not have
 * this comment, so its login stays closed. The comment also says until when and why, so that another node can continue
 * the suspension.
 */
const MARK = 'Ninefold closed this login';
const NOTE = /^Ninefold closed this login until second (\d+(?:\.\d+)?) of the Unix time, because of the limit (\w+)\.$/;
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
  /** For each app, the limit that it exceeded, and the time in milliseconds of performance.now() at which its login opens. */
  readonly #closed = new Map<string, { limit: string; until: number; isDone: boolean }>();

  /** @param database Connections of the superuser. */
  constructor(database: Executor) {
    this.#database = database;
  }

  /**
   * Finds the logins that a node left closed, for example because it was killed, and opens those whose suspensions have
   * ended.
   * @returns the app, the limit and the seconds that remain, for each login that stays closed
   */
  async openEnded(): Promise<{ app: string; limit: string; seconds: number }[]> {
    const [result] = await this.#database.run([
      plain(`select r.rolname, pg_catalog.shobj_description(r.oid, 'pg_authid') as note,
               pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) as now
             from pg_catalog.pg_roles r
             where pg_catalog.starts_with(pg_catalog.shobj_description(r.oid, 'pg_authid'), ${quoteLiteral(MARK)})`),
    ]);
    const stay = [];
    for (const { rolname: role, note, now } of result ? rowsAsText(result) : []) {
      const [, until, limit] = NOTE.exec(note ?? '') ?? [];
      const seconds = Number(until) - Number(now);
      if (role && limit && seconds > 0) stay.push({ app: role.slice(ownerRole('').length), limit, seconds });
      else if (role) await this.#open(role);
    }
    return stay;
  }

  /** Opens every login that a node left closed. */
  async openAll(): Promise<void> {
    for (const { app } of await this.openEnded()) await this.#open(ownerRole(app));
  }

  /**
   * Requests that the next call of `settle` closes the login of an app's owner.
   * @param limit The limit that the app exceeded.
   * @param until End in milliseconds of performance.now().
   */
  close(app: string, limit: string, until: number): void {
    this.#closed.set(app, { limit, until: until - EARLIER_MILLISECONDS, isDone: false });
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
        const seconds = (login.until - now) / 1000;
        await this.#change([`alter role ${role} nologin`, commentUntil(ownerRole(app), seconds, login.limit)]);
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

/** Returns a statement that writes the comment of a closed login, by the clock of the server. */
function commentUntil(role: string, seconds: number, limit: string): string {
  const time = `pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) + ${seconds}`;
  const note = `pg_catalog.concat(${quoteLiteral(`${MARK} until second `)}, ${time}, ${quoteLiteral(` of the Unix time, because of the limit ${limit}.`)})`;
  const body = `begin execute pg_catalog.format('comment on role %I is %L', ${quoteLiteral(role)}, ${note}); end`;
  return `do ${quoteLiteral(body)}`;
}
