import { limits } from '../../../contract/limits.ts';
import type { App } from '../../apps/app.ts';
import { ownerConnection } from '../../apps/app-connections.ts';
import { withPool } from '../../apps/registry/server.ts';
import { registerAuthor } from '../../apps/team/author.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson, type Result, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { requireTeam } from '../authorise.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';

const TIMEOUT = String(limits.queueSeconds.default * 1000);

/** Makes a transaction of the app's authenticator read and write every message, with a time limit. */
const becomeServiceRole: Statement = {
  text: `select pg_catalog.set_config('role', 'service_role', true), pg_catalog.set_config('statement_timeout', $1, true)`,
  params: [TIMEOUT],
};

/**
 * Runs a statement on queues with the privileges of the service role. Policies do not apply to it.
 * @throws NinefoldError database_busy after `queueSeconds`; sql_failed with PostgreSQL's message
 */
export async function runOnQueues(app: App, statement: Statement): Promise<Result | undefined> {
  const [, result] = await app.database.run([becomeServiceRole, statement]).catch(rethrow);
  return result;
}

/** Runs a statement as the app's owner, who creates and drops queues. Its change is recorded as the caller's. */
export async function runAsOwner(
  context: AdminContext,
  caller: Caller,
  app: App,
  statement: Statement,
): Promise<Result | undefined> {
  requireTeam(context, caller);
  const name = await callerName(context, caller);
  return withPool(ownerConnection(context.server.target, app.record), async (pool) => {
    await registerAuthor(context.server, app.record, pool, { name });
    const timeout = { text: `select pg_catalog.set_config('statement_timeout', $1, true)`, params: [TIMEOUT] };
    const [, result] = await pool.run([timeout, statement]).catch(rethrow);
    return result;
  });
}

/** SQLSTATE of a statement that took longer than its limit. */
const CANCELED = '57014';

function rethrow(error: unknown): never {
  if (!(error instanceof DatabaseError)) throw error;
  if (error.sqlstate !== CANCELED)
    throw new NinefoldError('sql_failed', {
      message: error.message,
      details: { code: error.sqlstate },
      cause: error,
    });
  const message = `The database did not finish within ${limits.queueSeconds.default} seconds.`;
  throw new NinefoldError('database_busy', { message, limit: 'queueSeconds', cause: error });
}

/** A queue with the names of its tables in the schema `pgmq`. */
export interface QueueTables {
  name: string;
  queue: string;
  archive: string;
}

/** Selects the tables of the queue `m` of `pgmq.meta`; null for a missing table. PGMQ lower-cases their names. */
export const TABLES_OF_QUEUE = `
  left join pg_catalog.pg_class q on q.relnamespace = 'pgmq'::pg_catalog.regnamespace and q.relname = pg_catalog.lower('q_' || m.queue_name)
  left join pg_catalog.pg_class a on a.relnamespace = 'pgmq'::pg_catalog.regnamespace and a.relname = pg_catalog.lower('a_' || m.queue_name)`;

const FIND = `select pg_catalog.json_build_object('name', m.queue_name, 'queue', q.relname, 'archive', a.relname)
  from pgmq.meta m ${TABLES_OF_QUEUE} where m.queue_name = $1`;

/**
 * Returns the tables of a queue.
 * @throws NinefoldError not_found
 */
export async function findQueue(app: App, name: string): Promise<QueueTables> {
  const isName = !name.includes('\0') && (await hasQueues(app));
  const result = isName ? await runOnQueues(app, { text: FIND, params: [name] }) : undefined;
  const found = result && firstJson<{ [K in keyof QueueTables]: string | null }>(result);
  if (found?.name == null || found.queue === null || found.archive === null)
    throw new NinefoldError('not_found', { message: `The app has no queue ${JSON.stringify(name)}.` });
  return { name: found.name, queue: found.queue, archive: found.archive };
}

/** Returns whether the app's database has the table of PGMQ's queues. */
export async function hasQueues(app: App): Promise<boolean> {
  const text = `select pg_catalog.to_json(pg_catalog.to_regclass('pgmq.meta') is not null)`;
  const result = await runOnQueues(app, { text, params: [], planKey: 'service_role' });
  return result !== undefined && firstJson<boolean>(result) === true;
}
