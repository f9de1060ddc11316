import { limits } from '../../../contract/limits.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { quoteIdentifier as id, plain, rowsAsText, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { APP_LOCK, type AppRecord, TEMPLATE_DATABASE } from '../registry/app-record.ts';

/** Pause between two checks for open sessions of a database. */
const CHECK_MILLISECONDS = 20;
/** Attempts for a database that is in use, and the pause between them. */
const IN_USE_ATTEMPTS = 100;
const IN_USE_MILLISECONDS = 50;

/** Attempts to copy a database while sessions log in. PostgreSQL waits for 5 seconds before each of them fails. */
const LOGIN_ATTEMPTS = 3;

/** Table of the maintenance database with the databases that are closed while they are copied or deleted. */
const CLOSED = 'public.closed_databases';

/**
 * Copies a database. CREATE DATABASE … TEMPLATE requires that no other session uses the source. So the source is closed
 * to new connections while it is copied, and requests wait. Running statements have two seconds to finish. CLOSED
 * has the name of the closed source. If this process ends before it reopens the source, a later start finds the name and reopens
 * it.
 */
export async function copyDatabase(maintenance: Pool, source: string, database: string): Promise<void> {
  const create = plain(`create database ${id(database)} template ${id(source)}`);
  if (source === TEMPLATE_DATABASE) {
    await retryWhileInUse(() => maintenance.run([create]));
    return;
  }
  await maintenance.run(closeStatements(source));
  try {
    // A session that had begun to log in before the source was closed is seen by CREATE DATABASE only.
    await retryWhileInUse(async () => {
      await endConnections(maintenance, source);
      await maintenance.run([create]);
    }, LOGIN_ATTEMPTS);
    await maintenance.run([plain(`alter database ${id(database)} allow_connections true`)]);
  } finally {
    await maintenance.run(reopenStatements(source));
  }
}

/** Returns the statements that close a database to new connections. */
const closeStatements = (database: string): Statement[] => [
  {
    text: `insert into ${CLOSED} (name) values ($1) on conflict do nothing`,
    params: [database],
  },
  plain(`alter database ${id(database)} allow_connections false`),
];

const reopenStatements = (database: string): Statement[] => [
  plain(`alter database ${id(database)} allow_connections true`),
  noLongerClosed(database),
];

const noLongerClosed = (database: string): Statement => ({
  text: `delete from ${CLOSED} where name = $1`,
  params: [database],
});

/** SQLSTATE of DROP DATABASE while a session uses the database. */
const IN_USE = '55006';
/** SQLSTATE of a statement after statement_timeout. */
export const TIMED_OUT = '57014';

/**
 * Deletes a database if it exists, and ends its sessions. The database is closed meanwhile: no session can take the place
 * of an ended one, and the watchdog recognises sessions that do not end.
 * @throws NinefoldError app_session_stuck if a session of the database, or a session of any database that does not close
 * its files, does not end in time. The database is opened again, unless PostgreSQL has begun to delete its files.
 */
export async function dropDatabase(maintenance: Pool, database: string): Promise<void> {
  const [found] = await maintenance.run([
    {
      text: 'select datistemplate as template, datconnlimit = -2 as invalid from pg_catalog.pg_database where datname = $1',
      params: [database],
    },
  ]);
  const state = found && rowsAsText(found)[0];
  if (!state) return;
  // A database that a failed DROP DATABASE left behind accepts no ALTER DATABASE.
  if (state.invalid !== 't') {
    // An owner may declare the database a template. DROP DATABASE refuses templates, so the mark is removed first.
    if (state.template === 't') await maintenance.run([plain(`alter database ${id(database)} is_template false`)]);
    // The statement fails if the owner changes the database at the same time. The deletion does not depend on it.
    await maintenance.run(closeStatements(database)).catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
    });
  }
  const until = performance.now() + limits.appClosingSeconds.default * 1000;
  for (;;) {
    try {
      await maintenance.script(`drop database if exists ${id(database)} with (force)`, {
        setup: [
          {
            text: `select pg_catalog.set_config('statement_timeout', $1, false)`,
            params: [String(limits.appClosingSeconds.default * 1000)],
          },
        ],
      });
      await maintenance.run([noLongerClosed(database)]);
      return;
    } catch (error) {
      const isInUse = error instanceof DatabaseError && error.sqlstate === IN_USE;
      if (isInUse && performance.now() < until) continue;
      if (isInUse) await maintenance.run(reopenStatements(database));
      if (isInUse || (error instanceof DatabaseError && error.sqlstate === TIMED_OUT)) throw sessionStuck(error);
      throw error;
    }
  }
}

/** Returns the error of a deletion or copy that waits for a session that does not end. */
export const sessionStuck = (cause?: unknown): NinefoldError =>
  new NinefoldError('app_session_stuck', { retryAfter: limits.sessionLoopSeconds.default, cause });

/**
 * Reopens databases that an interrupted copy left closed. A copy in progress, on any node, holds its app's lock and is
 * skipped.
 */
export async function reopenCopied(
  maintenance: Pool,
  apps: readonly Pick<AppRecord, 'ref' | 'database'>[],
): Promise<void> {
  const [found] = await maintenance.run([
    {
      text: `select d.datname as database from ${CLOSED} c join pg_catalog.pg_database d on d.datname = c.name`,
      params: [],
    },
  ]);
  const marked = new Set((found ? rowsAsText(found) : []).map(({ database }) => database));
  for (const { ref, database } of apps.filter((app) => marked.has(app.database))) {
    await maintenance.transaction(async (tx) => {
      const [locked] = await tx.run([
        { text: `select pg_catalog.pg_try_advisory_xact_lock(${APP_LOCK}) as mine`, params: [ref] },
      ]);
      if (locked && rowsAsText(locked)[0]?.mine === 't') await tx.run(reopenStatements(database));
    });
  }
}

async function endConnections(maintenance: Pool, database: string): Promise<void> {
  const started = performance.now();
  for (;;) {
    const isGracePeriod = performance.now() - started < 2000;
    const [left] = await maintenance.run([
      {
        text: `select pg_catalog.count(*) as left, pg_catalog.count(pg_catalog.pg_terminate_backend(pid)) filter (where state = 'idle' or not $2::boolean) as ended
               from pg_catalog.pg_stat_activity where datname = $1`,
        params: [database, String(isGracePeriod)],
      },
    ]);
    if (!left || rowsAsText(left)[0]?.left === '0') return;
    if (performance.now() - started > limits.appClosingSeconds.default * 1000) throw sessionStuck();
    await new Promise((resolve) => setTimeout(resolve, CHECK_MILLISECONDS));
  }
}

/**
 * Retries while another session uses the source: if two apps are created at the same time, the second copy of the
 * template waits for the first.
 */
async function retryWhileInUse(work: () => Promise<unknown>, attempts = IN_USE_ATTEMPTS): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      const inUse = error instanceof DatabaseError && error.sqlstate === IN_USE;
      if (!inUse || attempt >= attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, IN_USE_MILLISECONDS));
    }
  }
}
