import type { LimitName } from '../../../../contract/limits.ts';
import type { App } from '../../../apps/app.ts';
import { runAsServerRole } from '../../../apps/run-as-server-role.ts';
import { firstJson } from '../../../database/statement.ts';

/** How much of some limits an app uses at the moment, by the name of the limit and in its unit. */
export type Uses = ReadonlyMap<string, number>;

/** SQL that reads the use of each limit. Each expression takes a few milliseconds: it reads an index, a counter or a short table. */
const reads: Readonly<Partial<Record<LimitName, string>>> = {
  appConnections:
    '(select pg_catalog.count(*) from pg_catalog.pg_stat_activity a where a.datname = pg_catalog.current_database())',
  mailsPerHour: `(select pg_catalog.count(*) from ninefold.mails m
    where m.state = 'sent' and m.channel = 'email' and m.sent_at > pg_catalog.now() - interval '1 hour')`,
  textsPerHour: `(select pg_catalog.count(*) from ninefold.mails m
    where m.state = 'sent' and m.channel = 'sms' and m.sent_at > pg_catalog.now() - interval '1 hour')`,
  keptTraces: '(select pg_catalog.count(*) from ninefold.request_traces)',
  logRequests: '(select coalesce(pg_catalog.sum(c.calls), 0) from ninefold.request_log_counts c)',
};

const READ = `select pg_catalog.json_build_object(${Object.entries(reads)
  .map(([name, read]) => `'${name}', ${read}`)
  .join(', ')})`;

/** Reads the size of a database. PostgreSQL lets only roles do this that may connect to the database; null for others. */
const SIZE = `select case when pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CONNECT')
  then pg_catalog.to_json(pg_catalog.pg_database_size(pg_catalog.current_database())) end`;

/**
 * Reads how much of some limits an app uses at the moment.
 * @throws Errors of `Executor.run`.
 */
export async function loadUses({ database, serverDatabase }: Pick<App, 'database' | 'serverDatabase'>): Promise<Uses> {
  const [[counted], [size]] = await Promise.all([
    runAsServerRole(serverDatabase, [{ text: READ, params: [] }]),
    database.run([{ text: SIZE, params: [] }]),
  ]);
  const bytes = size && firstJson<number>(size);
  const uses = new Map(Object.entries((counted && firstJson<Record<string, number>>(counted)) ?? {}));
  return bytes ? uses.set('appDatabaseBytes', bytes) : uses;
}
