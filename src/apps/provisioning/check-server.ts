import type { RightName } from '../../../contract/server-rights.ts';
import { ConnectionError, DatabaseError } from '../../database/database-error.ts';
import { hostName } from '../../database/host.ts';
import type { Pool } from '../../database/pool.ts';
import { MARKER } from '../../database/startup-settings.ts';
import { rowsAsText } from '../../database/statement.ts';
import type { Server } from '../registry/server.ts';
import { missingRights } from './probe-rights.ts';

/** Characters of an unknown version() in a message. */
const VERSION_CHARACTERS = 60;
/** The oldest major version of PostgreSQL that can host apps, with a superuser and without. */
const OLDEST_POSTGRES = 15;
const OLDEST_MANAGED = 16;

/** Error of a server that cannot host apps. The message names the missing properties. */
export class ServerUnfitError extends Error {
  override readonly name = 'ServerUnfitError';
}

/**
 * Checks that a server can host apps.
 * @param entry Connections of the superuser to a database that exists before the first start.
 * @returns PostgreSQL's version, and the rights of a superuser that the login lacks
 * @throws ServerUnfitError
 */
export async function checkServer(
  { target }: Server,
  entry: Pool,
): Promise<{ version: string; missingRights: RightName[] }> {
  const asked = entry.run([
    {
      text: `select pg_catalog.version() as program, pg_catalog.current_setting('${MARKER}', true) as marker,
               pg_catalog.current_setting('server_version') as version, pg_catalog.current_setting('server_version_num') as number,
               pg_catalog.pg_encoding_to_char(encoding) as encoding,
               login.rolsuper as superuser, login.rolcreaterole as makes_roles, login.rolcreatedb as makes_databases, login.rolbypassrls as bypasses,
               current_user as login,
               (select pg_catalog.string_agg(wanted, ', ') from pg_catalog.unnest(array['pgcrypto','uuid-ossp','citext','pg_trgm']) wanted
                 where not exists (select from pg_catalog.pg_available_extensions where name = wanted)) as lacking
             from pg_catalog.pg_database d cross join pg_catalog.pg_roles login
             where d.datname = pg_catalog.current_database() and login.rolname = current_user`,
      params: [],
    },
  ]);
  const [result] = await asked.catch((error: unknown) => {
    const known = error instanceof ConnectionError || error instanceof DatabaseError;
    const reason = known ? error.message : String(error);
    const address = target.address.hosts.map(hostName).join(', ');
    if (POOLER_REFUSAL.test(reason)) throw new ServerUnfitError(behindPooler(address, reason), { cause: error });
    throw new ServerUnfitError(`PostgreSQL at ${address} cannot be used: ${reason}.`, { cause: error });
  });
  const row = result ? rowsAsText(result)[0] : undefined;
  if (!row) throw new ServerUnfitError('The PostgreSQL server does not say what it is.');
  const other = otherEngine(row.program ?? '');
  if (other !== null) throw new ServerUnfitError(otherEngineWords(other));
  if (row.marker !== target.serverState.marker) {
    const address = target.address.hosts.map(hostName).join(', ');
    throw new ServerUnfitError(behindPooler(address, 'settings of the connection did not reach PostgreSQL'));
  }
  const version = row.version ?? '';
  const lacks: string[] = [];
  if (Number(row.number) < OLDEST_POSTGRES * 10_000)
    lacks.push(`version ${OLDEST_POSTGRES} or newer (it is ${version})`);
  if (row.superuser !== 't') lacks.push(...lackedByLogin(row));
  if (row.lacking) lacks.push(`the extensions ${row.lacking} (on Debian: the package postgresql-contrib)`);
  if (lacks.length > 0) {
    throw new ServerUnfitError(`This PostgreSQL server cannot be used: Ninefold needs ${lacks.join('; and ')}.`);
  }
  return { version, missingRights: row.superuser === 't' ? [] : await missingRights(entry) };
}

/** Returns what a login that is no superuser needs in addition, for people. */
function lackedByLogin(row: Readonly<Record<string, string | null>>): string[] {
  const attributes = [
    ['makes_roles', 'CREATEROLE'],
    ['makes_databases', 'CREATEDB'],
    ['bypasses', 'BYPASSRLS'],
  ].flatMap(([column = '', name = '']) => (row[column] === 't' ? [] : [name]));
  if (attributes.length > 0) {
    return [
      `a superuser, or a login with CREATEROLE, CREATEDB and BYPASSRLS (“${row.login}” lacks ${attributes.join(', ')})`,
    ];
  }
  if (/^app_/.test(row.login ?? '')) return ['a login whose name does not begin with “app_”, as those of apps do'];
  if (Number(row.number) >= OLDEST_MANAGED * 10_000) return [];
  return [`version ${OLDEST_MANAGED} or newer for a login that is no superuser, such as “${row.login}”`];
}

/** The message with which PgBouncer refuses settings of a startup message. */
const POOLER_REFUSAL = /unsupported startup parameter/;

const behindPooler = (address: string, reason: string): string =>
  `${address} is a connection pooler, not PostgreSQL itself (${reason}). Ninefold pools connections itself and needs sessions of its own: use the address of the PostgreSQL server.`;

/** Engines that speak PostgreSQL's protocol, by a word of their version(). */
const otherEngines: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/CockroachDB/i, 'CockroachDB'],
  [/-YB-|Yugabyte/i, 'YugabyteDB'],
  [/DSQL/i, 'Aurora DSQL'],
  [/Spanner/i, 'Spanner'],
  [/Redshift/i, 'Redshift'],
  [/Greenplum/i, 'Greenplum'],
  [/Materialize/i, 'Materialize'],
];

/**
 * Returns the name of an engine that only speaks PostgreSQL's protocol; null for PostgreSQL itself.
 * @param version The result of version().
 */
export function otherEngine(version: string): string | null {
  const [, name] = otherEngines.find(([pattern]) => pattern.test(version)) ?? [];
  return name ?? (/^(?:PostgreSQL|EnterpriseDB) /.test(version) ? null : `“${version.slice(0, VERSION_CHARACTERS)}”`);
}

const otherEngineWords = (name: string): string =>
  `The database server is ${name}. Ninefold needs PostgreSQL itself: a database for each app, triggers and event triggers in PL/pgSQL, LISTEN, session locks and changes of the schema inside a transaction.`;
